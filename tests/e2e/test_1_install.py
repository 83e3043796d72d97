"""`openclaw-memory-plugin install` against the real runtime; the order of these files is the order of events."""

import json
from typing import Any

from conftest import Installation
from e2e_runtime import Home


def test_it_shows_first_what_it_will_change(home: Home, stock: dict[str, Any], python: Any) -> None:
    """`--dry-run` names every key and changes nothing."""
    done = Installation(home, python).run("install", "--dry-run", "--json")
    assert done.returncode == 0
    changes = "\n".join(json.loads(done.stdout)["changes"])
    for key in (
        "plugins.slots.memory",
        "hooks.allowConversationAccess",
        "config.python",
        "memory-core.enabled",
        "plugins.allow",
        "plugins.load.paths",
        "scheduled jobs of memory-core",
    ):
        assert key in changes
    assert home.config_path.read_bytes() == stock["config"]


def test_without_a_yes_nothing_happens(home: Home, stock: dict[str, Any], python: Any) -> None:
    """When nobody can be asked, nothing is changed, and the exit code says so."""
    done = Installation(home, python).run("install")
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert home.config_path.read_bytes() == stock["config"]


def test_the_bridge_is_loaded_and_in_the_slot(home: Home, installation: Installation) -> None:
    """After the installation the runtime itself says that the plugin is loaded, selected and not blocked."""
    seen = json.loads(home.run("plugins", "inspect", "openclaw-memory-plugin", "--runtime", "--json").stdout)
    assert (seen["plugin"]["status"], seen["plugin"]["memorySlotSelected"]) == ("loaded", True)
    assert not [entry for entry in seen.get("diagnostics", []) if "blocked" in json.dumps(entry)]
    plugins = home.config()["plugins"]
    assert plugins["slots"]["memory"] == "openclaw-memory-plugin"
    assert plugins["entries"]["memory-core"]["enabled"] is False
    assert plugins["entries"]["openclaw-memory-plugin"]["config"]["python"] == str(installation.python)
    assert sorted(plugins["allow"]) == ["memory-core", "openclaw-memory-plugin"]


def test_installing_again_changes_nothing(home: Home, installation: Installation) -> None:
    """A second installation finds everything as it should be."""
    before = home.config_path.read_bytes()
    done = installation.run("install", "--yes")
    assert (done.returncode, "nothing to change" in done.stdout) == (0, True)
    assert home.config_path.read_bytes() == before
    status = json.loads(installation.run("status", "--json").stdout)
    assert (status["installed"], status["problems"], status["tested"]) == (True, [], True)
