"""What is forgotten is gone everywhere and does not come back by itself."""

import datetime as dt
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Draft, Fact, Kind, Message, Provenance, RecallRequest, Turn
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import ConflictError, RetainError, UsageError, WorkspaceError
from openclaw_memory_plugin.reflect.history import Change, apply
from openclaw_memory_plugin.workspace.lines import TOMBSTONES
from openclaw_memory_plugin.workspace.saying import statement_key
from openclaw_memory_plugin.workspace.tombstones import Tombstones

NOW = dt.datetime(2026, 4, 25, 12, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(days=3)
SECRET = "Zanzibar"
"""A word that stands in nothing but the fact to be forgotten."""

MARKED_UP = ("anchor", "*drum*", "`eel`", "fern,", "東京で", "gate-9", "Häuser", "[hat](http://x.y/z)", "#tag", "@Ida")

LOG = f"""\
# 2026-03-01

Some prose about the harbour.

## Retain
- W @Peter: Is in Marrakech for **Andy's** birthday.
- O(c=0.7) @Ann: Dreams of moving to *{SECRET}* with @Bo
  - before the winter
- B @Bo: Repaired the quay.
"""
LATE = f"# 2026-03-02\n\n## Retain\n- W: Rain.\n- O @Ann: dreams of moving to {SECRET} with @Bo before the winter\n"
CORE = f"""\
# Memory

Mine.

<!-- openclaw-memory:begin core -->
- Repaired the quay. (memory/2026-03-01.md#L9)
- Dreams of moving to {SECRET} with @Bo before the winter (memory/2026-03-01.md#L7)
<!-- openclaw-memory:end core -->

Also mine.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "memory/2026-03-01.md").write_text(LOG)
    (root / "memory/2026-03-02.md").write_text(LATE)
    (root / "MEMORY.md").write_text(CORE)
    return root


@pytest.fixture
def memory(root: Path) -> Iterator[Memory]:
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        yield memory


def secret_of(memory: Memory) -> Fact:
    return next(fact for fact in memory.facts(include_archived=True) if SECRET in fact.content)


def files_with(root: Path, text: str) -> list[str]:
    """Every file below the workspace, ours and SQLite's included, whose bytes hold a word in any case."""
    wanted = text.lower().encode()
    return [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*"))
        if path.is_file() and wanted in path.read_bytes().lower()
    ]


def ours(root: Path) -> dict[Path, bytes]:
    """Every file but SQLite's own."""
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and "sqlite" not in path.name}


def test_nothing_of_it_is_left(memory: Memory, root: Path) -> None:
    """After archive, recall journal, feedback, undo history and forget no file of the workspace holds it."""
    fact = secret_of(memory)
    memory.track([fact.id], now=NOW)
    memory.feedback(fact.id, good=True, now=NOW)
    memory.archive(fact.id, now=NOW)
    memory.retain(Draft(text="The ferry is blue.", entities=("Ferry",)), now=NOW)
    done = memory.forget(fact.id, now=LATER)
    assert files_with(root, SECRET) == []
    assert files_with(root, fact.id) == []
    assert [str(place) for place in done.erased] == [
        "memory/2026-03-01.md#L7",
        "memory/2026-03-02.md#L5",
        "MEMORY.md#L7",
    ]
    assert (root / "memory/2026-03-01.md").read_text() == LOG.replace(
        f"- O(c=0.7) @Ann: Dreams of moving to *{SECRET}* with @Bo\n  - before the winter\n", ""
    )
    assert (root / "MEMORY.md").read_text() == CORE.replace(
        f"- Dreams of moving to {SECRET} with @Bo before the winter (memory/2026-03-01.md#L7)\n", ""
    )


def test_undo_history_forgets_too(memory: Memory, root: Path) -> None:
    """A change that wrote the text stays in the history without it, and cannot be undone; others can."""
    fact = memory.retain(Draft(text=f"The map of {SECRET} is in the attic."), now=NOW)
    memory.retain(Draft(text="The ferry is blue."), now=NOW + dt.timedelta(days=1))
    done = memory.forget(fact.id, now=LATER)
    assert done.history_entries == (1,)
    assert [(entry.number, entry.erased) for entry in memory.history()] == [(1, True), (2, False), (3, True)]
    assert "attic" not in "".join(entry.diff() for entry in memory.history())
    with pytest.raises(UsageError, match="erased by forget"):
        memory.undo(1, now=LATER)
    assert memory.undo(now=LATER).paths == ("memory/2026-04-26.md",)


