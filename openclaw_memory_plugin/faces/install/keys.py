"""Values of a configuration by dotted key."""

import json
from collections.abc import Mapping
from typing import Any


def value_at(config: Mapping[str, Any], key: str) -> Any:
    """The value at a dotted key, None when there is none."""
    found: Any = config
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def nested(keys: Mapping[str, Any]) -> str:
    """A configuration-shaped JSON text of dotted keys."""
    whole: dict[str, Any] = {}
    for key, value in keys.items():
        *parents, last = key.split(".")
        inner = whole
        for part in parents:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return json.dumps(whole)
