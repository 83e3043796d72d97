"""Who a fact is about: marks, aliases, known names in running text, and guesses from capitals."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.index import Index, open_index
from openclaw_memory_plugin.index.linking import Names
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.workspace import Workspace

WORKSPACES = sorted(path for path in (Path(__file__).parent / "workspaces").iterdir() if path.is_dir())


def build(root: Path, **files: str) -> Index:
    """An index of files; `__` in an argument's name is a slash."""
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    index = open_index(Workspace(root=root))
    index.sync()
    return index


def about(index: Index) -> dict[str, tuple[str, ...]]:
    """The entities of each fact by its content."""
    return {fact.content: fact.entities for fact in index.facts()}


def known(*names: str, runs: tuple[str, ...] = ()) -> Names:
    """Names as somebody wrote them."""
    return Names([(name_key(name), name) for name in names], runs)


@pytest.mark.parametrize("root", WORKSPACES, ids=lambda root: root.name)
def test_labelled_workspaces(root: Path, tmp_path: Path) -> None:
    """What the labels say is nobody becomes nobody, and who they mark is found at that line."""
    labels = yaml.safe_load((root / "expected.yaml").read_text(encoding="utf-8"))
    index = open_index(Workspace(root=_copied(root, tmp_path)))
    index.sync()
    facts = index.facts()
    names = {row[0].casefold() for row in index.connection.execute("SELECT name FROM entities")}
    assert names.isdisjoint(str(entry["name"]).casefold() for entry in labels["must_not_be_entities"])
    at = {str(citation): fact for fact in facts for citation in fact.citations}
    for label in labels["facts"]:
        if label.get("kind") and not label.get("lenient"):
            found = {name_key(name) for name in at[label["source"]].entities}
            assert {name_key(str(name)) for name in label["entities"]} <= found, label["source"]
    index.close()


def _copied(root: Path, target: Path) -> Path:
    for path in root.rglob("*.md"):
        copy = target / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return target


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Heron", "the Heron guide", True),
        ("Heron", "a heron by the lake", False),
        ("warelay", "Warelay broke", True),
        ("warelay", "warelay_log and warelay.example and x_warelay", False),
        ("warelay", "mail ops@warelay.io or see https://warelay.io/warelay or `warelay`", False),
        ("warelay", "warelay's log (warelay), warelay.", True),
        ("Harbour-Lane", "at Harbour Lane", True),
        ("Harbour Lane", "at harbour_lane", True),
        ("C", "C++ and C# are hard", False),
        ("C++", "we write C++ here", True),
        ("C#", "C# is not C", True),
        ("Node.js", "Node.js 24", True),
        ("Node.js", "Node js", False),
        ("O'Brien", "with O'Brien.", True),
        ("Alice", "d'Alice et qu'Alice", True),
        ("Peter", "Peter’s bike", True),
        ("Peter", "Peterson", False),
        ("José", "José came", True),
        ("林静", "今天林静在群里", True),
        ("ミナト", "ミナトさんの机", True),
        ("ミナト", "ミナトマチ", False),
        ("Heron", "今天Heron项目", True),
        ("Anton Reyes", "Anton-Reyes said", True),
        ("4o", "gpt-4o", True),
    ],
)
def test_known_name_in_running_text(name: str, text: str, found: bool) -> None:
    """Names are found as words of their own, one-word Latin names only where they have their capital."""
    assert bool(known(name).find(text)) == found


def test_longest_name_wins() -> None:
    """Of overlapping names the longest counts."""
    names = known("New York", "York", "New York Times", "林静", "林静怡")
    assert [hit.key for hit in names.find("the New York Times of York, 林静怡与林静")] == [
        "new york times",
        "york",
        "林静怡",
        "林静",
    ]


def test_marks_in_scripts_without_blanks(tmp_path: Path) -> None:
    """An inline mark is the longest name known from heads, pages or aliases, otherwise none."""
    index = build(
        tmp_path, memory__a="## Retain\n- W @林静：在杭州。\n- B @白鹭：今天@林静在群里说推迟\n- 给@阿木寄备用机\n"
    )
    assert about(index) == {"在杭州。": ("林静",), "今天@林静在群里说推迟": ("白鹭", "林静"), "给@阿木寄备用机": ()}
    index.close()


