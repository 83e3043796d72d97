"""Facts -> Markdown: the strict one-line bullet, where it goes, and the id a statement has."""

import datetime as dt
import re
import unicodedata
from collections.abc import Sequence

from openclaw_memory_hookspecs import Draft, Kind
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.guard import REDACTED, hidden, one_line, redact, tells_nothing
from openclaw_memory_plugin.markdown.attributes import write_attributes
from openclaw_memory_plugin.markdown.blocks import HEADING, outline
from openclaw_memory_plugin.markdown.inline import escape
from openclaw_memory_plugin.markdown.sections import heading_text, is_retain
from openclaw_memory_plugin.names import bare_name, is_name, name_key

LONGEST = 8000
"""Characters of one statement."""

_HEADING = re.compile(r"#{1,6}[ \t]")
_NOT_IN_HEAD = re.compile(r"[\s@＠:：,，、/&;；()（）\[\]<>*_`~\\\"!?。；！？|]+")


def fact_id(kind: Kind, content: str, heads: Sequence[str]) -> str:
    """
    Return the id of a statement: 12 hex digits of its kind, normalised text and head names as written.

    Case, Unicode form and runs of blanks make no difference; nothing that depends on other files does.
    """
    import hashlib

    text = content if content.isascii() else unicodedata.normalize("NFKC", content)
    parts = [kind.value, " ".join(text.casefold().split()), *sorted({name_key(head) for head in heads})]
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()


def clean_text(text: str) -> str:
    """Return a statement as it will be stored: one line, secrets redacted, NFC."""
    text = unicodedata.normalize("NFC", text)
    return unicodedata.normalize("NFC", one_line(redact(one_line(redact(text)))))


def clean_names(names: Sequence[str]) -> tuple[str, ...]:
    """
    Return names as they are written before the colon, each once: blanks become hyphens, separators are dropped.

    Raises:
        UsageError: One of them cannot be a name.
    """
    cleaned: dict[str, str] = {}
    for name in names:
        head = _NOT_IN_HEAD.sub("-", bare_name(unicodedata.normalize("NFC", one_line(name)))).strip("-.'’·・,;+ ＋")
        plus = "++" if bare_name(name).rstrip().endswith("++") else ""
        head = bare_name(head) + plus
        if not is_name(head) or not any(char.isalnum() for char in head):
            raise UsageError(f"{name!r} cannot be an entity; use a name with letters, such as Peter or C++")
        cleaned.setdefault(name_key(head), head)
    return tuple(cleaned.values())


def check_statement(text: str) -> None:
    """
    Refuse a new statement that is too long to be one, or of which only the name of a secret would be left.

    Raises:
        UsageError: It is either.
    """
    if len(text) > LONGEST:
        message = f"the text has {len(text)} characters, a statement {LONGEST} at most"
        raise UsageError(f"{message}; say in one sentence what to remember, or write it into a page of its own")
    if tells_nothing(clean_text(text)):
        raise UsageError("the text is empty, or all of it secret; say in one sentence what to remember")


def write_bullet(draft: Draft) -> str:
    """
    Return the one-line bullet of a draft, `- B(s=0.95) @Sarah @project: Sarah …`; reading it gives the draft back.

    The text is cleaned as by `clean_text`, names as by `clean_names`.

    Raises:
        UsageError: The text is empty or a secret, a name cannot be one, or the kind has no letter.
    """
    if draft.kind.letter is None:
        raise UsageError("a note has no typed form; retain it as W, B, O or S")
    text = clean_text(draft.text)
    if not any(char.isalnum() for char in text.replace(REDACTED, "")):
        raise UsageError("the text is empty, or all of it secret; say in one sentence what to remember")
    heads = "".join(f" @{name}" for name in clean_names(draft.entities))
    bullet = f"- {draft.kind.letter}{write_attributes(draft)}{heads}: {escape(text)}"
    if redact(bullet) != bullet:
        raise UsageError("after these names the text reads as a secret, which is never kept; reword it")
    return bullet


def append_bullet(text: str, bullet: str, *, day: dt.date) -> tuple[str, int]:
    """
    Append a bullet to the last Retain section of a daily log and return the new text and the bullet's 1-based line.

    Without such a section a new `## Retain` is opened at the end, but before anything unclosed that would swallow it.
    Line endings, BOM and the rest of the text stay as they are; an empty text becomes a new log of that day.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return f"{mark}# {day.isoformat()}{newline}{newline}## Retain{newline}{bullet}{newline}", 4
    lines = text.split("\n")
    limit = _limit(text, len(lines))
    after = _end_of_retain(text, lines, limit)
    if after is not None:
        added = [bullet]
    else:
        after = limit
        while after > 0 and not lines[after - 1].strip():
            after -= 1
        added = ["", "## Retain", bullet] if after else ["## Retain", bullet]
    ending = "\r" if newline == "\r\n" else ""
    number = after + len(added)
    following = next((line for line in lines[after:] if line.strip()), "")
    if following.startswith((" ", "\t")):
        added += ["", "---", ""]  # an indented line below would belong to the bullet
    elif after < len(lines) and lines[after].strip() and not _HEADING.match(lines[after]):
        added.append("")
    before, rest = lines[:after], lines[after:]
    if not rest:
        before[-1] += "" if before[-1].endswith("\r") else ending
        rest = [""]
    return mark + "\n".join([*before, *(line + ending for line in added), *rest]), number


def _limit(text: str, total: int) -> int:
    """Number of lines before which new text is read."""
    unclosed = outline(redact(text)).unclosed
    limit = total if unclosed is None else unclosed - 1
    for begin, end in reversed(hidden(text)):
        first = text.count("\n", 0, begin)
        if first < limit and (end == len(text) or limit <= text.count("\n", 0, end)):
            limit = first
    return limit


def _end_of_retain(text: str, lines: list[str], limit: int) -> int | None:
    """Index after the last line of the last Retain section, before its subsections; None without one."""
    blocks = outline(redact(text)).blocks
    found: int | None = None
    for number, block in enumerate(blocks):
        if block.kind is not HEADING or block.line > limit:
            continue
        if is_retain(one_line(heading_text(" ".join(line for _, line in block.lines)))):
            following = next((other.line for other in blocks[number + 1 :] if other.kind is HEADING), len(lines) + 1)
            found = min(following - 1, limit)
            while found > block.end and not lines[found - 1].strip():
                found -= 1
    return found
