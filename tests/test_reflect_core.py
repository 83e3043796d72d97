"""Core memory: what goes in, in which order, never above its budget; pins; the proposal that waits."""

import datetime as dt
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Draft, Kind, Provenance
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.config import Config, Core
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces import cli
from openclaw_memory_plugin.index.reflection import Place, Standing
from openclaw_memory_plugin.reflect.core import block_tokens, candidates, pack_core, pins_line
from openclaw_memory_plugin.reflect.pages import Entry, make_entry
from openclaw_memory_plugin.words import count_tokens
from reflecting import NOW, standing, tell

TODAY = NOW.date()


def entry(of: Standing, content: str, *heads: str, path: str = "memory/2026-03-01.md") -> Entry:
    place = Place(seq=of.seq, path=path, line=of.seq + 1, day=of.timestamp, attributes=None)
    return make_entry(of, content, heads, [place], confidence=of.confidence, corrected=False)


def core(memory: Memory, now: dt.datetime = NOW) -> str:
    memory.reflect(now=now)
    page = memory.workspace.root / "MEMORY.md"
    return page.read_text("utf-8") if page.exists() else ""


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=120), max_size=25),
    st.integers(0, 600),
)
def test_the_block_never_exceeds_its_budget(contents: list[str], budget: int) -> None:
    """Markers, sums and line breaks included, whatever the scripts; nothing fits into nothing."""
    entries = [entry(standing(n), content, "Peter") for n, content in enumerate(contents)]
    packed = pack_core(entries, budget=budget, safety=())
    assert packed.tokens == block_tokens(packed.lines) <= budget


def test_what_does_not_fit_is_skipped_and_the_next_one_tried() -> None:
    """A long statement does not keep the short ones behind it out."""
    entries = [entry(standing(1, pinned=1), "long " * 200), entry(standing(2), "Short.", "Peter")]
    assert pack_core(entries, budget=80, safety=()).ids == (standing(2).id,)


def test_pinned_comes_first_then_safety_then_by_subject() -> None:
    """The order of the lines is stable and says what matters most."""
    entries = [
        entry(standing(1), "Lives in Graz.", "Zoe"),
        entry(standing(2), "Sings.", "Ann"),
        entry(standing(3), "Is allergic to nuts.", "Yan"),
        entry(standing(4, pinned=1), "Signs the contracts.", "Xaver"),
    ]
    assert pack_core(entries, budget=500, safety={3}).ids == tuple(standing(n).id for n in (4, 3, 2, 1))


@pytest.mark.parametrize(
    "unfit",
    [
        {"provenance": "untrusted"},
        {"superseded": 1},
        {"task": "open"},
        {"task": "done"},
        {"noise": 1},
        {"timestamp": "2026-03-26", "last_seen": "2026-03-26"},
        {"valid_to": "2026-03-24"},
        {"kind": "opinion", "confidence": 0.4},
        {"kind": "note"},
    ],
    ids=str,
)
def test_what_is_unfit_is_never_core(unfit: dict[str, object]) -> None:
    """From elsewhere, struck, a task, noise, of tomorrow, over, doubted, or just a note; pinned or not."""
    pins = (0,) if unfit == {"kind": "note"} else (0, 1)
    assert candidates([standing(1, pinned=pin, **unfit) for pin in pins], today=TODAY, safety=()) == []


def test_newer_and_more_salient_facts_come_first() -> None:
    """All else equal, older never stands before newer."""
    facts = [
        standing(1, last_seen="2025-03-01"),
        standing(2, last_seen="2026-03-20"),
        standing(3, last_seen="2026-03-20", salience=0.9),
        standing(4, last_seen="2026-03-20", access_count=9),
    ]
    assert [one.seq for one in candidates(facts, today=TODAY, safety=())] == [3, 4, 2, 1]


def test_of_two_values_of_one_thing_the_latest_is_core() -> None:
    """`runs firmware 4.1` gives way to `runs firmware 4.2`; other subjects keep theirs."""
    entries = [
        entry(standing(1, salience=0.9), "Runs firmware 4.1.", "router"),
        entry(standing(2, last_seen="2026-03-09"), "Runs firmware 4.2.", "router"),
        entry(standing(3), "Runs firmware 4.1.", "switch"),
    ]
    assert set(pack_core(entries, budget=500, safety=()).ids) == {standing(2).id, standing(3).id}


