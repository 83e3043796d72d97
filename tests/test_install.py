"""Putting the bridge into OpenClaw and taking it out again, against a stand-in for its program."""

import io
import json
import os
import shlex
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory_plugin.errors import OpenClawMemoryError, UsageError
from openclaw_memory_plugin.faces import install
from openclaw_memory_plugin.faces.cli import main
from openclaw_memory_plugin.faces.install import openclaw

STAND_IN = '''#!{python}
"""Does what `openclaw` does to its configuration; FAIL names a command that fails, JOBS is what cron lists."""
import json, os, pathlib, sys
path = pathlib.Path(os.environ["OPENCLAW_CONFIG_PATH"])
config = json.loads(path.read_text()) if path.exists() else {{}}
words = sys.argv[1:]
with open(os.environ["CALLS"], "a") as log:
    log.write(" ".join(words) + "\\n")
if os.environ.get("FAIL") and " ".join(words).startswith(os.environ["FAIL"]):
    sys.exit("refused")

def write():
    config.setdefault("meta", {{}})["touched"] = True
    path.write_text(json.dumps(config))

def merge(into, patch):
    for key, value in patch.items():
        if value is None:
            into.pop(key, None)
        elif isinstance(value, dict):
            merge(into.setdefault(key, {{}}), value)
        else:
            into[key] = value

ID = "openclaw-memory-plugin"
plugins = config.setdefault("plugins", {{}})
if words == ["--version"]:
    print("OpenClaw {version} (abc)")
elif words[:3] == ["plugins", "install", "--link"]:
    plugins.setdefault("load", {{}}).setdefault("paths", []).append(words[3])
    plugins.setdefault("entries", {{}}).setdefault(ID, {{}})["enabled"] = True
    plugins.setdefault("slots", {{}})["memory"] = ID
    write()
elif words[:2] == ["config", "patch"]:
    merge(config, json.load(sys.stdin))
    write()
elif words[:2] == ["plugins", "uninstall"]:
    plugins.pop("load", None)
    plugins.pop("slots", None)
    plugins["entries"][ID] = {{"enabled": False}}
    write()
elif words[:2] == ["plugins", "inspect"]:
    if ID not in plugins.get("entries", {{}}):
        sys.exit("not found")
    selected = plugins.get("slots", {{}}).get("memory") == ID
    print("a line of chatter")
    print(json.dumps({{"plugin": {{"status": "loaded", "memorySlotSelected": selected}}, "diagnostics": []}}))
elif words[:2] == ["cron", "list"]:
    stored = pathlib.Path(os.environ["CALLS"]).with_name("answering")
    if "JOBS" not in os.environ and not stored.exists():
        sys.exit("Gateway not reachable")
    print(json.dumps({{"jobs": json.loads(os.environ.get("JOBS") or stored.read_text())}}))
elif words[:2] in (["cron", "rm"], ["gateway", "call"]):
    stored = pathlib.Path(os.environ["CALLS"]).with_name("answering")
    jobs = json.loads(stored.read_text()) if stored.exists() else []
    if words[:2] == ["cron", "rm"]:
        jobs = [job for job in jobs if job["id"] != words[2]]
    else:
        jobs.append({{**json.loads(words[4]), "id": "new"}})
    if stored.exists():
        stored.write_text(json.dumps(jobs))
elif words == ["gateway", "run"]:
    import signal, time
    stored = pathlib.Path(os.environ["CALLS"]).with_name("answering")
    quiet = os.environ.get("OPENCLAW_SKIP_CRON") and os.environ.get("OPENCLAW_SKIP_CHANNELS")
    signal.signal(signal.SIGTERM, lambda *_: (stored.unlink(), sys.exit(0)))
    stored.write_text(os.environ["KEPT"] if quiet else "[]")
    time.sleep(60)
'''


