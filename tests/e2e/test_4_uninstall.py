"""Taking it out again."""

import json
import signal
import time
from typing import Any

from conftest import Installation
from e2e_runtime import Gateway, Home


def test_jobs_that_the_bridge_removed_are_kept(home: Home, installation: Installation, stock: dict[str, Any]) -> None:
    """Nobody answered while installing; the next gateway has no jobs of the replaced memory, and they are kept."""
    gateway = Gateway(home)
    try:
        late = time.monotonic() + 60
        while "memory-core:" in home.run("cron", "list", "--all", "--json").stdout:
            assert time.monotonic() < late
    finally:
        gateway.stop()
    kept = json.loads((home.state / "openclaw-memory-plugin" / "jobs.json").read_text())
    assert sorted(job["declarationKey"] for job in kept) == sorted(job["declarationKey"] for job in stock["jobs"])


def test_uninstalling_leaves_the_configuration_as_it_was(
    home: Home, installation: Installation, stock: dict[str, Any]
) -> None:
    """Nobody else wrote meanwhile: the configuration is what it was, byte by byte, and nothing of ours is left."""
    done = installation.run("uninstall", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert home.config_path.read_bytes() == stock["config"]
    assert not (home.state / "openclaw-memory-plugin").exists()
    assert installation.run("status").returncode == 1
    again = installation.run("uninstall", "--yes")
    assert (again.returncode, "nothing to take back" in again.stdout) == (0, True)


def test_the_runtimes_own_memory_works_as_before(home: Home, stock: dict[str, Any]) -> None:
    """Its scheduled jobs are there again as they were, and ours costs nobody anything."""
    gateway = Gateway(home)
    try:
        jobs = json.loads(home.run("cron", "list", "--all", "--json").stdout)["jobs"]
        replaced = [job for job in jobs if str(job.get("declarationKey", "")).startswith("memory-core:")]
        fields = ("declarationKey", "name", "schedule", "payload", "enabled")
        assert sorted([str(job[f]) for f in fields] for job in replaced) == sorted(
            [str(job[f]) for f in fields] for job in stock["jobs"]
        )
        assert not [
            job for job in jobs if job.get("declarationKey") == "openclaw-memory-plugin:reflect" and job["enabled"]
        ]
    finally:
        gateway.stop()


def test_what_somebody_else_wrote_meanwhile_stays(home: Home, installation: Installation) -> None:
    """Keys written between installation and removal survive it; ours are back to what they were."""
    assert installation.run("uninstall", "--yes").returncode == 0
    before = home.config()
    assert installation.run("install", "--yes").returncode == 0
    home.run("config", "set", "agents.defaults.userTimezone", "Europe/Vienna")
    assert installation.run("uninstall", "--yes").returncode == 0
    after = home.config()
    assert after["agents"]["defaults"].pop("userTimezone") == "Europe/Vienna"
    assert after["plugins"] == before["plugins"]
    assert after["agents"] == before["agents"]


def test_the_job_of_a_killed_gateway_goes_without_one(home: Home, installation: Installation) -> None:
    """A gateway that was killed leaves our scheduled job enabled; uninstalling while none runs removes it."""
    assert installation.run("install", "--yes").returncode == 0
    gateway = Gateway(home)
    try:
        late = time.monotonic() + 60
        while "openclaw-memory-plugin:reflect" not in home.run("cron", "list", "--all", "--json").stdout:
            assert time.monotonic() < late
        gateway.process.send_signal(signal.SIGKILL)
        gateway.process.wait()
    finally:
        gateway.stop()
    done = installation.run("uninstall", "--yes")
    assert "removed the scheduled reflection" in done.stdout
    gateway = Gateway(home)
    try:
        assert "openclaw-memory-plugin:reflect" not in home.run("cron", "list", "--all", "--json").stdout
    finally:
        gateway.stop()
