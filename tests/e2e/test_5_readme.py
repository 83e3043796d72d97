"""The README's "With OpenClaw", word by word, while a gateway runs."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from e2e_runtime import ROOT, Gateway, Home

TIMEOUT = 600


def block() -> str:
    """The commands that a reader is told to run."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^## With OpenClaw\n.*?^```bash\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def shell(commands: str, env: dict[str, str], cwd: Path, *, answer: str) -> "subprocess.CompletedProcess[str]":
    """Run commands as somebody at a terminal, who answers what is asked."""
    master, slave = pty.openpty()
    try:
        os.write(master, answer.encode())
        return subprocess.run(
            ["sh", "-ec", commands], stdin=slave, env=env, cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT
        )
    finally:
        os.close(slave)
        os.close(master)


def replaced_jobs(home: Home) -> list[dict[str, Any]]:
    """Jobs of the runtime's own memory, what was set of them."""
    listed = json.loads(home.run("cron", "list", "--all", "--json").stdout)["jobs"]
    jobs = [job for job in listed if str(job.get("declarationKey", "")).startswith("memory-core:")]
    return [
        {field: job[field] for field in ("declarationKey", "name", "schedule", "payload", "enabled")} for job in jobs
    ]


def test_the_two_commands_install_and_removing_puts_everything_back(
    home: Home, stock: dict[str, Any], tmp_path: Path
) -> None:
    """A fresh environment, the package as it is built here, the question answered: the runtime loads the bridge; jobs
    of its own memory are gone until it is removed again."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(tmp_path), str(ROOT)], check=True, capture_output=True, text=True)
    env = {**home.env, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{home.env['PATH']}"}
    env |= {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name.endswith("_proxy")}
    env["PIP_FIND_LINKS"] = str(tmp_path)
    gateway = Gateway(home)
    try:
        before = replaced_jobs(home)
        assert any(job["declarationKey"] == "memory-core:weekly" for job in before)
        done = shell(block(), env, home.root, answer="y\n")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "remove the scheduled job 'Weekly'" in done.stdout
        seen = json.loads(home.run("plugins", "inspect", "openclaw-memory-plugin", "--runtime", "--json").stdout)
        assert (seen["plugin"]["status"], seen["plugin"]["memorySlotSelected"]) == ("loaded", True)
        assert replaced_jobs(home) == []
        program = Path(env["HOME"]) / ".openclaw/memory-env/bin/openclaw-memory-plugin"
        done = shell(f"{program} uninstall", env, home.root, answer="y\n")
        assert done.returncode == 0, done.stdout + done.stderr
        assert [job for job in replaced_jobs(home) if job["name"] == "Weekly"] == [
            job for job in before if job["name"] == "Weekly"
        ]
    finally:
        gateway.stop()
