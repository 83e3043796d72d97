"""The grammar of the command line: commands, options, and the values people write for them."""

import argparse
import datetime as dt
import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from openclaw_memory_hookspecs import Kind
from openclaw_memory_plugin.errors import UsageError

PROGRAM = "openclaw-memory-plugin"

_PLAIN = "\0 "
"""Put before text that begins with one dash: argparse takes what holds a blank for text, and no argument has a NUL."""

_FLAGS = frozenset(("--json", "--version", "--help"))
_GLOBAL = _FLAGS | {"--workspace", "--agent-id", "--now", "--config"}
"""What may stand before a command."""

_DURATION = re.compile(r"(\d{1,6})\s*([hdwy])", re.IGNORECASE | re.ASCII)
_DAYS = {"d": 1.0, "w": 7.0, "y": 365.25, "h": 1 / 24}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_LETTERS = {kind.letter: kind for kind in Kind if kind.letter}


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """
    Parse a command line; `command` names what to do.

    Global options may stand before or after the command. Only `--name` is an option (and `-h`): other words that
    begin with one dash are text, and after `--` everything is.

    `help` is `--help`, of a command too.

    Raises:
        SystemExit: 2 where there is no command at all, 0 after printing help.
        UsageError: A line that is not understood; says what may have been meant, and the usage of the command.
    """
    if arguments and arguments[0] == "help":
        arguments = [*arguments[1:], "--help"]
    _refuse_early(arguments)
    words = [f"{_PLAIN}{word}" if _is_dashed_text(word) else word for word in arguments]
    shared = _Parser(add_help=False, argument_default=argparse.SUPPRESS, allow_abbrev=False, formatter_class=_Help)
    _add_shared(shared)
    parser = _Parser(
        prog=PROGRAM,
        parents=[shared],
        allow_abbrev=False,
        formatter_class=_Help,
        description="Memory for OpenClaw agents: Markdown stays the truth, recall is cited.",
        epilog="The alias `ocmem` is the same program. `COMMAND --help` tells the options of a command.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    # A parser takes a third of a millisecond to make, its options more: usually one command is enough.
    named = [name for name in COMMANDS if name in words]
    for name in COMMANDS if not named or "-h" in words or "--help" in words else named:
        summary, add_options = COMMANDS[name]
        command = commands.add_parser(
            name,
            help=summary,
            description=MORE.get(name, summary),
            parents=[shared] if name in named else [],
            allow_abbrev=False,
            formatter_class=_Help,
        )
        if name in named:
            add_options(command)
    found, unknown = parser.parse_known_args(words)
    if unknown:
        _refuse_unknown(unknown[0].removeprefix(_PLAIN), commands.choices.get(found.command, parser))
    for key, value in vars(found).items():
        if isinstance(value, list):
            setattr(found, key, [item.removeprefix(_PLAIN) for item in value])
        elif isinstance(value, str):
            setattr(found, key, value.removeprefix(_PLAIN))
    for key, default in (("workspace", None), ("agent_id", None), ("now", None), ("config", None), ("json", False)):
        if not hasattr(found, key):
            setattr(found, key, default)
    if found.command is None and not found.version:
        parser.print_help()
        raise SystemExit(2)
    return found


def _refuse_early(arguments: Sequence[str]) -> None:
    """
    Say so when what stands first is neither a global option nor a command.

    argparse would take the value of another option for the command, and list all commands for a misspelt one.
    """
    position = 0
    while position < len(arguments) and arguments[position].startswith("--") and arguments[position] != "--":
        name, given, _ = arguments[position].partition("=")
        if name not in _GLOBAL:
            command = next((word for word in arguments if word in COMMANDS), "COMMAND")
            raise UsageError(
                f"{name} is no option of the program{meaning(name, _GLOBAL)}; those of a command stand behind it: "
                f"{PROGRAM} {command} … {name}"
            )
        position += 1 if given or name in _FLAGS else 2
    word = arguments[position] if position < len(arguments) else "-h"
    if word not in COMMANDS and word not in ("-h", "--"):
        raise UsageError(
            f"there is no command {word!r}{meaning(word, COMMANDS)}\nusage: {PROGRAM} COMMAND …; --help lists them"
        )


def _refuse_unknown(word: str, command: argparse.ArgumentParser) -> NoReturn:
    """Say what a command does not take. Raises UsageError."""
    known = [option for action in command._actions for option in action.option_strings]
    what = f"does not know {word}{meaning(word, known)}" if word.startswith("--") else f"takes no {word!r} as well"
    name = command.prog.removeprefix(f"{PROGRAM} ")
    raise UsageError(f"{name} {what}\n{command.format_usage().strip()}")


def meaning(word: str, known: Iterable[str]) -> str:
    """Ask whether something known was meant: ` (did you mean recall?)`, or "" when nothing is like it."""
    import difflib

    close = difflib.get_close_matches(word.lower(), list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def parse_kind(text: str) -> Kind:
    """
    Read a kind by its letter or its name, in any case.

    Raises:
        UsageError: It is neither.
    """
    word = text.strip()
    kind = _LETTERS.get(word.upper()) or next((kind for kind in Kind if kind.value == word.lower()), None)
    if kind is None:
        known = ", ".join(f"{kind.letter} {kind.value}" if kind.letter else kind.value for kind in Kind)
        raise UsageError(f"unknown kind {text!r}; the kinds are {known}")
    return kind


def parse_number(text: str, name: str) -> float:
    """
    Read a decimal number as people write it, without exponents or digit groups.

    Raises:
        UsageError: It is none; whether it is in range is for whoever takes it.
    """
    if not _NUMBER.fullmatch(text.strip()):
        raise UsageError(f"{name} must be a number in [0, 1], got {text!r}")
    return float(text)


def unit(text: str | None, name: str) -> float | None:
    """Read the number of an option; None where it was not given. Raises UsageError like `parse_number`."""
    return None if text is None else parse_number(text, name)


def parse_day(text: str, name: str, *, now: dt.datetime, today: dt.date) -> dt.date:
    """
    Read `2025-11-27`, `today`, `yesterday`, or a duration before now: `12h`, `30d`, `2w`, `1y`.

    `today` is the owner's day at `now`, in whose zone the answer is.

    Raises:
        UsageError: It is none of these, or a day that does not exist.
    """
    word = text.strip().lower()
    if word in ("today", "yesterday"):
        return today - dt.timedelta(days=word == "yesterday")
    duration = _DURATION.fullmatch(word)
    try:
        if duration:
            amount, unit = int(duration[1]), duration[2]
            if unit == "h":
                return (_local(now, today) - dt.timedelta(hours=amount)).date()
            return today - dt.timedelta(days=amount * _DAYS[unit])
        return dt.date.fromisoformat(word)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{name}: {text!r} is no day; write 2025-11-27, today, yesterday, or a time before now such as 30d, 2w, 12h"
        ) from None


def parse_instant(text: str, zone: dt.tzinfo | None) -> dt.datetime:
    """
    Read an ISO 8601 instant; without an offset it is local in `zone` (None: the system's).

    Raises:
        UsageError: It is none.
    """
    try:
        moment = dt.datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone) if zone else moment.astimezone()
        return moment.astimezone(dt.UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"--now: {text!r} is no instant; write it as 2025-11-27T14:30:00+01:00") from None


