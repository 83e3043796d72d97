"""Of several statements on one thing the newest valid one goes first, and the others are marked, not hidden."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import Candidate, Citation, Fact, Hit, Kind, RecallRequest, Turn
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.builtin import EnginePlugin
from openclaw_memory_plugin.config import Config
from openclaw_memory_plugin.faces.cli import main
from openclaw_memory_plugin.recall.score import score

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)

BEFORE = """## Retain
- W @router: The router address is 192.168.7.1.
- O(c=0.9,s=1) @Peter: Prefers tea in the morning.
- O(c=0.9) @Peter: Likes cats.
- W(s=1) @Sarah: Lives in Berlin.
- W @Tom: Works with Sarah every day.
"""
AFTER = """## Retain
- W @router: The router address is 192.168.9.1.
- O(c=0.9,s=0) @Peter: Prefers coffee in the morning.
- O(c=0.9) @Peter: Likes dogs.
- W(s=0) @Sarah: Lives in Paris.
- W @Ann: Works with Sarah on Mondays.
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Two days of logs; what the first one says has been recalled again and again."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-01.md").write_text(BEFORE)
    with Memory.open(tmp_path) as opened:
        for query in ("router address", "What does Peter prefer in the morning?", "Where does Sarah live?"):
            for _ in range(4):
                opened.recall(RecallRequest(query=query, k=2, now=NOW))
        (tmp_path / "memory/2026-03-10.md").write_text(AFTER)
        yield opened


def hits(memory: Memory, query: str) -> tuple[Hit, ...]:
    return memory.recall(RecallRequest(query=query, track=False, now=NOW)).hits


def told(memory: Memory, query: str) -> list[tuple[str, bool]]:
    """Contents and marks of the two best hits."""
    return [(hit.fact.content, hit.fact.superseded) for hit in hits(memory, query)[:2]]


ROUTER = [("The router address is 192.168.9.1.", False), ("The router address is 192.168.7.1.", True)]
SARAH = [("Lives in Paris.", False), ("Lives in Berlin.", True)]
MORNING = [("Prefers coffee in the morning.", False), ("Prefers tea in the morning.", True)]


@pytest.mark.parametrize(
    ("query", "answers"),
    [
        ("What is the router address now?", ROUTER),
        ("What is the router address?", ROUTER),
        ("Where does Sarah live now?", SARAH),
        ("Where does Sarah live?", SARAH),
        ("What does Peter prefer in the morning?", MORNING),
    ],
)
def test_a_correction_stands_above_what_it_corrects(
    memory: Memory, query: str, answers: list[tuple[str, bool]]
) -> None:
    """However often the older statement was recalled and however salient it is; it follows, marked."""
    assert told(memory, query) == answers


def test_what_may_hold_beside_it_is_not_superseded(memory: Memory) -> None:
    """Who likes dogs may still like cats; who works with Sarah is not one at a time."""
    for query in ("What does Peter like?", "Who works with Sarah?"):
        assert [mark for _, mark in told(memory, query)] == [False, False]


def test_what_was_once_so_is_asked_for_without_marks(memory: Memory) -> None:
    """A question in the past tense asks for no present."""
    assert not any(mark for _, mark in told(memory, "Where did Sarah live?"))


