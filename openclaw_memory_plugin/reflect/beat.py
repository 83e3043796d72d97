"""What a quiet moment is used for: a reflection when one is due, and a brief when there is something to ask."""

import datetime as dt

from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.index import Index
from openclaw_memory_plugin.index import reflection as rows
from openclaw_memory_plugin.reflect.brief import Brief
from openclaw_memory_plugin.reflect.given import Given, read_given
from openclaw_memory_plugin.reflect.plan import make_plan
from openclaw_memory_plugin.reflect.reflect import reflect
from openclaw_memory_plugin.reflect.select import Remembered, read_remembered
from openclaw_memory_plugin.workspace import Workspace


def look_after(
    workspace: Workspace, index: Index, config: Config, *, now: dt.datetime, scheduled: bool, heard: bool
) -> Brief:
    """
    Reflect when it is due, and return what to ask the agent: nothing when there is nothing to ask.

    Due is what is scheduled, the first moment of the owner's day, and any moment after something new was recorded.
    What was given today already (`note_given`) is not given again. Afterwards the index knows the new pages, so
    that the next recall need not read them.

    Args:
        heard: whether the agent gets what is returned; nothing is asked of nobody.

    Raises:
        ConflictError, WorkspaceError: as `reflect`.
    """
    index.sync(now)
    remembered = read_remembered(workspace)
    given, today = read_given(workspace), workspace.today(now).isoformat()
    if scheduled or _is_due(workspace, index, remembered, now):
        done = reflect(workspace, index, config, now=now)
        if done.written:
            index.sync(now)
        brief = done.brief
    elif not heard or (given.day == today and not _is_news(given, remembered)):
        return Brief()
    else:
        brief = make_plan(workspace, index, config, now=now, since=None, remembered=remembered).brief
    return brief if heard and not given.holds(brief, today) else Brief()


def _is_news(given: Given, remembered: Remembered) -> bool:
    """Tell whether a reflection, which may find something to ask, came after the agent was last told."""
    return given.at is None or remembered.at is None or given.at < remembered.at


def _is_due(workspace: Workspace, index: Index, remembered: Remembered, now: dt.datetime) -> bool:
    if remembered.at is None or workspace.today(remembered.at) != workspace.today(now):
        return True
    return {fact.id for fact in rows.standing(index.connection)} != remembered.ids
