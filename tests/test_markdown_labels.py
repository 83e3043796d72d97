"""The six labelled workspaces: what one page alone can tell must be what their labels say."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from openclaw_memory_plugin.markdown.nouns import Page
from openclaw_memory_plugin.markdown.page import parse_page
from openclaw_memory_plugin.names import name_key
from openclaw_memory_plugin.workspace import Workspace

ROOT = Path(__file__).parent / "workspaces"
NAMES = sorted(folder.name for folder in ROOT.iterdir() if folder.is_dir())
KINDS = {"W": "world", "B": "experience", "O": "opinion", "S": "observation", None: "note"}


def labels(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / name / "expected.yaml").read_text(encoding="utf-8"))
    return loaded


def pages(name: str) -> dict[str, Page]:
    workspace = Workspace(root=ROOT / name)
    return {state.path: parse_page(workspace.read(state.path).text, state.path) for state in workspace.scan()}


@pytest.mark.parametrize("name", NAMES)
def test_typed_counts(name: str) -> None:
    """Every file has exactly the typed facts that its labels count; lenient ones may come on top."""
    expected = labels(name)
    lenient: dict[str, int] = {}
    for fact in expected["facts"]:
        if fact.get("lenient") and fact["kind"]:
            path = fact["source"].rpartition("#")[0]
            lenient[path] = lenient.get(path, 0) + 1
    for path, page in pages(name).items():
        typed = sum(statement.kind.value != "note" for statement in page.statements)
        want = expected["counts"]["by_file_typed"].get(path, 0)
        assert want <= typed <= want + lenient.get(path, 0), path


@pytest.mark.parametrize("name", NAMES)
def test_total_counts(name: str) -> None:
    """The number of statements lies in the range that allows for differences in segmentation."""
    low, high = labels(name)["counts"]["total_accept"]
    assert low <= sum(len(page.statements) for page in pages(name).values()) <= high


@pytest.mark.parametrize("name", NAMES)
def test_listed_facts(name: str) -> None:
    """Every listed fact starts on its line and has its kind, heads, confidence, day and lines."""
    found = pages(name)
    wrong = []
    for fact in labels(name)["facts"]:
        path, _, line = fact["source"].rpartition("#L")
        here = [statement for statement in found[path].statements if statement.line == int(line)]
        if not here:
            wrong.append((fact["id"], "nothing there"))
            continue
        statement = here[0]
        confidence = fact.get("confidence")
        checks = {
            "kind": (statement.kind.value, KINDS[fact["kind"]]),
            "heads": ({*map(name_key, statement.heads)}, {*map(name_key, fact["entities"])}),
            "day": (str(statement.day or ""), str(fact["date"] or "")),
        }
        if isinstance(confidence, float):
            checks["confidence"] = (statement.confidence, confidence)
        if fact.get("lines"):
            checks["lines"] = ([statement.line, statement.end_line], fact["lines"])
        wrong += [(fact["id"], what, have, want) for what, (have, want) in checks.items() if have != want]
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_nobody(name: str) -> None:
    """Nothing that must not be an entity is a head, a mark, a title or an alias."""
    names: set[str] = set()
    for page in pages(name).values():
        for statement in page.statements:
            names.update(statement.heads, statement.marks)
        names.update(page.aliases, page.names, [page.title or ""])
    lowered = {found.casefold() for found in names}
    assert [n["name"] for n in labels(name)["must_not_be_entities"] if n["name"].casefold() in lowered] == []


@pytest.mark.parametrize("name", NAMES)
def test_empty_files(name: str) -> None:
    """Files that say nothing have no statements."""
    found = pages(name)
    for path in labels(name)["files_with_zero_facts"]:
        assert path not in found or found[path].statements == ()
