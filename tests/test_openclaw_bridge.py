"""The bridge's files: what they say is what the engine can do, and they are plain JavaScript."""

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import openclaw_memory_plugin
from openclaw_memory_plugin.faces.host import methods, offer, wire

BRIDGE = Path(openclaw_memory_plugin.__file__).parent / "faces" / "bridge"
SOURCES = sorted(BRIDGE.glob("*.js"))


def read(name: str) -> Any:
    return json.loads((BRIDGE / name).read_text(encoding="utf-8"))


def test_the_offer_is_what_the_engine_can_do() -> None:
    """offer.json and the manifest are written by `python -m openclaw_memory_plugin.faces.host.offer`."""
    assert read("offer.json") == offer.offer()
    assert read("openclaw.plugin.json") == offer.manifest()


def test_names_and_versions_agree() -> None:
    """Package, plugin and engine have one name and one version: the runtime warns otherwise."""
    package, manifest = read("package.json"), read("openclaw.plugin.json")
    assert package["name"] == manifest["id"] == "openclaw-memory-plugin"
    assert package["version"] == manifest["version"] == openclaw_memory_plugin.__version__


def test_every_tool_has_a_method_and_every_argument_a_field() -> None:
    """What the model may say to a tool is what the server takes."""
    shapes = {
        "on_recall_request": wire.RecallArguments, "on_retain": wire.RetainArguments, "forget": wire.ForgetArguments,
        "search": wire.SearchArguments, "get": wire.GetArguments,
    }  # fmt: skip
    renamed = {"maxResults": "max_results", "minScore": "min_score", "from": "start"}
    for tool in offer.offer()["tools"]:
        assert tool["method"] in methods.SHAPES
        shape = shapes.get(tool["method"])
        if shape is not None:
            fields = {field.name for field in shape.__attrs_attrs__}  # type: ignore[attr-defined]
            assert {renamed.get(name, name) for name in tool["parameters"]["properties"]} == fields


def test_the_scene_is_what_the_server_expects() -> None:
    """Each fact that host.js sends is a field of the scene, and the other way round."""
    body = re.search(r"export function scene.*?return \{(.*?)\n  \};", (BRIDGE / "host.js").read_text(), re.DOTALL)
    assert body is not None
    sent = set(re.findall(r"^    (\w+):", body[1], re.MULTILINE))
    assert sent == {field.name for field in wire.Scene.__attrs_attrs__}  # type: ignore[attr-defined]


def test_every_method_that_the_bridge_calls_exists() -> None:
    """Names in index.js are methods of the server."""
    called = set(re.findall(r'(?:ask|tell)\(\s*"(\w+)"', (BRIDGE / "index.js").read_text()))
    assert called == set(methods.SHAPES) - {tool["method"] for tool in offer.offer()["tools"]}


def test_nothing_but_node_and_the_host_is_imported() -> None:
    """The bridge has no dependencies."""
    for source in SOURCES:
        for name in re.findall(r'from "([^"]+)"', source.read_text()):
            assert name.startswith(("node:", "./", "openclaw/plugin-sdk/")), (source.name, name)


def test_faces_without_a_decision_name_no_memory_internals() -> None:
    """The RPC face talks to the façade: it imports no index, recall or reflect room but the index's own door."""
    allowed = {"openclaw_memory_plugin.index", "openclaw_memory_plugin.index.sync"}
    faces = BRIDGE.parent
    for path in (faces / "rpc.py", faces / "hosted.py", *sorted((faces / "host").glob("*.py"))):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
        inner = {
            module for module in imported
            if module.startswith(tuple(f"openclaw_memory_plugin.{room}" for room in ("index", "recall", "reflect")))
        }  # fmt: skip
        assert inner <= allowed, path.name


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node on this machine")
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_it_is_valid_javascript(source: Path) -> None:
    """Node reads every file as a module."""
    done = subprocess.run(["node", "--check", str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
