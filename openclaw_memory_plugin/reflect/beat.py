"""What a quiet moment is used for: a reflection when one is due, and a brief when there is something to ask."""

import datetime as dt
import hashlib
import json

from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.index import Index
from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.reflect.brief import Brief
from openclaw_memory_plugin.reflect.plan import make_plan
from openclaw_memory_plugin.reflect.reflect import reflect
from openclaw_memory_plugin.reflect.select import Remembered, read_remembered
from openclaw_memory_plugin.workspace import Workspace
from openclaw_memory_plugin.workspace.files import read_json

STATE = "brief.json"


def look_after(workspace: Workspace, index: Index, config: Config, *, now: dt.datetime, scheduled: bool) -> Brief:
    """
    Reflect when it is due, and return what to ask the agent: nothing when there is nothing to ask.

    Due is what is scheduled, the first moment of the owner's day, and any moment after something new was recorded.
    The same brief is given once a day, whatever the number of moments. Afterwards the index knows the new pages, so
    that the next recall need not read them.

    Raises:
        ConflictError, WorkspaceError: as `reflect`.
    """
    index.sync(now)
    remembered = read_remembered(workspace)
    given = _given(workspace)
    today = workspace.today(now).isoformat()
    if scheduled or _is_due(workspace, index, remembered, now):
        done = reflect(workspace, index, config, now=now)
        if done.written:
            index.sync(now)
        brief = done.brief
    elif given.get("day") == today:
        return Brief()
    else:
        brief = make_plan(workspace, index, config, now=now, since=None, remembered=remembered).brief
    giving = {"day": today, "brief": hashlib.blake2b(brief.text.encode(), digest_size=8).hexdigest()}
    if giving == given:
        return brief if scheduled else Brief()
    workspace.make_state_dir()
    workspace.write(f"{workspace.state_dir.name}/{STATE}", json.dumps(giving).encode())
    return brief


def _is_due(workspace: Workspace, index: Index, remembered: Remembered, now: dt.datetime) -> bool:
    if remembered.at is None or workspace.today(remembered.at) != workspace.today(now):
        return True
    return {fact.id for fact in rows.standing(index.connection)} != remembered.ids


def _given(workspace: Workspace) -> dict[str, str]:
    """The day and the digest of the last brief; its text is not kept."""
    given = read_json(workspace.state_dir / STATE)
    return given if isinstance(given, dict) else {}
