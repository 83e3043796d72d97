"""
What OpenClaw's own configuration says about agents: which folder each one works in, and the owner's time zone.

The file is JSON5 written by people; only what is needed is read, and nothing is ever written here.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_memory_plugin.errors import ConfigError, UsageError

DEFAULT_AGENT = "main"

_TOKEN = re.compile(
    r"""
      (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<comma>,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]]))
    | (?P<key>[A-Za-z_$][\w$]*(?=(?:\s|//[^\n]*|/\*.*?\*/)*:))
    """,
    re.VERBOSE | re.DOTALL,
)


def home(environ: Mapping[str, str]) -> Path:
    """Return the home directory that OpenClaw uses."""
    return Path(environ.get("OPENCLAW_HOME") or environ.get("HOME") or Path.home())


def state_dir(environ: Mapping[str, str]) -> Path:
    """Return the directory in which OpenClaw keeps its state."""
    named = environ.get("OPENCLAW_STATE_DIR")
    return _expand(named, environ) if named else home(environ) / ".openclaw"


def config_path(environ: Mapping[str, str]) -> Path:
    """Return where OpenClaw's configuration stands, whether it exists or not."""
    named = environ.get("OPENCLAW_CONFIG_PATH")
    return _expand(named, environ) if named else state_dir(environ) / "openclaw.json"


def read_config(environ: Mapping[str, str]) -> dict[str, Any]:
    """
    Read OpenClaw's configuration; empty when there is none.

    Raises:
        ConfigError: The file exists and cannot be read or parsed.
    """
    path = config_path(environ)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); name the folder with --workspace instead") from error
    raw = parse_json5(text, str(path))
    return raw if isinstance(raw, dict) else {}


def parse_json5(text: str, source: str) -> Any:
    """
    Parse JSON with comments, trailing commas, bare keys and single quotes.

    Raises:
        ConfigError: What remains is not JSON; `source` is named.
    """
    import json

    try:
        return json.loads(_TOKEN.sub(_as_json, text))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{source}: not JSON5 ({error}); correct it, or name the folder with --workspace") from error


def workspace_of(agent_id: str | None, environ: Mapping[str, str]) -> Path:
    """
    Find the workspace of an agent, the default agent's when `agent_id` is None.

    `OPENCLAW_WORKSPACE` names one outright; an agent's own entry comes before the defaults, and the runtime's default
    folder last.

    Raises:
        UsageError: OpenClaw's configuration does not know the agent: nothing is guessed.
        ConfigError: That configuration cannot be read.
    """
    if environ.get("OPENCLAW_WORKSPACE"):
        return _expand(environ["OPENCLAW_WORKSPACE"], environ)
    config = read_config(environ)
    entries = _entries(config)
    agent = agent_id or _default_agent(config)
    if agent not in entries and agent != DEFAULT_AGENT:
        path = config_path(environ)
        known = ", ".join(sorted({DEFAULT_AGENT, *entries}))
        source = f"{path} knows" if path.exists() else f"OpenClaw has no configuration at {path}, so there is only"
        raise UsageError(f"unknown agent {agent!r}: {source} {known}; name one of them or use --workspace")
    named = entries.get(agent, {}).get("workspace")
    if isinstance(named, str) and named:
        return _expand(named, environ)
    default = _mapping(_mapping(config.get("agents")).get("defaults")).get("workspace")
    if agent == _default_agent(config):
        return _expand(default, environ) if isinstance(default, str) and default else state_dir(environ) / "workspace"
    if isinstance(default, str) and default:
        return _expand(default, environ) / agent
    return state_dir(environ) / f"workspace-{agent}"


def user_zone(environ: Mapping[str, str]) -> str | None:
    """Return the IANA zone that OpenClaw is configured with; None when it names none or cannot be read."""
    try:
        zone = _mapping(_mapping(read_config(environ).get("agents")).get("defaults")).get("userTimezone")
    except ConfigError:
        return None
    return zone if isinstance(zone, str) and zone else None


def _as_json(match: "re.Match[str]") -> str:
    import json

    kind, text = match.lastgroup, match.group()
    if kind == "string" and text[0] == "'":
        return json.dumps(re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL), ensure_ascii=False)
    if kind == "key":
        return f'"{text}"'
    return text if kind == "string" else " "


def _entries(config: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Give the agents by id, from `agents.entries` and the older `agents.list`."""
    agents = _mapping(config.get("agents"))
    listed = agents.get("list")
    found: dict[str, Mapping[str, Any]] = {
        item["id"]: item
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, dict) and isinstance(item.get("id"), str)
    }
    found.update({name: _mapping(entry) for name, entry in _mapping(agents.get("entries")).items()})
    return found


def _default_agent(config: Mapping[str, Any]) -> str:
    entries = _entries(config)
    marked = [name for name, entry in entries.items() if entry.get("default") is True]
    if marked:
        return marked[0]
    return DEFAULT_AGENT if DEFAULT_AGENT in entries or not entries else next(iter(entries))


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _expand(path: str, environ: Mapping[str, str]) -> Path:
    if path == "~" or path.startswith(("~/", "~\\")):
        return home(environ) / path[2:]
    return Path(os.path.abspath(path))
