"""A whole reflection on real files: pages that are right, hands that are safe, twice as once."""

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Kind, Provenance, RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import Config, Core
from openclaw_memory_plugin.errors import ConflictError, WorkspaceError
from openclaw_memory_plugin.faces import cli
from openclaw_memory_plugin.reflect import history
from reflecting import NOW, tell

WORKSPACES = ("retain-core", "everyday-untyped", "zh-biji", "ja-nikki", "de-werkstatt", "hub-studio")


def pages(root: Path) -> dict[str, bytes]:
    """All Markdown, byte for byte."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.md")}


def read(memory: Memory, path: str) -> str:
    return (memory.workspace.root / path).read_text(encoding="utf-8")


def block(text: str, name: str) -> list[str]:
    """Lines of a block without markers and sums."""
    inner = re.search(rf"begin {name} -->\n(.*?)<!-- openclaw-memory:sums", text, re.S)
    return inner[1].splitlines() if inner else []


@pytest.mark.parametrize("name", WORKSPACES)
def test_reflecting_twice_is_reflecting_once(copied: Callable[[str], Path], name: str) -> None:
    """The second reflection writes nothing, on all labelled workspaces, and neither does one from a new index."""
    with Memory.open(copied(name)) as memory:
        memory.reflect(now=NOW)
        once = pages(memory.workspace.root)
        again = memory.reflect(now=NOW)
        assert (again.written, again.change) == ((), None)
        assert pages(memory.workspace.root) == once
        memory.rebuild()
        assert memory.reflect(now=NOW).written == ()
    for file in (memory.workspace.root / ".memory").glob("*.*"):
        file.unlink()
    with Memory.open(memory.workspace.root) as fresh:
        assert fresh.reflect(now=NOW).written == ()
        assert pages(fresh.workspace.root) == once


@pytest.mark.parametrize("name", WORKSPACES)
def test_hand_written_bytes_stay_and_no_fact_comes_of_a_page(copied: Callable[[str], Path], name: str) -> None:
    """Every page begins with what it was, and the index holds the same facts as before."""
    root = copied(name)
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        facts, before = {fact.id for fact in memory.facts()}, pages(root)
        done = memory.reflect(now=NOW)
        memory.sync(now=NOW)
        assert done.problems == ()
        assert {fact.id for fact in memory.facts()} == facts
        for path, data in before.items():
            assert pages(root)[path].startswith(data)


def test_a_dry_run_writes_nothing_and_shows_the_diff(memory: Memory) -> None:
    """The diff names every page that the reflection would write, and then it writes exactly those."""
    tell(memory, "Moved to Graz.", "Peter")
    tell(memory, "Plays chess.", "Peter")
    before, changes = pages(memory.workspace.root), memory.history()
    dry = memory.reflect(dry_run=True, now=NOW)
    assert (pages(memory.workspace.root), memory.history()) == (before, changes)
    assert "+++ bank/entities/Peter.md" in dry.diff
    assert "+- Plays chess." in dry.diff
    assert memory.reflect(now=NOW).written == dry.written


def test_an_entity_gets_a_page_from_two_facts_on(memory: Memory) -> None:
    """One fact is no page; two are one with citation and id of both."""
    tell(memory, "Moved to Graz.", "Peter")
    first = tell(memory, "Sings.", "Sarah", day=2)
    second = tell(memory, "Left the choir.", "Sarah", day=3, kind=Kind.EXPERIENCE)
    memory.reflect(now=NOW)
    assert not (memory.workspace.root / "bank/entities/Peter.md").exists()
    assert block(read(memory, "bank/entities/Sarah.md"), "entity") == [
        "**Known**",
        f"- Sings. ([memory/2026-03-02.md#L4](../../memory/2026-03-02.md#L4)) `{first}`",
        "",
        "**Happened**",
        f"- Left the choir. ([memory/2026-03-03.md#L4](../../memory/2026-03-03.md#L4)) `{second}`",
    ]


def test_a_page_is_complete_though_only_a_hundred_facts_are_chosen(memory: Memory) -> None:
    """Of 300 facts about three people 100 get the attention, and all stand on the pages."""
    log = "".join(f"- W @{name}: Owns number {n} of the houses.\n" for n in range(100) for name in ("Ana", "Bo", "Cy"))
    (memory.workspace.root / "memory/2026-03-01.md").write_text(f"# 2026-03-01\n\n## Retain\n{log}", encoding="utf-8")
    done = memory.reflect(now=NOW)
    assert (done.selected, done.eligible, done.total) == (100, 300, 300)
    for name in ("Ana", "Bo", "Cy"):
        assert read(memory, f"bank/entities/{name}.md").count("- Owns number") == 100
    assert memory.reflect(now=NOW).written == ()


def test_line_numbers_are_refreshed(memory: Memory) -> None:
    """A line inserted above a fact moves its citation at the next reflection, and nothing else."""
    tell(memory, "Sings.", "Sarah")
    tell(memory, "Dances.", "Sarah")
    memory.reflect(now=NOW)
    log = memory.workspace.root / "memory/2026-03-01.md"
    log.write_text(log.read_text("utf-8").replace("## Retain", "A quiet day.\n\n## Retain"), encoding="utf-8")
    memory.reflect(now=NOW)
    assert "- Sings. ([memory/2026-03-01.md#L6](../../memory/2026-03-01.md#L6))" in read(
        memory, "bank/entities/Sarah.md"
    )


def test_an_edit_inside_a_block_moves_below_it_and_becomes_a_fact(memory: Memory) -> None:
    """What somebody wrote between our lines is kept word for word, reported, and known from then on."""
    tell(memory, "Sings.", "Sarah")
    tell(memory, "Dances.", "Sarah")
    memory.reflect(now=NOW)
    page = memory.workspace.root / "bank/entities/Sarah.md"
    page.write_text(page.read_text("utf-8").replace("- Dances.", "- Collects stamps from Peru.\n- Dances."), "utf-8")
    done = memory.reflect(now=NOW)
    assert done.moved_lines == (("bank/entities/Sarah.md", "- Collects stamps from Peru."),)
    assert page.read_text("utf-8").endswith("end entity -->\n\n- Collects stamps from Peru.\n")
    assert "Collects stamps from Peru." in [fact.content for fact in memory.facts()]
    assert memory.reflect(now=NOW).written == ()


def test_a_mangled_page_is_reported_and_the_others_are_written(memory: Memory) -> None:
    """A missing end marker leaves that page as it is, byte for byte, and nothing else waits for it."""
    for name in ("Sarah", "Peter"):
        tell(memory, f"{name} sings.", name)
        tell(memory, f"{name} dances.", name)
    memory.reflect(now=NOW)
    page = memory.workspace.root / "bank/entities/Sarah.md"
    page.write_text(page.read_text("utf-8").replace("<!-- openclaw-memory:end entity -->\n", ""), "utf-8")
    mangled = page.read_bytes()
    tell(memory, "Moved to Graz.", "Sarah", "Peter", day=4)
    done = memory.reflect(now=NOW)
    assert page.read_bytes() == mangled
    assert [(one.path, one.defect.line) for one in done.problems] == [("bank/entities/Sarah.md", 3)]
    assert ("bank/entities/Sarah.md", 3) in [(one.path, one.line) for one in memory.doctor()]
    assert "Moved to Graz." in read(memory, "bank/entities/Peter.md")


def test_a_rewrite_that_loses_more_than_a_quarter_is_refused(memory: Memory) -> None:
    """A log that vanished does not empty a page; put back, or with the loss accepted, the page follows."""
    for day in (1, 2):
        for number in range(4):
            tell(memory, f"Owns boat {day}{number}.", "Sarah", day=day)
    memory.reflect(now=NOW)
    full = read(memory, "bank/entities/Sarah.md")
    log = memory.workspace.root / "memory/2026-03-02.md"
    kept = log.read_bytes()
    log.unlink()
    done = memory.reflect(now=NOW)
    assert read(memory, "bank/entities/Sarah.md") == full
    assert {one.path for one in done.problems} >= {"bank/entities/Sarah.md"}
    log.write_bytes(kept)
    assert memory.reflect(now=NOW).problems == ()
    log.unlink()
    assert memory.reflect(accept_loss=True, now=NOW).problems == ()
    assert read(memory, "bank/entities/Sarah.md").count("- Owns boat") == 4


def test_archived_facts_leave_the_pages(memory: Memory) -> None:
    """Archiving is no loss: page and core memory follow at once, and come back with `restore`."""
    ids = [tell(memory, f"Owns boat {number}.", "Sarah", day=number + 1) for number in range(4)]
    memory.reflect(now=NOW)
    full = pages(memory.workspace.root)
    memory.archive(*ids[:3], now=NOW)
    assert memory.reflect(now=NOW).problems == ()
    assert read(memory, "bank/entities/Sarah.md").count("- Owns boat") == 1
    assert "boat 0" not in read(memory, "MEMORY.md")
    memory.restore(*ids[:3], now=NOW)
    memory.reflect(now=NOW)
    assert pages(memory.workspace.root) == full


def test_a_forgotten_fact_does_not_come_back(memory: Memory) -> None:
    """After `forget` no page holds the words, and reflecting again does not bring them back."""
    secret = tell(memory, "Hides a spare key under the blue pot.", "Sarah")
    tell(memory, "Sings.", "Sarah")
    tell(memory, "Prefers the blue pot.", "Sarah", kind=Kind.OPINION, confidence=0.8, supports=(secret,))
    memory.reflect(now=NOW)
    memory.forget(secret, now=NOW)
    memory.reflect(now=NOW)
    assert not any(b"spare key" in data for data in pages(memory.workspace.root).values())


def test_an_edit_made_while_reflecting_survives(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody saves a page between planning and writing: their text stays and ours is written around it."""
    tell(memory, "Sings.", "Sarah")
    tell(memory, "Dances.", "Sarah")
    memory.reflect(now=NOW)
    tell(memory, "Moved to Graz.", "Sarah", day=4)
    page = memory.workspace.root / "bank/entities/Sarah.md"
    apply, edits = history.apply, ["\n- Written meanwhile.\n"]

    def edited(*args, **kwargs):  # type: ignore[no-untyped-def]
        if edits:
            page.write_bytes(page.read_bytes() + edits.pop().encode())
        return apply(*args, **kwargs)

    monkeypatch.setattr(history, "apply", edited)
    memory.reflect(now=NOW)
    assert "Moved to Graz." in page.read_text("utf-8")
    assert page.read_text("utf-8").endswith("\n- Written meanwhile.\n")


