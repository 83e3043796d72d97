"""Promises about what is read from OpenClaw's own configuration."""

from pathlib import Path

import pytest

from openclaw_memory_plugin.config.runtime import config_path, parse_json5, user_zone, workspace_of
from openclaw_memory_plugin.errors import ConfigError, UsageError

JSON5 = """
// people write comments
{
  agents: {
    defaults: { workspace: '~/brain', userTimezone: "Asia/Tokyo", /* inline */ },
    entries: { main: {}, coder: { workspace: "/srv/coder" }, writer: {}, },
  },
  "note": "a // is not a comment, nor is a , ] the end: 'ok'",
}
"""


def environ(home: Path, text: str | None = None) -> dict[str, str]:
    if text is not None:
        (home / ".openclaw").mkdir(parents=True, exist_ok=True)
        (home / ".openclaw/openclaw.json").write_text(text, encoding="utf-8")
    return {"HOME": str(home)}


def test_without_a_configuration_the_default_folder_holds(tmp_path: Path) -> None:
    """Nothing configured is `~/.openclaw/workspace`."""
    assert workspace_of(None, environ(tmp_path)) == tmp_path / ".openclaw/workspace"


@pytest.mark.parametrize(
    ("agent", "folder"),
    [(None, "{home}/brain"), ("main", "{home}/brain"), ("coder", "/srv/coder"), ("writer", "{home}/brain/writer")],
)
def test_an_agent_selects_its_folder(tmp_path: Path, agent: str | None, folder: str) -> None:
    """The agent's own workspace counts, else the defaults'."""
    assert workspace_of(agent, environ(tmp_path, JSON5)) == Path(folder.format(home=tmp_path))


def test_agents_may_be_a_list(tmp_path: Path) -> None:
    """The older `agents.list` is read, its default agent included."""
    text = '{"agents": {"list": [{"id": "a"}, {"id": "b", "default": true, "workspace": "/srv/b"}]}}'
    assert workspace_of(None, environ(tmp_path, text)) == Path("/srv/b")


def test_an_unknown_agent_gets_nothing(tmp_path: Path) -> None:
    """No folder is guessed for an agent that OpenClaw does not know."""
    with pytest.raises(UsageError, match=r"unknown agent 'mallory'.*knows coder, main, writer"):
        workspace_of("mallory", environ(tmp_path, JSON5))


def test_the_environment_moves_everything(tmp_path: Path) -> None:
    """State, configuration and workspace follow OpenClaw's variables."""
    other = tmp_path / "elsewhere.json"
    other.write_text('{"agents": {"defaults": {"workspace": "/srv/x"}}}', encoding="utf-8")
    assert config_path({"OPENCLAW_HOME": "/h"}) == Path("/h/.openclaw/openclaw.json")
    assert workspace_of(None, {"OPENCLAW_STATE_DIR": str(tmp_path)}) == tmp_path / "workspace"
    assert workspace_of(None, {"OPENCLAW_CONFIG_PATH": str(other)}) == Path("/srv/x")
    assert workspace_of("any", {"OPENCLAW_WORKSPACE": "/srv/y"}) == Path("/srv/y")


def test_the_zone_is_openclaws(tmp_path: Path) -> None:
    """`agents.defaults.userTimezone` is the owner's zone; a broken file names none."""
    assert user_zone(environ(tmp_path, JSON5)) == "Asia/Tokyo"
    assert user_zone(environ(tmp_path, "{broken")) is None


def test_json5_keeps_strings_as_they_are() -> None:
    """Comment signs, commas and quotes inside strings are text."""
    assert parse_json5(JSON5, "x")["note"] == "a // is not a comment, nor is a , ] the end: 'ok'"
    assert parse_json5("{a: 'say \"hi\" \\'now\\''}", "x") == {"a": "say \"hi\" 'now'"}


def test_what_is_not_json5_is_named(tmp_path: Path) -> None:
    """A broken configuration is an error with its path."""
    with pytest.raises(ConfigError, match=r"openclaw\.json: not JSON5"):
        workspace_of(None, environ(tmp_path, "{broken"))
