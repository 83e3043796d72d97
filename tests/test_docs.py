"""The README is true: its blocks run, its tables name what exists."""

import contextlib
import inspect
import io
import json
import os
import re
import shlex
import shutil
import sqlite3
import tomllib
from pathlib import Path

import pytest
import yaml

from openclaw_memory_hookspecs import PROJECT, specs
from openclaw_memory_plugin import builtin
from openclaw_memory_plugin.config import Config, structure
from openclaw_memory_plugin.faces.answers import plugin_json
from openclaw_memory_plugin.faces.cli import main
from openclaw_memory_plugin.faces.commands import options
from openclaw_memory_plugin.plugins import PluginState
from openclaw_memory_plugin.recall import WHY, match

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
BASH = {
    "Set-up": "tests/test_packaging.py",
    "With OpenClaw": "tests/e2e/test_5_readme.py",
}
"""Section of a `bash` block -> the file that takes it from the README and checks or runs it."""
NOW = "2026-03-25T12:00:00+00:00"


def blocks(language: str) -> list[str]:
    return [body for name, body in BLOCKS if name == language]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader of the README: an empty folder, a workspace that the environment names, a fixed clock."""
    monkeypatch.chdir(tmp_path)
    workspace = tmp_path / "ws"
    monkeypatch.setenv("OPENCLAW_WORKSPACE", str(workspace))
    return workspace


def say(command: str) -> str:
    """Run one line of the README and give what it prints."""
    words = shlex.split(command)
    if words[0] == "export":
        name, _, value = words[1].partition("=")
        assert name in os.environ, f"the fixture puts back what it has set, not {name}"
        os.environ[name] = value
        return ""
    if words[0] == "sqlite3":
        with contextlib.closing(sqlite3.connect(words[1])) as connection:
            return "".join("|".join(map(str, row)) + "\n" for row in connection.execute(words[2]))
    assert words[0] in ("ocmem", options.PROGRAM), f"who runs {command!r}?"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main([*words[1:], "--now", NOW])
    return out.getvalue()


def as_pattern(expected: str) -> str:
    """Make a pattern of an expected output, in which `...` stands for anything."""
    return ".*?".join(map(re.escape, expected.split("...")))


def test_every_command_of_the_readme_prints_what_it_says(reader: Path) -> None:
    """Console blocks, from the first to the last, in one workspace."""
    ran = 0
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            said = say(command)
            assert re.fullmatch(as_pattern(expected), said, re.DOTALL), f"$ {command}\n{said}"
            ran += 1
    assert ran >= 7


def test_every_python_block_runs(reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python blocks, one after the other, with `workspace` named."""
    reader.mkdir()
    monkeypatch.setattr(builtin, "plugin", builtin.PublishedPlugin())
    scope: dict[str, object] = {"workspace": reader}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), scope)
    assert "Salient" in scope


def test_the_markdown_block_reads_as_it_says(reader: Path) -> None:
    """The four typed bullets are four facts of four kinds."""
    (reader / "memory").mkdir(parents=True)
    (block,) = blocks("markdown")
    (reader / "memory/2025-11-27.md").write_text(block, encoding="utf-8")
    facts = json.loads(say("ocmem facts --json"))["facts"]
    assert [fact["kind"] for fact in facts] == ["world", "experience", "opinion", "observation"]
    assert (facts[0]["valid_from"], facts[0]["valid_to"]) == ("2025-11-27", "2025-12-01")


def test_the_json_block_has_the_fields_that_recall_gives(reader: Path) -> None:
    """Same fields, same types, at every level."""
    say("ocmem init")
    say('ocmem retain "Prefers concise replies." --type O --confidence 0.95 --entity Peter')
    (block,) = blocks("json")
    told = json.loads(block)
    found = json.loads(say('ocmem recall "What does Peter like?" --json'))
    assert list(told) == list(found)
    assert list(told["hits"][0]) == list(found["hits"][0])
    same = ("kind", "content", "entities", "timestamp", "source", "lines", "section", "confidence")
    assert [told["hits"][0][name] for name in same] == [found["hits"][0][name] for name in same]
    assert told["tokens"] == found["tokens"]


def test_the_yaml_block_shows_the_defaults() -> None:
    """Reading the README's configuration changes nothing."""
    (block,) = blocks("yaml")
    assert structure(yaml.safe_load(block), "README.md") == Config()


def test_the_toml_block_is_toml() -> None:
    """The entry-point example parses and names our group."""
    (block,) = blocks("toml")
    assert "openclaw_memory_plugin" in tomllib.loads(block)["project"]["entry-points"]


def test_no_block_goes_unchecked() -> None:
    """Every language of a block has its test here, and every `bash` block one elsewhere that reads it."""
    assert {name for name, _ in BLOCKS} <= {"console", "python", "markdown", "json", "yaml", "toml", "bash"}
    sections = re.split(r"^#+ ", README, flags=re.MULTILINE)
    shells = [
        section.partition("\n")[0] for section in sections for _ in re.findall(r"^```bash$", section, re.MULTILINE)
    ]
    assert sorted(shells) == sorted(BASH)
    for section, file in BASH.items():
        assert f"## {section}\\n" in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("hook", [name for name, value in vars(specs).items() if hasattr(value, f"{PROJECT}_spec")])