class Machine:
    """A home with an OpenClaw of some version."""

    def __init__(self, root: Path, version: str = "2026.9.6") -> None:
        self.config = root / "openclaw.json"
        self.state = root / "state"
        self.calls = root / "calls"
        program = root / "bin" / "openclaw"
        program.parent.mkdir(parents=True)
        program.write_text(STAND_IN.format(python=sys.executable, version=version))
        program.chmod(0o755)
        self.environ: dict[str, str] = {
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(root),
            "OPENCLAW_STATE_DIR": str(self.state),
            "OPENCLAW_CONFIG_PATH": str(self.config),
            "CALLS": str(self.calls),
        }
        self.said: list[str] = []

    @property
    def place(self) -> install.Place:
        return install.locate(None, self.environ, "/opt/env/bin/python")

    def install(self) -> None:
        install.install(self.place, install.plan(self.place), self.said.append)

    def uninstall(self) -> None:
        install.uninstall(self.place, self.said.append)

    def read(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads(self.config.read_text())
        return found


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.config.write_text(json.dumps({"plugins": {"allow": ["telegram"]}}))
    return made


def test_installing_writes_grant_interpreter_and_slot(machine: Machine) -> None:
    """Afterwards our entry has both grants and the interpreter, the slot is ours, the replaced memory is off."""
    machine.install()
    plugins = machine.read()["plugins"]
    entry = plugins["entries"]["openclaw-memory-plugin"]
    assert entry["hooks"] == {"allowConversationAccess": True, "allowPromptInjection": True}
    assert entry["config"] == {"python": "/opt/env/bin/python"}
    assert plugins["slots"]["memory"] == "openclaw-memory-plugin"
    assert plugins["entries"]["memory-core"] == {"enabled": False}
    assert plugins["allow"] == ["telegram", "openclaw-memory-plugin"]


def test_the_copy_is_made_of_files_of_its_own(machine: Machine) -> None:
    """The runtime refuses hard links and folders that others may write to: the copy has neither."""
    machine.install()
    files = list(machine.place.bridge.iterdir())
    assert {"index.js", "openclaw.plugin.json", "package.json", "offer.json"} <= {file.name for file in files}
    assert all(file.stat().st_nlink == 1 and not file.is_symlink() for file in files)
    assert not machine.place.bridge.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def test_everything_is_byte_identical_after_uninstall(machine: Machine) -> None:
    """The configuration is what it was when nobody else wrote to it, bytes and mode, and nothing of ours is left."""
    machine.config.write_text('{\n  "plugins": {"allow":["telegram"]}}')
    machine.config.chmod(0o600)
    before = machine.config.read_bytes()
    machine.install()
    machine.uninstall()
    assert machine.config.read_bytes() == before
    assert machine.config.stat().st_mode & 0o777 == 0o600
    assert not (machine.state / "openclaw-memory-plugin").exists()


def test_a_configuration_that_did_not_exist_does_not_exist_afterwards(machine: Machine) -> None:
    """Installed without a configuration file, none is left behind."""
    machine.config.unlink()
    machine.install()
    machine.uninstall()
    assert not machine.config.exists()


def test_what_others_wrote_in_between_stays(machine: Machine) -> None:
    """Other keys, another name on the allow list, another setting of the replaced memory survive."""
    machine.install()
    config = json.loads(machine.config.read_text())
    config["channels"] = {"telegram": {}}
    config["plugins"]["allow"].append("later")
    config["plugins"]["entries"]["memory-core"]["config"] = {"kept": 1}
    machine.config.write_text(json.dumps(config))
    machine.uninstall()
    found = dict(machine.read())
    assert found["channels"] == {"telegram": {}}
    assert found["plugins"] == {"allow": ["telegram", "later"], "entries": {"memory-core": {"config": {"kept": 1}}}}


def test_no_empty_objects_are_left_behind(machine: Machine) -> None:
    """Objects that were only made to hold our keys go with them."""
    machine.install()
    config = json.loads(machine.config.read_text())
    config["channels"] = {}
    machine.config.write_text(json.dumps(config))
    machine.uninstall()
    found = dict(machine.read())
    assert (found["channels"], found["plugins"]) == ({}, {"allow": ["telegram"]})


def test_installing_twice_is_installing_once(machine: Machine) -> None:
    """The second time there is nothing to do, and uninstall still knows the first state."""
    before = machine.config.read_bytes()
    machine.install()
    once = machine.config.read_bytes()
    assert install.plan(machine.place).is_empty
    machine.install()
    assert machine.config.read_bytes() == once
    machine.uninstall()
    assert machine.config.read_bytes() == before


def test_an_older_bridge_is_replaced(machine: Machine) -> None:
    """After an upgrade of the package the bridge is copied and linked anew."""
    machine.install()
    (machine.place.bridge / "index.js").write_text("old")
    assert install.plan(machine.place).copies
    machine.install()
    assert (machine.place.bridge / "index.js").read_text() != "old"


@pytest.mark.parametrize("step", ["plugins install", "config patch", "plugins inspect"])
def test_a_step_that_fails_puts_everything_back(machine: Machine, step: str) -> None:
    """Whichever step the runtime refuses, the configuration is what it was and the error is told."""
    before = machine.config.read_bytes()
    machine.environ["FAIL"] = step
    with pytest.raises(OpenClawMemoryError):
        machine.install()
    assert machine.config.read_bytes() == before
    assert not (machine.state / "openclaw-memory-plugin").exists()


def test_the_leftover_job_of_the_replaced_memory_goes(machine: Machine) -> None:
    """With a running gateway its scheduled job is removed, ours only on uninstall."""
    machine.environ["JOBS"] = json.dumps([
        {"id": "1", "declarationKey": "memory-core:memory-dreaming-promotion", "name": "Memory Dreaming Promotion"},
        {"id": "2", "declarationKey": "openclaw-memory-plugin:reflect", "name": "Memory reflection"},
        {"id": "3", "name": "the user's own"},
    ])  # fmt: skip
    machine.install()
    assert "cron rm 1\n" in machine.calls.read_text()
    assert "cron rm 2\n" not in machine.calls.read_text()
    machine.uninstall()
    assert "cron rm 2\n" in machine.calls.read_text()
    assert "cron rm 3\n" not in machine.calls.read_text()


WEEKLY = {
    "declarationKey": "memory-core:weekly", "name": "Weekly", "enabled": False, "wakeMode": "now",
    "schedule": {"kind": "cron", "expr": "0 5 * * 1"}, "sessionTarget": "isolated",
    "payload": {"kind": "agentTurn", "message": "tidy"},
}  # fmt: skip
"""A job of the replaced memory that its owner changed."""


def listed(job: Mapping[str, Any]) -> dict[str, Any]:
    """A job as the runtime lists it, with what it knows of its past."""
    return {**job, "id": "1", "createdAtMs": 1, "state": {"nextRunAtMs": 2}}


def test_a_removed_job_is_put_back_as_it_was(machine: Machine) -> None:
    """Schedule, payload and that it was disabled; shown before by both commands, and only once."""
    answering = machine.calls.with_name("answering")
    answering.write_text(json.dumps([listed(WEEKLY)]))
    shown = install.plan(machine.place).lines(machine.place.bridge, machine.config)
    assert "keep for uninstall and remove the scheduled job 'Weekly'" in shown
    machine.install()
    assert json.loads(answering.read_text()) == []
    assert "put back the scheduled job 'Weekly' of memory-core" in install.undoing(machine.place)
    machine.uninstall()
    assert json.loads(answering.read_text()) == [{**WEEKLY, "id": "new"}]


def test_a_job_that_is_there_again_is_left_alone(machine: Machine) -> None:
    """The replaced memory may have scheduled it anew."""
    answering = machine.calls.with_name("answering")
    answering.write_text(json.dumps([listed(WEEKLY)]))
    machine.install()
    answering.write_text(json.dumps([{**listed(WEEKLY), "enabled": True}]))
    machine.uninstall()
    assert json.loads(answering.read_text()) == [{**listed(WEEKLY), "enabled": True}]


def test_jobs_come_back_when_a_later_step_of_the_installation_fails(machine: Machine) -> None:
    """Putting everything back holds for them too."""
    answering = machine.calls.with_name("answering")
    answering.write_text(json.dumps([listed(WEEKLY)]))
    machine.environ["FAIL"] = "plugins inspect"
    with pytest.raises(OpenClawMemoryError):
        machine.install()
    assert json.loads(answering.read_text()) == [{**WEEKLY, "id": "new"}]


def test_what_the_bridge_removed_is_put_back_too(machine: Machine) -> None:
    """Without a gateway nothing is removed while installing; the bridge keeps what it removes later."""
    shown = install.plan(machine.place).lines(machine.place.bridge, machine.config)
    assert "scheduled jobs of memory-core: kept for uninstall and removed when the gateway starts" in shown
    machine.install()
    first, later = listed(WEEKLY), {**listed(WEEKLY), "enabled": True}
    (machine.state / "openclaw-memory-plugin" / "jobs.json").write_text(json.dumps([first, later]))
    answering = machine.calls.with_name("answering")
    answering.write_text("[]")
    machine.uninstall()
    assert json.loads(answering.read_text()) == [{**WEEKLY, "id": "new"}]


def test_without_any_gateway_the_command_that_puts_a_job_back_is_told(machine: Machine) -> None:
    """Nothing is lost: the job stands in what is said."""
    machine.install()
    (machine.state / "openclaw-memory-plugin" / "jobs.json").write_text(json.dumps([listed(WEEKLY)]))
    machine.uninstall()
    (command,) = [line.strip() for line in machine.said if "cron.add" in line]
    assert json.loads(shlex.split(command)[-1]) == WEEKLY


def test_the_plan_names_every_key_that_is_written(machine: Machine) -> None:
    """Also the one that linking writes; removing names it again."""
    shown = "\n".join(install.plan(machine.place).lines(machine.place.bridge, machine.config))
    assert f'plugins.load.paths += "{machine.place.bridge}"' in shown
    machine.install()
    assert "plugins.load.paths" in "\n".join(install.undoing(machine.place))


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_nobody_to_ask_is_an_error(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: Any, command: str
) -> None:
    """Without a terminal and without `--yes` nothing is done, and the exit code says so; a dry run is no error."""
    if command == "uninstall":
        machine.install()
    before = machine.config.read_bytes()
    for name, value in machine.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "executable", "/opt/env/bin/python")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main([command]) == 2
    assert "--yes" in capsys.readouterr().err
    assert main([command, "--dry-run"]) == 0
    assert machine.config.read_bytes() == before


