"""What the agent was given to decide, and how often: by digest and id, never by text."""

import datetime as dt
import hashlib
import json
from collections.abc import Mapping

import attrs

from openclaw_memory_plugin.reflect.brief import Brief
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.files import read_json

STATE = "brief.json"
MOST_DAYS = 3
"""Days on which the same is asked; afterwards a conflict only waits in `opinion review`."""
MOST_KEYS = 500
"""Questions whose days are remembered."""


@attrs.frozen(kw_only=True)
class Given:
    """What was given last, and on which days each question was."""

    day: str = ""
    digest: str = ""
    at: dt.datetime | None = None
    """When the agent was last told, be it that there was nothing to ask."""
    asked: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    """Days by key of the question, the latest asked last."""

    def holds(self, brief: Brief, day: str) -> bool:
        """Tell whether this is what was given last, on this day."""
        return (self.day, self.digest) == (day, _digest(brief))

    @property
    def worn_out(self) -> frozenset[str]:
        """The questions that were asked often enough."""
        return frozenset(key for key, days in self.asked.items() if len(days) >= MOST_DAYS)


def read_given(workspace: Workspace) -> Given:
    """Read it; nothing when it is missing or cannot be read."""
    state = read_json(workspace.state_dir / STATE)
    if not isinstance(state, dict):
        return Given()
    asked = state.get("asked")
    return Given(
        day=str(state.get("day", "")),
        digest=str(state.get("brief", "")),
        at=_moment(state.get("at")),
        asked={key: tuple(map(str, days)) for key, days in asked.items() if isinstance(days, list)}
        if isinstance(asked, dict)
        else {},
    )


def note_given(workspace: Workspace, brief: Brief, *, now: dt.datetime) -> None:
    """Note that the agent has this brief before it, an empty one too: the same one is not given twice a day."""
    given, day = read_given(workspace), workspace.today(now).isoformat()
    asked = dict(given.asked)
    for key in brief.keys:
        asked[key] = tuple(dict.fromkeys((*asked.pop(key, ()), day)))
    kept = dict(list(asked.items())[-MOST_KEYS:])
    digest = given.digest if not brief.lines and given.day == day else _digest(brief)
    workspace.make_state_dir()
    state = {"day": day, "brief": digest, "at": now.isoformat(), "asked": kept}
    workspace.write(f"{workspace.state_dir.name}/{STATE}", json.dumps(state).encode())


def _moment(text: object) -> dt.datetime | None:
    try:
        moment = dt.datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _digest(brief: Brief) -> str:
    return hashlib.blake2b(brief.text.encode(), digest_size=8).hexdigest()
