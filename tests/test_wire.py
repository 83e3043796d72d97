"""How JSON of the bridge becomes shapes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.host import methods, wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def made_of(shape: type, raw: Any) -> type:
    """Return the type of what raw JSON becomes, or of the error with a message that it becomes instead."""
    try:
        return type(wire.structured(shape, raw))
    except UsageError as error:
        return type(error) if str(error) else type(None)


@settings(max_examples=60)
@given(raw=JSON | st.fixed_dictionaries({"scene": JSON, "arguments": JSON, "prompt": JSON}))
def test_any_json_becomes_a_shape_or_an_error(raw: Any) -> None:
    """Structuring gives the shape that was asked for, or fails by a UsageError that says why, and in no other way."""
    for shape in set(methods.SHAPES.values()):
        assert made_of(shape, raw) in (shape, UsageError)


@pytest.mark.parametrize("timeout_ms", [-1, 86_400_001, 10**400, 2**63])
def test_nobody_waits_longer_than_a_day(timeout_ms: int) -> None:
    """A time-out that cannot be is an error of the request, however large the number."""
    for shape in set(methods.SHAPES.values()):
        assert made_of(shape, {"timeout_ms": timeout_ms}) is UsageError
    with pytest.raises(UsageError, match="timeout_ms"):
        wire.structured(wire.Hello, {"timeout_ms": timeout_ms})
    assert wire.structured(wire.Hello, {"timeout_ms": 86_400_000})


def test_lists_are_bounded_and_say_everything_once() -> None:
    """A name given often counts once; more names than anybody means are refused."""
    asked = wire.structured(wire.RecallArguments, {"query": "x", "entities": ["Ada", "Bo", "Ada"]})
    assert asked.entities == ("Ada", "Bo")
    with pytest.raises(UsageError, match="at most 1000"):
        wire.structured(wire.RecallArguments, {"query": "x", "entities": [str(name) for name in range(1_001)]})


def test_half_of_a_character_is_marked_as_such() -> None:
    """JSON may hold lone surrogates, which no file and no index can; a whole character stays."""
    asked = wire.structured(wire.RecallArguments, {"query": "a\ud800b 🎉", "entities": ["\udfff"]})
    assert (asked.query, asked.entities) == ("a\ufffdb 🎉", ("\ufffd",))