def test_a_job_that_a_killed_gateway_left_goes_with_a_gateway_of_our_own(machine: Machine) -> None:
    """It reaches nobody, runs nothing, is gone afterwards, and the configuration is what it was."""
    machine.config.write_text(json.dumps({"gateway": {"mode": "local"}}))
    before = machine.config.read_bytes()
    machine.environ["KEPT"] = json.dumps([
        {"id": "2", "declarationKey": "openclaw-memory-plugin:reflect", "name": "Memory reflection"},
        {"id": "3", "name": "the user's own"},
    ])  # fmt: skip
    machine.install()
    assert any("start one for a moment" in line for line in install.undoing(machine.place))
    machine.uninstall()
    calls = machine.calls.read_text()
    assert calls.index("plugins uninstall") < calls.index("gateway run\n") < calls.index("cron rm 2\n")
    assert "cron rm 3\n" not in calls
    assert machine.config.read_bytes() == before
    assert not machine.calls.with_name("answering").exists()
    assert not any("may have left" in line for line in machine.said)


@pytest.mark.parametrize("mode", ["local", "remote", None])
def test_where_no_gateway_can_be_started_the_remedy_is_told(machine: Machine, mode: str | None) -> None:
    """One that fails, and a machine that has none of its own, end with the command that lists the job."""
    machine.config.write_text(json.dumps({"gateway": {"mode": mode}} if mode else {}))
    machine.environ["FAIL"] = "gateway run"
    machine.install()
    machine.uninstall()
    assert any("openclaw cron list --all" in line for line in machine.said)
    assert ("gateway run" in machine.calls.read_text()) is (mode == "local")


