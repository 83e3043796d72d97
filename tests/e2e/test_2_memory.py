"""Memory inside the running gateway."""

import datetime as dt
import json
import re
import time
from typing import Any

from conftest import CORE, FACTS, Installation, median
from e2e_model import BIG, USE_TOOL, FakeModel, text_of, tools_of, user_of
from e2e_runtime import Gateway, Home

from benchmarks.speed import corpus

ANSWERED = re.compile(r"memory: (\w+) (?:answered|told) in ([\d.]+) ms")
GROUP = "agent:main:discord:group:77"


def answers(home: Home, method: str) -> list[float]:
    """Milliseconds that the host waited for each call of one method so far, as the bridge measured them."""
    log = (home.root / "runtime.log").read_text(errors="replace")
    said = [json.loads(line).get("1") for line in log.splitlines() if "memory: " in line]
    found = [ANSWERED.fullmatch(text) for text in said if isinstance(text, str)]
    return [float(match[2]) for match in found if match and match[1] == method]


def settled(home: Home, method: str, count: int, seconds: float = 15) -> list[float]:
    """Wait until a method was answered so many times."""
    deadline = time.monotonic() + seconds
    while len(found := answers(home, method)) < count and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def talk(gateway: Gateway, content: Any, **where: Any) -> str:
    """Let an agent answer, and wait until the end of the turn has been dealt with."""
    before = len(answers(gateway.home, "on_turn_end"))
    reply = gateway.turn(content, **where)
    settled(gateway.home, "on_turn_end", before + 1)
    return reply


def logs(home: Home, agent: str = "main") -> str:
    """All daily logs of an agent."""
    return "\n".join(path.read_text() for path in sorted((home.workspace_of(agent) / "memory").glob("*.md")))


def use(name: str, **arguments: Any) -> str:
    """A message upon which the model calls a tool."""
    return USE_TOOL + json.dumps({"name": name, "arguments": arguments})


def tool_answer(model: FakeModel) -> str:
    """What the last request holds as the answer of a tool."""
    return [text_of(message) for message in model.requests[-1]["messages"] if message["role"] == "tool"][-1]


def test_core_memory_is_in_the_prompt_exactly_once(gateway: Gateway, model: FakeModel) -> None:
    """The owner's session has core memory once in every turn, first and later, wherever it comes from."""
    for message in ("Good morning.", "And again."):
        talk(gateway, message)
        request = model.requests[-1]
        assert json.dumps(request["messages"]).count(CORE) == 1


def test_core_memory_is_absent_in_a_group(gateway: Gateway, model: FakeModel) -> None:
    """A group session never sees it: not shown, not recalled, not read, not searched."""
    talk(gateway, "What is the owner called?", session=GROUP)
    assert CORE not in json.dumps(model.requests[-1])
    for call in (use("memory_recall", query="owner called"), use("memory_search", query="owner called"),
                 use("memory_get", path="MEMORY.md")):  # fmt: skip
        talk(gateway, call, session=GROUP)
        assert CORE not in json.dumps(model.requests[-1])


def test_core_memory_that_the_runtime_does_not_show_comes_from_us(gateway: Gateway, model: FakeModel) -> None:
    """A lower-case memory.md is shown once, as quoted data, and only in the owner's session."""
    talk(gateway, "Hello.", agent="helper", session="agent:helper:main")
    assert json.dumps(model.requests[-1]).count("Orchard Gate") == 1
    talk(gateway, "Hello.", agent="helper", session="agent:helper:discord:group:5")
    assert "Orchard Gate" not in json.dumps(model.requests[-1])


def test_a_wish_stands_in_todays_log_and_beside_the_first_message_of_a_new_session(
    gateway: Gateway, home: Home, model: FakeModel
) -> None:
    """What was retained in one session is before the model in turn 1 of the next, quoted with its citation."""
    talk(gateway, "Remember that the spare key hangs in the boathouse.", session="agent:main:first")
    talk(gateway, "Where does the spare key hang?", session="agent:main:second")
    said = user_of(model.requests[-1])
    quoted = re.search(
        r"<openclaw-memory>\n.*\n- The spare key hangs in the boathouse\. \[(memory/\S+\.md)#L(\d+)", said
    )
    assert quoted is not None
    line = (home.workspace / quoted[1]).read_text().split("\n")[int(quoted[2]) - 1]
    assert "The spare key hangs in the boathouse." in line
    assert quoted[1] == f"memory/{dt.date.today().isoformat()}.md"


