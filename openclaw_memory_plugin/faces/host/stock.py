"""
The shapes of the memory that OpenClaw ships: what its search and reading tools and its status answer.

Taking the memory slot takes those away; other parts of the runtime and scripts of people rely on how they answer.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_memory_hookspecs import Hit
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.markdown.telling import told

if TYPE_CHECKING:
    from openclaw_memory_plugin.memory import Memory

DEFAULT_LINES = 200
"""Lines of an excerpt when none are asked for."""

PROVIDER = "openclaw-memory-plugin"

_CITED = re.compile(r"`([0-9a-f]{12})`|\[([^\[\]]+#L\d+)\]")

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


def one_of(corpus: str, corpora: Sequence[str]) -> str:
    """Return a corpus that a tool knows. Raises UsageError for another."""
    if corpus not in corpora:
        raise UsageError(f"corpus must be one of: {', '.join(corpora)}")
    return corpus


def covered(corpus: str) -> dict[str, Any]:
    """Tell what of the corpora that were asked for was looked at, where more than memory was: there is no wiki here."""
    memory, wiki = {"corpus": "memory", "outcome": "ok"}, {"corpus": "wiki", "outcome": "not-registered"}
    if corpus == "wiki":
        unread = "Wiki corpus is not registered; results do not cover that requested corpus."
        return {"corpora": [wiki], "warning": unread}
    return {"corpora": [memory, wiki]} if corpus == "all" else {}


def search_results(
    hits: Iterable[Hit], degraded: Sequence[str], *, min_score: float = 0.0, corpus: str = "memory"
) -> dict[str, Any]:
    """Give hits as `memory_search` does: snippets with path, lines and score; `stale` when something went without."""
    results = [_result(hit) for hit in hits if hit.score >= min_score]
    stale = {"stale": True, "warning": " ".join(degraded), "action": "Run `openclaw memory index`."} if degraded else {}
    return {
        "results": results,
        "provider": PROVIDER,
        "citations": "auto",
        "mode": "facts",
        **covered(corpus),
        **stale,
    }


def no_sessions() -> dict[str, Any]:
    """Answer a search of session transcripts as the host's own tool does where those are not indexed."""
    return {
        **UNAVAILABLE,
        "error": "Session transcript search is not enabled.",
        "warning": "Session transcript search is unavailable for this agent.",
        "action": "Leave `corpus` out to search memory.",
    }


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
        for hidden in _private_lines(memory, name, text):
            text[hidden - 1 : hidden] = [""] if hidden <= len(text) else []
    count = lines or DEFAULT_LINES
    begin = max(1, start)
    shown = text[begin - 1 : begin - 1 + count]
    more = begin - 1 + count < len(text)
    cut = {"truncated": True, "nextFrom": begin + count} if more else {}
    return {"status": "ok", "path": name, "text": "\n".join(shown), "from": begin, "lines": len(shown), **cut}


def _private_lines(memory: "Memory", path: str, lines: Sequence[str]) -> list[int]:
    """The lines that state what is private; on the page of opinions also the account below it, and what cites it."""
    from openclaw_memory_plugin.markdown import believed

    private = [fact for fact in memory.facts() if fact.private]
    cited = [place for fact in private for place in fact.citations if place.path == path]
    spans = [(place.line, place.end_line) for place in cited]
    if path == believed.PAGE:
        ids = {fact.id for fact in private}
        found = (one for one in believed.accounts(lines) if one.is_private or one.id in ids)
        spans += [(one.line, one.end_line) for one in found]
        known = ids | {f"{place.path}#L{place.line}" for fact in private for place in fact.citations}
        spans += [(at, at) for at, line in enumerate(lines, 1) if believed.read_entry(line) and known & _cited(line)]
    return [line for first, last in spans for line in range(first, last + 1)]


def _cited(line: str) -> set[str]:
    """Ids and places in a line of an account."""
    return {id or place for id, place in _CITED.findall(line)}


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
    dirty = len(states) != files
    model = memory.embedder
    path = Path(str(stats["index_path"]))
    wal = path.with_name(path.name + "-wal")
    return {
        "agentId": agent_id,
        "status": {
            "backend": "builtin",
            "provider": PROVIDER,
            **({"model": model} if model else {}),
            "requestedProvider": PROVIDER,
            "files": files,
            "chunks": facts,
            "dirty": dirty,
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
            "sourceCounts": [
                {
                    "source": "memory",
                    "files": files,
                    "chunks": facts,
                    "dirty": dirty,
                    "eligible": len(states),
                    "issues": [],
                }
            ],
            "cache": {"enabled": False, "entries": 0},
            "fts": {"enabled": True, "available": True},
            "vector": _vector(memory),
            "batch": dict.fromkeys(("failures", "limit", "concurrency", "pollIntervalMs", "timeoutMs"), 0)
            | {"enabled": False, "wait": False},
            "custom": {"captureDropped": _dropped(memory)},
        },
        "scan": {
            "source": "memory",
            "totalFiles": len(states),
            "sources": [{"source": "memory", "totalFiles": len(states), "issues": []}],
            "issues": [f"{finding.path}#L{finding.line}: {finding.message}" for finding in memory.doctor()],
        },
        "audit": _audit(memory),
        "dreamingAudit": _NO_DREAMS
        | {"sessionCorpusDir": str(memory.workspace.root / "memory/.dreams/session-corpus")},
    }


_NO_DREAMS = {
    "sessionCorpusFileCount": 0,
    "suspiciousSessionCorpusFileCount": 0,
    "suspiciousSessionCorpusLineCount": 0,
    "sessionIngestionExists": False,
    "issues": [],
}
"""This memory reflects, it does not dream."""


def _vector(memory: "Memory") -> dict[str, Any]:
    if memory.embedder is None:
        return {"enabled": False, "index": {"state": "empty"}}
    facts, known = memory.index.vector_coverage(memory.embedder)
    state = "empty" if not known else "complete" if known == facts else "incomplete"
    return {"enabled": True, "available": True, "index": {"state": state}}


def _audit(memory: "Memory") -> dict[str, Any]:
    """What stands for the stock memory's store of recalls: the journal of accesses."""
    journal = memory.workspace.state_dir / "access.jsonl"
    recalled = sum(fact.access_count > 0 for fact in memory.facts())
    counted = (
        "promotedCount",
        "spacedEntryCount",
        "conceptTaggedEntryCount",
        "invalidEntryCount",
        "danglingEntryCount",
    )
    return {
        "storePath": str(journal),
        "lockPath": str(memory.workspace.state_dir / "lock"),
        "exists": journal.exists(),
        "entryCount": recalled,
        **dict.fromkeys(counted, 0),
        "issues": [],
    }


def _dropped(memory: "Memory") -> dict[str, int]:
    from openclaw_memory_plugin.turns.after import read_counters

    return read_counters(memory.workspace)
