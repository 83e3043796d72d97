"""
Put the bridge into OpenClaw and take it out again: everything changed is shown first, and is put back by uninstall.
"""

import json
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from openclaw_memory_plugin import __version__
from openclaw_memory_plugin.config import runtime
from openclaw_memory_plugin.errors import OpenClawMemoryError
from openclaw_memory_plugin.faces.install import jobs, openclaw, packaged, receipt, temporary
from openclaw_memory_plugin.faces.install.jobs import ID, REPLACED, Job, Say
from openclaw_memory_plugin.faces.install.keys import nested, value_at

_SLOT = "plugins.slots.memory"
_ENTRY = f"plugins.entries.{ID}"
_REPLACED = f"plugins.entries.{REPLACED}"
_ALLOW = "plugins.allow"
_PATHS = "plugins.load.paths"
_HOLDERS = ("plugins.entries", "plugins.slots", "plugins.load", "plugins")
"""Objects that hold our keys; left empty they go, when they were not there before."""
_RESTART = "restart a running gateway: openclaw gateway restart"

START_SECONDS = 120.0
"""A gateway may take so long until it answers."""


@attrs.frozen(kw_only=True)
class Plan:
    """What an installation would change."""

    copies: bool
    """The bridge is not there, or is another version's."""
    links: bool
    """OpenClaw does not load it from there yet."""
    patch: Mapping[str, Any]
    """Dotted key -> value to be written."""
    jobs: tuple[Job, ...] | None
    """Scheduled jobs of the replaced memory, to be removed and kept; None when no gateway answers."""

    @property
    def is_empty(self) -> bool:
        """Everything is as it should be."""
        return not (self.copies or self.links or self.patch or self.jobs)

    def lines(self, bridge: Path, config: Path) -> list[str]:
        """Say it to a person, one change a line."""
        said = [f"copy the bridge to {bridge}"] if self.copies else []
        if self.links:
            said.append(f"link that folder as the plugin {ID} (openclaw plugins install --link)")
            said.append(f"{config}: {_PATHS} += {_shown(str(bridge))}")
        said += [f"{config}: {key} = {_shown(value)}" for key, value in self.patch.items()]
        if self.jobs is None and f"{_REPLACED}.enabled" in self.patch:
            said.append(f"scheduled jobs of {REPLACED}: kept for uninstall and removed when the gateway starts")
        return said + [f"keep for uninstall and remove the scheduled job {jobs.label(job)}" for job in self.jobs or ()]


@attrs.frozen(kw_only=True)
class Place:
    """Where things are on this machine."""

    host: openclaw.OpenClaw
    environ: Mapping[str, str]
    python: str

    @property
    def folder(self) -> Path:
        """Ours, in the state directory of OpenClaw."""
        return runtime.state_dir(self.environ) / ID

    @property
    def bridge(self) -> Path:
        """The copy of the bridge that OpenClaw loads."""
        return self.folder / "bridge"

    @property
    def config(self) -> Path:
        """OpenClaw's configuration file."""
        return runtime.config_path(self.environ)


def locate(named: str | None, environ: Mapping[str, str], python: str, *, check: bool = True) -> Place:
    """
    Find OpenClaw, and check that this interpreter will still be there tomorrow.

    Raises:
        UsageError: No OpenClaw, or the interpreter belongs to a temporary environment.
    """
    if check:
        temporary.refuse(python, environ)
    return Place(host=openclaw.find(named, environ), environ=environ, python=python)


def plan(place: Place) -> Plan:
    """Compare what there is with what there should be; reads only."""
    config = runtime.read_config(place.environ)
    linked = value_at(config, _PATHS)
    return Plan(
        copies=packaged.digest_of(place.bridge) != packaged.digest_of(None),
        links=not isinstance(linked, list) or str(place.bridge) not in linked,
        patch=_patch(place),
        jobs=jobs.of_replaced(place.host),
    )


def _patch(place: Place) -> dict[str, Any]:
    """Our keys that do not have the value they should have."""
    config = runtime.read_config(place.environ)
    wanted: dict[str, Any] = {
        f"{_ENTRY}.enabled": True,
        f"{_ENTRY}.hooks.allowConversationAccess": True,
        f"{_ENTRY}.hooks.allowPromptInjection": True,
        f"{_ENTRY}.config.python": place.python,
        _SLOT: ID,
        f"{_REPLACED}.enabled": False,
    }
    allowed = value_at(config, _ALLOW)
    if isinstance(allowed, list) and ID not in allowed:
        wanted[_ALLOW] = [*allowed, ID]
    return {key: value for key, value in wanted.items() if value_at(config, key) != value}