class _Parser(argparse.ArgumentParser):
    """Raises what argparse would print, so that all errors look and end alike."""

    def error(self, message: str) -> NoReturn:
        """Refuse the line, with the usage of the command that it is for."""
        raise UsageError(f"{message}\n{self.format_usage().strip()}")


class _Help(argparse.HelpFormatter):
    """As wide as the terminal. argparse asks shutil for that, which costs a cold start 3 ms that it never looks at."""

    def __init__(self, prog: str) -> None:
        try:
            columns = os.get_terminal_size().columns
        except (OSError, ValueError):
            columns = 100
        super().__init__(prog, width=max(60, columns - 2))


def _local(now: dt.datetime, today: dt.date) -> dt.datetime:
    """Give the owner's wall clock at `now`, told from what day it is there: exact to the half day that matters."""
    utc = now.astimezone(dt.UTC).replace(tzinfo=None)
    return utc + (today - utc.date())


def _is_dashed_text(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and word[1] != "-" and word != "-h" and not _NUMBER.fullmatch(word)


def _add_shared(parser: argparse.ArgumentParser) -> None:
    common = parser.add_argument_group("common options")
    common.add_argument("--workspace", metavar="PATH", help="the agent's folder (default: OpenClaw's)")
    common.add_argument("--agent-id", metavar="ID", help="the agent whose workspace OpenClaw's configuration names")
    common.add_argument("--now", metavar="ISO8601", help="pretend that it is this instant")
    common.add_argument("--config", metavar="FILE", help="settings to use instead of .memory/config.yaml")
    common.add_argument("--json", action="store_true", help="answer with one JSON object")


def _recall(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="QUERY", help="the question, as you would ask it")
    parser.add_argument("--k", type=int, metavar="N", help="at most so many hits (default 10)")
    parser.add_argument("--budget-tokens", type=int, metavar="N", help="at most so many tokens over all contents")
    parser.add_argument("--min-salience", metavar="X", help="only facts at least so important, 0 to 1")
    _add_window(parser)
    parser.add_argument("--around", metavar="D", help="prefer facts near this day")
    _add_filters(parser)
    parser.add_argument("--associative-depth", type=int, metavar="N", help="hops over connected entities, 0 to 3")
    parser.add_argument("--activation-decay", metavar="X", help="what a hop hands on, 0 to 1 (default 0.5)")
    parser.add_argument("--include-archived", action="store_true", help="search the archive too")
    parser.add_argument("--no-track", action="store_true", help="do not count this as an access")
    parser.add_argument("--no-cutoff", action="store_true", help="return up to k hits, however weak")
    _add_vectors(parser)
    parser.add_argument("--debug", action="store_true", help="show how each hit was found")


def _add_vectors(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--vectors", action="store_true", help="wait until the sentence encoder is loaded (or set vectors.wait)"
    )


def _explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="id of a fact, or its beginning")
    parser.add_argument("--query", metavar="Q", help="tell what the fact scores for this question, and why")
    parser.add_argument("--associative-depth", type=int, metavar="N", help="hops over connected entities, 0 to 3")
    _add_vectors(parser)