def test_no_id_and_no_digest_is_left_to_confirm_a_guess(memory: Memory, root: Path) -> None:
    """Ids are hashes without a key: no note of ours holds that of a forgotten fact, nor what was done to it."""
    fact = memory.retain(
        Draft(text=f"Dreams of {SECRET}", kind=Kind.OPINION, entities=("Bo",), confidence=0.7), now=NOW
    )
    memory.reflect(now=NOW)
    memory.undo(1, now=NOW)
    memory.retain(Draft(text=f"Dreams of {SECRET}", kind=Kind.OPINION, entities=("Bo",), confidence=0.7), now=NOW)
    cites = Change(path="bank/cites.md", before=None, after=f"See {fact.id}.\n".encode())
    apply(memory.workspace, [cites], reason="test", now=NOW)
    (root / cites.path).unlink()
    memory.forget(fact.id, now=LATER)
    assert files_with(root, fact.id) == []
    edits = [edit for entry in memory.history() for edit in entry.edits if edit.erased]
    assert edits != []
    assert {digest for edit in edits for digest in (edit.before, edit.after)} <= {None, ""}
    reasons = [entry.reason for entry in memory.history()]
    assert reasons[0] == "retain (a forgotten fact)"
    assert reasons[-1] == "forget"


def test_dry_run_changes_nothing(memory: Memory, root: Path) -> None:
    """A dry run tells the same places and leaves every byte."""
    before = ours(root)
    told = memory.forget(secret_of(memory).id, dry_run=True, now=NOW)
    assert len(told.erased) == 3
    assert ours(root) == before


def test_it_does_not_come_back_by_checkout_nor_without_the_state_folder(memory: Memory, root: Path) -> None:
    """The old files put back, and `.memory` removed: the statement is not indexed, and doctor says where it stands."""
    memory.forget(secret_of(memory).id, now=NOW)
    (root / "memory/2026-03-01.md").write_text(LOG)
    memory.sync(now=LATER)
    assert [fact for fact in memory.facts() if SECRET in fact.content] == []
    memory.close()
    subprocess.run(["rm", "-rf", str(root / ".memory")], check=True)
    with Memory.open(root) as fresh:
        fresh.sync(now=LATER)
        assert [fact for fact in fresh.facts(include_archived=True) if SECRET in fact.content] == []
        assert [(found.path, found.line) for found in fresh.doctor() if "forgotten" in found.message] == [
            ("memory/2026-03-01.md", 7)
        ]


def test_only_the_owner_teaches_it_again(memory: Memory, root: Path) -> None:
    """The agent is refused and nothing is written; what the owner says is known again, wherever it stands."""
    fact = secret_of(memory)
    memory.forget(fact.id, now=NOW)
    draft = Draft(text=fact.content, kind=Kind.OPINION, entities=("Ann",), provenance=Provenance.AGENT)
    with pytest.raises(RetainError, match="forgotten on purpose"):
        memory.retain(draft, now=LATER)
    assert not (root / "memory/2026-04-28.md").exists()
    again = memory.retain(Draft(text=fact.content, kind=Kind.OPINION, entities=("Ann",)), now=LATER)
    assert again.id == fact.id
    assert secret_of(memory).citations[0].path == "memory/2026-04-28.md"
    memory.forget(fact.id, now=LATER + dt.timedelta(days=1))
    assert files_with(root, SECRET) == []


