"""The commands of the memory that OpenClaw ships: `openclaw memory status|search|index`."""

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from openclaw_memory_plugin.errors import OpenClawMemoryError, UsageError
from openclaw_memory_plugin.faces.host import stock

if TYPE_CHECKING:
    from openclaw_memory_plugin.builtin import Memory


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer `openclaw memory status|search|index`; `--agents` is the host's map of agents to workspaces."""
    found = _parser().parse_args(arguments)
    try:
        agents = _chosen(json.loads(found.agents), found.agent, every=found.command != "search")
        code = {"status": _status, "search": _search, "index": _index}[found.command](agents, found)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever read it has enough; what is left must not be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
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
            entries.append(stock.status(agent, memory))
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
    most, least = _most(found.max_results), _least(found.min_score)
    import datetime as dt

    ((agent, root),) = agents.items()
    with _open(root) as memory:
        now = dt.datetime.now(dt.UTC)
        asked = RecallArguments(query=query, k=most)
        request = asked.request(agent_id=agent, private=True, now=now, today=memory.today(now))
        answer = memory.recall(request)
    found_results = stock.search_results(answer.hits, answer.degraded, min_score=least)
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


def _most(written: str) -> int:
    if not (written.isascii() and written.isdigit() and int(written)):
        raise UsageError("--max-results must be a positive integer.")
    return int(written)


def _least(written: str) -> float:
    if not re.fullmatch(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)", written, re.ASCII):
        raise UsageError("--min-score must be a finite number.")
    return float(written)


def _open(root: str) -> "Memory":
    from openclaw_memory_plugin.builtin import Memory

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
    of_search.add_argument("--max-results", default="10", metavar="N")
    of_search.add_argument("--min-score", default="0", metavar="X")
    of_index.add_argument("--force", action="store_true", help="read every file again")
    of_index.add_argument("--verbose", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())
