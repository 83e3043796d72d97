"""Promises about finding plugins: by entry point, in order, never when blocked."""

import sys
from pathlib import Path

import pytest

from openclaw_memory_plugin import config
from openclaw_memory_plugin.plugins import Plugins


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages that only this test sees; a plugin leaves `<name>.imported` when imported."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def install(site: Path, name: str, body: str, distribution: str | None = None) -> None:
    module = f"ocmp_test_{name}_{abs(hash((str(site), distribution)))}"
    (site / f"{module}.py").write_text(
        f"import pathlib\npathlib.Path({str(site)!r}, '{name}.imported').touch()\n"
        f"from openclaw_memory_hookspecs import hookimpl\n{body}\n",
        encoding="utf-8",
    )
    info = site / f"{distribution or name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution or name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[openclaw_memory_plugin]\n{name} = {module}:Plugin\n")
    sys.modules.pop(module, None)


SCORER = """
class Plugin:
    @hookimpl
    def score_candidates(self, candidates):
        return [c.fact.salience for c in candidates]
"""


def states(plugins: Plugins) -> dict[str, str]:
    return {f"{state.name} {state.distribution}": state.state for state in plugins.states}


def test_entry_points_are_loaded_in_order_of_name(site: Path) -> None:
    """Installed plugins are found, imported, instantiated and listed by name."""
    install(site, "zeta", SCORER)
    install(site, "alpha", SCORER)
    plugins = Plugins.load(config.Plugins(), {})
    assert [state.name for state in plugins.states] == ["alpha", "zeta"]
    assert [state.state for state in plugins.states] == ["loaded", "loaded"]
    assert plugins.states[0].hooks == ("score_candidates",)
    assert plugins.states[0].reads == ("facts",)
    assert plugins.states[0].distribution == "alpha 1.0"


@pytest.mark.parametrize(
    ("settings", "environ"),
    [
        (config.Plugins(block=("noisy",)), {}),
        (config.Plugins(), {"OPENCLAW_MEMORY_BLOCK": "other, noisy"}),
        (config.Plugins(allow=("good",)), {}),
    ],
)
def test_a_blocked_plugin_is_never_imported(site: Path, settings: config.Plugins, environ: dict[str, str]) -> None:
    """Blocked by configuration or environment, or not on the allow list: not even its module is imported."""
    install(site, "noisy", SCORER)
    install(site, "good", SCORER)
    plugins = Plugins.load(settings, environ)
    assert not (site / "noisy.imported").exists()
    assert (site / "good.imported").exists()
    assert states(plugins)["good good 1.0"] == "loaded"
    assert states(plugins)["noisy noisy 1.0"] in {"blocked", "not allowed"}
    assert plugins.problems == ()


@pytest.mark.parametrize("body", ["raise RuntimeError('no')", "import nowhere_to_be_found", "raise SystemExit(3)", ""])
def test_a_plugin_that_cannot_be_imported_is_listed(site: Path, body: str) -> None:
    """Import errors are isolated: the others load, the broken one is named."""
    install(site, "bad", body)
    install(site, "good", SCORER)
    plugins = Plugins.load(config.Plugins(), {})
    assert states(plugins) == {"bad bad 1.0": "failed", "good good 1.0": "loaded"}
    assert plugins.problems[0].startswith("plugin bad: ")


def test_two_packages_with_one_name_do_not_stop_anybody(site: Path) -> None:
    """Of two entry points with one name the first distribution's counts, the other is listed."""
    install(site, "twin", SCORER, "first-dist")
    install(site, "twin", SCORER, "second-dist")
    plugins = Plugins.load(config.Plugins(), {})
    assert states(plugins) == {"twin first-dist 1.0": "loaded", "twin second-dist 1.0": "failed"}