def install(place: Place, changes: Plan, say: Say) -> None:
    """
    Carry out a plan; when a step fails, everything is put back.

    Raises:
        OpenClawMemoryError: A step failed, or OpenClaw does not load the plugin afterwards.
    """
    if changes.is_empty:
        say("nothing to change: the bridge is installed")
        _verify(place)
        return
    try:
        _carry_out(place, changes, say)
        _verify(place)
    except OpenClawMemoryError:
        say("that did not work; putting everything back")
        _take_back(place, say, ours=True)
        raise
    say(f"installed: OpenClaw {place.host.version} now remembers with {ID} {__version__}")
    say(_RESTART)


def undoing(place: Place) -> list[str]:
    """Say what uninstall would change, one thing a line; empty when nothing is installed."""
    if receipt.load(place.folder) is None and value_at(runtime.read_config(place.environ), _ENTRY) is None:
        return []
    moment = ["if no gateway runs, start one for a moment, without channels and schedules, to see to scheduled jobs"]
    return [
        f"remove the plugin {ID} from OpenClaw",
        *(moment if _has_gateway(place) else ()),
        f"{place.config}: put back every key that the installation had changed, and {_PATHS}",
        *(f"put back the scheduled job {jobs.label(job)} of {REPLACED}" for job in _removed_jobs(place)),
        f"delete {place.folder}",
    ]


def uninstall(place: Place, say: Say) -> None:
    """
    Take the bridge out and put every key back; a configuration that nobody else wrote to becomes what it was, byte
    by byte.

    Raises:
        OpenClawMemoryError: OpenClaw refused a step.
    """
    if not undoing(place):
        say("nothing to take back: the bridge is not installed")
        return
    _take_back(place, say, ours=False)


def status(place: Place) -> dict[str, Any]:
    """Tell how things stand: JSON values."""
    changes = plan(place)
    seen = _inspect(place)
    plugin = seen.get("plugin", {})
    return {
        "openclaw": place.host.version,
        "tested": place.host.is_tested,
        "version": __version__,
        "bridge": str(place.bridge) if place.bridge.exists() else None,
        "python": place.python,
        "status": plugin.get("status", "not installed"),
        "slot": plugin.get("memorySlotSelected", False),
        "problems": [*_problems(seen), *changes.lines(place.bridge, place.config)] if plugin else [],
        "installed": bool(plugin) and changes.is_empty and not _problems(seen),
    }


def _take_back(place: Place, say: Say, *, ours: bool) -> None:
    """Undo an installation; `ours` tells that nobody else can have written since it began."""
    kept = receipt.load(place.folder)
    config = runtime.read_config(place.environ)
    untouched = kept is not None and (ours or receipt.digest(place.config) == kept.after != "")
    removed = _removed_jobs(place)
    answered = reached = jobs.take_back(place.host, removed, say)
    if value_at(config, _ENTRY) is not None or value_at(config, _SLOT) == ID:
        place.host.run("plugins", "uninstall", ID, "--force")
    if not (reached or ours) and _has_gateway(place):
        reached = _take_jobs_back_alone(place, removed, say)
    if kept is not None and untouched:
        receipt.restore(place.config, kept.before)
        say(f"{place.config} is as it was before the installation")
    else:
        _restore_keys(place, kept)
        say(f"the keys in {place.config} that the installation had changed are as they were")
    shutil.rmtree(place.folder, ignore_errors=True)
    if answered:
        say(_RESTART)
    if not reached:
        say("no gateway runs; one that was killed may have left our scheduled job enabled: look with")
        say("  openclaw cron list --all   and remove `Memory reflection` with   openclaw cron rm ID")
        for job in removed:
            say(f"put the scheduled job {jobs.label(job)} of {REPLACED} back, when a gateway runs, with")
            say(f"  {jobs.by_hand(job)}")


