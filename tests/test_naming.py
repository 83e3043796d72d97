"""Whom a name stands for: one answer everywhere, and a dispute over a name is said, never settled silently."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memory_hookspecs import RecallRequest
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.cli import main

NOW = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
LOG = (
    "## Retain\n- W @Samuel: Repairs clocks.\n- W @Samantha: Sells clocks.\n- W @Rob: Collects clocks.\n"
    "- W @Sam: Polishes clocks.\n"
)


def written(root: Path, **files: str) -> Path:
    """A workspace of files; `__` in an argument's name is a slash."""
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def two_sams(tmp_path: Path) -> Path:
    """Two pages with one alias, and a fact that says no more than that."""
    return written(
        tmp_path / "ws",
        bank__entities__Samuel="# Samuel\n\n**Aliases:** Sam\n",
        bank__entities__Samantha="# Samantha\n\n**Aliases:** Sammy, Sam\n",
        memory__log=LOG,
    )


@pytest.fixture
def memory(two_sams: Path) -> Iterator[Memory]:
    with Memory.open(two_sams) as opened:
        opened.sync(now=NOW)
        yield opened


def recalled(memory: Memory, *entities: str, query: str = "clocks") -> tuple[list[str], tuple[str, ...]]:
    answer = memory.recall(RecallRequest(query=query, entities=entities, cutoff=False, track=False, now=NOW))
    return sorted(hit.fact.content for hit in answer.hits), answer.degraded


@pytest.mark.parametrize("name", ["Sam", "@sam", "Sammy", "Samuel", "ROB", "Nobody"])
def test_every_question_about_a_name_means_the_same(memory: Memory, name: str) -> None:
    """Recall and the list of facts find the same facts for a name, and say the same about it."""
    found, said = recalled(memory, name)
    assert sorted(fact.content for fact in memory.facts(entities=(name,))) == found
    assert list(said) == memory.unclear([name])
    if found:
        assert sorted(fact.content for fact in memory.entity(name).facts) == found


def test_an_ambiguous_name_is_only_what_says_no_more(memory: Memory) -> None:
    """What is marked with the disputed name itself is found, and who else may be meant is said."""
    assert recalled(memory, "Sam") == (
        ["Polishes clocks."],
        ("'Sam' may be Samantha or Samuel; only what says no more than that is meant; ask for one of them",),
    )
    assert recalled(memory, "Sammy") == (["Sells clocks."], ())


def test_an_entity_of_an_ambiguous_name_tells_the_candidates(memory: Memory) -> None:
    """Who asks for it learns whom it may stand for."""
    assert memory.entity("Sam").candidates == ("Samantha", "Samuel")
    assert memory.entity("Samuel").candidates == ()


@pytest.mark.parametrize(("keep", "other"), [("Sam", "Rob"), ("Rob", "Sam"), ("@SAM", "Samuel")])
def test_ambiguous_names_are_not_merged(memory: Memory, keep: str, other: str) -> None:
    """Merging refuses a name that may be several entities', names them, and writes nothing."""
    before = {path: path.read_bytes() for path in memory.workspace.root.rglob("*.md")}
    with pytest.raises(UsageError, match="alias of Samantha and of Samuel"):
        memory.merge(keep, other, now=NOW)
    assert {path: path.read_bytes() for path in memory.workspace.root.rglob("*.md")} == before


def found_by_doctor(root: Path) -> list[tuple[str, int, str]]:
    with Memory.open(root) as memory:
        return [(one.path, one.line, one.message) for one in memory.doctor(now=NOW)]


def test_doctor_names_an_alias_of_two_pages(two_sams: Path) -> None:
    """Path and line of one page, title and path of the other."""
    assert found_by_doctor(two_sams) == [
        (
            "bank/entities/Samantha.md",
            3,
            "'Sam' is nobody's alias, because it is one here and of Samuel (bank/entities/Samuel.md)",
        )
    ]


def test_doctor_names_an_alias_that_is_a_title(tmp_path: Path) -> None:
    """A title is not taken away by an alias, and that the alias does nothing is said."""
    root = written(
        tmp_path,
        bank__entities__Ann="---\naliases: [Annie, Bo]\n---\n# Ann\n",
        bank__entities__Bo="# Bo\n",
        memory__log="- W @Bo: Sings.\n",
    )
    assert found_by_doctor(root) == [
        ("bank/entities/Ann.md", 2, "'Bo' is an alias here, but the title of Bo (bank/entities/Bo.md)")
    ]
    with Memory.open(root) as memory:
        assert memory.entity("Bo").candidates == ("Ann",)
        assert memory.unclear(["Bo"]) == []


def test_doctor_names_two_pages_with_one_title(tmp_path: Path) -> None:
    """Both are about one entity; the second page is easily overlooked."""
    root = written(tmp_path, bank__entities__Bo="# Bo\n", bank__entities__old__Bo="# bo\n")
    assert found_by_doctor(root) == [
        ("bank/entities/Bo.md", 1, "'Bo' is the title here and of bo (bank/entities/old/Bo.md)")
    ]


@pytest.mark.parametrize("names", [("Ada", "Bea"), ("Ada", "Bea", "Cleo"), ("Ada", "Bea", "Cleo", "Dora")])
def test_doctor_names_a_ring_of_aliases(tmp_path: Path, names: tuple[str, ...]) -> None:
    """One finding for the whole ring."""
    for name, other in zip(names, (*names[1:], names[0]), strict=True):
        written(tmp_path, **{f"bank__entities__{name}": f"# {name}\n\n**Aliases:** {other}\n"})
    way = " → ".join((*names, names[0]))
    assert found_by_doctor(tmp_path) == [
        ("bank/entities/Ada.md", 3, f"aliases go round in a ring, so each page stays alone: {way}")
    ]


def test_pages_that_agree_are_no_finding(tmp_path: Path) -> None:
    """An alias that is the page's own title, or said twice on one page, is in order."""
    root = written(
        tmp_path,
        bank__entities__Ann="---\naliases: [Annie]\n---\n# Ann\n\n**Aliases:** Annie, Ann\n",
        bank__entities__Bo="# Bo\n",
    )
    assert found_by_doctor(root) == []


def run(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["--workspace", str(root), "--now", NOW.isoformat(), *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_command_line_says_what_is_unclear(two_sams: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`facts` as `recall` names who is nobody and who may be several; `entity` names the candidates."""
    for command in (["facts"], ["recall", "clocks"]):
        code, out, _ = run(two_sams, capsys, *command, "--entity", "Nobody", "--json")
        assert (code, json.loads(out)["degraded"]) == (0, ["no entity is called 'Nobody', so nothing can be about it"])
        code, out, _ = run(two_sams, capsys, *command, "--entity", "Sam")
        assert code == 0
        assert "! 'Sam' may be Samantha or Samuel" in out
    code, out, _ = run(two_sams, capsys, "entity", "Sam")
    assert code == 0
    assert "may be @Samantha or @Samuel" in out


@pytest.mark.parametrize("words", [("merge", "A"), ("merge", "A", "B", "C")])
def test_merge_takes_two_names(two_sams: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    """Anything else is said to be that, and not that somebody of that name is missing."""
    code, _, err = run(two_sams, capsys, "entity", *words)
    assert code == 2
    assert "entity merge takes two names" in err
