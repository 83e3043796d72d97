"""
Which later statement takes the place of an earlier one on something that has one value at a time. Pure; recall, core
memory and pages all ask here.

Two statements are of one thing when the same words, and no others, name it. In doubt both stand.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from openclaw_memory_hookspecs import Kind, Provenance

if TYPE_CHECKING:
    from openclaw_memory_plugin.index.read import Row
    from openclaw_memory_plugin.index.reflection import Standing

COMPARED = 50
"""Statements on one thing that are compared with an older one, the newest ones."""
T = TypeVar("T", bound=Hashable)


class State(NamedTuple):
    """What a statement says of one thing."""

    slot: str
    """`home`, `work`, `value` or `name`."""
    about: frozenset[str]
    """Words that name it."""
    value: frozenset[str]
    beside: frozenset[str]
    """Words beside the value, such as its unit."""
    told: bool
    """It says that this is new."""
    over: bool
    """It says that this is no longer so."""
    whole: bool
    """It says nothing else."""
    alone: bool
    """There is only one value at a time, even where nobody says that it is new."""
    year: int | None
    """The earliest year in it."""


class Said(NamedTuple):
    """A statement with its day."""

    state: State
    day: str
    """ISO date; empty for none."""
    trust: int = 0
    """Of who says it; nothing takes the place of what one said who is to be trusted more."""


def may_replace(fact: "Row | Standing", day: str) -> bool:
    """
    Whether a fact may take another one's place on an ISO day at all.

    No opinion, task or noise does, nothing untrusted, and nothing that is yet to come, over or superseded.
    """
    return (
        fact.kind != _OPINION
        and fact.provenance != _UNTRUSTED
        and not (fact.noise or fact.task or fact.superseded)
        and (fact.timestamp or "") <= day
        and (fact.valid_to or day) >= day
    )


def replaced(said: Sequence[tuple[T, Said]]) -> dict[T, T]:
    """
    Tell which statements no longer hold, and what stands in their place: the newest one that is of the same thing.

    What is said again later holds again. Same input in any order, same output.
    """
    things: dict[frozenset[str], list[tuple[T, Said]]] = {}
    for one in said:
        things.setdefault(one[1].state.about, []).append(one)
    found: dict[T, T] = {}
    for listed in things.values():
        listed.sort(key=lambda one: (one[1].day, one[1].state.told, str(one[0])), reverse=True)
        for number, (old, older) in enumerate(listed):
            for new, newer in listed[: min(number, COMPARED)]:
                if _says_the_same(newer.state, older.state):
                    break
                if takes_place(newer, older):
                    found[old] = new
                    break
    return found


def takes_place(newer: Said, older: Said) -> bool:
    """Whether a statement no longer holds because of another one."""
    new, old = newer.state, older.state
    if newer.trust < older.trust or old.over or not old.whole or new.about != old.about:
        return False
    if newer.day < older.day or (newer.day == older.day and (old.told or not new.told)):
        return False
    if new.year is not None and older.day and new.year < int(older.day[:4]):
        return False
    same = _agree(new.value, old.value)
    if new.over:
        return same and (new.slot == old.slot or not new.slot)
    return not same and new.slot == old.slot and (new.alone or new.told) and _agree(new.beside, old.beside)


def _says_the_same(newer: State, older: State) -> bool:
    return not newer.over and newer.slot == older.slot and _agree(newer.value, older.value)


def _agree(one: frozenset[str], other: frozenset[str]) -> bool:
    return one <= other or other <= one


_OPINION, _UNTRUSTED = Kind.OPINION.value, Provenance.UNTRUSTED.value