def test_every_hook_is_documented_with_its_arguments(hook: str) -> None:
    """The table of hooks has each one with exactly its arguments."""
    arguments = ", ".join(inspect.signature(getattr(specs, hook)).parameters)
    assert f"`{hook}({arguments})`" in README


def test_every_command_is_documented() -> None:
    """The table of commands names each one."""
    table = README.partition("## Commands")[2].partition("## JSON")[0]
    missing = [name for name in options.COMMANDS if not re.search(rf"^\|.*`{name}\b.*\|", table, re.MULTILINE)]
    assert missing == []


def test_every_option_of_recall_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    """The table of recall's options names each one."""
    main(["recall", "--help"])
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help", "--workspace", "--agent-id"}
    assert sorted(option for option in known if f"`{option}" not in README) == []


def documented_keys(command: str) -> dict[str, set[str]]:
    """The row of a command in the table of JSON keys: key -> the keys of what it holds, in parentheses there."""
    json_section = README.partition("\n## JSON")[2].partition("\n## ")[0]
    (cell,) = re.findall(rf"^\| `{re.escape(command)}` \| (.*) \|$", json_section, re.MULTILINE)
    found = re.findall(r"`(\w+)`(?: \(([^()]*)\))?", cell)
    return {key: set(re.findall(r"`(\w+)`", inner)) for key, inner in found}


def inner_keys(value: object) -> set[str]:
    """The keys of an object, or of the first one in a list, or in the first list of an object."""
    if isinstance(value, dict) and value and all(isinstance(item, list) for item in value.values()):
        value = next(iter(value.values()))
    if isinstance(value, list):
        value = value[0]
    assert isinstance(value, dict)
    return set(value)


@pytest.fixture
def talkative(reader: Path) -> Path:
    """A workspace in which every list of every command has something in it."""
    shutil.copytree(Path(__file__).parent / "workspaces" / "hub-studio", reader)
    (reader / "memory/odd.md").write_text("## Retain\n- O(c=1.7) @Sam: Likes it.\n", encoding="utf-8")
    return reader


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("entity", "entity warelay"),
        ("stats", "stats"),
        ("doctor", "doctor"),
        ("plugins", "plugins"),
        ("sync", "sync"),
        ("recall --debug", 'recall "Who runs the Lisbon office?" --associative-depth 2 --debug'),
    ],
)
def test_every_key_of_json_is_documented(talkative: Path, command: str, line: str) -> None:
    """The table has exactly the keys that a command prints, and those of the objects in its lists."""
    told = json.loads(say(f"ocmem {line} --json"))
    documented = documented_keys(command)
    if command == "recall --debug":
        told = told["debug"]
        assert documented.pop("debug") == set()
    if command in ("doctor", "plugins"):
        told["plugins"] = [plugin_json(PluginState(name="a", target="b:c", state="loaded"))]
        documented = documented | {"plugins": documented_keys("plugins")["plugins"]}
    assert list(documented) == list(told)
    assert {key: inner_keys(told[key]) for key, inner in documented.items() if inner} == {
        key: inner for key, inner in documented.items() if inner
    }


def test_every_key_of_an_explanation_is_documented(talkative: Path) -> None:
    """What `explain` says of a question stands in the table; the rest are the keys of `why`."""
    documented = set(documented_keys("explain"))
    for fact in json.loads(say("ocmem facts --json"))["facts"][:3]:
        why = json.loads(say(f"ocmem explain {fact['id']} --query 'Who runs the Lisbon office?' --json"))["why"]
        assert set(why) - WHY == documented - {"why"}


def test_every_key_of_why_is_documented() -> None:
    """The README's table has every key that there is, and none that there is not."""
    table = README.partition("### The keys of `why`")[2].partition("\n## ")[0]
    first = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    documented = {key for cell in first for key in re.findall(r"`([a-z_.]+)`", cell)}
    scored = set(re.findall(r"`(scored\.[a-z]+)`", table))
    assert documented | scored == WHY


def test_every_key_that_why_holds_is_known(reader: Path) -> None:
    """Whatever `why` holds for the example workspaces is one of the keys that are documented."""
    seen: set[str] = set()
    for name, queries in {
        "retain-core": ["What does Peter prefer?", "Where is Peter now?", "What happened last week?"],
        "hub-studio": ["What do people think of the Lisbon office?", "performance of the render farm"],
        "zh-biji": ["上周做了什么？"],
    }.items():
        shutil.rmtree(reader, ignore_errors=True)
        shutil.copytree(Path(__file__).parent / "workspaces" / name, reader)
        for query in queries:
            for depth in ("", " --associative-depth 2"):
                for hit in json.loads(say(f"ocmem recall {shlex.quote(query)} --json --no-cutoff{depth}"))["hits"]:
                    seen |= set(hit["why"])
                    for name_of_part, part in hit["why"].items():
                        if isinstance(part, dict):
                            seen |= {f"{name_of_part}.{key}" for key in part}
    assert sorted(seen - WHY) == []
    factors = set(re.findall(r'yield "([a-z]+)", [A-Z]', inspect.getsource(match)))
    assert sorted(factors - WHY) == []


def test_the_changelog_follows_its_format() -> None:
    """Keep a Changelog: a title, then sections of versions."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.startswith("# Changelog\n")
    assert re.search(r"^## \[Unreleased\]$", changelog, re.MULTILINE)
