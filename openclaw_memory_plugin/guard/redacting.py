"""Secrets out of a text before any sink; what is invisible, full width or decomposed does not hide one."""

import re
import unicodedata
from collections.abc import Callable, Iterator

from openclaw_memory_plugin.guard import shapes

REDACTED = "[REDACTED]"

PRIVATE = "a private stretch"
"""The kind of what is hidden because somebody wrote `<private>` around it."""

_INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_DISGUISED = re.compile(rf"[{_INVISIBLE}Ａ-Ｚａ-ｚ０-９＜＞／＿－]")
_UNSEEN = re.compile(f"[{_INVISIBLE}]")
_PLAIN_PIECE = re.compile("[A-Za-z0-9<:=|-]")
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_REST_OF_CLAUSE = re.compile(r"[\"'`*]{0,3}[ \t]*(?:$|[\n\r,;，；。、)）<|]|[.!?](?:\s|$))", re.M)
_REST_OF_VALUE = re.compile(r"[^\s\"'`;，；。、<>（）]*+")
_NO_CLUE: frozenset[str] = frozenset()
_LONGEST_CLUE = 64
_MOST_CLUES = 60_000
_LONGEST_VALUE = 256
_LONG_WORD = 16


def redact(text: str) -> str:
    """
    Return the text with secrets and `<private>` stretches replaced by `[REDACTED]`.

    Idempotent, and every LF stays where it was, so that line numbers hold. An unclosed `<private>` or key block hides
    everything to the end. Meant for what enters the index, an answer or a new line; never for rewriting a file.
    A line in which invisible characters hid a secret loses them, any other keeps them.
    """
    clues = _clues(text)
    if "disguised" not in clues:
        return _redacted(text, clues)
    bare = _undisguised(text)
    clean = _redacted(bare, _clues(bare))
    if clean == bare:
        return text
    lines = zip(text.split("\n"), bare.split("\n"), clean.split("\n"), strict=True)
    return "\n".join(written if before == after else after for written, before, after in lines)


def secrets(text: str) -> list[tuple[int, str]]:
    """Return the line (1-based) and the kind of every secret, in order; `<private>` stretches are no secrets."""
    clues = _clues(text)
    if "disguised" in clues:
        text = _undisguised(text)
        clues = _clues(text)
    found: list[tuple[int, str]] = []
    before = text.split("\n")
    for kind, redacted in _passes(text, clues):
        after = redacted.split("\n")
        if kind != PRIVATE and after != before:
            lines = enumerate(zip(before, after, strict=True), 1)
            found += [(line, kind) for line, (old, new) in lines if new.count(REDACTED) > old.count(REDACTED)]
        before = after
    return sorted(found)


def tells_nothing(text: str) -> bool:
    """Tell whether a redacted text has nothing left but what the secret was called."""
    if REDACTED in text:
        text = re.sub(shapes.NOTHING, " ", text, flags=re.I)
    return not any(map(str.isalnum, text))


def hidden(text: str) -> list[tuple[int, int]]:
    """Return the stretches (begin, end) of `<private>` and key blocks; an unclosed one ends with the text."""
    if "disguised" not in _clues(text):
        return sorted([*_private(text), *_armoured(text)])
    places = [place for place, char in enumerate(text) if not _UNSEEN.match(char)]
    bare = "".join(map(text.__getitem__, places)).translate(_HALF_WIDTH)
    places.append(len(text))
    return [(places[begin], places[end]) for begin, end in sorted([*_private(bare), *_armoured(bare)])]


def _undisguised(text: str) -> str:
    """The text as it is compared: composed, without invisible characters, letters and digits of half width."""
    return _DISGUISED.sub(
        lambda match: _UNSEEN.sub("", match[0]).translate(_HALF_WIDTH), unicodedata.normalize("NFC", text)
    )


def _clues(text: str) -> frozenset[str]:
    return _NO_CLUE.union(*set(map(_CLUES.__getitem__, text.split())))


def _redacted(text: str, clues: frozenset[str]) -> str:
    for _, redacted in _passes(text, clues):
        text = redacted
    return text


