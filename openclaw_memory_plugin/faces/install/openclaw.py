"""The `openclaw` program on this machine: finding it, running it, reading what it answers."""

import contextlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_plugin.errors import OpenClawMemoryError, UsageError

TESTED = "2026.9"
"""Versions that begin so are what the end-to-end tests run against."""

SECONDS = 180.0
"""A command of the runtime may take so long before it is given up."""

CONTROL_ONLY = {
    "OPENCLAW_DISABLE_BONJOUR": "1",
    "OPENCLAW_NO_RESPAWN": "1",
    "OPENCLAW_SKIP_CHANNELS": "1",
    "OPENCLAW_SKIP_CRON": "1",
}
"""What lets a gateway answer commands and do nothing by itself; see "Embedding" in the runtime's documentation."""

STOP_SECONDS = 30.0
"""A gateway of ours may take so long to leave before it is killed."""

_VERSION = re.compile(r"\d{4}\.\d+\.\d+")


@attrs.frozen(kw_only=True)
class OpenClaw:
    """One installed runtime."""

    command: tuple[str, ...]
    """How it is started."""
    version: str
    environ: Mapping[str, str]

    @property
    def is_tested(self) -> bool:
        """Whether this version is within the tested range."""
        return self.version == TESTED or self.version.startswith(f"{TESTED}.")

    def run(self, *words: str, stdin: str | None = None) -> str:
        """
        Run one command and return what it prints.

        Raises:
            OpenClawMemoryError: It failed; the message holds its last lines.
        """
        done = _run((*self.command, *words), self.environ, stdin)
        if done.returncode:
            said = [line for line in (done.stderr or done.stdout).strip().splitlines() if line.strip()][-4:]
            raise OpenClawMemoryError(f"`openclaw {' '.join(words)}` failed ({done.returncode}): {' / '.join(said)}")
        return done.stdout

    @contextlib.contextmanager
    def gateway(self) -> "Iterator[subprocess.Popen[bytes]]":
        """
        Run a gateway meanwhile that reaches nobody and runs no schedule; it answers some seconds later.

        Raises:
            OpenClawMemoryError: It cannot be started.
        """
        nothing = subprocess.DEVNULL
        try:
            process = subprocess.Popen(
                [*self.command, "gateway", "run"],
                env={**self.environ, **CONTROL_ONLY},
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
            )
        except OSError as error:
            raise OpenClawMemoryError(f"no gateway can be started: {error}") from error
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def ask(self, *words: str) -> Any:
        """Run one command and return the JSON value that it prints; raises like `run`."""
        return first_json(self.run(*words))


def find(named: str | None, environ: Mapping[str, str]) -> OpenClaw:
    """
    Find the runtime: the one named (a program or `openclaw.mjs`), else the one on the path.

    Raises:
        UsageError: There is none, or it does not run.
    """
    program = named or shutil.which("openclaw", path=environ.get("PATH"))
    if program is None:
        raise UsageError(
            "OpenClaw was not found on this machine; install it (npm install -g openclaw) or name it with"
            " --openclaw PATH"
        )
    if not os.path.exists(program):
        raise UsageError(f"--openclaw {program}: no such file; name the program `openclaw` or its openclaw.mjs")
    command: tuple[str, ...] = (program,)
    if program.endswith((".mjs", ".js")):
        node = shutil.which("node", path=environ.get("PATH"))
        if node is None:
            raise UsageError(f"--openclaw {program} needs Node on the path, and there is none")
        command = (node, program)
    try:
        done = _run((*command, "--version"), environ, None)
    except OpenClawMemoryError as error:
        raise UsageError(f"OpenClaw does not run: {error}") from error
    version = _VERSION.search(done.stdout)
    if done.returncode or version is None:
        raise UsageError(f"{program} --version does not name a version of OpenClaw; name the right one with --openclaw")
    return OpenClaw(command=command, version=version.group(), environ=environ)


def first_json(text: str) -> Any:
    """
    Return the first JSON object or list in what a command printed.

    Raises:
        OpenClawMemoryError: There is none.
    """
    decoder = json.JSONDecoder()
    for start, char in enumerate(text):
        if char in "{[":
            try:
                return decoder.raw_decode(text[start:])[0]
            except (ValueError, RecursionError):
                continue
    raise OpenClawMemoryError(f"openclaw printed no JSON: {text.strip()[:200]!r}")


def _run(command: Sequence[str], environ: Mapping[str, str], stdin: str | None) -> "subprocess.CompletedProcess[str]":
    quiet = {**environ, "OPENCLAW_HIDE_BANNER": "1", "NO_COLOR": "1"}
    try:
        return subprocess.run(
            list(command),
            env=quiet,
            input=stdin if stdin is not None else "",
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OpenClawMemoryError(f"{Path(command[-1]).name}: {error}") from error