@pytest.mark.parametrize("heads", [(), ("Ann",), ("Ann", "Map"), ("Map",)])
@pytest.mark.parametrize("forgotten", [("Ann",), ("Ann", "Ben"), ()])
def test_other_heads_do_not_bring_it_back(
    memory: Memory, root: Path, forgotten: tuple[str, ...], heads: tuple[str, ...]
) -> None:
    """The agent is refused the same words under whatever names, also none; the owner is not."""
    text = "The vault code is 7731 for the cellar."
    fact = memory.retain(Draft(text=text, entities=forgotten), now=NOW)
    memory.forget(fact.id, now=NOW)
    draft = Draft(text=text.upper(), kind=Kind.EXPERIENCE, entities=heads, provenance=Provenance.AGENT)
    with pytest.raises(RetainError, match="forgotten on purpose"):
        memory.retain(draft, now=LATER)
    assert files_with(root, "vault code") == []
    again = memory.retain(Draft(text=text, entities=heads), now=LATER)
    assert memory.recall(RecallRequest(query="vault code", now=LATER)).hits[0].fact.id == again.id
    memory.retain(Draft(text=text, entities=heads, provenance=Provenance.AGENT), now=LATER + dt.timedelta(days=1))


@pytest.mark.parametrize("line", ["- {}", "{}", "- W @Ann: {}", "- B @Map @Ann: {}", "- **{}**"])
def test_the_same_words_in_a_log_are_left_out(memory: Memory, root: Path, line: str) -> None:
    """Written into a log without its name or with one more, it is not indexed and nothing is made of it."""
    text = "The vault code is ZX-77 for the cellar."
    memory.forget(memory.retain(Draft(text=text, entities=("Ann",), salience=0.9), now=NOW).id, now=NOW)
    (root / "memory/2026-04-27.md").write_text(f"# 2026-04-27\n\n{line.format(text)}\n")
    memory.sync(now=LATER)
    memory.reflect(now=LATER)
    assert [fact.content for fact in memory.facts() if "ZX-77" in fact.content] == []
    assert files_with(root, "ZX-77") == ["memory/2026-04-27.md"]
    assert [(found.path, found.line) for found in memory.doctor() if "forgotten" in found.message] == [
        ("memory/2026-04-27.md", 3)
    ]


@pytest.mark.parametrize("line", ["- {}", "- W @Ann @Map: {}"])
def test_lines_that_say_the_same_go_with_it(memory: Memory, root: Path, line: str) -> None:
    """What would stay in a log and be left out of the index is erased, and the dry run tells of it."""
    text = "The vault code is ZX-77 for the cellar."
    (root / "memory/2026-04-20.md").write_text(f"# 2026-04-20\n\nMine.\n\n{line.format(text)}\n")
    fact = memory.retain(Draft(text=text, entities=("Ann",)), now=NOW)
    told = memory.forget(fact.id, dry_run=True, now=NOW)
    done = memory.forget(fact.id, now=NOW)
    assert [str(place) for place in told.erased] == [str(place) for place in done.erased]
    assert "memory/2026-04-20.md#L5" in map(str, done.erased)
    assert files_with(root, "ZX-77") == []


