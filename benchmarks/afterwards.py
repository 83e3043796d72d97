"""What must hold after the simulated days of `thirty_days`: nothing is lost, pages are right, the index is bounded."""

import datetime as dt
import re
from pathlib import Path
from typing import Any

import attrs

from benchmarks import agent
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import Config, Upkeep
from openclaw_memory_plugin.reflect.pages.blocks import Block, find_block
from openclaw_memory_plugin.workspace import Workspace, hidden
from openclaw_memory_plugin.workspace.saying import letters

FIRST = dt.datetime(2026, 4, 1, 8, tzinfo=dt.UTC)
CONFIG = Config(zone="UTC", upkeep=Upkeep(enable_auto_prune=True, threshold=0.45))
QUIET_DAYS = 10
SECRET = "Zanzibar"
_ID = re.compile(r"`([0-9a-f]{12})`")


@attrs.define
class World:
    """What was done, and so what must hold."""

    root: Path
    stated: set[str] = attrs.field(factory=set)
    """Letters of every statement that was retained and not taken away by hand."""
    handmade: list[tuple[str, str]] = attrs.field(factory=list)
    """Path, and text that stands there since a person wrote it."""
    removed: list[tuple[str, str]] = attrs.field(factory=list)
    """Path, and text that a person took away."""
    opinions: dict[str, str] = attrs.field(factory=dict)
    """Name of an opinion of the plot -> its id."""
    problems: list[str] = attrs.field(factory=list)
    killed: int = 0
    scheduled: int = 0
    """Scheduled reflections that wrote something."""
    acted: dict[str, set[str]] = attrs.field(factory=lambda: {sort: set() for sort in agent.SORTS})
    """What the agent settled, by sort: it must not be asked again."""
    sizes: list[tuple[int, int, int]] = attrs.field(factory=list)
    """Bytes of Markdown that is read, bytes of the index, tokens of core memory, day by day."""
    quiet_changes: list[bool] = attrs.field(factory=list)
    """For each quiet day whether something was archived."""


def check(world: World) -> None:
    """Note in `world.problems` what does not hold."""
    problems, root = world.problems, world.root
    for path, text in world.handmade:
        if text not in (root / path).read_bytes().decode("utf-8-sig").replace("\r\n", "\n") + "\n":
            problems.append(f"an edit by hand is lost: {path}: {text!r}")
    for path, text in world.removed:
        if text in (root / path).read_text():
            problems.append(f"what was taken away by hand came back: {path}: {text!r}")
    problems += [f"the agent was never asked for: {sort}" for sort, settled in world.acted.items() if not settled]
    if not world.scheduled:
        problems.append("the scheduled reflection never wrote anything")
    with opened(world) as memory:
        memory.sync(now=FIRST)
        waiting = {" ".join(sorted((one.review.belief, one.review.source))) for one in memory.reviews(now=FIRST)}
        problems += [f"settled, and still waits: {pair}" for pair in sorted(waiting & world.acted["pair"])]
        facts = memory.facts(include_archived=True)
        kept = {letters(fact.content) for fact in facts}
        kept |= {letters(entry.content) for entry in hidden.read_archive(root).entries.values()}
        problems += [f"lost: {one}" for one in sorted(world.stated - kept)]
        _check_pages(world, memory, {fact.id for fact in facts})
        _check_beliefs(world, memory)
        incremental = _contents(memory)
        memory.rebuild()
        if _contents(memory) != incremental:
            problems.append("the rebuilt index differs from the incremental one")
    holding = [str(path.relative_to(root)) for path in files(root) if SECRET.encode() in path.read_bytes()]
    if holding:
        problems.append(f"what was forgotten is still in {holding}")
    if any(path.name.startswith(".ocmem-") for path in files(root)) or (root / ".memory/pending.json").exists():
        problems.append("something half done lies around")
    _check_sizes(world)


def _check_pages(world: World, memory: Memory, ids: set[str]) -> None:
    names = {"bank/world.md": "world", "bank/experience.md": "experience", "bank/opinions.md": "opinions"}
    names |= {str(path.relative_to(world.root)): "entity" for path in (world.root / "bank/entities").glob("*.md")}
    for path, name in names.items():
        block = block_of(memory.workspace, path, name)
        if block is None:
            world.problems.append(f"{path} has no block {name}")
            continue
        unknown = {one for line in block.lines for one in _ID.findall(line)} - ids
        if unknown:
            world.problems.append(f"{path} cites facts that do not exist: {sorted(unknown)}")
        if block.strange:
            world.problems.append(f"{path} holds lines in its block that are not ours: {block.strange}")


def _check_beliefs(world: World, memory: Memory) -> None:
    now = FIRST + dt.timedelta(days=45)
    confidence = {name: memory.opinions(fact_id, now=now)[0].confidence for name, fact_id in world.opinions.items()
                  if name != "secret"}  # fmt: skip
    expected = {"tea": (0.85, 0.98), "supplier": (0.02, 0.4), "train": (0.7, 0.7)}
    for name, (low, high) in expected.items():
        if name in confidence and not low <= confidence[name] <= high:
            world.problems.append(f"the belief {name!r} is {confidence[name]}, expected {low} to {high}")
    core = (world.root / "MEMORY.md").read_text()
    if "supplier" in world.opinions and "allergic to peanuts" not in core:
        world.problems.append("the allergy is not in core memory")


def _check_sizes(world: World) -> None:
    text, index, _ = world.sizes[-1]
    if index > 5 * text:
        world.problems.append(f"the index has {index} bytes for {text} bytes of text")
    quiet = [size for _, size, _ in world.sizes[-QUIET_DAYS:]]
    if max(quiet) > quiet[0] * 1.02:
        world.problems.append(f"the index grew on quiet days: {quiet}")


def _contents(memory: Memory) -> list[Any]:
    connection = memory.index.connection
    return [
        memory.facts(include_archived=True),
        connection.execute("SELECT id, archived FROM facts ORDER BY id").fetchall(),
        connection.execute("SELECT key, name, fact_count, round(idf_weight, 9) FROM entities ORDER BY key").fetchall(),
        connection.execute("SELECT fact_id, entity FROM fact_entities ORDER BY 1, 2").fetchall(),
        connection.execute("SELECT id, good, bad FROM feedback ORDER BY id").fetchall(),
    ]


def block_of(workspace: Workspace, path: str, name: str) -> Block | None:
    """Return a managed block, None when it cannot be told."""
    found = find_block(workspace.read(path).text, name)
    return found if isinstance(found, Block) else None


def opened(world: World) -> Memory:
    """Open the memory as it is configured."""
    return Memory.open(world.root, config=CONFIG)


def files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]