def test_a_mark_that_is_struck_out_is_linked_whenever_its_name_becomes_known(tmp_path: Path) -> None:
    """Whether the name was known before or not, and whatever is left of the text."""
    index = build(tmp_path, memory__a="- note for ~~@大野~~ likes\n")
    (tmp_path / "memory" / "b.md").write_text("- W @大野: tea\n", encoding="utf-8")
    index.sync()
    linked = about(index)
    index.rebuild()
    assert about(index) == linked == {"note for likes": ("大野",), "tea": ("大野",)}


def test_aliases_lead_to_the_page(tmp_path: Path) -> None:
    """Every alias, marked or in running text, is the entity of the page; the page's own facts are about it."""
    index = build(
        tmp_path,
        bank__entities__Peter="# Peter\nAliases: Pete, PK\n- Owns the boat\n",
        memory__a="## Retain\n- W @Pete: Sings.\n\n## Log\n- saw PK and Pete today\n",
    )
    assert about(index) == {"Owns the boat": ("Peter",), "Sings.": ("Peter",), "saw PK and Pete today": ("Peter",)}
    entity = index.entity("pk")
    assert (entity.name, entity.page, entity.aliases) == ("Peter", "bank/entities/Peter.md", ("Pete", "PK"))
    index.close()


def test_ambiguous_alias_is_not_merged(tmp_path: Path) -> None:
    """A name that two pages claim is neither of them, and asking for it says who it may be."""
    index = build(
        tmp_path,
        bank__entities__Peter="# Peter\nAliases: Chief\n- Owns the boat\n",
        bank__entities__Sarah="# Sarah\nAliases: Chief\n- Owns the car\n",
        memory__a="## Retain\n- W @Chief: Was late.\n",
    )
    assert about(index)["Was late."] == ("Chief",)
    (tmp_path / "memory/a.md").unlink()
    index.sync()
    with pytest.raises(UsageError, match="Peter or Sarah"):
        index.entity("Chief")
    index.close()


def test_ring_of_aliases_is_harmless(tmp_path: Path) -> None:
    """Pages that call each other by their own names stay what their titles say."""
    index = build(
        tmp_path,
        bank__entities__A="# Anna\nAliases: Berta\n- sings\n",
        bank__entities__B="# Berta\nAliases: Clara\n- paints\n",
        bank__entities__C="# Clara\nAliases: Anna\n- rows\n",
    )
    assert about(index) == {"sings": ("Anna",), "paints": ("Berta",), "rows": ("Clara",)}
    index.close()


def test_guessed_names(tmp_path: Path) -> None:
    """A word is a name when two facts give it a capital in mid-sentence and none writes it small."""
    index = build(
        tmp_path,
        memory__a=(
            "- we met Caroline in town\n- then Caroline left\n- Caroline: I like pottery\n- Later it rained\n"
            "- see the Print shop\n- near the Print works\n- they print here\n- so it was on Monday, TODO\n"
            "- again on Monday, TODO\n- **Decision:** stay\n- **Decision:** go\n- Hey Caroline! Well done\n"
        ),
    )
    assert {name for names in about(index).values() for name in names} == {"Caroline"}
    assert about(index)["Caroline: I like pottery"] == ("Caroline",)
    roles = index.connection.execute(
        "SELECT content, role FROM mentions JOIN facts USING (seq) WHERE content LIKE 'Caroline:%'"
    ).fetchall()
    assert roles == [("Caroline: I like pottery", 0)]
    assert index.entity("Caroline").inferred
    index.close()


def test_no_guesses_where_nouns_have_capitals(tmp_path: Path) -> None:
    """In German a capital says nothing."""
    index = build(
        tmp_path, memory__a="- wir haben die Heizung und den Motor geprüft\n- nur die Heizung und der Motor sind alt\n"
    )
    assert set(about(index).values()) == {()}
    index.close()


def test_mark_confirms_a_guess(tmp_path: Path) -> None:
    """A guessed name that somebody marks is a name like any other, everywhere."""
    index = build(tmp_path, memory__a="- we met Caroline in town\n- then Caroline left\n")
    (tmp_path / "memory/b.md").write_text("## Retain\n- W @Caroline: Sings.\n", encoding="utf-8")
    index.sync()
    assert not index.entity("Caroline").inferred
    assert {row[0] for row in index.connection.execute("SELECT role FROM mentions")} == {0, 2}
    index.close()


