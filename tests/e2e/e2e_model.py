"""A model for the real runtime: OpenAI-compatible, on loopback, records every request and plays scripted replies."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USE_TOOL = "USE_TOOL "
"""A user message with this in it makes the model call a tool: `USE_TOOL {"name": …, "arguments": {…}}`."""
SAY = "SAY "
"""A user message with this in it is answered with the rest of the line."""
BIG = "BIGUSAGE"
"""A user message with this in it is answered with the token usage of a nearly full context."""


class FakeModel:
    """Requests in the order in which they came; `reply` may be replaced by a test."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.reply: Callable[[dict[str, Any]], dict[str, Any]] = scripted
        self.port = 0

    def since(self, mark: int) -> list[dict[str, Any]]:
        """Requests after the first `mark` ones."""
        return self.requests[mark:]


def text_of(message: dict[str, Any]) -> str:
    """All text of one message."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text") or "" for part in content)


def system_of(request: dict[str, Any]) -> str:
    """The system prompt of one request."""
    return "\n".join(text_of(m) for m in request["messages"] if m["role"] in ("system", "developer"))


def user_of(request: dict[str, Any]) -> str:
    """All user messages after the last assistant message: the runtime sends its own context as one of them."""
    texts: list[str] = []
    for message in reversed(request["messages"]):
        if message["role"] == "assistant":
            break
        if message["role"] == "user":
            texts.append(text_of(message))
    return "\n".join(reversed(texts))


def tools_of(request: dict[str, Any]) -> set[str]:
    """Names of the tools offered in one request."""
    return {tool["function"]["name"] for tool in request.get("tools") or []}


def scripted(request: dict[str, Any]) -> dict[str, Any]:
    """Answer as the user's message demands."""
    last = request["messages"][-1]
    if last["role"] == "tool":
        return {"content": "Done. The tool said: " + text_of(last)[:400]}
    user = user_of(request)
    if USE_TOOL in user:
        call, _ = json.JSONDecoder().raw_decode(user.split(USE_TOOL, 1)[1])
        if call["name"] in tools_of(request):
            return {"tool": call}
    if SAY in user:
        return {"content": user.split(SAY, 1)[1].split("\n", 1)[0]}
    return {"content": "Noted."}


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    """Serve a FakeModel on a free port of loopback until the block ends."""
    model = FakeModel()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._send("application/json", json.dumps({"object": "list", "data": [{"id": "fake-1"}]}).encode())

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            model.requests.append(request)
            kind, body = _completion(request, model.reply(request))
            self._send(kind, body)

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def _completion(request: dict[str, Any], reply: dict[str, Any]) -> tuple[str, bytes]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.get("content")}
    reason = "stop"
    if "tool" in reply:
        call = reply["tool"]
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        message["tool_calls"] = [{"index": 0, "id": f"call_{time.time_ns()}", "type": "function", "function": function}]
        reason = "tool_calls"
    tokens = 60_000 if BIG in user_of(request) else 10
    usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5}
    base = {"id": "c1", "created": int(time.time()), "model": request.get("model")}
    if not request.get("stream"):
        whole = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": reason}]}
        return "application/json", json.dumps({**base, **whole, "usage": usage}).encode()
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {"choices": [], "usage": usage},
    ]
    lines = [json.dumps({**base, "object": "chat.completion.chunk", **chunk}) for chunk in chunks]
    return "text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()
