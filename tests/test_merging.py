"""Two names of one entity are merged as Markdown, and never by mistake."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.cli import main
from openclaw_memory_plugin.index import Index, open_index
from openclaw_memory_plugin.reflect.history import undo
from openclaw_memory_plugin.reflect.pages.blocks import render_block
from openclaw_memory_plugin.reflect.pages.merging import Merge, merge_entities
from openclaw_memory_plugin.workspace import Workspace

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
LOG = "- W @Sarah: Leads the desk.\n- W @Sarah-Meier: Moved to Graz.\n- W @Tom: Cooks.\n"


class Place:
    """A workspace with its index."""

    def __init__(self, root: Path, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        self.workspace = Workspace(root=root)
        self.index: Index = open_index(self.workspace)
        self.index.sync(NOW)

    def merge(self, keep: str, other: str) -> Merge:
        merged = merge_entities(self.workspace, self.index, keep, other, now=NOW)
        self.index.sync(NOW)
        return merged

    def read(self, path: str) -> str:
        return (self.workspace.root / path).read_bytes().decode()

    def facts(self, name: str) -> set[str]:
        return {fact.content for fact in self.index.entity(name).facts}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path, {"memory/2026-02-28.md": LOG})
    yield place
    place.index.close()


def test_merge_makes_one_entity(place: Place) -> None:
    """After a merge either name finds the facts of both, and the page says why."""
    merged = place.merge("Sarah", "Sarah-Meier")
    assert (merged.name, merged.aliases, merged.page) == ("Sarah", ("Sarah-Meier",), "bank/entities/Sarah.md")
    assert place.read("bank/entities/Sarah.md") == "# Sarah\n\n**Aliases:** Sarah-Meier\n"
    assert place.facts("Sarah") == place.facts("sarah meier") == {"Leads the desk.", "Moved to Graz."}


def test_merge_is_taken_back(place: Place) -> None:
    """Undo splits the names again."""
    place.merge("Sarah", "Sarah-Meier")
    undo(place.workspace, now=NOW)
    place.index.sync(NOW)
    assert place.facts("Sarah") == {"Leads the desk."}
    assert not (place.workspace.root / "bank/entities/Sarah.md").exists()


@pytest.mark.parametrize("spelling", ["Sarah", "@sarah", "SARAH", "Sarah's"])
def test_merging_with_itself_is_nothing(place: Place, spelling: str) -> None:
    """Another spelling of the same entity changes no file, however often."""
    assert place.merge("Sarah", spelling) == Merge(name="Sarah")
    assert not (place.workspace.root / "bank").exists()
    place.merge("Sarah", "Sarah-Meier")
    assert place.merge("Sarah-Meier", "sarah") == Merge(name="Sarah")


def test_unknown_and_ambiguous_names(tmp_path: Path) -> None:
    """Nobody's name and a name of several are refused, and nothing is written."""
    pages = {f"bank/entities/{name}.md": f"# {name}\n\n**Aliases:** Sam\n" for name in ("Samuel", "Samira")}
    place = Place(tmp_path, {"memory/2026-02-28.md": LOG, **pages})
    with pytest.raises(UsageError, match="no entity is called 'Nobody'"):
        place.merge("Sarah", "Nobody")
    with pytest.raises(UsageError, match="alias of Samira and of Samuel"):
        place.merge("Sarah", "Sam")
    assert not (tmp_path / "bank/entities/Sarah.md").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Sarah\n- Likes tea\n", "# Sarah\n\n**Aliases:** Sarah-Meier\n\n- Likes tea\n"),
        ("# Sarah\r\n\r\n- Likes tea", "# Sarah\r\n\r\n**Aliases:** Sarah-Meier\r\n\r\n- Likes tea"),
        ("# Sarah\n**Aliases:** Sally\n- x", "# Sarah\n**Aliases:** Sally, Sarah-Meier\n- x"),
        ("---\ntitle: Sarah\n---\n- x\n", "---\ntitle: Sarah\n---\n\n**Aliases:** Sarah-Meier\n\n- x\n"),
        ("- x\n", "**Aliases:** Sarah-Meier\n\n- x\n"),
    ],
)
def test_the_page_keeps_its_form(tmp_path: Path, before: str, after: str) -> None:
    """An alias line is extended or put below the title; nothing else on the page changes."""
    place = Place(tmp_path, {"memory/2026-02-28.md": LOG, "bank/entities/Sarah.md": before})
    place.merge("Sarah", "Sarah-Meier")
    assert place.read("bank/entities/Sarah.md") == after
    assert len(place.facts("Sarah-Meier")) >= 2