def _passes(text: str, clues: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Redact one kind of secret after the other; give each kind and the text without it, line feeds kept."""
    if "<" in text:
        text = _hide(text, _private(text))
        yield PRIVATE, text
    if "BEGIN" in text:
        text = _hide(text, _armoured(text))
        yield "a key block", text
    if "address" in clues:
        text = shapes.URL_LOGIN.sub(lambda m: f"{m[1] or m[2]}{REDACTED}", text)
        yield "a password in an address", text
        text = shapes.WEBHOOK.sub(lambda m: f"{m[1] or m[2]}{REDACTED}", text)
        yield "the address of a webhook", text
    if "code" in clues:
        text = shapes.TOKEN.sub(REDACTED, shapes.WRAPPED.sub(_without_wrapped, text))
        yield "an access key or token", text
    if "login" in clues:
        text = re.sub(shapes.AUTHORIZATION, lambda m: f"{m[1] or m[2]}{REDACTED}", text)
        yield "a login of an HTTP header", text
    if "cookie" in clues:
        text = re.sub(shapes.COOKIE, rf"\1{REDACTED}", text)
        yield "a cookie", text
    if "shell" in clues:
        text = re.sub(shapes.SHELL_LOGIN, lambda m: f"{m[1] or m[2] or m[3]}{REDACTED}", text)
        yield "a password of a command", text
    if "word" in clues:
        text = _without_values(text, re.compile(shapes.ASSIGNED, re.I), _is_secret)
        yield "a password or key", text
    if "number" in clues:
        text = _without_values(text, re.compile(shapes.PIN, re.I), _is_pin)
        yield "a PIN or code", text


def _hide(text: str, stretches: Iterator[tuple[int, int]]) -> str:
    parts: list[str] = []
    done = 0
    for begin, end in stretches:
        parts += (text[done:begin], REDACTED, "\n" * text.count("\n", begin, end))
        done = end
    return "".join((*parts, text[done:])) if parts else text


def _private(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of `<private>`, each with those inside it."""
    begin = depth = 0
    for tag in shapes.PRIVATE.finditer(text):
        if tag["close"] is None:
            begin = begin if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield begin, tag.end()
    if depth:
        yield begin, len(text)


def _armoured(text: str) -> Iterator[tuple[int, int]]:
    done = 0
    while (start := shapes.ARMOUR_OPEN.search(text, done)) is not None:
        stop = shapes.ARMOUR_CLOSE.search(text, start.end())
        done = stop.end() if stop else len(text)
        yield start.start(), done


def _without_wrapped(match: re.Match[str]) -> str:
    """Take out both halves of a token, when the second looks like a half and together they are one."""
    whole = shapes.TOKEN.match(match["head"] + match["tail"])
    if not _is_mixed(match["tail"]) or whole is None or whole.end() <= len(match["head"]):
        return match[0]
    between = match.string[match.end("head") : match.start("tail")]
    return f"{REDACTED}{between}{REDACTED}"


def _without_values(text: str, pattern: re.Pattern[str], secret: Callable[[re.Match[str], str, int], bool]) -> str:
    """Replace each value that the pattern finds and that is secret; what is none may begin the next match."""
    parts: list[str] = []
    done = position = 0
    while (match := pattern.search(text, position)) is not None:
        name = next(name for name in shapes.VALUES if match.re.groupindex.get(name) and match[name] is not None)
        begin, end = match.span(name)
        value = match[name]
        if name == "value":
            value = value.rstrip(".,!?")
            if value.endswith(")") and "(" not in value:
                value = value[:-1].rstrip(".,!?")
            end = begin + len(value)
        if not secret(match, value, end):
            position = begin
            continue
        if match.end() - begin >= _LONGEST_VALUE:
            end = _REST_OF_VALUE.match(text, end).end()  # type: ignore[union-attr]  # it matches nothing, too
        parts += (text[done:begin], REDACTED)
        done = position = end
    return "".join((*parts, text[done:])) if parts else text


def _is_secret(match: re.Match[str], value: str, end: int) -> bool:
    if len(value) < 3 or value.startswith(REDACTED):
        return False
    if len(value) >= _LONGEST_VALUE:
        return True
    mixed = _is_mixed(value)
    if value[0] == "[" and not match["equals"]:
        return mixed and "](" not in value
    vague = match["label"][:5].lower() in ("token", "secre")
    if match["bracket"] is not None:
        return mixed or (not match["label"].isascii() and value.isascii() and len(value) >= 4)
    if match["equals"] or (match["value"] is None and not match["cell"]) or match["quote"]:
        return True
    alone = bool(_REST_OF_CLAUSE.match(match.string, end))
    if match["colon"]:
        if not any(map(str.isascii, value)) and re.match(shapes.NO_VALUE, value):
            return False
        between = match.string[match.end("colon") : end - len(value)]
        far = between.count("\n") > 1 or any(mark in between for mark in "-+")
        return mixed or (alone and not far and (not vague or len(value) >= _LONG_WORD))
    if match["option"] and not match["verb"]:
        return mixed
    if mixed or (alone and value.isdigit() and len(value) >= 4 and not (vague and not match["verb"])):
        return True
    return bool(
        alone
        and match["verb"]
        and not vague
        and match["verb"].split()[0].lower() in ("is", "was")
        and len(value) >= _LONG_WORD
        and value.isascii()
        and value.isalpha()
        and not re.match(shapes.PREDICATE, value)
    )


def _is_mixed(value: str) -> bool:
    """Whether it has letters and digits, as no word has."""
    return len(value) >= 6 and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_pin(match: re.Match[str], value: str, end: int) -> bool:
    return len(value) > 3 or bool(match["card"])


class _Clues(dict[str, frozenset[str]]):
    """By blank-separated piece of text, the patterns that may find a secret of which it is a part; remembered."""

    def __missing__(self, piece: str) -> frozenset[str]:
        bare = piece if piece.isascii() and piece.isprintable() else _undisguised(piece)
        plain = bare.translate(_HALF_WIDTH).lower()
        found = _NO_CLUE
        if shapes.HINT.search(plain):
            found = frozenset(match.lastgroup or "" for match in shapes.CLUE.finditer(plain))
        if shapes.CODE_CLUE.search(bare):
            found |= {"code"}
        if bare != piece and (
            found or not bare or "<" in bare or (_UNSEEN.search(piece) and _PLAIN_PIECE.search(bare))
        ):
            found |= {"disguised"}
        if len(piece) <= _LONGEST_CLUE:
            if len(self) > _MOST_CLUES:
                self.clear()
            self[piece] = found
        return found


_CLUES = _Clues()
