"""
Compare what a plugin answered with what its hook promises: the return annotation of the specification, field by field.

Pure; imported only when a third party has answered.
"""

import functools
import math
import types
import typing
from collections.abc import Mapping
from typing import Any

import attrs

from openclaw_memory_hookspecs import Fact, specs


def flaw(hook: str, answer: Any) -> str | None:
    """Say what of a hook's answer is not as its specification says; None when all is well, or nobody reads it."""
    promised = _promised(getattr(specs, hook))["return"]
    return None if promised is type(None) else misfit(answer, promised)


def misfit(value: Any, promised: Any, name: str = "") -> str | None:
    """
    Say what of a value is not as its type says, down to the fields of records; None when it fits.

    Numbers must be finite. Sequences of numbers may be arrays of any package: whoever uses them looks at them.
    """
    origin, inner = typing.get_origin(promised), typing.get_args(promised)
    if origin in (types.UnionType, typing.Union):
        return _no_alternative(value, inner, name)
    if origin is tuple:
        if not isinstance(value, tuple):
            return _said(name, value, "a tuple")
        wrong = (misfit(item, inner[0], f"{name}[{number}]") for number, item in enumerate(value))
        return next(filter(None, wrong), None)
    if promised is Any or origin not in (None, Mapping):
        return None
    if promised in (int, float):
        if isinstance(value, bool) or not isinstance(value, (int, promised)):
            return _said(name, value, "a number")
        return None if math.isfinite(value) else f"{name or 'a number'} is {value}, not finite"
    expected = origin or promised
    if not isinstance(value, expected):
        return _said(name, value, _called(expected))
    if attrs.has(expected):
        return _wrong_field(value, expected, name)
    return None


def _no_alternative(value: Any, alternatives: tuple[Any, ...], name: str) -> str | None:
    """Say what is wrong with a value that fits no alternative: with one of a record's type what of the record is."""
    wrong = [misfit(value, alternative, name) for alternative in alternatives]
    if None in wrong:
        return None
    for alternative, sentence in zip(alternatives, wrong, strict=True):
        if isinstance(alternative, type) and isinstance(value, alternative):
            return sentence
    return _said(name, value, " or ".join(_called(one) for one in alternatives if one is not type(None)))


def _wrong_field(record: Any, noun: type, name: str) -> str | None:
    prefix = f"{name}." if name else ""
    for field, promised in _promised(noun).items():
        wrong = misfit(getattr(record, field), promised, f"{prefix}{field}")
        if wrong:
            return wrong
    if isinstance(record, Fact) and not record.citations:
        return f"{prefix}citations is empty"
    return None


def _said(name: str, value: Any, expected: str) -> str:
    return f"{f'{name} is ' if name else ''}{type(value).__name__}, not {expected}"


def _called(promised: Any) -> str:
    return f"a {promised.__name__}" if attrs.has(promised) else getattr(promised, "__name__", str(promised))


@functools.cache
def _promised(of: Any) -> dict[str, Any]:
    return typing.get_type_hints(of)