def test_a_later_value_replaces_none_that_is_trusted_more() -> None:
    """What the agent concludes stands beside what the owner said before; the other way round it gives way."""
    owner, agent = "owner", "agent"
    for before, after, left in ((owner, agent, 2), (agent, owner, 1), (agent, agent, 1)):
        entries = [
            entry(standing(1, provenance=before), "Runs firmware 4.1.", "router"),
            entry(standing(2, last_seen="2026-03-09", provenance=after), "Runs firmware 4.2.", "router"),
        ]
        assert len(pack_core(entries, budget=500, safety=()).ids) == left


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The PIN of door 1 is 1234.", "The PIN of door 2 is 9876."),
        ("Owns house number 4 by the river.", "Owns house number 7 by the river."),
        ("Room 12 has a projector.", "Room 14 has a projector."),
        ("3号门的密码是1234。", "4号门的密码是9876。"),
        ("2月去厦门。", "有3只猫。"),
        ("Backups run on host db-1.", "Backups run on host db-2."),
    ],
)
def test_a_number_that_names_a_thing_is_no_value_of_it(one: str, other: str) -> None:
    """Two doors are two doors: both stay."""
    entries = [entry(standing(1), one, "house"), entry(standing(2, last_seen="2026-03-09"), other, "house")]
    assert len(pack_core(entries, budget=500, safety=()).ids) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The rent is 900 euros.", "The rent is 950 euros."),
        ("Runs v2.3 on the pier.", "Runs v2.4 on the pier."),
        ("The PIN of door 1 is 1234.", "The PIN of door 1 is 4711."),
        ("Miete: 900 €", "Miete: 950 €"),
        ("房租是900元。", "房租是950元。"),
    ],
)
def test_of_two_amounts_the_latest_is_core_and_every_pin(one: str, other: str) -> None:
    """What something costs, is, or in which version it runs is told once; what is pinned stays all the same."""
    older, newer = standing(1), standing(2, last_seen="2026-03-09")
    assert pack_core([entry(older, one, "x"), entry(newer, other, "x")], budget=500, safety=()).ids == (newer.id,)
    pinned = [entry(standing(1, pinned=1), one, "x"), entry(newer, other, "x")]
    assert set(pack_core(pinned, budget=500, safety=()).ids) == {older.id, newer.id}


