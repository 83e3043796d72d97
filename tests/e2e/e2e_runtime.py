"""The real runtime in a hermetic home: its commands and its gateway."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

TOKEN = "e2e-token"
AGENTS = ("main", "helper", "big")
ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 120


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Home:
    """One hermetic installation: its own HOME, state, configuration and workspace."""

    def __init__(self, root: Path, node: Path, openclaw: Path, model_port: int) -> None:
        self.root, self.node, self.openclaw = root, node, openclaw
        self.config_path = root / "openclaw.json"
        self.state = root / "state"
        self.port = free_port()
        self.workspace = self.workspace_of("main")
        workspaces = [self.workspace_of(name) for name in AGENTS]
        for folder in (root / "home", root / "tmp", root / "bin", self.state, *workspaces):
            folder.mkdir(parents=True, exist_ok=True)
        keep = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TZ") if name in os.environ}
        self.env = {
            **keep,
            "PATH": os.pathsep.join([str(root / "bin"), str(node.parent), os.environ["PATH"]]),
            "HOME": str(root / "home"),
            "TMPDIR": str(root / "tmp"),
            "OPENCLAW_HOME": str(root / "home"),
            "OPENCLAW_STATE_DIR": str(self.state),
            "OPENCLAW_CONFIG_PATH": str(self.config_path),
            "OPENCLAW_GATEWAY_TOKEN": TOKEN,
            "OPENCLAW_HIDE_BANNER": "1",
            "NO_COLOR": "1",
        }
        program = root / "bin" / "openclaw"
        program.write_text(f'#!/bin/sh\nexec "{node}" "{openclaw}" "$@"\n')
        program.chmod(0o755)
        self.write_config(self.plain_config(model_port))

    def workspace_of(self, agent: str) -> Path:
        """The folder of one of the configured agents."""
        return self.root / f"workspace-{agent}"

    def plain_config(self, model_port: int) -> dict[str, Any]:
        """A configuration without our plugin: one agent, the fake model, everything on loopback."""
        cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        model = {"id": "fake-1", "name": "Fake", "reasoning": False, "input": ["text"], "cost": cost}
        provider = {
            "baseUrl": f"http://127.0.0.1:{model_port}/v1",
            "apiKey": "sk-fake",
            "api": "openai-completions",
            "models": [{**model, "contextWindow": 64_000, "maxTokens": 2_048}],
        }
        return {
            "gateway": {
                "mode": "local",
                "port": self.port,
                "bind": "loopback",
                "auth": {"mode": "token", "token": TOKEN},
                "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
            },
            "logging": {"level": "debug", "file": str(self.root / "runtime.log")},
            "agents": {
                "ownership": "explicit",
                "defaults": {
                    "skipBootstrap": True,
                    "model": {"primary": "fake/fake-1"},
                    "heartbeat": {"every": "6h", "target": "none"},
                    "systemAgent": {"agentId": "main"},
                },
                "entries": {name: {"workspace": str(self.workspace_of(name))} for name in AGENTS},
            },
            "models": {"mode": "replace", "providers": {"fake": provider}},
            "plugins": {"allow": ["memory-core"]},
        }

    def write_config(self, config: dict[str, Any]) -> None:
        self.config_path.write_text(json.dumps(config, indent=2) + "\n")

    def config(self) -> dict[str, Any]:
        config: dict[str, Any] = json.loads(self.config_path.read_text())
        return config

    def run(
        self, *words: str, timeout: float = 120, check: bool = True, **kwargs: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run one `openclaw` command to its end."""
        done = subprocess.run(
            [str(self.node), str(self.openclaw), *words],
            env=self.env, cwd=self.root, capture_output=True, text=True, timeout=timeout, **kwargs,
        )  # fmt: skip
        if check and done.returncode:
            raise AssertionError(
                f"openclaw {' '.join(words)}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
            )
        return done


def parse_json(text: str) -> Any:
    """The JSON value in what a command printed, whatever stands before it."""
    for start, char in enumerate(text):
        if char in "{[":
            try:
                return json.JSONDecoder().raw_decode(text[start:])[0]
            except ValueError:
                continue
    raise AssertionError(f"no JSON in {text[-2000:]!r}")


class Gateway:
    """A running gateway of one home."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.log_path = home.root / f"gateway-{time.time_ns()}.log"
        self._log = self.log_path.open("w")
        self.process = subprocess.Popen(
            [str(home.node), str(home.openclaw), "gateway", "run"],
            env=home.env, cwd=home.root, stdout=self._log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        deadline = time.monotonic() + READY_SECONDS
        while "] ready" not in self.log():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise AssertionError(f"the gateway did not start:\n{self.log()[-4000:]}")
            time.sleep(0.2)

    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def turn(
        self, content: Any, *, session: str = "agent:main:main", agent: str = "main", channel: str | None = None
    ) -> str:
        """Let an agent answer one message, over HTTP as any client may, and return its reply."""
        headers = {
            "authorization": f"Bearer {TOKEN}",
            "content-type": "application/json",
            "x-openclaw-session-key": session,
            **({"x-openclaw-message-channel": channel} if channel else {}),
        }
        body = {"model": f"openclaw/{agent}", "messages": [{"role": "user", "content": content}]}
        url = f"http://127.0.0.1:{self.home.port}/v1/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=120) as answer:
            reply: str = json.load(answer)["choices"][0]["message"]["content"]
        return reply

    def children(self) -> list[int]:
        """Ids of the Python processes that it started."""
        return [
            pid for pid in child_processes(self.process.pid) if "openclaw_memory_plugin.faces.rpc" in command_line(pid)
        ]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> float:
        """End it and give the seconds that it took."""
        started = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout=10)
        self._log.close()
        return time.monotonic() - started


def child_processes(pid: int) -> list[int]:
    """Ids of the direct and indirect children of a process."""
    found: list[int] = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(status.parent.name)
            found += [child, *child_processes(child)]
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