def test_what_the_owner_said_stays_with_the_owner(gateway: Gateway, model: FakeModel) -> None:
    """Neither a group nor another agent is shown a fact captured in the owner's session."""
    talk(gateway, "Where does the spare key hang?", session=GROUP)
    assert "boathouse" not in json.dumps(model.requests[-1]["messages"][-3:])
    talk(gateway, "Where does the spare key hang?", agent="helper", session="agent:helper:main")
    assert "boathouse" not in json.dumps(model.requests[-1])


def test_tools_make_the_round_trip(gateway: Gateway, home: Home, model: FakeModel) -> None:
    """The agent retains and recalls through tools offered directly; search and reading answer in the stock shapes."""
    talk(
        gateway,
        use("memory_retain", text="Ana sold the sailing boat.", kind="experience", entities=["Ana"], by="owner"),
    )
    assert "Retained: Ana sold the sailing boat. [memory/" in tool_answer(model)
    assert "- B @Ana: Ana sold the sailing boat." in logs(home)
    talk(gateway, use("memory_recall", query="sailing boat", since="30d"))
    assert tool_answer(model).startswith("Found 1 memories:\n- Ana sold the sailing boat. [memory/")
    talk(gateway, use("memory_search", query="sailing boat"))
    (hit,) = json.loads(tool_answer(model))["results"]
    assert (hit["source"], hit["snippet"]) == ("memory", "Ana sold the sailing boat.")
    talk(gateway, use("memory_get", path=hit["path"], **{"from": hit["startLine"], "lines": 1}))
    read = json.loads(tool_answer(model))
    assert (read["status"], read["text"]) == ("ok", "- B @Ana: Ana sold the sailing boat.")
    assert {"memory_recall", "memory_retain", "memory_search", "memory_get"} <= tools_of(model.requests[-1])


def test_a_bad_argument_of_the_model_is_told_to_it(gateway: Gateway, model: FakeModel) -> None:
    """A tool called with a value that cannot be leaves memory and turn alive."""
    talk(gateway, use("memory_recall", query="boat", since="yesterweek"))
    assert tool_answer(model).startswith("Refused: ")
    assert "yesterweek" in tool_answer(model)
    talk(gateway, use("memory_recall", query="sailing boat"))
    assert tool_answer(model).startswith("Found")


def test_a_turn_end_is_reported_once_a_turn(gateway: Gateway, home: Home) -> None:
    """One user turn, tool calls included, is one turn end."""
    before = len(answers(home, "on_turn_end"))
    talk(gateway, use("memory_recall", query="sailing boat"), session="agent:main:once")
    settled(home, "on_turn_end", 10**6, seconds=3)
    assert len(answers(home, "on_turn_end")) == before + 1


def test_a_heartbeat_reaches_the_engine_and_its_brief_the_model(gateway: Gateway, home: Home, model: FakeModel) -> None:
    """A heartbeat is answered by the engine, its brief stands before the model, and nothing of it is captured."""
    before, mark, known = len(answers(home, "on_heartbeat")), len(model.requests), logs(home)
    home.run("system", "event", "--text", "Remember that heartbeats are noise.", "--mode", "now")
    settled(home, "on_heartbeat", before + 1, seconds=30)
    deadline = time.monotonic() + 20
    while len(model.requests) == mark and time.monotonic() < deadline:
        time.sleep(0.2)
    assert any("Shelf brief: dust the oak." in user_of(request) for request in model.since(mark))
    settled(home, "on_turn_end", 10**6, seconds=2)
    assert logs(home) == known


def test_the_scheduled_reflection_asks_no_model(gateway: Gateway, home: Home, model: FakeModel) -> None:
    """Our own job is claimed before any model is asked, and reaches the engine for every agent."""
    jobs = json.loads(home.run("cron", "list", "--all", "--json").stdout)["jobs"]
    keys = {job.get("declarationKey"): job["id"] for job in jobs}
    assert not [key for key in keys if str(key).startswith("memory-core:")]
    before, mark = len(answers(home, "on_heartbeat")), len(model.requests)
    home.run("cron", "run", keys["openclaw-memory-plugin:reflect"], "--wait")
    assert len(settled(home, "on_heartbeat", before + 3)) == before + 3
    assert len(model.requests) == mark


