"""
Thirty simulated days of one memory, and what must hold afterwards: `python -m benchmarks.thirty_days`.

The facts of the six labelled workspaces are retained day by day; between them are recalls, judgements, the scheduled
reflection, heartbeats that reflect, maintain and give a note on which the agent acts through its tools, edits by hand
(beside, above and inside our blocks), opinions that are supported, contradicted and quoted, a fact that is forgotten,
and three crashes. Then ten quiet days follow. Everything is deterministic but the point in time of the crashes' writes,
which may be any.
"""

import argparse
import datetime as dt
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import agent, crash
from benchmarks.afterwards import CONFIG, FIRST, QUIET_DAYS, SECRET, World, block_of, check, opened
from benchmarks.results import replace_section
from openclaw_memory_hookspecs import Draft, Fact, Heartbeat, Kind, Provenance, RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.markdown.page import parse_page
from openclaw_memory_plugin.words import count_tokens
from openclaw_memory_plugin.workspace import Workspace, hidden
from openclaw_memory_plugin.workspace.saying import letters, statement_key

WORKSPACES = Path(__file__).parents[1] / "tests/workspaces"
CRASHES = (7, 13, 21)


def run(root: Path, days: int = 30, report: Callable[[str], None] = lambda line: None) -> World:
    """Live through so many days and the quiet ones after them, then check everything."""
    world = World(root=root)
    root.mkdir(parents=True, exist_ok=True)
    chance = random.Random(30)
    drafts = list(source_facts())
    chance.shuffle(drafts)
    share = -(-len(drafts) // days)
    for number in range(1, days + 1):
        now = FIRST + dt.timedelta(days=number - 1)
        _day(world, number, now, drafts[(number - 1) * share : number * share], chance)
        report(_line(world, number))
    for number in range(days + 1, days + QUIET_DAYS + 1):
        _quiet_day(world, number)
        report(_line(world, number))
    check(world)
    return world


def source_facts() -> Iterator[Draft]:
    """Every statement of the six workspaces, once, in order of path and line."""
    seen = set()
    for root in sorted(path for path in WORKSPACES.iterdir() if path.is_dir()):
        workspace = Workspace(root=root)
        for state in workspace.scan():
            for one in parse_page(workspace.read(state.path).text, state.path).statements:
                key = statement_key(one.content, one.heads)
                if key in seen or not one.content.strip():
                    continue
                seen.add(key)
                opinion = one.kind is Kind.OPINION
                yield Draft(
                    text=one.content,
                    kind=Kind.WORLD if one.kind is Kind.NOTE else one.kind,
                    entities=one.heads,
                    salience=one.salience,
                    confidence=one.confidence if opinion else None,
                )


def _day(world: World, number: int, now: dt.datetime, drafts: list[Draft], chance: random.Random) -> None:
    if number in CRASHES:
        _crash(world, drafts[0], now, chance)
    with opened(world) as memory:
        for minute, draft in enumerate(drafts):
            _retain(world, memory, draft, now + dt.timedelta(minutes=minute))
        _plot(world, memory, number, now + dt.timedelta(hours=2))
        facts = memory.facts()
        for hour in range(5):
            asked = chance.choice(facts)
            _ask(memory, asked, now + dt.timedelta(hours=3 + hour), chance)
    _edit_by_hand(world, number)
    with opened(world) as memory:
        if number % 3 == 0:
            _on_schedule(world, memory, now + dt.timedelta(hours=12))
        else:
            note = _beat(world, memory, now + dt.timedelta(hours=12))
            _act(world, memory, note, now + dt.timedelta(hours=13))
    _measure(world)


def _on_schedule(world: World, memory: Memory, now: dt.datetime) -> None:
    """What the host's job does by night: everything that a heartbeat does, and nobody hears of it."""
    changes = len(memory.history())
    notes, failures = memory.heartbeat(Heartbeat(agent_id="main", reason="schedule", heard=False, now=now))
    world.problems += [f"schedule of {now:%d %b}: {failure}" for failure in failures]
    world.scheduled += any(entry.reason == "reflect" for entry in memory.history()[changes:])
    if notes:
        world.problems.append(f"the scheduled job of {now:%d %b} has a note, and asks no model")


def _act(world: World, memory: Memory, note: str, now: dt.datetime) -> None:
    """Let the agent do what a note asks for; the same must not be asked again."""
    for sort, what, text in agent.act(memory, note, now):
        if what in world.acted[sort]:
            world.problems.append(f"asked again on {now:%d %b}, though it was settled: {sort} {what}")
        world.acted[sort].add(what)
        if text:
            world.stated.add(letters(text))


def _retain(world: World, memory: Memory, draft: Draft, now: dt.datetime) -> Fact:
    fact = memory.retain(draft, now=now)
    world.stated.add(letters(fact.content))
    return fact


def _ask(memory: Memory, about: Fact, now: dt.datetime, chance: random.Random) -> None:
    words = [word for word in about.content.split() if len(word) > 3][:6]
    hits = memory.recall(RecallRequest(query=" ".join(words) or about.content, now=now)).hits
    if hits:
        memory.feedback(hits[0].fact.id, good=chance.random() < 0.9, now=now)


def _plot(world: World, memory: Memory, number: int, now: dt.datetime) -> None:
    """What happens to Ida's opinions, and to a secret."""

    def say(text: str, **said: Any) -> str:
        return _retain(world, memory, Draft(text=text, entities=("Ida",), **said), now).id

    known = world.opinions
    if number == 2:
        known["tea"] = say("Prefers tea in the morning.", kind=Kind.OPINION, confidence=0.8, salience=0.8)
        known["supplier"] = say("Trusts the new supplier.", kind=Kind.OPINION, confidence=0.75, salience=0.8)
        known["train"] = say("Would rather take the night train.", kind=Kind.OPINION, confidence=0.7, salience=0.8)
        say("Is allergic to peanuts and carries an adrenaline pen.", salience=0.95)
    elif number in (4, 6):
        say(f"Ordered tea for breakfast on day {number}.", kind=Kind.EXPERIENCE, supports=(known["tea"],))
    elif number in (5, 9, 15):
        say(f"Refused the supplier's delivery of day {number}.", kind=Kind.EXPERIENCE, contradicts=(known["supplier"],))
    elif number == 8:
        untrusted = {"provenance": Provenance.UNTRUSTED, "contradicts": (known["train"],)}
        say("A web page says that she hates night trains.", **untrusted)
    elif number == 10:
        say("Somebody asked whether she dislikes tea in the morning.")
    elif number == 11:
        say("Seemed fine with the snacks, maybe.")
    elif number == 12:
        known["secret"] = say(f"Hid the key in {SECRET}.", kind=Kind.EXPERIENCE)
    elif number == 16:
        memory.forget(known["secret"], now=now)
        world.stated -= {letters(f"Hid the key in {SECRET}.")}


def _quiet_day(world: World, number: int) -> None:
    """Nobody says anything: pages change by what maintenance archives, and once after the last words."""
    pages, away = _markdown(world.root), hidden.read_archive(world.root).entries.keys()
    with opened(world) as memory:
        _beat(world, memory, FIRST + dt.timedelta(days=number - 1))
    changed = sorted(path for path, data in _markdown(world.root).items() if data != pages.get(path))
    settled = len(world.quiet_changes) and not world.quiet_changes[-1]
    world.quiet_changes.append(hidden.read_archive(world.root).entries.keys() != away)
    if changed and settled and not world.quiet_changes[-1]:
        world.problems.append(f"pages changed on the quiet day {number}: {changed}")
    _measure(world)


def _edit_by_hand(world: World, number: int) -> None:
    """One edit of a person every third day, each of another kind, and notes that nobody went through."""
    root, text = world.root, f"Handmade on day {number}"
    if number == 3:
        _append(world, "MEMORY.md", f"\n{text}: the kettle is new.\n")
    elif number == 4:
        notes = "".join(f"- {text}: the kettle whistled {times} times.\n" for times in range(2, 8))
        _append(world, f"memory/{(FIRST - dt.timedelta(days=1)).date()}.md", notes)
    elif number == 6:
        page = root / "bank/world.md"
        page.write_text(f"{text}, above everything.\n\n" + page.read_text())
        world.handmade.append(("bank/world.md", f"{text}, above everything.\n"))
    elif number == 9:
        page = root / "bank/experience.md"
        page.write_text(page.read_text().replace("\n- ", f"\n- {text}, inside a block.\n- ", 1))
        world.handmade.append(("bank/experience.md", f"- {text}, inside a block.\n"))
    elif number == 12:
        _reword(world, f"memory/{(FIRST + dt.timedelta(days=3)).date()}.md")
    elif number == 15:
        path = f"memory/{(FIRST + dt.timedelta(days=5)).date()}.md"
        data = (root / path).read_bytes().replace(b"\n", b"\r\n")
        (root / path).write_bytes(b"\xef\xbb\xbf" + data + f"\r\n- {text}, with CRLF".encode())
        world.handmade.append((path, f"- {text}, with CRLF"))
    elif number == 18:
        (root / "memory/projects").mkdir(exist_ok=True)
        _append(world, "memory/projects/kite.md", f"# Kite\n\n- {text}: the kite needs a tail.\n")
    elif number == 21:
        _take_away(world, f"memory/{(FIRST + dt.timedelta(days=7)).date()}.md")
    elif number == 24:
        _append(world, "bank/opinions.md", f"\n{text}: opinions are like weather.\n")
    elif number == 27:
        page = sorted((root / "bank/entities").glob("*.md"))[0]
        _append(world, str(page.relative_to(root)), f"\n{text}: below the block.\n")


def _append(world: World, path: str, text: str) -> None:
    file = world.root / path
    file.write_text((file.read_text() if file.exists() else "") + text)
    world.handmade.append((path, text.strip("\n") + "\n"))


def _reword(world: World, path: str) -> None:
    """Change a little in the last bullet of a log."""
    file = world.root / path
    lines = file.read_text().rstrip("\n").split("\n")
    before = parse_page(file.read_text(), path).statements[-1]
    lines[before.line - 1] = lines[before.line - 1] + " indeed"
    file.write_text("\n".join(lines) + "\n")
    after = parse_page(file.read_text(), path).statements[-1]
    world.stated -= {letters(before.content)}
    world.stated.add(letters(after.content))
    world.handmade.append((path, lines[before.line - 1] + "\n"))


def _take_away(world: World, path: str) -> None:
    """Delete the first bullet of a log."""
    file = world.root / path
    statement = parse_page(file.read_text(), path).statements[0]
    lines = file.read_text().split("\n")
    gone = lines[statement.line - 1]
    del lines[statement.line - 1 : statement.end_line]
    file.write_text("\n".join(lines))
    world.stated -= {letters(statement.content)}
    world.removed.append((path, gone + "\n"))


def _crash(world: World, draft: Draft, now: dt.datetime, chance: random.Random) -> None:
    """Retain and reflect in a child that is killed on the way."""
    child = os.fork()
    if child == 0:
        try:
            crash.die_at(chance.randint(2_000, 60_000))
            with opened(world) as memory:
                memory.retain(draft, now=now)
                memory.reflect(now=now)
        finally:
            os._exit(0)
    world.killed += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def _beat(world: World, memory: Memory, now: dt.datetime) -> str:
    """Let memory use a heartbeat; the agent hears the notes."""
    notes, failures = memory.heartbeat(Heartbeat(agent_id="main", now=now))
    world.problems += [f"heartbeat of {now:%d %b}: {failure}" for failure in failures]
    return "\n".join(note.text for note in notes)


def _measure(world: World) -> None:
    with opened(world) as memory:
        memory.sync(now=FIRST)
        text = sum(state.size for state in memory.workspace.scan())
        index = int(memory.stats()["index_bytes"])
        core = block_of(memory.workspace, "MEMORY.md", "core")
    tokens = count_tokens("\n".join(core.lines)) if core else 0
    if tokens > CONFIG.core.max_tokens:
        world.problems.append(f"core memory has {tokens} tokens, {CONFIG.core.max_tokens} are allowed")
    world.sizes.append((text, index, tokens))


def _markdown(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.md"))}


def _line(world: World, number: int) -> str:
    text, index, tokens = world.sizes[number - 1]
    return f"day {number:2}: {text:7} bytes of text, index {index / text:4.1f}x, core {tokens:4} tokens"


def main() -> int:
    """Run from the command line; exit 1 when something does not hold."""
    parser = argparse.ArgumentParser(description="Thirty simulated days of one memory, then what must hold.")
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--keep", metavar="PATH", help="leave the workspace there")
    parser.add_argument("--write", action="store_true", help="note the result in RESULTS.md")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        world = run(root, args.days, report=lambda line: print(line, flush=True))
        if args.keep:
            shutil.copytree(root, args.keep, dirs_exist_ok=True)
    text = f"{len(world.stated)} statements, {len(world.handmade) + len(world.removed)} edits by hand, "
    text += f"{sum(map(len, world.acted.values()))} notes acted upon, {world.scheduled} scheduled reflections, "
    text += f"{world.killed} crashes, {QUIET_DAYS} quiet days: "
    text += f"{len(world.problems)} problems." if world.problems else "everything holds."
    print("\n".join([text, *world.problems]))
    if args.write:
        table = "\n".join(_line(world, number) for number in range(1, len(world.sizes) + 1) if number % 5 == 0)
        replace_section(
            "thirty days", f"## Thirty days\n\n`python -m benchmarks.thirty_days`\n\n{text}\n\n```\n{table}\n```"
        )
    return 1 if world.problems else 0


if __name__ == "__main__":
    sys.exit(main())
