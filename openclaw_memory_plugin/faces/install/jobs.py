"""Scheduled jobs of the runtime: ours, and those of the memory that is replaced, which are kept to be put back."""

import json
import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from openclaw_memory_plugin.errors import OpenClawMemoryError
from openclaw_memory_plugin.faces.install.openclaw import OpenClaw

ID = "openclaw-memory-plugin"
OURS = f"{ID}:reflect"
REPLACED = "memory-core"
KEPT = "jobs.json"
"""What the bridge removed because nobody answered while installing; it writes this file beside its own folder."""

_FIELDS = (
    "name",
    "declarationKey",
    "displayName",
    "description",
    "agentId",
    "sessionKey",
    "enabled",
    "deleteAfterRun",
    "schedule",
    "pacing",
    "trigger",
    "sessionTarget",
    "wakeMode",
    "payload",
    "delivery",
    "failureAlert",
)
"""Of a job as the runtime lists it, what it takes when one is added; the others are its state."""

Job = Mapping[str, Any]
Say = Callable[[str], None]


def listed(host: OpenClaw) -> list[Job] | None:
    """Scheduled jobs of a running gateway; None when none answers."""
    try:
        found = host.ask("cron", "list", "--all", "--json")
    except OpenClawMemoryError:
        return None
    jobs = found.get("jobs", []) if isinstance(found, dict) else found
    return [job for job in jobs if isinstance(job, dict) and "id" in job]


def of_replaced(host: OpenClaw) -> tuple[Job, ...] | None:
    """Jobs of the memory that is replaced: unclaimed they would be turns of a paid model."""
    found = listed(host)
    if found is None:
        return None
    return tuple(job for job in found if str(job.get("declarationKey", "")).startswith(f"{REPLACED}:"))


def remove(host: OpenClaw, jobs: Iterable[Job], say: Say) -> None:
    """Remove jobs of the replaced memory; raises when the runtime refuses."""
    for job in jobs:
        host.run("cron", "rm", str(job["id"]))
        say(f"removed the scheduled job {label(job)} of {REPLACED}")


def kept_by_bridge(folder: Path) -> tuple[Job, ...]:
    """What the bridge removed and kept; empty when it removed nothing or the file cannot be read."""
    try:
        raw = json.loads((folder / KEPT).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ()
    return tuple(job for job in raw if isinstance(job, dict)) if isinstance(raw, list) else ()


def first_of_each(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Each job once, as it was when it was first removed."""
    kept: dict[str, Job] = {}
    for job in jobs:
        kept.setdefault(str(job.get("declarationKey") or job.get("id")), job)
    return tuple(kept.values())


def take_back(host: OpenClaw, kept: Iterable[Job], say: Say) -> bool:
    """
    Remove our job, which a gateway that was stopped left disabled, and add those again that were removed for it.

    Returns:
        Whether a gateway answered.
    """
    there = listed(host)
    if there is None:
        return False
    for job in there:
        if job.get("declarationKey") == OURS:
            host.run("cron", "rm", str(job["id"]))
            say("removed the scheduled reflection")
    keys = {job.get("declarationKey") for job in there}
    for job in kept:
        if job.get("declarationKey") not in keys:
            _add(host, job, say)
    return True


def _add(host: OpenClaw, job: Job, say: Say) -> None:
    try:
        host.run(*_adding(job))
        say(f"put back the scheduled job {label(job)} of {REPLACED}")
    except OpenClawMemoryError as error:
        say(f"the scheduled job {label(job)} of {REPLACED} could not be put back: {error}")
        say(f"  {by_hand(job)}")


def by_hand(job: Job) -> str:
    """The command that adds a job again."""
    return shlex.join(("openclaw", *_adding(job)))


def _adding(job: Job) -> tuple[str, ...]:
    wanted = {field: job[field] for field in _FIELDS if job.get(field) is not None}
    return ("gateway", "call", "cron.add", "--params", json.dumps(wanted, ensure_ascii=False))


def label(job: Job) -> str:
    """A job's name, quoted."""
    return repr(str(job.get("name") or job.get("id")))
