"""
The shapes of the memory that OpenClaw ships: its search and reading tools, and `openclaw memory status|search|index`.

Taking the memory slot takes those away; other parts of the runtime and scripts of people rely on how they answer.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_memory_hookspecs import Hit
from openclaw_memory_plugin.errors import OpenClawMemoryError, UsageError
from openclaw_memory_plugin.markdown.telling import told

if TYPE_CHECKING:
    from openclaw_memory_plugin.memory import Memory

DEFAULT_LINES = 200
"""Lines of an excerpt when none are asked for."""

PROVIDER = "openclaw-memory-plugin"

UNAVAILABLE = {
    "disabled": True,
    "unavailable": True,
    "error": "memory is not available",
    "warning": "Memory is not available right now; answer without it and say so if it matters.",
    "action": "Run `openclaw memory doctor`.",
    "results": [],
    "memories": [],
}
"""What a tool answers when the engine cannot."""


def search_results(hits: Iterable[Hit], degraded: Sequence[str], *, min_score: float = 0.0) -> dict[str, Any]:
    """Give hits as `memory_search` does: snippets with path, lines and score; `stale` when something went without."""
    results = [_result(hit) for hit in hits if hit.score >= min_score]
    stale = {"stale": True, "warning": " ".join(degraded), "action": "Run `openclaw memory index`."} if degraded else {}
    return {"results": results, "provider": PROVIDER, "citations": "auto", "mode": "facts", **stale}


def excerpt(memory: "Memory", path: str, start: int, lines: int | None, *, private: bool) -> dict[str, Any]:
    """
    Read lines of a memory file as `memory_get` does.

    Only files that are memory are read. Without `private`, core memory is not found and lines that state private
    facts come back empty.
    """
    from openclaw_memory_plugin.guard import redact
    from openclaw_memory_plugin.turns.before import CORE_PAGES

    name = path.split("#", 1)[0].removeprefix("./")
    known = {state.path for state in memory.workspace.scan()}
    if name not in known or (not private and name in CORE_PAGES):
        return {"status": "not_found", "path": path, "text": ""}
    source = memory.workspace.read(name)
    if source.encoding == "binary":
        return {"status": "error", "path": path, "text": "", "error": f"{name} is not a text file"}
    text = redact(source.text).replace("\r\n", "\n").split("\n")
    if not private:
        for hidden in _private_lines(memory, name):
            text[hidden - 1 : hidden] = [""] if hidden <= len(text) else []
    count = lines or DEFAULT_LINES
    begin = max(1, start)
    shown = text[begin - 1 : begin - 1 + count]
    more = begin - 1 + count < len(text)
    cut = {"truncated": True, "nextFrom": begin + count} if more else {}
    return {"status": "ok", "path": name, "text": "\n".join(shown), "from": begin, "lines": len(shown), **cut}


def _private_lines(memory: "Memory", path: str) -> list[int]:
    return [
        line
        for fact in memory.facts()
        if fact.private
        for citation in fact.citations
        if citation.path == path
        for line in range(citation.line, citation.end_line + 1)
    ]


def _result(hit: Hit) -> dict[str, Any]:
    source = hit.fact.source
    span = f"#L{source.line}" if source.line == source.end_line else f"#L{source.line}-L{source.end_line}"
    return {
        "path": source.path,
        "startLine": source.line,
        "endLine": source.end_line,
        "score": hit.score,
        "snippet": told(hit.fact, hit.excerpt),
        "source": "memory",
        "corpus": "memory",
        "citation": f"{source.path}{span}",
    }


def status(agent_id: str, memory: "Memory") -> dict[str, Any]:
    """Give one agent's entry of `memory status --json`."""
    stats = memory.stats()
    files, facts = int(stats.get("files", 0)), int(stats.get("facts", 0))
    states = memory.workspace.scan()
    path = Path(str(stats["index_path"]))
    wal = path.with_name(path.name + "-wal")
    return {
        "agentId": agent_id,
        "status": {
            "backend": "builtin",
            "provider": PROVIDER,
            "requestedProvider": PROVIDER,
            "files": files,
            "chunks": facts,
            "dirty": len(states) != files,
            "workspaceDir": str(memory.workspace.root),
            "dbPath": str(path),
            "storage": {
                "databaseBytes": path.stat().st_size if path.exists() else 0,
                "walBytes": wal.stat().st_size if wal.exists() else 0,
                "reusableBytes": 0,
                "embeddingCacheBytes": 0,
                "embeddingCacheEntries": 0,
            },
            "extraPaths": list(memory.workspace.extra),
            "sources": ["memory"],
            "sourceCounts": [{"source": "memory", "files": files, "chunks": facts}],
            "cache": {"enabled": False, "entries": 0},
            "fts": {"enabled": True, "available": True},
            "vector": {"enabled": False, "index": {"state": "empty"}},
            "custom": {"captureDropped": _dropped(memory)},
        },
        "scan": {
            "source": "memory",
            "totalFiles": len(states),
            "sources": [{"source": "memory", "totalFiles": len(states), "issues": []}],
            "issues": [f"{finding.path}#L{finding.line}: {finding.message}" for finding in memory.doctor()],
        },
    }