@pytest.mark.parametrize(
    ("python", "kind"),
    [
        ("/home/user/.cache/uv/archive-v0/xyz/bin/python", "uvx"),
        ("/home/user/.cache/uv/environments-v2/x/bin/python3", "uvx"),
        ("/srv/uv/archive-v12/xyz/bin/python", "uvx"),
        (r"C:\Users\Ada\AppData\Local\uv\cache\archive-v0\xyz\Scripts\python.exe", "uvx"),
        ("/home/user/.local/pipx/.cache/0af/bin/python", "pipx run"),
        ("/home/user/.cache/pipx/4f1d2c3b4a59687/bin/python", "pipx run"),
        ("/Users/ada/Library/Caches/pipx/4f1d2c3b4a59687/bin/python3", "pipx run"),
        ("/srv/scratch/pipx/4f1d2c3b4a59687/bin/python", "pipx run"),
        (r"C:\Users\Ada\AppData\Local\pipx\pipx\Cache\4f1d2c3b4a59687\Scripts\python.exe", "pipx run"),
        ("/tmp/env/bin/python", "a temporary folder"),
        ("/var/tmp/env/bin/python", "a temporary folder"),
        ("/private/var/folders/xx/T/env/bin/python", "a temporary folder"),
        (r"C:\Users\Ada\AppData\Local\Temp\env\Scripts\python.exe", "a temporary folder"),
    ],
)
def test_a_temporary_interpreter_is_refused_with_the_remedy(machine: Machine, python: str, kind: str) -> None:
    """An environment that will be gone tomorrow cannot be installed from."""
    with pytest.raises(UsageError, match=f"{kind} and will not stay.*uv tool install"):
        install.locate(None, machine.environ, python)