def _facts(parser: argparse.ArgumentParser) -> None:
    _add_window(parser)
    _add_filters(parser)
    parser.add_argument("--task", choices=("open", "done"), help="only tasks that are still to do, or done")
    parser.add_argument("--include-archived", action="store_true", help="list archived facts too")


def _entity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="+", metavar="NAME", help="name or alias, with or without @; `merge A B` makes B an alias of A"
    )


def _sync(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rebuild", action="store_true", help="read every file again into a new index")


def _of(room: str, name: str) -> Callable[[argparse.ArgumentParser], None]:
    """Return the options of a command of another module here, imported when it is wanted."""

    def add(parser: argparse.ArgumentParser) -> None:
        import importlib

        module = importlib.import_module(f"openclaw_memory_plugin.faces.commands.{room}")
        getattr(module, f"add_{name}")(parser)

    return add


def _nothing(parser: argparse.ArgumentParser) -> None:
    """Take no options of its own."""


def _add_window(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="D", help="only from this day on: 2025-11-27, or 30d, 2w, 12h before now")
    parser.add_argument("--until", metavar="D", help="only up to this day")


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kind", action="append", default=[], metavar="KIND", help="only this kind; may be repeated: any of them"
    )
    parser.add_argument(
        "--entity",
        action="append",
        default=[],
        metavar="NAME",
        help="only about it; may be repeated: about all of them",
    )


MORE = {
    "maintain": "Put away what is not worth keeping in sight; a preview unless told to apply. An ordinary fact that "
    "nobody recalls fades below the default threshold in about five and a half weeks, one of low salience sooner. What "
    "is pinned, salient, still ahead, an open task, about safety, or outside memory/ stays. What was archived is in no "
    "answer that does not ask for the archive, and `restore ID` brings it back.",
}
"""What `--help` of a command tells beyond its one line."""

COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "init": ("make a folder a workspace", _nothing),
    "sync": ("bring the index up to date with the files", _sync),
    "retain": ("write one fact into the daily log", _of("retaining", "retain")),
    "recall": ("answer a question from the facts, with citations", _recall),
    "explain": ("tell everything about one fact, and why it was found", _explain),
    "facts": ("list the facts", _facts),
    "entity": ("tell what is known about somebody; `entity merge A B` makes two one", _entity),
    "stats": ("count what is in memory", _nothing),
    "reflect": ("revise pages, opinions and core memory", _of("reflection", "reflect")),
    "opinion": ("explain opinions, settle what is unsure", _of("reflection", "opinion")),
    "core": ("review what is proposed for core memory", _of("reflection", "core")),
    "pin": ("keep facts in core memory", _of("reflection", "pin")),
    "unpin": ("let facts take their chance again", _of("reflection", "pin")),
    "archive": ("hide facts from recall, reversibly", _of("upkeep", "archive")),
    "restore": ("show archived facts again", _of("upkeep", "restore")),
    "forget": ("erase facts for good", _of("upkeep", "forget")),
    "history": ("list what we changed in Markdown, with the diff", _of("upkeep", "history")),
    "undo": ("take a change of ours back", _of("upkeep", "undo")),
    "maintain": (
        "put away what is not worth keeping in sight; a preview unless told to apply",
        _of("upkeep", "maintain"),
    ),
    "feedback": ("tell whether a recalled fact was of use", _of("upkeep", "feedback")),
    "doctor": ("look for what is wrong; exit 1 when something is", _nothing),
    "plugins": ("list plugins and what they get to see", _nothing),
    "install": ("connect this package to OpenClaw", _of("installing", "install")),
    "uninstall": ("take it out of OpenClaw again", _of("installing", "install")),
    "status": ("tell whether OpenClaw uses it", _of("installing", "status")),
    "demo": ("walk through retain, recall and explain in a temporary workspace", _nothing),
}
