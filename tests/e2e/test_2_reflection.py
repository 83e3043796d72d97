"""Reflection inside the running gateway: pages rewritten, the brief acted upon by the model through its tools."""

import datetime as dt
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Running
from e2e_model import FakeModel, scripted, tools_of, user_of
from e2e_runtime import Home

ANSWER = "Asked again, Ada wants no agendas at all."


def wait_for(happened: Callable[[], object], seconds: float = 45) -> bool:
    """Whether something happened within so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if happened():
            return True
        time.sleep(0.3)
    return bool(happened())


def requests_when_quiet(model: FakeModel, seconds: float = 3) -> int:
    """Number of requests once none has come for so long: a turn may still be on its way."""
    count, since = len(model.requests), time.monotonic()
    while time.monotonic() - since < seconds:
        if len(model.requests) != count:
            count, since = len(model.requests), time.monotonic()
        time.sleep(0.2)
    return count


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def nightly(home: Home) -> str:
    """Id of our scheduled job."""
    jobs = json.loads(home.run("cron", "list", "--all", "--json").stdout)["jobs"]
    (job,) = [job for job in jobs if job.get("declarationKey") == "openclaw-memory-plugin:reflect"]
    return str(job["id"])


@pytest.fixture
def settling(model: FakeModel) -> Any:
    """A model that settles the conflict it is told of, as the brief says how."""

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        asked = re.search(r'Conflict.*?"supports": \["([0-9a-f]{12})"\]', user_of(request), re.S)
        if asked and "memory_retain" in tools_of(request) and request["messages"][-1]["role"] != "tool":
            arguments = {"text": ANSWER, "entities": ["Ada"], "by": "agent", "contradicts": [asked[1]]}
            return {"tool": {"name": "memory_retain", "arguments": arguments}}
        return scripted(request)

    model.reply = reply
    yield model
    model.reply = scripted


def test_a_heartbeat_rewrites_pages_and_the_model_settles_what_the_brief_asks(
    running: Running, home: Home, settling: FakeModel
) -> None:
    """
    What the nightly job found to ask comes before the model with the next heartbeat, with the call that settles it.

    The model's answer is retained as the owner's agent's.
    """
    day = dt.date.today() - dt.timedelta(days=2)
    (home.workspace / "memory").mkdir(exist_ok=True)
    (home.workspace / f"memory/{day}.md").write_text(
        f"# {day}\n\n## Retain\n- O(c=0.8) @Ada: Wants written agendas.\n"
        "- W @Ada: Maybe does not want written agendas.\n"
    )
    running.restart()
    home.run("cron", "run", nightly(home), "--wait")
    page = home.workspace / "bank/entities/Ada.md"
    assert wait_for(lambda: "Wants written agendas." in read(page))
    home.run("system", "event", "--text", "Look after your memory.", "--mode", "now")
    logs = home.workspace / "memory"
    assert wait_for(lambda: any(ANSWER in read(log) for log in logs.glob("*.md")))
    assert "- unsure on" in read(home.workspace / "bank/opinions.md")


def test_the_scheduled_reflection_rewrites_pages(running: Running, home: Home, model: FakeModel) -> None:
    """Our own job brings what was settled into opinions, pages and core memory, and asks no model."""
    mark = requests_when_quiet(model)
    home.run("cron", "run", nightly(home), "--wait")
    assert wait_for(lambda: " contradicts -0.50" in read(home.workspace / "bank/opinions.md"))
    assert ANSWER in read(home.workspace / "bank/entities/Ada.md")
    assert "<!-- openclaw-memory:begin core -->" in read(home.workspace / "MEMORY.md")
    assert len(model.requests) == mark