@pytest.mark.parametrize(
    ("variable", "kind"), [("UV_CACHE_DIR", "uvx"), ("TMPDIR", "a temporary folder"), ("TEMP", "a temporary folder")]
)
def test_named_temporary_folders_count(machine: Machine, variable: str, kind: str) -> None:
    """Where the environment names a cache or a temporary folder, interpreters in it are refused."""
    machine.environ[variable] = "/srv/scratch/"
    with pytest.raises(UsageError, match=kind):
        install.locate(None, machine.environ, "/srv/scratch/x/bin/python")


@pytest.mark.parametrize(
    "python",
    [
        "/home/user/.local/share/pipx/venvs/openclaw-memory-plugin/bin/python",
        "/home/user/.local/share/uv/tools/openclaw-memory-plugin/bin/python",
        "/home/user/.openclaw/memory-env/bin/python",
        "/home/user/.cache/project/env/bin/python",
        "/home/user/tmp/env/bin/python",
        "/usr/bin/python3",
    ],
)
def test_an_interpreter_that_stays_is_taken(machine: Machine, python: str) -> None:
    """Installed tools, environments of one's own and the system's Python are fine."""
    assert install.locate(None, machine.environ, python).python == python


def test_without_openclaw_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """On a machine without OpenClaw the command says so and exits 2."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/opt/env/bin/python")
    for command in ("install", "uninstall", "status"):
        assert main([command]) == 2
        assert "OpenClaw was not found" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_is_not_openclaw_is_refused(tmp_path: Path) -> None:
    """A named program must exist and name its version."""
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho hello\n")
    other.chmod(0o755)
    for named in (str(other), str(tmp_path / "missing")):
        with pytest.raises(UsageError):
            openclaw.find(named, {"PATH": os.environ["PATH"]})


@pytest.mark.parametrize(("version", "tested"), [("2026.9.6", True), ("2026.9.12", True), ("2026.10.1", False)])
def test_the_tested_range_is_known(tmp_path: Path, version: str, tested: bool) -> None:
    """Versions outside the tested range are told, not refused."""
    assert Machine(tmp_path, version).place.host.is_tested is tested


def test_uninstalling_what_is_not_installed_changes_nothing(machine: Machine) -> None:
    """There is nothing to take back, and no command of the runtime is run."""
    machine.uninstall()
    assert machine.said == ["nothing to take back: the bridge is not installed"]
    assert machine.calls.read_text() == "--version\n"