def test_copies_are_one_fact(tmp_path: Path) -> None:
    """The strictest privacy, the latest confidence and salience count; days are first and last."""
    index = build(
        tmp_path,
        **{
            "memory__2026-01-01": "## Retain\n- O(c=0.4,s=0.9,private) @Peter: Likes tea.\n",
            "memory__2026-01-09": "## Retain\n- O(c=0.8) @peter:  likes Tea.\n",
            "memory__2026-01-05": "## Retain\n- O @Peter: Likes tea.\n",
        },
    )
    (fact,) = index.facts()
    said: dict[str, Any] = {
        "confidence": fact.confidence,
        "salience": fact.salience,
        "private": fact.private,
        "by": fact.provenance.value,
        "days": (str(fact.timestamp), str(fact.last_seen)),
        "places": [str(citation) for citation in fact.citations],
    }
    assert said == {
        "confidence": 0.8,
        "salience": 0.9,
        "private": True,
        "by": "owner",
        "days": ("2026-01-01", "2026-01-09"),
        "places": ["memory/2026-01-01.md#L2", "memory/2026-01-05.md#L2", "memory/2026-01-09.md#L2"],
    }
    index.close()


STATED_BY = {
    "owner": "- O(c=0.9,s=0.9) @Peter: Likes tea.\n",
    "agent": "- O(c=0.6,s=0.7,by=agent) @Peter: Likes tea.\n",
    "untrusted": "- O(c=0,s=0,by=untrusted,private,pin) @Peter: likes TEA.\n",
}


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ({"owner": "2026-01-05", "untrusted": "2026-01-09"}, ("owner", 0.9, 0.9, "2026-01-05", "2026-01-05")),
        ({"owner": "2026-01-05", "untrusted": "1999-01-01"}, ("owner", 0.9, 0.9, "2026-01-05", "2026-01-05")),
        ({"agent": "2026-01-05", "untrusted": "2026-01-09"}, ("agent", 0.6, 0.7, "2026-01-05", "2026-01-05")),
        ({"owner": "2026-01-05", "agent": "2026-01-09"}, ("owner", 0.9, 0.9, "2026-01-05", "2026-01-09")),
        ({"untrusted": "2026-01-05"}, ("untrusted", 0.0, 0.0, "2026-01-05", "2026-01-05")),
    ],
)
def test_the_most_trusted_decides_what_a_fact_is(
    tmp_path: Path, days: dict[str, str], said: tuple[object, ...]
) -> None:
    """A stranger's copy of a statement is a citation behind the others, and changes nothing else of it."""
    index = build(tmp_path, **{f"memory__{day}": f"## Retain\n{STATED_BY[by]}" for by, day in days.items()})
    (fact,) = index.facts()
    told = (fact.provenance.value, fact.confidence, fact.salience, str(fact.timestamp), str(fact.last_seen))
    assert told == said
    assert fact.private == fact.pinned == (days.keys() == {"untrusted"})
    assert fact.content == ("likes TEA." if days.keys() == {"untrusted"} else "Likes tea.")
    assert len(fact.citations) == len(days)
    assert fact.source.path == f"memory/{next(iter(days.values()))}.md"
    index.close()


def test_ten_thousand_entities_in_one_fact(
    tmp_path: Path, growth: Callable[[Callable[[int], object], int], float]
) -> None:
    """A fact with very many marks is indexed, and so is its change, in time that grows as their number does."""
    made = itertools.count()

    def change(count: int) -> None:
        root = tmp_path / str(next(made))
        marks = " ".join(f"@name{number}x" for number in range(count))
        index = build(root, memory__a=f"- all of {marks}\n- only @name7x\n")
        (root / "memory/a.md").write_text(f"- all of {marks} now\n- only @name7x\n", encoding="utf-8")
        index.sync()
        assert index.entity("name7x").fact_count == 2
        assert index.stats()["entities"] == count
        index.close()

    assert growth(change, 10_000) < 8


def test_prefix_of_an_id(tmp_path: Path) -> None:
    """A fact is found by the beginning of its id; an ambiguous or unknown one is an error of the caller."""
    index = build(tmp_path, memory__a="\n".join(f"- statement number {number}" for number in range(40)))
    fact = index.facts()[3]
    assert index.fact(fact.id[:10]) == fact
    with pytest.raises(UsageError, match="several"):
        index.fact(next(prefix for prefix in "0123456789abcdef" if sum(f.id[0] == prefix for f in index.facts()) > 1))
    with pytest.raises(UsageError, match="no fact"):
        index.fact("zz")
    index.close()