def test_other_scheduled_turns_are_not_captured(gateway: Gateway, home: Home, model: FakeModel) -> None:
    """A job of the user's own runs as it would without us, gets no recalled facts, and leaves nothing in the log."""
    known = logs(home)
    home.run("cron", "add", "--name", "noise", "--agent", "main", "--cron", "0 0 1 1 *", "--session", "isolated",
             "--message", "Remember that cron jobs are noise.", "--no-deliver")  # fmt: skip
    jobs = json.loads(home.run("cron", "list", "--all", "--json").stdout)["jobs"]
    (job,) = [job for job in jobs if job["name"] == "noise"]
    home.run("cron", "run", job["id"], "--wait", check=False)
    assert "cron jobs are noise" in json.dumps(model.requests[-1])
    assert "<openclaw-memory>\n" not in user_of(model.requests[-1])
    time.sleep(1)
    home.run("cron", "rm", job["id"])
    assert logs(home) == known


def test_the_flush_before_compaction_uses_our_prompt_and_is_indexed(
    gateway: Gateway, home: Home, model: FakeModel
) -> None:
    """The flush turn writes Retain bullets to the file that we name; they are facts afterwards, and nothing else is."""
    log = f"memory/{dt.date.today().isoformat()}.md"
    scripted = model.reply

    def flushing(request: dict[str, Any]) -> dict[str, Any]:
        asked = user_of(request)
        if (
            "about to be compacted" in asked
            and request["messages"][-1]["role"] != "tool"
            and "write" in tools_of(request)
        ):
            text = (home.workspace / log).read_text() + "- W @Mill: The mill wheel turns clockwise.\n"
            return {"tool": {"name": "write", "arguments": {"path": log, "content": text}}}
        return {"content": "NO_REPLY"} if "about to be compacted" in asked else scripted(request)

    model.reply = flushing
    mark = len(model.requests)
    try:
        for message in (f"{BIG} one", f"{BIG} two", "three"):
            talk(gateway, message, session="agent:main:long")
        deadline = time.monotonic() + 40
        while "mill wheel" not in logs(home) and time.monotonic() < deadline:
            time.sleep(0.3)
    finally:
        model.reply = scripted
    flushes = [request for request in model.since(mark) if "about to be compacted" in user_of(request)]
    assert flushes, "no flush happened"
    assert log in json.dumps(flushes[0])
    assert "mill wheel" in logs(home)
    talk(gateway, use("memory_recall", query="mill wheel"), session="agent:main:after")
    assert "The mill wheel turns clockwise." in tool_answer(model)
    assert "compacted" not in logs(home)


def test_our_own_block_is_never_captured(gateway: Gateway, home: Home) -> None:
    """A recalled fact that reads like a wish, shown beside a message, is not captured from there."""
    talk(gateway, use("memory_retain", text="Remember that the lighthouse lamp is green.", by="agent"))
    known = logs(home)
    talk(gateway, "Which colour has the lighthouse lamp?", session="agent:main:lamp")
    assert logs(home) == known


def test_only_used_facts_count_as_accessed(
    gateway: Gateway, home: Home, model: FakeModel, installation: Installation
) -> None:
    """A fact shown unasked counts when the reply uses it, and does not when it does not."""

    def accesses(word: str) -> int:
        done = installation.run("--workspace", str(home.workspace), "facts", "--json")
        return next(f["access_count"] for f in json.loads(done.stdout)["facts"] if word in f["content"])

    start, scripted = accesses("boathouse"), model.reply
    try:
        for reply, expected in (("I cannot say.", start), ("In the boathouse: it hangs there.", start + 1)):
            model.reply = lambda request, reply=reply: {"content": reply}
            talk(gateway, "Where is the spare key?", session=f"agent:main:used{expected}")
            assert accesses("boathouse") == expected
    finally:
        model.reply = scripted


