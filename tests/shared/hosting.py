"""A host of the engine's process, and what it says to it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


class Client:
    """A host: writes lines, reads answers, matched by id."""

    def __init__(self, **environ: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "openclaw_memory_plugin.faces.rpc"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "", **environ},
        )  # fmt: skip
        self._last = 0
        self._answers: dict[Any, dict[str, Any]] = {}

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def begin(self, method: str, **params: Any) -> int:
        self._last += 1
        request = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        self.write(json.dumps(request).encode() + b"\n")
        return self._last

    def answer(self, request_id: Any) -> dict[str, Any]:
        assert self.process.stdout is not None
        while request_id not in self._answers:
            line = self.process.stdout.readline()
            assert line, "the server ended"
            found = json.loads(line)
            self._answers[found["id"]] = found
        return self._answers.pop(request_id)

    def waiting(self, *requests: int) -> bool:
        """Whether none of these was answered before the last answer that was read."""
        return not self._answers.keys() & set(requests)

    def call(self, method: str, **params: Any) -> Any:
        found = self.answer(self.begin(method, **params))
        assert "error" not in found, found
        return found["result"]

    def error(self, method: str, **params: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.answer(self.begin(method, **params))["error"]
        return found

    def end(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout=10)

    def close(self) -> bytes:
        """End the process, whatever it does, and give what it said on the side."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=10)
        pipes = (self.process.stdin, self.process.stdout, self.process.stderr)
        assert self.process.stderr is not None
        said_aside = self.process.stderr.read()
        for pipe in pipes:
            assert pipe is not None
            pipe.close()
        return said_aside


def scene(root: Path, **facts: Any) -> dict[str, Any]:
    usual = {"agent_id": "main", "workspace": str(root), "session_key": "agent:main:main", "session_id": "s1",
             "run_id": "r1", "trigger": "user"}  # fmt: skip
    return {**usual, **facts}


def said(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user" if number % 2 == 0 else "assistant", "text": text} for number, text in enumerate(texts)]


def logs(root: Path) -> str:
    return "\n".join(path.read_text() for path in sorted((root / "memory").glob("*.md")))


def conflict(root: Path) -> None:
    """Write two statements that only the agent can settle."""
    (root / "memory/2026-03-30.md").write_text(
        "# 2026-03-30\n\n## Retain\n- O(c=0.8) @Ada: Wants written agendas.\n"
        "- W @Ada: Maybe does not want written agendas.\n"
    )
