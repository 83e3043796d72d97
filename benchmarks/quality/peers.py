"""
Other memories that run offline without a model, each in its own environment, asked the same questions.

A peer speaks JSON lines on stdio through a script in `adapters`. It gets a home of its own, an empty environment and a
proxy at which nobody listens, so that it can neither read the machine's settings nor reach a network.
"""

import functools
import json
import os
import subprocess
import tempfile
import threading
import venv
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs

from benchmarks.openclaw_runtime import RegistryUnreachable, cache_folder, provide
from openclaw_memory_plugin import Memory

from .datasets import Question
from .metrics import Places
from .rows import Answer, K, Row, cited, text_of

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"
ADAPTERS = Path(__file__).with_name("adapters")
INSTALL_SECONDS = 900
PATIENCE_SECONDS = 600
"""How long a peer may take to store a data set, and to answer one question."""
MEMORY = Path("/dev/shm")
"""Where peers keep their files if the system has it, since some wait for the disk at every fact."""
NOWHERE = "http://127.0.0.1:9"
OWN_PLACES = ("memory/", "MEMORY.md", "USER.md")
"""What memory-core reads without being told."""


class PeerError(Exception):
    """A peer cannot be installed here or stopped answering."""


@attrs.frozen(kw_only=True)
class Peer:
    """A package that remembers."""

    name: str
    version: str
    adapter: str


PEERS = (
    Peer(name="dory-memory", version="1.2.1", adapter="dory_memory.py"),
    Peer(name="palaia", version="2.8.0", adapter="palaia_store.py"),
    Peer(name="mind-mem", version="5.0.3", adapter="mind_mem_blocks.py"),
)


def peer_rows() -> list[Row]:
    """Return a row for each peer; what cannot be installed says why it is skipped."""
    return [*map(_package, PEERS), _memory_core()]


def _package(peer: Peer) -> Row:
    name = f"{peer.name} {peer.version}"
    try:
        python = _environment(peer)
    except PeerError as error:
        return Row(name=name, make=_nothing, missing=str(error))
    command = [str(python), "-B", str(ADAPTERS / peer.adapter)]
    return Row(name=name, make=functools.partial(_ask_package, command=command), cuts=False)


def _environment(peer: Peer) -> Path:
    """
    Return the interpreter of a peer's environment, made when it is missing.

    Raises:
        PeerError: The package cannot be fetched.
    """
    folder = CACHE / "peers" / f"{peer.name}-{peer.version}"
    python = folder / "bin" / "python"
    done = folder / "installed"
    if not done.exists():
        try:
            venv.create(folder, with_pip=True, clear=True)
            install = [str(python), "-m", "pip", "install", "--quiet", f"{peer.name}=={peer.version}"]
            subprocess.run(install, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
            raise PeerError(f"it cannot be installed: {said[-1][:120] if said else error!r}") from error
        done.touch()
    return python


def _memory_core() -> Row:
    """Return the row of the runtime's own memory."""
    try:
        node, entry = provide(cache_folder())
    except RegistryUnreachable as error:
        return Row(name="memory-core", make=_nothing, missing=f"the runtime cannot be fetched: {error}")
    package = entry.parent
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    command = [str(node), str(ADAPTERS / "memory_core.mjs"), str(package)]
    return Row(name=f"memory-core {version}", make=functools.partial(_ask_memory_core, command=command), cuts=False)


def _ask_package(memory: Memory, stack: ExitStack, *, command: Sequence[str]) -> Answer:
    facts = list(memory.facts())
    home = _home(stack)
    talk = _started(stack, command, home)
    store = home / "store"
    store.mkdir()
    entries = [{"text": text_of(fact), "day": fact.timestamp and fact.timestamp.isoformat()} for fact in facts]
    talk({"folder": str(store), "facts": entries})

    def answer(question: Question, cutoff: bool) -> tuple[list[Places], int]:
        return cited([facts[number] for number in talk({"query": question.text, "k": K})["hits"]])

    return answer


def _ask_memory_core(memory: Memory, stack: ExitStack, *, command: Sequence[str]) -> Answer:
    home = _home(stack)
    talk = _started(stack, command, home)
    paths = {place.path for fact in memory.facts() for place in fact.citations}
    files = sorted(path for path in paths if not path.startswith(OWN_PLACES))
    talk({"workspace": str(memory.workspace.root), "files": files})

    def answer(question: Question, cutoff: bool) -> tuple[list[Places], int]:
        hits = talk({"query": question.text, "k": K})["hits"]
        return [[(path, first, last)] for path, first, last, _ in hits], sum(hit[3] for hit in hits)

    return answer


def _home(stack: ExitStack) -> Path:
    """Return a folder that goes with the stack."""
    where = MEMORY if os.access(MEMORY, os.W_OK) else None
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="peer.", dir=where)))


def _started(stack: ExitStack, command: Sequence[str], home: Path) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Start a peer that ends with the stack; gives what asks it one thing and waits for the answer."""
    errors = home / "stderr"
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": str(home),
        "OPENCLAW_HOME": str(home),
        "OPENCLAW_STATE_DIR": str(home / "state"),
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE),
    }
    process = stack.enter_context(
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stack.enter_context(errors.open("wb")),
            env=environment,
            cwd=home,
            text=True,
            encoding="utf-8",
        )
    )
    assert process.stdin is not None
    assert process.stdout is not None
    asks, answers = process.stdin, process.stdout
    stack.callback(process.kill)

    def talk(message: Mapping[str, Any]) -> dict[str, Any]:
        late = threading.Timer(PATIENCE_SECONDS, process.kill)
        late.start()
        try:
            asks.write(json.dumps(message) + "\n")
            asks.flush()
            found: dict[str, Any] = json.loads(answers.readline())
        except (OSError, ValueError) as error:
            process.wait()
            if not late.is_alive():
                raise PeerError(f"it was not done after {PATIENCE_SECONDS} s") from error
            said = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise PeerError(f"it stopped: {said[-1][:120] if said else error!r}") from error
        finally:
            late.cancel()
        return found

    return talk


def _nothing(memory: Memory, stack: ExitStack) -> Answer:
    raise PeerError("it is not here")