def test_the_hosts_command_line_answers_from_python(gateway: Gateway, home: Home) -> None:
    """`openclaw memory recall` takes the options of our own command line; status and search have the stock shapes."""
    recalled = json.loads(home.run("memory", "recall", "sailing boat", "--k", "5", "--since", "30d", "--json").stdout)
    assert [hit["content"] for hit in recalled["hits"]] == ["Ana sold the sailing boat."]
    found = json.loads(home.run("memory", "search", "sailing boat", "--max-results", "3", "--json").stdout)
    assert {"path", "startLine", "endLine", "score", "snippet", "source"} <= found["results"][0].keys()
    entries = json.loads(home.run("memory", "status", "--json").stdout)
    assert [entry["agentId"] for entry in entries] == ["main", "helper", "big"]
    assert {"backend", "provider", "files", "chunks", "dirty", "workspaceDir", "dbPath"} <= entries[0]["status"].keys()
    assert entries[0]["status"]["custom"]["captureDropped"]["kept_wish"] >= 1
    assert home.run("memory", "recall", check=False).returncode == 2


def test_a_scorer_of_somebody_else_changes_the_order(gateway: Gateway, home: Home, model: FakeModel) -> None:
    """A plugin installed in the same environment reorders recall inside OpenClaw; blocked, it does not."""
    for text in ("The oak shelf stands in the hall.", "A shelf of oak was painted green in the hall last week."):
        talk(gateway, use("memory_retain", text=text))
    talk(gateway, use("memory_recall", query="oak shelf hall"))
    inside = re.findall(r"^- (The oak|A shelf)", tool_answer(model), re.MULTILINE)
    home.env["OPENCLAW_MEMORY_BLOCK"] = "shelf"
    try:
        plain = json.loads(home.run("memory", "recall", "oak shelf hall", "--json").stdout)["hits"]
    finally:
        del home.env["OPENCLAW_MEMORY_BLOCK"]
    outside = [hit["content"][:7] for hit in plain if "shelf" in hit["content"]]
    assert (inside, outside) == (["A shelf", "The oak"], ["The oak", "A shelf"])


def test_odd_input_is_answered(gateway: Gateway, home: Home, model: FakeModel) -> None:
    """Pictures, huge texts and odd session keys neither stop the turn nor memory."""
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{pixel}"}}
    assert talk(gateway, [{"type": "text", "text": "See?"}, picture])
    assert talk(gateway, "Remember that the fence is white. " + "lorem ipsum " * 8_000, session="agent:main:huge")
    assert "The fence is white." in logs(home)
    for session in ("agent:main:odd %00 (key) ..", "agent:main:a:b:c:d:e", "agent:main:" + "x" * 200):
        assert talk(gateway, "Where does the spare key hang?", session=session)


def test_the_reply_path_is_quick_with_ten_thousand_facts(
    gateway: Gateway, home: Home, model: FakeModel, report: list[str]
) -> None:
    """
    Bridge and Python add at most 10 ms to a turn, in the median of a round; a busy machine gets three rounds.

    What counts is what the host waits for: that a turn is announced, and the answer at its start.
    """
    questions = [f"What do you know about {question}?" for question in corpus.questions(FACTS, 66)]
    for number, question in enumerate(questions[:3]):
        talk(gateway, question, agent="big", session=f"agent:big:warm{number}")
    for round_number in range(3):
        before, announced = (len(answers(home, method)) for method in ("on_turn_start", "on_turn_coming"))
        wall: list[float] = []
        for question in questions[3 + 21 * round_number :][:21]:
            ended, started = len(answers(home, "on_turn_end")), time.monotonic()
            gateway.turn(question, agent="big", session=f"agent:big:q{round_number}{len(wall)}")
            wall.append((time.monotonic() - started) * 1000)
            assert "<openclaw-memory>" in user_of(model.requests[-1])
            settled(home, "on_turn_end", ended + 1)
        spent = [
            told + answered
            for told, answered in zip(
                settled(home, "on_turn_coming", announced + 21)[announced:],
                settled(home, "on_turn_start", before + 21)[before:],
                strict=True,
            )
        ]
        report.append(
            f"reply path with 10,000 facts: p50 {median(spent):.1f} ms of a turn of {median(wall):.0f} ms"
            f" ({median(spent) / median(wall):.1%}), slowest {max(spent):.1f} ms, {len(spent)} turns"
        )
        assert max(spent) <= 1_000
        if median(spent) <= 10:
            return
    raise AssertionError("\n".join(report))
