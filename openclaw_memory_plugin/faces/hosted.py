"""
`openclaw memory WORDS`: our own command line inside OpenClaw, for the workspaces that the host names.

`status`, `search` and `index` are those of the memory that OpenClaw ships; everything else is the command line as it
is everywhere.
"""

import json
import sys
from collections.abc import Mapping, Sequence

STOCK = ("status", "search", "index")

_REFLECTS = "this memory reflects instead of dreaming; see `openclaw memory reflect --dry-run`"
ELSEWHERE = {
    "reset": "nothing to reset, the index only follows your files; `openclaw memory index --force` makes it anew",
    "promote": "core memory is kept by `openclaw memory reflect`; `pin ID` keeps a fact in it, `core diff` shows it",
    "promote-explain": "`openclaw memory explain ID` tells what a fact's score is made of",
    "rem-harness": _REFLECTS,
    "rem-backfill": _REFLECTS,
    "session-backfill": "sessions are not read again; what is worth keeping is kept at the end of each turn",
}
"""Commands of OpenClaw's own memory that this one does not have, and what to do instead."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `--agents JSON -- WORDS`, where the JSON maps agents to their workspaces, and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if len(words) < 3 or words[0] != "--agents" or words[2] != "--":
        print("openclaw memory: run through OpenClaw; elsewhere use openclaw-memory-plugin", file=sys.stderr)
        return 2
    agents: Mapping[str, str | None] = json.loads(words[1])
    words = words[3:]
    if words and words[0] in STOCK:
        from openclaw_memory_plugin.faces.host import stock_commands

        return stock_commands.main(["--agents", json.dumps(agents), *words])
    if words and words[0] in ELSEWHERE:
        print(f"openclaw memory {words[0]}: {ELSEWHERE[words[0]]}", file=sys.stderr)
        return 2
    from openclaw_memory_plugin.faces import cli

    if not words or words[0] in ("-h", "--help", "help"):
        print(
            "`openclaw memory status`, `search` and `index` answer as with OpenClaw's own memory; besides there are:\n"
        )
        return cli.main(["--help"])
    if any(word == "--workspace" or word.startswith("--workspace=") for word in words):
        return cli.main(words)
    named = _option(words, "--agent-id")
    workspace = agents.get(named.lower()) if named else next(iter(agents.values()), None)
    if workspace is None:
        known = ", ".join(agents) or "none"
        print(f"openclaw memory: unknown agent {named!r}; OpenClaw's configuration knows {known}", file=sys.stderr)
        return 2
    return cli.main(["--workspace", workspace, *words], hosted=True)


def _option(words: Sequence[str], name: str) -> str | None:
    """The value of an option, as `--name value` or `--name=value`; nothing counts after `--`."""
    for number, word in enumerate(words):
        if word == "--":
            return None
        if word == name:
            return words[number + 1] if number + 1 < len(words) else None
        if word.startswith(f"{name}="):
            return word.split("=", 1)[1]
    return None


if __name__ == "__main__":
    sys.exit(main())
