"""
The JSON configuration of the memory-optimization design, accepted as it is and said in our settings.

It is told from a file of ours by what stands at its top: none of our sections, or one called like ours that holds
other things. Its keys are found wherever they are nested and however they are joined (`retention_days`,
`retentionDays`); what concerns only its own implementation is left aside.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Any

log = logging.getLogger(__name__)

OURS_ALONE = frozenset({"zone", "extra_paths", "scorer", "plugins", "upkeep"})
"""Keys at the top of a file that only we have; `scoring` and the like may be anybody's."""

_TARGETS: Mapping[str, tuple[str, str]] = {
    "window": ("upkeep", "window"),
    "windowsize": ("upkeep", "window"),
    "memorywindow": ("upkeep", "window"),
    "memorywindowsize": ("upkeep", "window"),
    "slidingwindow": ("upkeep", "window"),
    "slidingwindowsize": ("upkeep", "window"),
    "maxmemorysize": ("upkeep", "window"),
    "maxmemories": ("upkeep", "window"),
    "maxentries": ("upkeep", "window"),
    "maxwindowsize": ("upkeep", "window"),
    "capacity": ("upkeep", "window"),
    "maxcapacity": ("upkeep", "window"),
    "threshold": ("upkeep", "threshold"),
    "prunethreshold": ("upkeep", "threshold"),
    "pruningthreshold": ("upkeep", "threshold"),
    "relevancethreshold": ("upkeep", "threshold"),
    "relevancescorethreshold": ("upkeep", "threshold"),
    "minrelevance": ("upkeep", "threshold"),
    "minrelevancescore": ("upkeep", "threshold"),
    "scorethreshold": ("upkeep", "threshold"),
    "enableautoprune": ("upkeep", "enable_auto_prune"),
    "autoprune": ("upkeep", "enable_auto_prune"),
    "batchsize": ("upkeep", "batch"),
    "prunebatchsize": ("upkeep", "batch"),
    "maxpruneratio": ("upkeep", "max_share"),
    "maxprunerate": ("upkeep", "max_share"),
    "maxprunepercent": ("upkeep", "max_share"),
    "retentiondays": ("upkeep", "retention_days"),
    "archiveretentiondays": ("upkeep", "retention_days"),
    "minagedays": ("upkeep", "min_age_days"),
    "corememorymaxtokens": ("core", "max_tokens"),
}
_SIZES = frozenset({"size", "max", "limit", "maxsize", "maxentries", "maxitems", "maxfacts", "maxmemories", "capacity"})
"""What the size of a window is called inside a section for it."""
_LIMITS = ("size", "window", "max", "min", "limit", "threshold", "days", "prune", "batch", "capacity", "tokens")
_OWN_DOINGS = ("weight", "cache", "score", "boost", "decay", "log", "thread", "worker")
"""Parts of their implementation that have limits of their own."""
_MEASURED = frozenset({"metrics", "targets", "monitoring", "alerts", "performance"})
"""Sections that state what is hoped for, not what to do."""


def translate(raw: Mapping[str, Any], source: str) -> dict[str, dict[str, Any]] | None:
    """
    Say a file of theirs in our sections; None when it is not one of theirs.

    A key nearer to the top wins over the same setting deeper down. A size of 0 or null, or a window that is
    switched off, means no window. Values are checked with ours.
    """
    if any(key in OURS_ALONE or _is_section_of_ours(key, value) for key, value in raw.items()):
        return None
    ours: dict[str, dict[str, Any]] = {}
    unused = []
    for path, value in _leaves(raw):
        target = _target(path, value)
        if target is None:
            unused.append(".".join(path))
            continue
        section, key = target
        settings = ours.setdefault(section, {})
        if key == "window" and not value:
            settings[key] = None
        settings.setdefault(key, value)
    if not ours:
        return None
    if unused:
        log.info("%s: read as a memory-optimization file; not used here: %s", source, ", ".join(unused))
    return ours


def limits_left_aside(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of a file of theirs that sound like a limit of what is kept, and are none of those we know."""
    unknown = (path for path, value in _leaves(raw) if _target(path, value) is None and isinstance(value, int | float))
    return tuple(".".join(path) for path in unknown if _limits(path))


def _limits(path: tuple[str, ...]) -> bool:
    named, whole = _joined("".join(path[-2:])), _joined("".join(path))
    return any(word in named for word in _LIMITS) and not any(word in whole for word in _OWN_DOINGS)


def _is_section_of_ours(key: str, value: Any) -> bool:
    """Whether a section is called like one of ours and holds nothing but what ours may hold."""
    import attrs

    from openclaw_memory_plugin.config import Config

    section = next((field.type for field in attrs.fields(Config) if field.name == key), None)
    if section is None or not attrs.has(section):
        return False
    return not isinstance(value, Mapping) or value.keys() <= {field.name for field in attrs.fields(section)}


def _target(path: tuple[str, ...], value: Any) -> tuple[str, str] | None:
    """Where a value belongs; `{"window": {"size": 200, "enabled": true}}` is read as `{"window": 200}`."""
    key = _joined(path[-1])
    above = _TARGETS.get(_joined(path[-2])) if len(path) > 1 else None
    if above == ("upkeep", "window") and (key in _SIZES or (key == "enabled" and not value)):
        return above
    return _TARGETS.get(key)


def _leaves(raw: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value with the keys that lead to it, nearest to the top first."""
    level: list[tuple[tuple[str, ...], Any]] = [((str(key),), value) for key, value in raw.items()]
    while level:
        deeper: list[tuple[tuple[str, ...], Any]] = []
        for path, value in level:
            if not isinstance(value, Mapping):
                yield path, value
            elif _joined(path[-1]) not in _MEASURED:
                deeper += [((*path, str(key)), child) for key, child in value.items()]
        level = deeper


def _joined(key: str) -> str:
    return "".join(letter for letter in key.casefold() if letter.isalnum())
