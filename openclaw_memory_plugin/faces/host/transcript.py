"""From the host's messages to one exchange: the user's words without what the host or we put around them."""

import re
from collections.abc import Sequence

from openclaw_memory_hookspecs import Message
from openclaw_memory_plugin.guard import strip_injected

LONGEST = 100_000
"""Characters kept of one message; what is worth remembering stands at its beginning or not at all."""

SILENT = ("HEARTBEAT_OK", "NO_REPLY")

_ROLES = {"user": "user", "assistant": "assistant", "toolResult": "tool", "tool": "tool"}
_CONTEXT = re.compile(r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>|\Z)", re.DOTALL)
_METADATA = re.compile(
    r"^[^\n]{1,120}(?: \(untrusted[^\n)]*\):| ⟦openclaw:ctx⟧)[ \t]*\n(?:```[a-z]*\n.*?\n```[ \t]*(?:\n|\Z))?",
    re.DOTALL | re.MULTILINE,
)
_STAMP = re.compile(r"\A\[[^\]\n]{4,160}\d{2}:\d{2}[^\]\n]{0,40}\][ \t]*")

_SPEAKER = re.compile(r"\A[^\s:][^:\n]{0,60}: ")
_LABEL = re.compile(r"\A(?:user|\(self\)): ", re.IGNORECASE)


def own_words(text: str) -> str:
    """Take away what the channel, the host and we ourselves wrapped around the user's words."""
    bare = strip_injected(_CONTEXT.sub("", text[:LONGEST]))
    bare = _METADATA.sub("", bare).strip()
    spoken = _STAMP.sub("", bare)
    if spoken != bare:
        spoken = _SPEAKER.sub("", spoken, count=1)
    return _LABEL.sub("", spoken, count=1).strip()


def last_exchange(messages: Sequence[tuple[str, str]]) -> tuple[Message, ...]:
    """
    Keep what was said from the user's last message on, as (role, text) oldest first.

    A message that holds nothing but the host's own context is not the user's; without any user message the result is
    empty.
    """
    kept: list[Message] = []
    for role, text in reversed(messages):
        plain = _ROLES.get(role)
        if plain is None:
            continue
        words = own_words(text) if plain == "user" else text[:LONGEST]
        if plain == "user" and not words and text.strip():
            continue
        kept.append(Message(role=plain, text=words))
        if plain == "user":
            return tuple(reversed(kept))
    return ()


def is_silent(reply: str) -> bool:
    """Tell whether a whole reply is one of the host's words for saying nothing."""
    return reply.strip().strip("*_`.") in SILENT