def test_somebody_who_never_stops_editing_wins(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a few attempts the reflection gives up; nothing of it is written."""
    tell(memory, "Sings.", "Sarah")
    tell(memory, "Dances.", "Sarah")
    core, apply = memory.workspace.root / "MEMORY.md", history.apply

    def edited(*args, **kwargs):  # type: ignore[no-untyped-def]
        core.write_bytes((core.read_bytes() if core.exists() else b"") + b"- more\n")
        return apply(*args, **kwargs)

    monkeypatch.setattr(history, "apply", edited)
    with pytest.raises(ConflictError, match=r"MEMORY\.md"):
        memory.reflect(now=NOW)
    assert not (memory.workspace.root / "bank").exists()


def test_a_read_only_page_stops_everything(memory: Memory) -> None:
    """A clear error, and nothing is changed anywhere."""
    tell(memory, "Sings.", "Sarah")
    tell(memory, "Dances.", "Sarah")
    memory.reflect(now=NOW)
    tell(memory, "Moved to Graz.", "Sarah", day=4)
    page = memory.workspace.root / "bank/entities/Sarah.md"
    page.chmod(0o444)
    before = pages(memory.workspace.root)
    with pytest.raises(WorkspaceError, match=r"Sarah\.md.*read-only"):
        memory.reflect(now=NOW)
    assert pages(memory.workspace.root) == before


def test_undo_takes_a_reflection_back(memory: Memory) -> None:
    """One reflection is one change."""
    tell(memory, "Sings.", "Sarah")
    tell(memory, "Dances.", "Sarah")
    before = pages(memory.workspace.root)
    done = memory.reflect(now=NOW)
    memory.undo(done.change, now=NOW)
    assert pages(memory.workspace.root) == before


def test_private_and_foreign_facts_stay_where_they_are_allowed(memory: Memory) -> None:
    """Private ones are in core memory, on no page that others may hear of; untrusted ones apart, and in neither."""
    tell(memory, "Sings.", "Sarah")
    tell(memory, "Is in therapy.", "Sarah", private=True)
    tell(memory, "Sells used cars.", "Sarah", provenance=Provenance.UNTRUSTED)
    tell(memory, "Loves used cars.", "Sarah", kind=Kind.OPINION, provenance=Provenance.UNTRUSTED)
    memory.reflect(now=NOW)
    page = block(read(memory, "bank/entities/Sarah.md"), "entity")
    assert "**Unverified, from elsewhere**" in page
    everything = {path: text for path, text in pages(memory.workspace.root).items() if not path.startswith("memory/")}
    assert [path for path, text in everything.items() if b"therapy" in text] == ["MEMORY.md"]
    for path in ("MEMORY.md", "bank/world.md", "bank/opinions.md"):
        assert b"used cars" not in everything.get(path, b"")


def test_what_a_recall_reinforced_is_selected_and_what_is_old_is_not(memory: Memory) -> None:
    """After the first reflection: recalled within 30 days or very salient, else only what is new."""
    tell(memory, "Plays the cello.", "Ana")
    tell(memory, "Climbs mountains.", "Bo")
    tell(memory, "Is the landlord.", "Cy", salience=0.9)
    memory.reflect(now=NOW)
    memory.recall(RecallRequest(query="cello", k=1, now=NOW))
    tell(memory, "Sells bread.", "Dee", day=24)
    later = memory.reflect(now=NOW + dt.timedelta(days=1))
    assert {one.content for one in later.priorities} == {"Plays the cello.", "Is the landlord.", "Sells bread."}
    assert later.priorities[0].content == "Is the landlord."
    much_later = memory.reflect(now=NOW + dt.timedelta(days=60))
    assert {one.content for one in much_later.priorities} == {"Is the landlord.", "Sells bread."}


@pytest.mark.parametrize("between", [(), (dt.date(2026, 3, 22),), (dt.date(2026, 3, 22), dt.date(2026, 3, 21))])
def test_what_since_passes_over_has_its_turn_later(memory: Memory, between: tuple[dt.date, ...]) -> None:
    """The next plain reflection weighs it as the first one would have; then it is done."""
    opinion = tell(memory, "Prefers written agendas.", "Peter", kind=Kind.OPINION, confidence=0.8)
    tell(memory, "Likes written agendas a lot.", "Peter", day=4)
    tell(memory, "Sells bread.", "Dee", day=24)
    for since in between:
        memory.reflect(since=since, now=NOW)
        memory.sync(now=NOW)
        assert memory.fact(opinion).confidence == 0.8
    later = memory.reflect(now=NOW)
    assert {one.content for one in later.priorities} >= {"Prefers written agendas.", "Likes written agendas a lot."}
    memory.sync(now=NOW)
    assert memory.fact(opinion).confidence == 0.86
    before = pages(memory.workspace.root)
    assert memory.reflect(now=NOW).written == ()
    assert memory.reflect(since=dt.date(2026, 3, 22), now=NOW).written == ()
    assert pages(memory.workspace.root) == before


def test_since_takes_what_was_recorded_from_that_day_on(memory: Memory) -> None:
    """`since` replaces the memory of the last reflection."""
    tell(memory, "Plays the cello.", "Ana", day=1)
    tell(memory, "Sells bread.", "Dee", day=24)
    memory.reflect(now=NOW)
    assert [one.content for one in memory.reflect(since=dt.date(2026, 3, 20), now=NOW).priorities] == ["Sells bread."]


@pytest.mark.parametrize("core", ["apply", "propose", "off"])
def test_core_memory_follows_its_setting(tmp_path: Path, core: str) -> None:
    """`apply` writes our block, `propose` waits for `core accept`, `off` leaves the page alone."""
    (tmp_path / "memory").mkdir()
    with Memory.open(tmp_path, config=Config(core=Core(update=core))) as memory:
        tell(memory, "Lives in Graz.", "Peter")
        done = memory.reflect(now=NOW)
        page = tmp_path / "MEMORY.md"
        assert page.exists() == (core == "apply")
        assert done.core_changed == (core != "off")
        if core == "propose":
            view = memory.core(now=NOW)
            assert "+- **Peter**: Lives in Graz. (memory/2026-03-01.md#L4)" in view.diff
            assert memory.core(accept=True, now=NOW).written
            assert "Lives in Graz." in page.read_text("utf-8")
            assert memory.core(now=NOW).proposed_at is None


def test_what_stands_below_a_block_that_grows_is_cited_where_it_stands_then(memory: Memory) -> None:
    """A fact below the block of one page is on another page: one reflection leaves nothing to do for the next."""
    for text in ("Plays the cello.", "Is a neighbour of Ana."):
        tell(memory, text, "Dee")
    tell(memory, "Sells bread.", "Ana")
    tell(memory, "Sings.", "Ana")
    memory.reflect(now=NOW)
    page = memory.workspace.root / "bank/entities/Dee.md"
    page.write_text(page.read_text("utf-8") + "\n- W @Dee @Ana: Share a garden.\n", "utf-8")
    memory.reflect(now=NOW)
    tell(memory, "Grows leeks.", "Dee", day=2)
    memory.reflect(now=NOW)
    line = page.read_text("utf-8").split("\n").index("- W @Dee @Ana: Share a garden.") + 1
    assert f"Dee.md#L{line})" in read(memory, "bank/entities/Ana.md")
    assert memory.reflect(now=NOW).written == ()


@pytest.mark.parametrize("core", ["apply", "propose"])
def test_people_are_told_what_changed_and_what_would(
    tmp_path: Path, core: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dry run says what it would do, a reflection what it did, neither speaks of an update where there is none."""
    (tmp_path / "memory").mkdir()
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory/config.yaml").write_text(f"core:\n  update: {core}\n")
    with Memory.open(tmp_path) as memory:
        tell(memory, "Lives in Graz.", "Peter")
        tell(memory, "Sells bread.", "Peter")
    told = []
    for words in (["reflect", "--dry-run"], ["reflect"], ["core", "accept"], ["reflect"], ["reflect", "--dry-run"]):
        if core == "propose" or words[0] == "reflect":
            assert cli.main(["--workspace", str(tmp_path), "--now", NOW.isoformat(), *words]) == 0
            told.append(capsys.readouterr().out)
    assert "pages would be written" in told[0]
    assert f"Core memory would be {'updated' if core == 'apply' else 'proposed'}: " in told[0]
    assert f"Core memory {'updated' if core == 'apply' else 'proposed'}: " in told[1]
    for text in told[-2:]:
        assert "pages unchanged\n" in text
        assert "Core memory unchanged: " in text
