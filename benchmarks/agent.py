"""An agent without a model: it does what a note of memory asks for, by the calls that the note names."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any
from unittest import mock

from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.faces.host import methods, wire
from openclaw_memory_plugin.faces.host.rooms import Room
from openclaw_memory_plugin.faces.host.scene import Scene

SORTS = ("pair", "day", "about")
"""What it is asked for: to settle a pair, to go through a day, to sum somebody up."""
_PAIR = re.compile(r'"unrelated": \["(?P<one>[0-9a-f]{12})", "(?P<other>[0-9a-f]{12})"\]')
_DAY = re.compile(r'no Retain bullets.*"day": "(?P<day>\d{4}-\d\d-\d\d)"')
_ABOUT = re.compile(r'no recent summary.*"entities": \["(?P<name>[^"]+)"\]')


def act(memory: Memory, note: str, now: dt.datetime) -> Iterator[tuple[str, str, str]]:
    """
    Do what each line asks for as one would who believes neither side of a pair.

    Yields:
        The sort, what was settled (the ids of a pair in order, the day, the name), and the statement retained for it.
    """
    for line in note.splitlines():
        if pair := _PAIR.search(line):
            call(memory, "reflect", {"unrelated": [pair["one"], pair["other"]]}, now)
            yield "pair", " ".join(sorted((pair["one"], pair["other"]))), ""
        elif day := _DAY.search(line):
            text = f"Went through the notes of {day['day']} and found nothing else."
            call(memory, "on_retain", {"text": text, "kind": "experience", "day": day["day"]}, now)
            yield "day", day["day"], text
        elif about := _ABOUT.search(line):
            text = f"Much has been said of this by {now:%d %B}."
            call(memory, "on_retain", {"text": text, "kind": "observation", "entities": [about["name"]]}, now)
            yield "about", about["name"], text


def call(memory: Memory, name: str, arguments: dict[str, Any], now: dt.datetime) -> dict[str, Any]:
    """Call a method of the bridge as it does for a tool in the owner's session, with the clock at `now`."""
    root = str(memory.workspace.root)
    scene = Scene(agent_id="main", workspace=root, session_key="agent:main:main", trigger="heartbeat")
    asked = wire.ToolCall(scene=scene, arguments=arguments)
    with mock.patch.object(methods, "_now", return_value=now):
        if name in methods.QUIET:
            return methods.QUIET[name](memory, asked)
        room = mock.create_autospec(Room, instance=True)
        room.opened.return_value = memory
        return methods.METHODS[name](room, asked)
