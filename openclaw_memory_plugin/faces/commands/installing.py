"""The commands `install`, `uninstall` and `status`: show, ask, do. Translates, decides nothing."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_memory_plugin.faces import install as installation

if TYPE_CHECKING:
    from openclaw_memory_plugin.faces.commands.render import Pen

Said = tuple[dict[str, Any], "Callable[[Pen], Sequence[str]]", int]
"""What a command has to say, for programs and for people, and the exit code."""


def add_install(parser: argparse.ArgumentParser) -> None:
    """Options of `install`."""
    add_status(parser)
    parser.add_argument("--dry-run", action="store_true", help="only tell what would be changed")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def add_status(parser: argparse.ArgumentParser) -> None:
    """Options of `status`."""
    parser.add_argument("--openclaw", metavar="PATH", help="the program `openclaw` (default: the one on the path)")


def run(args: argparse.Namespace) -> Said:
    """Carry out one of the three commands."""
    place = installation.locate(args.openclaw, os.environ, sys.executable, check=args.command == "install")
    return {"install": _install, "uninstall": _uninstall, "status": _status}[args.command](place, args)


def _install(place: installation.Place, args: argparse.Namespace) -> Said:
    changes = installation.plan(place)
    lines = changes.lines(place.bridge, place.config)
    warning = [] if place.host.is_tested else [f"OpenClaw {place.host.version} is outside the tested range"]
    payload: dict[str, Any] = {"openclaw": place.host.version, "changes": lines, "warnings": warning}
    if args.dry_run or not (changes.is_empty or _agreed([*warning, *lines], args)):
        return _nothing_done(payload, [*warning, "would change:", *(f"  {line}" for line in lines)], args)
    said = _Said(args.json)
    installation.install(place, changes, said)
    return {**payload, "done": True, "log": said.lines}, lambda pen: [], 0


def _uninstall(place: installation.Place, args: argparse.Namespace) -> Said:
    lines = installation.undoing(place)
    payload: dict[str, Any] = {"changes": lines}
    if args.dry_run or (lines and not _agreed(lines, args)):
        return _nothing_done(payload, ["would change:", *(f"  {line}" for line in lines)], args)
    said = _Said(args.json)
    installation.uninstall(place, said)
    return {**payload, "done": True, "log": said.lines}, lambda pen: [], 0


def _status(place: installation.Place, args: argparse.Namespace) -> Said:
    payload = installation.status(place)

    def lines(pen: "Pen") -> list[str]:
        state = pen("good", "installed") if payload["installed"] else pen("bad", str(payload["status"]))
        rows = [f"OpenClaw {payload['openclaw']}: {state}", f"interpreter: {payload['python']}"]
        rows += [f"bridge: {payload['bridge']}"] if payload["bridge"] else []
        rows += [f"  {problem}" for problem in payload["problems"]]
        return rows if payload["installed"] else [*rows, "run: openclaw-memory-plugin install"]

    return payload, lines, 0 if payload["installed"] else 1


def _nothing_done(payload: dict[str, Any], lines: Sequence[str], args: argparse.Namespace) -> Said:
    """Tell what would be done: well (0) for who only asked, 1 for who said no, a misuse (2) where nobody could."""
    code = 0 if args.dry_run else 1 if sys.stdin.isatty() else 2
    return {**payload, "done": False}, lambda pen: lines, code


class _Said:
    """Tells a person what happens while it happens, and keeps it for programs."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self.lines: list[str] = []

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        if not self._quiet:
            print(line, flush=True)


def _agreed(lines: Sequence[str], args: argparse.Namespace) -> bool:
    """Show what will be changed and ask, unless told not to; without anybody to ask the answer is no."""
    if args.yes:
        return True
    if not sys.stdin.isatty():
        print("nothing is changed without --yes when nobody can be asked", file=sys.stderr)
        return False
    print("this will change:", *(f"  {line}" for line in lines), sep="\n")
    return input("go on? [y/N] ").strip().lower() in ("y", "yes")