def _dropped(memory: "Memory") -> dict[str, int]:
    from openclaw_memory_plugin.turns.after import read_counters

    return read_counters(memory.workspace)


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer `openclaw memory status|search|index`; `--agents` is the host's map of agents to workspaces."""
    found = _parser().parse_args(arguments)
    try:
        agents = _chosen(json.loads(found.agents), found.agent, every=found.command != "search")
        return {"status": _status, "search": _search, "index": _index}[found.command](agents, found)
    except OpenClawMemoryError as error:
        if getattr(found, "json", False):
            print(json.dumps({"ok": False, "error": {"type": "cli_error", "message": str(error)}}, indent=2))
        else:
            print(error, file=sys.stderr)
        return 1


def _chosen(agents: Mapping[str, str | None], asked: str | None, *, every: bool) -> dict[str, str]:
    known = {name: path for name, path in agents.items() if path}
    if asked is None:
        return known if every else dict(list(known.items())[:1])
    if asked.lower() not in known:
        raise UsageError(f"unknown agent {asked!r}; OpenClaw's configuration knows {', '.join(known) or 'none'}")
    return {asked.lower(): known[asked.lower()]}


def _status(agents: Mapping[str, str], found: argparse.Namespace) -> int:
    entries = []
    for agent, root in agents.items():
        with _open(root) as memory:
            if found.index or found.fix:
                memory.sync()
            entries.append(status(agent, memory))
    if found.json:
        print(json.dumps(entries, indent=2, ensure_ascii=False))
        return 0
    for entry in entries:
        state, scan = entry["status"], entry["scan"]
        print(f"Memory Search ({entry['agentId']})")
        print(f"Provider: {state['provider']} (requested: {state['requestedProvider']})")
        print(f"Sources: {', '.join(state['sources'])}")
        print(f"Indexed: {state['files']}/{scan['totalFiles']} files · {state['chunks']} facts")
        print(f"Dirty: {'yes' if state['dirty'] else 'no'}")
        print(f"Store: {state['dbPath']}")
        print(f"Workspace: {state['workspaceDir']}")
        print("FTS: ready")
        for issue in scan["issues"]:
            print(f"  {issue}")
        print()
    return 0


def _search(agents: Mapping[str, str], found: argparse.Namespace) -> int:
    from openclaw_memory_plugin.faces.host.wire import RecallArguments

    query = found.query_option or found.query
    if not query:
        raise UsageError("Missing search query. Provide a positional query or use --query <text>.")
    import datetime as dt

    ((agent, root),) = agents.items()
    with _open(root) as memory:
        now = dt.datetime.now(dt.UTC)
        asked = RecallArguments(query=query, k=found.max_results)
        request = asked.request(agent_id=agent, private=True, now=now, today=memory.today(now))
        answer = memory.recall(request)
    found_results = search_results(answer.hits, answer.degraded, min_score=found.min_score)
    if found.json:
        keep = {key: found_results[key] for key in ("results", "stale", "warning", "action") if key in found_results}
        print(json.dumps(keep, indent=2, ensure_ascii=False))
        return 0
    if not found_results["results"]:
        print("No matches.")
    for result in found_results["results"]:
        print(
            f"{result['score']:.3f} {result['path']}:{result['startLine']}-{result['endLine']}\n{result['snippet']}\n"
        )
    return 0


def _index(agents: Mapping[str, str], found: argparse.Namespace) -> int:
    for agent, root in agents.items():
        with _open(root) as memory:
            if found.force:
                memory.rebuild()
            else:
                memory.sync()
            files = int(memory.stats().get("files", 0))
            what = f"{files} files" if files else f"nothing: no memory files in {root}"
            print(f"Memory index updated ({agent}): {what} indexed.")
    return 0


def _open(root: str) -> "Memory":
    from openclaw_memory_plugin.memory import Memory

    return Memory.open(root)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="openclaw memory", allow_abbrev=False)
    parser.add_argument("--agents", required=True, help=argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", required=True)
    of_status = commands.add_parser("status", allow_abbrev=False, description="Show the state of the index")
    of_search = commands.add_parser("search", allow_abbrev=False, description="Search memory files")
    of_index = commands.add_parser("index", allow_abbrev=False, description="Bring the index up to date")
    for command in (of_status, of_search, of_index):
        command.add_argument("--agent", metavar="ID")
    for command in (of_status, of_search):
        command.add_argument("--json", action="store_true", help="print JSON")
    for flag in ("--deep", "--index", "--fix", "--verbose"):
        of_status.add_argument(flag, action="store_true")
    of_search.add_argument("query", nargs="?")
    of_search.add_argument("--query", dest="query_option", metavar="TEXT")
    of_search.add_argument("--max-results", type=int, default=10, metavar="N")
    of_search.add_argument("--min-score", type=float, default=0.0, metavar="X")
    of_index.add_argument("--force", action="store_true", help="read every file again")
    of_index.add_argument("--verbose", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())