def test_undo_does_not_bring_it_back(memory: Memory, root: Path) -> None:
    """Undoing a change of ours that had removed the statement is refused."""
    log = root / "memory/2026-03-02.md"
    apply(
        memory.workspace,
        [Change(path="memory/2026-03-02.md", before=log.read_bytes(), after=b"# 2026-03-02\n")],
        reason="test",
        now=NOW,
    )
    memory.sync(now=NOW)
    fact = secret_of(memory)
    tombstones = Tombstones(keys=(b"k" * 32,))
    (mark,) = tombstones.marks([statement_key(fact.content, ["Ann"])])
    lines = [{"key": (b"k" * 32).hex()}, {"hash": mark, "forgotten_at": NOW.isoformat()}]
    (root / "memory/archive").mkdir()
    (root / TOMBSTONES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(RetainError, match="would bring back"):
        memory.undo(now=LATER)
    assert log.read_bytes() == b"# 2026-03-02\n"


def test_archived_fact_that_stands_nowhere_else_can_be_forgotten(memory: Memory, root: Path) -> None:
    """When only the archive still has it, it goes from there."""
    fact = secret_of(memory)
    memory.archive(fact.id, now=NOW)
    for path in ("memory/2026-03-01.md", "memory/2026-03-02.md", "MEMORY.md"):
        (root / path).write_text("# Other\n")
    memory.sync(now=NOW)
    memory.forget(fact.id[:8], now=LATER)
    assert files_with(root, SECRET) == []


def test_same_words_about_somebody_else_stay(memory: Memory, root: Path) -> None:
    """A statement about another person, and prose that says more, are kept and pointed out."""
    log = root / "memory/2026-03-03.md"
    text = f"- O @Cem: Dreams of moving to {SECRET} with Bo before the winter\n"
    log.write_text(text)
    memory.sync(now=NOW)
    fact = next(fact for fact in memory.facts() if "Ann" in fact.entities and SECRET in fact.content)
    done = memory.forget(fact.id, now=NOW)
    assert log.read_text() == text
    assert [str(place) for place in done.mentions] == ["memory/2026-03-03.md#L1"]
    assert any("memory/2026-03-03.md#L1" in warning for warning in done.warnings)
    assert [fact.entities[0] for fact in memory.facts() if SECRET in fact.content] == ["Cem"]


def test_belief_goes_with_its_account(memory: Memory, root: Path) -> None:
    """A generated belief is erased with the lines below it, its neighbours keep theirs, and reflecting adds nothing."""
    memory.retain(Draft(text="Loves the rain.", kind=Kind.OPINION, entities=("Bo",), confidence=0.7), now=NOW)
    memory.reflect(now=NOW)
    before = (root / "bank/opinions.md").read_text()
    assert SECRET in before
    memory.forget(secret_of(memory).id, now=LATER)
    assert files_with(root, SECRET) == []
    blocks = [block for block in before.split("\n- ") if SECRET not in block]
    after = (root / "bank/opinions.md").read_text()
    assert after.split("<!-- openclaw-memory:sums")[0] == "\n- ".join(blocks).split("<!-- openclaw-memory:sums")[0]
    memory.reflect(now=LATER)
    assert files_with(root, SECRET) == []


def test_reflection_does_not_bring_it_back(memory: Memory, root: Path) -> None:
    """The page of beliefs put back as it was: nobody believes it any more, the next reflection takes it out again."""
    memory.reflect(now=NOW)
    page = root / "bank/opinions.md"
    kept = page.read_bytes()
    memory.forget(secret_of(memory).id, now=LATER)
    page.write_bytes(kept)
    assert [one.statement for one in memory.opinions(now=LATER) if SECRET in one.statement] == []
    memory.reflect(now=LATER)
    assert SECRET not in page.read_text()


def test_small_talk_does_not_bring_it_back(memory: Memory, root: Path) -> None:
    """What the user says in passing is not captured when it was forgotten; what he asks to remember is."""

    def say(text: str, run: str) -> None:
        said = Message(role="user", text=text)
        turn = Turn(
            agent_id="main", session_key="s", run_id=run, prompt=text, messages=(said,), private=True, now=LATER
        )
        assert memory.turn_end(turn) == []

    say(f"I live in {SECRET} since May.", "1")
    memory.forget(*{fact.id for fact in memory.facts() if SECRET in fact.content}, now=LATER)
    say(f"I live in {SECRET} since May.", "2")
    assert files_with(root, f"live in {SECRET}") == []
    say(f"Remember that I live in {SECRET} since May.", "3")
    assert files_with(root, f"live in {SECRET}") != []


def test_git_history_is_warned_about(memory: Memory, root: Path) -> None:
    """Under version control the answer says that its history is not ours to rewrite."""
    assert memory.forget(secret_of(memory).id, dry_run=True, now=NOW).warnings == ()
    (root / ".git").mkdir()
    (warning,) = memory.forget(secret_of(memory).id, now=NOW).warnings
    assert "version control" in warning


def test_index_of_another_version_is_warned_about(memory: Memory, root: Path) -> None:
    """An index that a newer version wrote is left alone and named."""
    (root / ".memory/index.v9.sqlite").write_bytes(b"theirs")
    (warning,) = memory.forget(secret_of(memory).id, now=NOW).warnings
    assert ".memory/index.v9.sqlite" in warning


@pytest.mark.parametrize(("fact_id", "message"), [("beef", "no fact has the id"), ("", "no fact has the id")])
def test_unknown_id_changes_nothing(memory: Memory, root: Path, fact_id: str, message: str) -> None:
    """An id that is not there is an error, and the ids beside it are not forgotten either."""
    with pytest.raises(UsageError, match=message):
        memory.forget(secret_of(memory).id, fact_id, now=NOW)
    assert (root / "memory/2026-03-01.md").read_text() == LOG
    assert not (root / TOMBSTONES).exists()


def test_read_only_page_stops_it(memory: Memory, root: Path) -> None:
    """When one of the files is read-only nothing is forgotten anywhere, and nothing lies around."""
    (root / "memory/2026-03-02.md").chmod(0o444)
    with pytest.raises(WorkspaceError, match=r"2026-03-02\.md: the file is read-only; nothing was changed"):
        memory.forget(secret_of(memory).id, now=NOW)
    assert (root / "memory/2026-03-01.md").read_text() == LOG
    assert not (root / TOMBSTONES).exists()
    assert not (root / ".memory/forgetting.json").exists()


def test_full_disk_stops_it(memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full nothing is forgotten anywhere."""
    fact = secret_of(memory)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WorkspaceError, match="No space left"):
        memory.forget(fact.id, now=NOW)
    monkeypatch.undo()
    assert (root / "memory/2026-03-01.md").read_text() == LOG
    assert not (root / TOMBSTONES).exists()
    memory.sync(now=NOW)
    assert secret_of(memory) == fact


def test_edit_made_meanwhile_wins(memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is edited between looking and erasing stays as its editor left it."""
    from openclaw_memory_plugin.reflect.upkeep import forget

    looked = forget.survey

    def edited(*args: object) -> object:
        found = looked(*args)  # type: ignore[arg-type]
        (root / "memory/2026-03-02.md").write_text(LATE + "- W: More.\n")
        return found

    monkeypatch.setattr(forget, "survey", edited)
    with pytest.raises(ConflictError, match=r"2026-03-02\.md: the file was edited meanwhile; nothing was changed"):
        memory.forget(secret_of(memory).id, now=NOW)
    assert (root / "memory/2026-03-02.md").read_text() == LATE + "- W: More.\n"
    assert (root / "memory/2026-03-01.md").read_text() == LOG
    assert not (root / TOMBSTONES).exists()


@settings(max_examples=20, deadline=None)
@given(
    words=st.lists(
        st.sampled_from(
            [
                "anchor",
                "bread",
                "cloud",
                "*drum*",
                "`eel`",
                "fern,",
                "東京で",
                "gate-9",
                "Häuser",
                "[hat](http://x.y/z)",
                "#tag",
                "@Ida",
            ]
        ),
        min_size=2,
        max_size=9,
    )
)
def test_whatever_the_markup_it_is_found_and_gone(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    """Statements with any markup are erased with their line, and every other line stays."""
    root = tmp_path_factory.mktemp("ws")
    (root / "memory").mkdir()
    log = root / "memory/2026-03-01.md"
    log.write_bytes(("# 2026-03-01\r\n\r\n- keep one\r\n- " + " ".join(words) + " xylophone\r\n- keep two").encode())
    with Memory.open(root) as memory:
        memory.sync(now=NOW)
        (fact,) = [fact for fact in memory.facts() if "xylophone" in fact.content]
        memory.forget(fact.id, now=NOW)
        assert log.read_bytes() == b"# 2026-03-01\r\n\r\n- keep one\r\n- keep two"
        assert files_with(root, "xylophone") == []


def test_conflict_names_the_page(memory: Memory, root: Path) -> None:
    """A citation that no longer holds is an error that says what to do."""
    from openclaw_memory_plugin.reflect.upkeep.survey import target_of

    fact = secret_of(memory)
    (root / "memory/2026-03-01.md").write_text("# 2026-03-01\n")
    (root / "memory/2026-03-02.md").write_text("# 2026-03-02\n")
    with pytest.raises(ConflictError, match=r"memory/2026-03-01\.md#L7 does not say it any more"):
        target_of(memory.workspace, fact)


@pytest.mark.parametrize(
    "above",
    [
        "# Ann\n\n<!-- openclaw-memory:begin entity -->\n- Sings.\n\n# Mine\n",
        "# Notes\n\n```\n<!-- openclaw-memory:begin entity -->\n```\n\n",
        "# Ann\n\n<!-- openclaw-memory:begin entity -->\n<!-- openclaw-memory:begin core -->\n- Sings.\n",
    ],
    ids=["no end", "in a fence", "nested"],
)
def test_what_follows_a_broken_block_is_not_ours_to_erase(memory: Memory, root: Path, above: str) -> None:
    """Only a pair of markers makes lines ours: a hand-written line that says more stays and is told."""
    page = root / "memory/notes.md"
    page.write_text(f"{above}I know she dreams of moving to {SECRET} with @Bo before the winter, and sails.\n")
    memory.sync(now=NOW)
    before = page.read_bytes()
    done = memory.forget(secret_of(memory).id, now=LATER)
    assert page.read_bytes() == before
    assert [place.path for place in done.mentions] == ["memory/notes.md"]


def test_a_line_that_somebody_wrote_into_our_block_is_not_ours_to_erase(memory: Memory, root: Path) -> None:
    """It says more than what is forgotten: it stays, is told, and the next reflection keeps it below the block."""
    (root / "MEMORY.md").unlink()
    memory.reflect(now=NOW)
    core = (root / "MEMORY.md").read_text()
    line = f"- She dreams of moving to {SECRET} with @Bo before the winter, and sails."
    (root / "MEMORY.md").write_text(core.replace("<!-- openclaw-memory:sums", f"{line}\n<!-- openclaw-memory:sums"))
    done = memory.forget(secret_of(memory).id, now=LATER)
    assert [place.text for place in done.mentions] == [line]
    assert (root / "MEMORY.md").read_text().count(SECRET) == 1


def test_the_name_of_a_page_goes_with_the_last_fact_about_it(memory: Memory, root: Path) -> None:
    """Where nothing is known of somebody any more, their page and its path in the history are gone as well."""
    facts = [
        memory.retain(Draft(text=text, kind=Kind.WORLD, entities=("Zorro",)), now=NOW)
        for text in ("Keeps llamas.", "Sells wool.")
    ]
    memory.reflect(now=NOW)
    assert (root / "bank/entities/Zorro.md").exists()
    for fact in facts:
        memory.forget(fact.id, now=LATER)
    assert files_with(root, "Zorro") == []
    with pytest.raises(UsageError, match="erased by forget"):
        memory.undo(1, now=LATER)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- O(c=0.8,contradicts={id}) @Ana: Avoids the harbour.", "- O(c=0.8) @Ana: Avoids the harbour."),
        ("- O(contradicts={id}) @Ana: Avoids the harbour.", "- O @Ana: Avoids the harbour."),
        ("- O(supports={id}, s=0.4) @Ana: Avoids the harbour.", "- O(s=0.4) @Ana: Avoids the harbour."),
        (
            "- O(supports={id},supports=0123456789ab) @Ana: Avoids the harbour.",
            "- O(supports=0123456789ab) @Ana: Avoids the harbour.",
        ),
    ],
)
def test_what_is_forgotten_is_nobodys_evidence(tmp_path: Path, before: str, after: str) -> None:
    """Statements that named it keep their words and lose that attribute, and the preview tells which."""
    with Memory.open(tmp_path) as memory:
        secret = memory.retain(Draft(text=f"Likes {SECRET}.", kind=Kind.OPINION, entities=("Ana",)), now=NOW)
        page = tmp_path / "memory/2026-03-01.md"
        page.write_text(f"## Retain\r\n{before.format(id=secret.id)}\r\n", newline="")
        memory.reflect(now=NOW)
        would = memory.forget(secret.id, dry_run=True, now=NOW)
        assert secret.id in page.read_text()
        done = memory.forget(secret.id, now=NOW)
        assert [str(place) for place in would.unlinked] == [str(place) for place in done.unlinked]
        assert [str(place) for place in done.unlinked] == ["memory/2026-03-01.md#L2"]
        assert page.read_bytes().decode() == f"## Retain\r\n{after}\r\n"
        assert done.mentions == ()
        memory.reflect(now=NOW)
    assert not [path for path in tmp_path.rglob("*.md") if secret.id in path.read_text()]
