"""Headings: their text, and which of them open a Retain section, in whatever language."""

import re

from openclaw_memory_plugin.markdown.inline import plain

_RETAIN_WORDS = (
    "retain|retained|to retain|remember|to remember|behalten|zu behalten|merken|gemerkt|festhalten|retener|recordar"
    "|para recordar|retenir|à retenir|reter|guardar|lembrar|para lembrar|ritenere|ricordare|onthouden|zapamiętać"
    "|запомнить|запомни|zapomnij|zapomni si|zapamiętaj|zapamatovat|kom ihåg|husk|기억하기"
    "|保留|保留事项|保留事項|保留内容|保持|记住|記住|记忆|記憶|要记住|要記住|记忆点|留存|覚えておく|覚えておくこと|覚え書き|記憶すること|기억"
)
_RETAIN = re.compile(rf"(?:{_RETAIN_WORDS})(?:\s*/\s*(?:{_RETAIN_WORDS}))*", re.I)
_DECORATION = re.compile(r"^[\W_]+|[\W_]+$")
_SUFFIX = re.compile(r"\s*(?:[(（\[【][^()（）\[\]【】]{0,60}[)）\]】]|[–—:：-]\s*[^:：]{0,40}|\d{1,2}[:：]\d{2})\s*$")


def heading_text(written: str) -> str:
    """Return a heading's text without closing hashes, emphasis and outer blanks."""
    text = written.strip(" \t")
    if text.endswith("#"):
        bare = text.rstrip("#")
        if not bare or bare[-1] in " \t":
            text = bare.rstrip(" \t")
    return plain(text).strip()


def is_retain(heading: str) -> bool:
    """
    Tell whether a heading opens a Retain section.

    `📌 Retain`, `Retain (evening)`, `保留：` do; `Decision: Retain the old plan` does not.
    """
    if len(heading) > 80:
        return False
    for text in (heading, _SUFFIX.sub("", heading.rstrip(":：* \t"))):
        if _RETAIN.fullmatch(_DECORATION.sub("", text)):
            return True
    return False
