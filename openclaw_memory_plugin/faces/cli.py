"""
The command line `openclaw-memory-plugin` (alias `ocmem`): translates, decides nothing.

Exit 0 when the command did what it says (also when nothing was found), 1 when it failed or `doctor` found something,
2 when it was not understood. With `--json` one object goes to standard output, errors always to standard error.
"""

import contextlib
import gc
import os
import sys
from collections.abc import Sequence

from openclaw_memory_plugin.errors import MissingWorkspaceError, OpenClawMemoryError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    import datetime as dt
    from contextlib import AbstractContextManager
    from pathlib import Path

    from openclaw_memory_plugin.builtin import Memory
    from openclaw_memory_plugin.config import Config
    from openclaw_memory_plugin.faces.commands import Answer
    from openclaw_memory_plugin.index.sync import Progress

PROGRAM = "openclaw-memory-plugin"


def main(arguments: Sequence[str] | None = None, *, hosted: bool = False) -> int:
    """
    Run one command line and return its exit code.

    Args:
        hosted: The host names the workspace, which then may be as empty as it likes.
    """
    # A command lives for a moment and makes few cycles: looking for them would cost it a tenth of its time.
    gc.set_threshold(50_000, 20, 20)
    _open_closed_streams()
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments), hosted=hosted)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 2
    except UsageError as error:
        return _complain(error, 2)
    except OpenClawMemoryError as error:
        return _complain(error, 1)
    except BrokenPipeError:
        # Whoever read our output has enough; the interpreter must not complain about it when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _complain("interrupted; Markdown and index are as they were", 1)
    except OSError as error:
        return _complain(error, 1)
    except Exception as error:
        import sqlite3

        if not isinstance(error, sqlite3.Error):
            raise
        return _complain(f"the index: {error}; it may be deleted, `sync` makes it anew", 1)


def _open_closed_streams() -> None:
    """Let who closed our output hear nothing; what is opened next would else be written to in its place."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  as long as the process lives


def _run(arguments: list[str], *, hosted: bool) -> int:
    from openclaw_memory_plugin.faces.commands import options

    args = options.parse(arguments)
    if args.version:
        from openclaw_memory_plugin import __version__

        print(f"{PROGRAM} {__version__}")
        return 0
    answer = _answer(args, hosted=hosted)
    _print(answer, args.json)
    return answer.code


def _answer(args: "argparse.Namespace", *, hosted: bool) -> "Answer":
    from openclaw_memory_plugin.faces import commands

    if args.command == "demo":
        from openclaw_memory_plugin.faces.commands.demo import walk

        return commands.Answer(*walk())
    if args.command in ("install", "uninstall", "status"):
        from openclaw_memory_plugin.faces.commands import installing

        return commands.Answer(*installing.run(args))
    if args.command == "init":
        return commands.init(
            root_of(args), lambda: _open(args, anywhere=True), lambda memory: _instant(args, memory.workspace.zone)
        )
    with _open(args, anywhere=hosted) as memory, _progress() as memory.progress:
        return commands.COMMANDS[args.command](memory, args, _instant(args, memory.workspace.zone))


def _progress() -> "AbstractContextManager[Progress | None]":
    """Show a person at a terminal how far the reading of many changed files has come; nobody else."""
    if not sys.stderr.isatty():
        return contextlib.nullcontext()
    from openclaw_memory_plugin.faces.commands.progress import shown

    return shown("Reading")


def _print(answer: "Answer", as_json: bool) -> None:
    if as_json:
        import json

        text = json.dumps(answer.payload, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None)
        try:
            text.encode(sys.stdout.encoding or "utf-8")
        except UnicodeEncodeError:
            text = json.dumps(answer.payload)
        print(text)
    else:
        from openclaw_memory_plugin.faces.commands import render

        render.write(answer.lines(render.Pen.for_stream(sys.stdout)), sys.stdout)
    sys.stdout.flush()


def _complain(error: object, code: int) -> int:
    from openclaw_memory_plugin.faces.commands import render

    first, *rest = (render.safe(line) for line in str(error).split("\n"))
    render.write([f"{PROGRAM}: {first}", *rest], sys.stderr)
    return code


def root_of(args: "argparse.Namespace") -> "Path":
    """Return the workspace that a command line names: `--workspace`, else that of the agent."""
    from pathlib import Path

    if args.workspace:
        return Path(args.workspace).expanduser()
    from openclaw_memory_plugin.config.runtime import workspace_of

    return workspace_of(args.agent_id, os.environ)


def _open(args: "argparse.Namespace", *, anywhere: bool) -> "Memory":
    from pathlib import Path

    from openclaw_memory_plugin.builtin import Memory
    from openclaw_memory_plugin.config import load_config

    root = root_of(args)
    config = load_config(root, Path(args.config).expanduser()) if args.config else None
    if not anywhere and root.is_dir():
        _refuse_others(root, config)
    return Memory.open(root, config=config)


def _refuse_others(root: "Path", config: "Config | None") -> None:
    """Create nothing in a folder that is no workspace: the path was mistyped, or `init` is wanted first."""
    from openclaw_memory_plugin.workspace.known import is_workspace

    if not is_workspace(root, config.extra_paths if config else ()):
        raise MissingWorkspaceError(
            f"{root} is not a workspace yet: it has neither memory/ nor MEMORY.md; make it one with: "
            f"{PROGRAM} init --workspace {root}, or name another one with --workspace or OPENCLAW_WORKSPACE"
        )


def _instant(args: "argparse.Namespace", zone: "dt.tzinfo | None") -> "dt.datetime":
    import datetime as dt

    from openclaw_memory_plugin.faces.commands import options

    return options.parse_instant(args.now, zone) if args.now else dt.datetime.now(dt.UTC)