def test_the_place_of_the_correction_is_told(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """In `why`, to whoever reads the command line, and in the block put before the agent."""
    old = hits(memory, "What is the router address now?")[1]
    assert old.why["superseded_at"] == "memory/2026-03-10.md#L2"
    root = str(memory.workspace.root)
    main(["--workspace", root, "--now", NOW.isoformat(), "recall", "What is the router address now?", "--no-track"])
    assert "memory/2026-03-01.md#L2, superseded by memory/2026-03-10.md#L2, score" in capsys.readouterr().out
    turn = Turn(
        agent_id="main", session_key="s", run_id="1", prompt="What is the router address?", private=True, now=NOW
    )
    note = EnginePlugin(memory).on_turn_start(turn)
    assert note is not None
    assert "[memory/2026-03-01.md#L2, 2026-03-01, superseded by memory/2026-03-10.md#L2]" in note.text


@pytest.mark.parametrize("scorer", ["composite", "relevance"])
def test_no_built_in_scorer_keeps_the_older_ahead(scorer: str) -> None:
    """Salience and use of a statement count for the one that takes its place; the summands still make up the score."""

    def candidate(number: int, base: float, newer: int | None, **fact: object) -> Candidate:
        values: dict[str, object] = {
            "id": f"{number:012x}",
            "kind": Kind.WORLD,
            "content": f"number {number}",
            "citations": (Citation(path="memory/2026-03-01.md", line=1, end_line=1),),
        }
        return Candidate(
            fact=Fact(**(values | fact)),  # type: ignore[arg-type]
            base=base,
            words_found=base,
            superseded_by=None if newer is None else f"{newer:012x}",
        )

    used = {"salience": 1.0, "access_count": 9, "last_accessed_at": NOW, "last_seen": NOW.date()}
    candidates = [candidate(1, 1.0, None, salience=0.0), candidate(2, 0.9, 1, **used), candidate(3, 0.9, 1)]
    new, old, older = score(RecallRequest(query="?", now=NOW), candidates, Config(scorer=scorer))
    assert new > old > older


@pytest.mark.parametrize(
    ("by", "superseded"),
    [("owner", True), ("agent", False), ("untrusted", False)],
)
def test_nobody_supersedes_what_a_more_trusted_one_said(tmp_path: Path, by: str, superseded: bool) -> None:
    """A newer statement takes the place of one trusted as much; an untrusted one stays behind, however salient."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-01.md").write_text("## Retain\n- W @Bank: The account number is 1234 at UBS.\n")
    (tmp_path / "memory/2026-03-10.md").write_text(
        f"## Retain\n- W(by={by},s=1) @Bank: The account number is 9999 at Evil.\n"
    )
    with Memory.open(tmp_path) as memory:
        answers = told(memory, "What is the account number of @Bank now?")
    newer, older = ("The account number is 9999 at Evil.", False), ("The account number is 1234 at UBS.", superseded)
    assert answers == ([older, newer] if by == "untrusted" else [newer, older])


NOTED_FIRST = """- Anna lives in Berlin.
- Anna works at Siemens.
- Anna's phone number is 0151 1234567.
- The rent is 900 euros.
- Die Miete beträgt 900 Euro.
- 李雷住在北京。
- Ana vive en Madrid.
- Anna's brother lives in Hamburg.
"""
NOTED_LATER = """- Anna moved to Munich.
- Anna started at Bosch, she left Siemens.
- Anna's new phone number is 0170 7654321.
- The rent went up to 950.
- Die Miete beträgt jetzt 950 Euro.
- 李雷搬到上海了。
- Ana se mudó a Sevilla.
"""


@pytest.fixture
def noted(tmp_path: Path) -> Iterator[Memory]:
    """Ordinary notes of two days."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-01.md").write_text(NOTED_FIRST, "utf-8")
    (tmp_path / "memory/2026-03-10.md").write_text(NOTED_LATER, "utf-8")
    with Memory.open(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "holds", "before"),
    [
        ("Where does Anna live?", "moved to Munich", "Anna lives in Berlin"),
        ("Where does Anna live now?", "moved to Munich", "Anna lives in Berlin"),
        ("Where does Anna work?", "started at Bosch", "works at Siemens"),
        ("What is Anna's phone number?", "0170", "0151"),
        ("How much is the rent?", "950", "900"),
        ("Wie hoch ist die Miete?", "950", "900"),
        ("李雷住在哪里？", "上海", "北京"),
        ("¿Dónde vive Ana?", "Sevilla", "Madrid"),
    ],
)
def test_what_has_changed_stands_before_what_was(noted: Memory, query: str, holds: str, before: str) -> None:
    """However little the newer note matches the question: it is given first, and the older one is marked."""
    first, *others = ((hit.fact.content, hit.fact.superseded) for hit in hits(noted, query))
    assert holds in first[0]
    assert not first[1]
    assert [mark for content, mark in others if before in content] == [True]


@pytest.mark.parametrize(
    ("query", "now"),
    [("Where did Anna live before?", NOW), ("Where does Anna live?", dt.datetime(2026, 3, 5, 12, tzinfo=dt.UTC))],
)
def test_what_was_stands_where_the_past_is_asked_for(noted: Memory, query: str, now: dt.datetime) -> None:
    """Asked for what was before, or before anything has changed, the older note is first."""
    first = noted.recall(RecallRequest(query=query, track=False, now=now)).hits[0].fact
    assert (first.content, first.superseded) == ("Anna lives in Berlin.", False)


def test_nothing_of_somebody_else_is_moved(noted: Memory) -> None:
    """Where a brother lives says nothing of where his sister does."""
    first = hits(noted, "Where does Anna's brother live?")[0].fact
    assert (first.content, first.superseded) == ("Anna's brother lives in Hamburg.", False)


def test_what_has_changed_is_found_among_much_else(tmp_path: Path) -> None:
    """The newer statement need not be among the matches: it is of the same head, and that is enough."""
    (tmp_path / "memory").mkdir()
    much = "".join(f"- W @Anna: Told us of her trip number {n} to the mountains.\n" for n in range(60))
    (tmp_path / "memory/2026-03-01.md").write_text(f"## Retain\n- W @Anna: Works at Siemens.\n{much}", "utf-8")
    (tmp_path / "memory/2026-03-10.md").write_text("## Retain\n- B @Anna: Started at Bosch.\n", "utf-8")
    with Memory.open(tmp_path) as memory:
        for query in ("Siemens", "Where does Anna work?"):
            assert told(memory, query) == [("Started at Bosch.", False), ("Works at Siemens.", True)]