def _carry_out(place: Place, changes: Plan, say: Say) -> None:
    config = runtime.read_config(place.environ)
    if receipt.load(place.folder) is None:
        before = place.config.read_bytes() if place.config.exists() else None
        roots = (_SLOT, _ENTRY, _REPLACED, _ALLOW, *_HOLDERS)
        receipt.save(place.folder, receipt.Receipt(before=before, keys={key: value_at(config, key) for key in roots}))
    if changes.copies:
        packaged.write_copy(place.bridge)
        say(f"copied the bridge to {place.bridge}")
    if changes.links or changes.copies:
        place.host.run("plugins", "install", "--link", str(place.bridge), "--force", "--accept-capabilities")
        say(f"linked it as {ID}")
    left = _patch(place)
    if left:
        place.host.run("config", "patch", "--stdin", stdin=nested(left))
        say(f"wrote {len(left)} keys to {place.config}")
    kept = receipt.load(place.folder)
    if kept is not None:
        kept = attrs.evolve(kept, jobs=(*kept.jobs, *(changes.jobs or ())), python=place.python, version=__version__)
        receipt.save(place.folder, kept)
        jobs.remove(place.host, changes.jobs or (), say)
        receipt.save(place.folder, attrs.evolve(kept, after=receipt.digest(place.config)))


def _removed_jobs(place: Place) -> tuple[Job, ...]:
    """Jobs of the replaced memory that were removed, by the installation or by the bridge."""
    kept = receipt.load(place.folder)
    return jobs.first_of_each((*(kept.jobs if kept is not None else ()), *jobs.kept_by_bridge(place.folder)))


def _take_jobs_back_alone(place: Place, removed: tuple[Job, ...], say: Say) -> bool:
    """See to scheduled jobs where no gateway runs, by way of one of our own; whether that was done."""
    say("no gateway runs: starting one for a moment, without channels and schedules, to see to scheduled jobs")
    try:
        with place.host.gateway() as running:
            late = time.monotonic() + START_SECONDS
            while running.poll() is None and time.monotonic() < late:
                if jobs.take_back(place.host, removed, say):
                    return True
                time.sleep(1)
    except OpenClawMemoryError as error:
        say(f"that did not work: {error}")
    return False


def _has_gateway(place: Place) -> bool:
    """Whether a gateway of this machine is configured: without one there never was a schedule."""
    return bool(value_at(runtime.read_config(place.environ), "gateway.mode") == "local")


def _inspect(place: Place) -> dict[str, Any]:
    try:
        seen = place.host.ask("plugins", "inspect", ID, "--runtime", "--json")
    except OpenClawMemoryError:
        return {}
    return seen if isinstance(seen, dict) else {}


def _problems(seen: Mapping[str, Any]) -> list[str]:
    plugin = seen.get("plugin", {})
    said = [] if plugin.get("status") == "loaded" else [f"OpenClaw says: {plugin.get('status', 'not found')}"]
    said += [] if plugin.get("memorySlotSelected") else ["it is not in the memory slot"]
    for entry in seen.get("diagnostics") or []:
        text = entry.get("message", "") if isinstance(entry, dict) else str(entry)
        if "blocked" in text or (isinstance(entry, dict) and entry.get("level") == "error"):
            said.append(text)
    return said


def _verify(place: Place) -> None:
    problems = _problems(_inspect(place))
    if problems:
        raise OpenClawMemoryError(f"OpenClaw does not use the bridge: {'; '.join(problems)}")


def _restore_keys(place: Place, kept: receipt.Receipt | None) -> None:
    """Put back what our keys held, and nothing that somebody else wrote; without a receipt only ours goes away."""
    config = runtime.read_config(place.environ)
    old: dict[str, Any] = dict(kept.keys) if kept is not None else {_ENTRY: None, _REPLACED: None}
    new_holders = [holder for holder in _HOLDERS if old.pop(holder, {}) is None]
    replaced = old.pop(_REPLACED)
    if replaced is None and value_at(config, _REPLACED) == {"enabled": False}:
        old[_REPLACED] = None
    else:
        old[f"{_REPLACED}.enabled"] = (replaced or {}).get("enabled")
    allowed = value_at(config, _ALLOW)
    if _ALLOW in old:
        old[_ALLOW] = [name for name in allowed if name != ID] if isinstance(allowed, list) else None
    left = {key: value for key, value in old.items() if value_at(config, key) != value}
    if left:
        place.host.run("config", "patch", "--stdin", stdin=nested(left))
    config = runtime.read_config(place.environ)
    empty = {holder: None for holder in new_holders if value_at(config, holder) == {}}
    if empty:
        place.host.run("config", "patch", "--stdin", stdin=nested(empty))


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