def test_pins_without_room_are_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By whoever pins, by a reflection, by `core` and by `stats`: how many, and what to do."""
    (tmp_path / "memory").mkdir()
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory/config.yaml").write_text("core: {max_tokens: 70}\n")
    run = ["--workspace", str(tmp_path), "--now", "2026-03-25T12:00:00Z"]
    with Memory.open(tmp_path) as memory:
        ids = [
            memory.retain(Draft(text=f"Owns the old house of the quay at {name}.", entities=(name,)), now=NOW).id
            for name in ("Ann", "Bo", "Cem")
        ]
    assert cli.main([*run, "pin", ids[0]]) == 0
    assert "not fit" not in capsys.readouterr().out
    told = []
    for words in (["pin", *ids[1:]], ["reflect"], ["core", "diff"], ["stats"]):
        assert cli.main([*run, *words]) == 0
        told += [line for line in capsys.readouterr().out.split("\n") if "not fit" in line]
    assert [line.lstrip("! ") for line in told] == [pins_line(1, 70)] * 4
    assert cli.main([*run, "reflect", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["core"]["pins_left_out"]) == 1
    shown = (tmp_path / "MEMORY.md").read_text()
    assert sum(name in shown for name in ("Ann", "Bo", "Cem")) == 2


def test_what_the_page_says_by_hand_is_not_repeated(memory: Memory) -> None:
    """A fact in MEMORY.md or USER.md is before the agent already."""
    (memory.workspace.root / "MEMORY.md").write_text("# Mine\n\n- W @Peter: Lives in Graz.\n", "utf-8")
    tell(memory, "Lives in Graz.", "Peter")
    tell(memory, "Plays chess.", "Peter")
    text = core(memory)
    assert text.count("Lives in Graz.") == 1
    assert "Plays chess." in text


def test_an_explicit_correction_replaces_what_it_corrects(memory: Memory) -> None:
    """The corrected fact leaves core memory and stands on the page as no longer so."""
    old = tell(memory, "The office is in Vienna.", "Acme")
    tell(memory, "The office is in Graz.", "Acme", day=2, contradicts=(old,))
    text = core(memory)
    assert ("Graz" in text, "Vienna" in text) == (True, False)
    page = (memory.workspace.root / "bank/entities/Acme.md").read_text("utf-8")
    assert page.index("Graz") < page.index("**No longer so**") < page.index("Vienna")


def test_a_contradicted_opinion_gives_way_to_its_successor(memory: Memory) -> None:
    """The last word on it was a contradiction: the newer statement is core, the older one is not."""
    tell(memory, "Finds voice notes annoying.", "Peter", kind=Kind.OPINION, confidence=0.9)
    tell(memory, "Now enjoys voice notes.", "Peter", day=9)
    text = core(memory)
    assert ("Now enjoys" in text, "annoying" in text) == (True, False)


def test_hand_written_bytes_and_line_endings_of_the_core_page_stay(memory: Memory) -> None:
    """CRLF, BOM and a missing last line break: our block follows, everything before it is as it was."""
    page = memory.workspace.root / "MEMORY.md"
    hand = "\ufeff# 記憶\r\n\r\n- 手書き".encode()
    page.write_bytes(hand)
    tell(memory, "Plays chess.", "Peter")
    memory.reflect(now=NOW)
    data = page.read_bytes()
    assert data.startswith(hand)
    assert data.count(b"\n") == data.count(b"\r\n")
    assert b"Plays chess." in data


def test_lower_case_memory_md_is_the_core_page_where_it_exists(memory: Memory) -> None:
    """No second core page is made beside it."""
    (memory.workspace.root / "memory.md").write_text("# Mine\n", "utf-8")
    tell(memory, "Plays chess.", "Peter")
    memory.reflect(now=NOW)
    assert "Plays chess." in (memory.workspace.root / "memory.md").read_text("utf-8")
    assert "MEMORY.md" not in {path.name for path in memory.workspace.root.iterdir()}


def test_pinning_changes_the_line_and_nothing_else(memory: Memory) -> None:
    """`pin` puts a fact into core memory and first, `unpin` gives the file back byte for byte; ids stay."""
    plain = tell(memory, "Signs the contracts.", "Zoe", salience=0.1)
    tell(memory, "Plays chess.", "Ann", salience=0.9)
    log = memory.workspace.root / "memory/2026-03-01.md"
    before = log.read_bytes()
    assert memory.pin(plain[:6], now=NOW).pinned
    assert "- W(s=0.1,pin) @Zoe: Signs the contracts." in log.read_text("utf-8")
    lines = [line for line in core(memory).split("\n") if line.startswith("- ")]
    assert "Zoe" in lines[0]
    assert not memory.pin(plain, on=False, now=NOW).pinned
    assert log.read_bytes() == before
    with pytest.raises(UsageError):
        memory.pin("ffffffffffff", now=NOW)


def test_a_note_is_pinned_by_a_comment_and_a_table_row_cannot_be(memory: Memory) -> None:
    """Untyped text carries the pin behind it; where there is no room for one, the error says what to do."""
    log = memory.workspace.root / "memory/2026-03-02.md"
    log.write_text("# 2026-03-02\n\n- The landlord never calls on weekends.\n\n| a | b |\n|---|---|\n| one | two |\n")
    memory.sync(now=NOW)
    note, row = memory.facts()
    memory.pin(note.id, now=NOW)
    assert "weekends. <!-- pin -->\n" in log.read_text("utf-8")
    assert "never calls on weekends." in core(memory)
    with pytest.raises(UsageError, match="no pin"):
        memory.pin(row.id, now=NOW)


def test_an_accepted_proposal_leaves_out_what_was_forgotten_meanwhile(tmp_path: Path) -> None:
    """Only ids wait, and not even the id of what was forgotten: it cannot come back through a proposal."""
    (tmp_path / "memory").mkdir()
    with Memory.open(tmp_path, config=Config(core=Core(update="propose"))) as memory:
        secret = tell(memory, "Keeps the key under the pot.", "Sarah")
        tell(memory, "Plays chess.", "Peter")
        memory.reflect(now=NOW)
        assert not any(b"under the pot" in path.read_bytes() for path in (tmp_path / ".memory").glob("*.json"))
        memory.forget(secret, now=NOW)
        view = memory.core(accept=True, now=NOW)
        assert len(view.gone) == 1
        assert secret not in view.gone
        text = (tmp_path / "MEMORY.md").read_text("utf-8")
        assert ("Plays chess." in text, "under the pot" in text) == (True, False)
        with pytest.raises(UsageError, match="no proposal"):
            memory.core(accept=True, now=NOW)


def test_a_budget_of_nothing_is_an_empty_core(tmp_path: Path) -> None:
    """`core_memory_max_tokens: 0` writes no block."""
    (tmp_path / "memory").mkdir()
    with Memory.open(tmp_path, config=Config(core=Core(max_tokens=0))) as memory:
        tell(memory, "Plays chess.", "Peter")
        assert core(memory) == ""


def test_the_reported_tokens_are_those_of_the_block(memory: Memory) -> None:
    """What is said before and after is what stands on the page."""
    tell(memory, "Plays chess.", "Peter")
    first = memory.reflect(now=NOW)
    tell(memory, "Lives in Graz.", "Peter", provenance=Provenance.AGENT)
    second = memory.reflect(now=NOW)
    text = (memory.workspace.root / "MEMORY.md").read_text("utf-8")
    block = text[text.index("<!-- openclaw-memory:begin core") :]
    assert (first.core_tokens_before, first.core_tokens) == (0, second.core_tokens_before)
    assert second.core_tokens == count_tokens(block)


def test_a_core_page_that_cannot_be_written_is_told_as_it_is(memory: Memory) -> None:
    """Nothing is said to have been updated, and `core diff` names the page instead of calling it right."""
    memory.retain(Draft(text="Lives in Graz.", kind=Kind.WORLD, entities=("Peter",)), now=NOW)
    (memory.workspace.root / "MEMORY.md").mkdir()
    done = memory.reflect(now=NOW)
    assert (done.core_tokens, done.core_tokens_before, done.core_changed) == (0, 0, False)
    assert [one.path for one in done.problems] == ["MEMORY.md"]
    view = memory.core(now=NOW)
    assert (view.tokens, view.problem) == (0, done.problems[0])


def test_whoever_pins_what_never_becomes_core_is_told(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """An untrusted fact keeps its pin in the file, and the reason why it does not help is given; private is none."""
    foreign = memory.retain(Draft(text="Keeps a diary.", entities=("Ana",), provenance=Provenance.UNTRUSTED), now=NOW)
    private = memory.retain(Draft(text="Keeps a cat.", entities=("Ana",), private=True), now=NOW)
    plain = memory.retain(Draft(text="Keeps bees.", entities=("Ana",)), now=NOW)
    assert cli.main(["--workspace", str(memory.workspace.root), "pin", foreign.id]) == 0
    assert "it stays out of core memory all the same: it is untrusted" in capsys.readouterr().out
    assert cli.main(["--workspace", str(memory.workspace.root), "pin", private.id]) == 0
    assert "stays out" not in capsys.readouterr().out
    assert cli.main(["--workspace", str(memory.workspace.root), "pin", plain.id]) == 0
    assert "stays out" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "line", "reason"),
    [
        ("USER.md", "- Goes by Ana.", "the agent sees USER.md in every session as it is"),
        ("MEMORY.md", "- Goes by Ana.", "the agent sees MEMORY.md in every session as it is"),
        ("memory/2026-02-20.md", "- W @Ana: Was in Porto (1 Feb 2026 - 3 Feb 2026).", "it held until 2026-02-03"),
        ("memory/2026-02-20.md", "- O(c=0.3) @Ana: Prefers tea.", "its confidence is below 0.5"),
        ("memory/2026-02-20.md", "- W @Ana: ~~Lives in Porto.~~", "it was struck out or corrected"),
        ("memory/2026-02-20.md", "- [ ] Call Ana", "it is a task"),
    ],
)
def test_why_a_pin_does_not_help_is_told(
    memory: Memory, capsys: pytest.CaptureFixture[str], path: str, line: str, reason: str
) -> None:
    """Whatever keeps a fact out of core memory, whoever pins it hears of it, and core memory is without it."""
    place = memory.workspace.root / path
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"{line}\n", "utf-8")
    memory.sync(now=NOW)
    (fact,) = (one for one in memory.facts() if one.source.path == path)
    assert cli.main(["--workspace", str(memory.workspace.root), "--now", NOW.isoformat(), "pin", fact.id]) == 0
    assert f"it stays out of core memory all the same: {reason}" in capsys.readouterr().out
    memory.reflect(now=NOW)
    assert fact.id not in memory.core(now=NOW).pins_left_out
    page = memory.workspace.root / "MEMORY.md"
    assert fact.content not in (page.read_text("utf-8").partition("begin core")[2] if page.exists() else "")


def test_pin_tells_what_changed_and_when_core_memory_does(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """Core memory follows at the next reflection; a second pin or unpin is no news."""
    fact = memory.retain(Draft(text="Keeps bees.", entities=("Ana",)), now=NOW)
    told = []
    for verb in ("pin", "pin", "unpin", "unpin"):
        if verb == "unpin":
            memory.reflect(now=NOW)
        assert cli.main(["--workspace", str(memory.workspace.root), "--now", NOW.isoformat(), verb, fact.id]) == 0
        told.append(capsys.readouterr().out)
    words = ["✓ Pinned: ", "- Pinned already: ", "✓ Unpinned: ", "- Not pinned: "]
    assert [text.startswith(word) for text, word in zip(told, words, strict=True)] == [True] * 4
    assert "core memory follows at the next reflection" in told[0]
    assert not any("next reflection" in text for text in (told[1], told[3]))


def test_core_memory_is_not_emptied_because_a_log_is_missing(memory: Memory) -> None:
    """A folder that was not copied must not cost what the agent sees in every session; `accept_loss` lets it go."""
    root = memory.workspace.root
    for text in ("Lives in Graz.", "Plays the cello.", "Is allergic to nuts.", "Sells bread."):
        memory.retain(Draft(text=text, kind=Kind.WORLD, entities=("Ana",), day=dt.date(2026, 3, 1)), now=NOW)
    memory.reflect(now=NOW)
    core = (root / "MEMORY.md").read_bytes()
    log = root / "memory/2026-03-01.md"
    log.rename(root / "away")
    done = memory.reflect(now=NOW)
    assert "MEMORY.md" in [one.path for one in done.problems]
    assert (root / "MEMORY.md").read_bytes() == core
    (root / "away").rename(root / "memory/2026-03-01-notes.md")
    assert memory.reflect(now=NOW).problems == ()
    assert b"cello. (memory/2026-03-01-notes.md#L5)" in (root / "MEMORY.md").read_bytes()
    (root / "memory/2026-03-01-notes.md").unlink()
    memory.reflect(now=NOW, accept_loss=True)
    assert b"cello" not in (root / "MEMORY.md").read_bytes()


OCTOBER = """## Retain
- W @Anna: Lives in Berlin.
- W @Anna: Works at Siemens.
- W @Anna: Phone number is 0151 1234567.
- W @rent: The rent is 900 euros.
- W @李雷: 住在北京。
- W @Anna: Keeps bees.
- O(c=0.9) @Anna: Likes cats.
"""
NOVEMBER = """## Retain
- W @Anna: Lives in Munich.
- B @Anna: Started at Bosch.
- W @Anna: New phone number is 0170 7654321.
- W @rent: The rent is now 950 euros.
- W @李雷: 现在住在上海。
- O(c=0.9) @Anna: Likes dogs.
"""
OLD = ("Lives in Berlin", "Siemens", "0151 1234567", "900 euros", "北京")
HOLDS = ("Lives in Munich", "Bosch", "0170 7654321", "950 euros", "上海", "Keeps bees", "Likes cats", "Likes dogs")


def test_what_a_later_statement_replaces_is_no_longer_core(tmp_path: Path) -> None:
    """Core holds where somebody lives now; the page of the entity has the rest under what is no longer so."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-02-01.md").write_text(OCTOBER, "utf-8")
    (tmp_path / "memory/2026-03-10.md").write_text(NOVEMBER, "utf-8")
    with Memory.open(tmp_path) as memory:
        text = core(memory)
        again = core(memory)
    assert [said for said in (*OLD, *HOLDS) if said in text] == list(HOLDS)
    assert again == text
    holds, _, before = (tmp_path / "bank/entities/Anna.md").read_text("utf-8").partition("**No longer so**")
    assert [said for said in OLD[:3] if said in before and said not in holds] == list(OLD[:3])
    assert "Lives in Berlin" not in (tmp_path / "bank/world.md").read_text("utf-8")


def test_a_pinned_fact_stays_core_whatever_is_said_later(tmp_path: Path) -> None:
    """A pin is somebody's own decision."""
    (tmp_path / "memory").mkdir()
    pinned = OCTOBER.replace("W @Anna: Lives", "W(pin) @Anna: Lives")
    (tmp_path / "memory/2026-02-01.md").write_text(pinned, "utf-8")
    (tmp_path / "memory/2026-03-10.md").write_text(NOVEMBER, "utf-8")
    with Memory.open(tmp_path) as memory:
        text = core(memory)
    assert "Lives in Berlin" in text
    assert "Lives in Munich" in text
