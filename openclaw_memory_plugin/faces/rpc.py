"""
The engine as a process: newline-delimited JSON-RPC 2.0 over stdin and stdout, one method for each hook.

Each workspace has its own thread, in which its memory is opened and used, and one beside it for what takes long;
calls of several sessions and workspaces interleave. Whatever a line holds, the answer is a result or an error and the
server lives on; it ends with its input.
"""

import contextlib
import functools
import json
import logging
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from openclaw_memory_plugin.errors import OpenClawMemoryError, UsageError

log = logging.getLogger(__name__)

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of one request; a longer one is answered with an error and skipped."""

DRAIN_SECONDS = 1.0
"""How long work that has begun may go on after the host has left."""

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, ENGINE_ERROR = -32700, -32600, -32601, -32602, -32000


class Server:
    """Reads requests from `source`, writes answers to `sink`, each one line of JSON."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        from openclaw_memory_plugin.faces.host.rooms import Rooms

        self._source = source
        self._sink = sink
        self._writing = threading.Lock()
        self._rooms = Rooms()

    def serve(self) -> None:
        """Answer until the input ends, then let begun work end."""
        try:
            for line in _lines(self._source):
                self._receive(line)
        finally:
            self._rooms.close(DRAIN_SECONDS)

    def _receive(self, line: bytes | None) -> None:
        if line is None:
            self._fail(None, INVALID_REQUEST, f"a request is longer than {LONGEST_LINE} bytes")
            return
        if not line.strip():
            return
        try:
            request = json.loads(line, parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            self._fail(None, PARSE_ERROR, f"not JSON: {error}")
            return
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            known_id = request.get("id") if isinstance(request, dict) and _is_id(request.get("id")) else None
            self._fail(known_id, INVALID_REQUEST, "a request is an object with `method`, `params` and `id`")
            return
        if not _is_id(request.get("id")):
            self._fail(None, INVALID_REQUEST, "an `id` is a text or a number")
            return
        try:
            self._dispatch(request.get("id"), request["method"], request.get("params", {}))
        except Exception as error:
            log.exception("%s could not be begun", request["method"])
            self._fail(request.get("id"), ENGINE_ERROR, f"{type(error).__name__}: {error}")

    def _dispatch(self, request_id: Any, method: str, params: Any) -> None:
        from openclaw_memory_plugin.faces.host import methods

        if method == "ping":
            self._answer(request_id, {"pid": os.getpid()})
            return
        shape = methods.SHAPES.get(method)
        if shape is None:
            self._fail(request_id, METHOD_NOT_FOUND, f"no method {method!r}; there are {', '.join(methods.SHAPES)}")
            return
        try:
            from openclaw_memory_plugin.faces.host.wire import structured

            call: Any = structured(shape, params)
        except UsageError as error:
            self._fail(request_id, INVALID_PARAMS, str(error))
            return
        if method == "hello":
            for workspace in call.workspaces:
                self._rooms.warm(workspace)
            self._answer(request_id, methods.hello())
            return
        if not call.scene.agent_id or not call.scene.workspace:
            self._answer(request_id, methods.nothing(method))
            return
        workspace = call.scene.workspace
        if method == "on_heartbeat":
            self._rooms.think(workspace, self._heartbeat(request_id, call))
        elif method in methods.QUIET:
            self._rooms.think(workspace, self._task(request_id, method, methods.QUIET[method], call))
        else:
            timeout_ms = call.timeout_ms if method in methods.EXPIRING else 0
            task = self._task(request_id, method, methods.METHODS[method], call)
            self._rooms.submit(workspace, task, timeout_ms=timeout_ms)

    def _heartbeat(self, request_id: Any, call: Any) -> Callable[[Any], None]:
        """What is done beside the room: the long work; then the room's thread tells the plugins and answers."""
        from openclaw_memory_plugin.faces.host import methods

        def prepare(memory: Any) -> None:
            try:
                if isinstance(memory, Exception):
                    raise memory
                prepared: Any = methods.prepare_heartbeat(memory, call)
            except Exception as error:
                prepared = error
            answer = functools.partial(methods.on_heartbeat, prepared=prepared)
            self._rooms.tell(call.scene.workspace, self._task(request_id, "on_heartbeat", answer, call))

        return prepare

    def _task(self, request_id: Any, method: str, answer: Callable[..., Any], call: Any) -> Callable[[Any], None]:
        """What a thread of the workspace does: call the method with what it owns, and answer whatever happens."""

        def run(owned: Any) -> None:
            if isinstance(owned, Exception):
                known = isinstance(owned, OpenClawMemoryError | OSError)
                self._fail(request_id, ENGINE_ERROR, str(owned) if known else f"{type(owned).__name__}: {owned}")
                return
            try:
                self._answer(request_id, answer(owned, call))
            except UsageError as error:
                self._fail(request_id, INVALID_PARAMS, str(error))
            except OpenClawMemoryError as error:
                self._fail(request_id, ENGINE_ERROR, str(error))
            except Exception as error:
                log.exception("%s failed", method)
                self._fail(request_id, ENGINE_ERROR, f"{method}: {type(error).__name__}: {error}")

        return run

    def _answer(self, request_id: Any, result: Any) -> None:
        self._write(request_id, {"result": result})

    def _fail(self, request_id: Any, code: int, message: str) -> None:
        self._write(request_id, {"error": {"code": code, "message": message[:2_000]}}, even_unasked=request_id is None)

    def _write(self, request_id: Any, answer: dict[str, Any], *, even_unasked: bool = False) -> None:
        """Write one answer; a notification (a request without id) gets none unless it could not be read."""
        if request_id is None and not even_unasked:
            return
        line = json.dumps({"jsonrpc": "2.0", "id": request_id, **answer}, allow_nan=False).encode() + b"\n"
        with self._writing, contextlib.suppress(BrokenPipeError, ValueError):
            self._sink.write(line)
            self._sink.flush()


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _is_id(value: Any) -> bool:
    """Tell whether an answer can name the request by it; a number that overflowed cannot."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    """Give the lines of a stream, None for one that is too long to be held."""
    while line := source.readline(LONGEST_LINE):
        if line.endswith(b"\n") or len(line) < LONGEST_LINE:
            yield line
            continue
        while (rest := source.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
        yield None


def main() -> None:
    """Serve the host that started this process, until it closes our input or sends SIGTERM."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(SystemExit):
        Server(sys.stdin.buffer, answers).serve()
    sys.stderr.flush()
    os._exit(0)


def _leave(*_: object) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main()