def test_both_have_pages(tmp_path: Path) -> None:
    """What people wrote on the page that goes moves to the one that stays, its aliases too."""
    place = Place(
        tmp_path,
        {
            "memory/2026-02-28.md": LOG,
            "bank/entities/Sarah.md": "# Sarah\n\n- Likes tea\n",
            "bank/entities/Sarah-Meier.md": "# Sarah-Meier\n\n**Aliases:** SM\n\n- Speaks Czech\n",
        },
    )
    place.merge("Sarah", "Sarah-Meier")
    assert place.read("bank/entities/Sarah.md") == (
        "# Sarah\n\n**Aliases:** Sarah-Meier, SM\n\n- Likes tea\n\n## Sarah-Meier\n\n- Speaks Czech\n"
    )
    assert not (tmp_path / "bank/entities/Sarah-Meier.md").exists()
    assert place.index.entity("SM").name == "Sarah"
    undo(place.workspace, now=NOW)
    assert "Speaks Czech" in place.read("bank/entities/Sarah-Meier.md")


def test_ring_of_aliases(tmp_path: Path) -> None:
    """Pages that are aliases of one another are merged without saying a name twice."""
    ring = (("Ada", "Bea"), ("Bea", "Cleo"), ("Cleo", "Ada"))
    place = Place(tmp_path, {f"bank/entities/{name}.md": f"# {name}\n\n**Aliases:** {other}\n" for name, other in ring})
    place.merge("Ada", "Bea")
    assert place.read("bank/entities/Ada.md") == "# Ada\n\n**Aliases:** Bea, Cleo\n"
    place.merge("Ada", "Cleo")
    assert place.read("bank/entities/Ada.md") == "# Ada\n\n**Aliases:** Bea, Cleo\n"
    assert place.index.entity("Cleo").name == "Ada"


def test_front_matter_is_not_lost(tmp_path: Path) -> None:
    """A page with front matter does not go silently."""
    place = Place(
        tmp_path,
        {
            "memory/2026-02-28.md": LOG,
            "bank/entities/Sarah-Meier.md": "---\ncolour: red\n---\n# Sarah-Meier\n",
        },
    )
    with pytest.raises(UsageError, match="front matter"):
        place.merge("Sarah", "Sarah-Meier")


def test_merge_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`entity merge A B` says what it did, once and again, and a wrong name is a usage error."""
    Place(tmp_path, {"memory/2026-02-28.md": LOG}).index.close()
    command = ["--workspace", str(tmp_path), "--now", NOW.isoformat(), "entity", "merge"]
    assert main([*command, "Sarah", "Sarah-Meier"]) == 0
    assert "@Sarah is also called Sarah-Meier" in capsys.readouterr().out
    assert main([*command, "Sarah-Meier", "@sarah"]) == 0
    assert "one entity already: @Sarah" in capsys.readouterr().out
    assert main([*command, "Sarah", "Nobody"]) == 2


def test_what_was_written_into_the_block_of_the_page_that_goes_moves_too(place: Place) -> None:
    """Our lines are made anew, an edit among them is kept; where it cannot be told, nothing is merged."""
    block = render_block("entity", ["- Moved to Graz. (a)"])
    edited = block.replace("<!-- openclaw-memory:sums", "- Wants tea.\n<!-- openclaw-memory:sums")
    (place.workspace.root / "bank/entities").mkdir(parents=True)
    page = place.workspace.root / "bank/entities/Sarah-Meier.md"
    page.write_text("# Sarah-Meier\n\n" + re.sub("<!-- openclaw-memory:sums.*\n", "", edited))
    place.index.sync(NOW)
    with pytest.raises(UsageError, match="cannot be told"):
        place.merge("Sarah", "Sarah-Meier")
    page.write_text(f"# Sarah-Meier\n\n{edited}")
    place.index.sync(NOW)
    place.merge("Sarah", "Sarah-Meier")
    assert not page.exists()
    merged = place.read("bank/entities/Sarah.md")
    assert ("- Wants tea." in merged, "Moved to Graz" in merged) == (True, False)
