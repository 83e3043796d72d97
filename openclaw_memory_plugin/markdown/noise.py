"""What tells nothing: heartbeat lines, log lines and dumps of machines, lines that repeat, links without a word."""

import re
from collections import Counter
from collections.abc import Sequence

import attrs

from openclaw_memory_hookspecs import Kind
from openclaw_memory_plugin.markdown.nouns import Statement

_SIGNALS = re.compile(r"[\W_]*(?:HEARTBEAT[_ ]OK|NO[_ ]REPLY|\[?heartbeat\]?|\[cron\].{0,400})[\W_]*")
_UNCHANGED = (
    r"nothing (?:new|to report|for (?:us|me|you)|changed|happened|urgent|pending)"
    r"|no (?:new (?:mails?|messages?|e-?mails?|items)|changes?|news|updates?|alerts?)"
    r"|all (?:clear|quiet|good|normal)|(?:everything|all systems?) (?:ok(?:ay)?|fine|normal)"
    r"|nichts neues|keine (?:neuen? )?(?:nachrichten|mails?|änderung(?:en)?)|alles (?:ok|in ordnung|ruhig)"
    r"|sin (?:novedad(?:es)?|cambios)|todo (?:bien|ok)|rien (?:de nouveau|à signaler)|sem novidades"
    r"|一切正常|[无無没沒][有]?新(?:消息|邮件|訊息|郵件)|特になし|異常なし|変化なし|新着なし"
)
_HEARTBEAT = re.compile(
    r"(?:heartbeat|mail(?:box)?|inbox|posteingang|calendar|kalender|check(?:ed|s)?|poll|cron|status|routine|ping|心跳|检查|巡检|定期|チェック|確認"
    r"|ハートビート|\d{1,2}[:：]\d{2})",
    re.I,
)
_NOTHING = re.compile(rf"(?:^|[\s,:;，：；、。.–—-])(?:{_UNCHANGED})[\s.!。！]*$", re.I)
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|NOTICE)"
_LOG = re.compile(
    r"[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?[\])]?"
    rf"\s{{0,4}}[\[<|-]?\s{{0,4}}{_LEVEL}\b|{_LEVEL}[\]:|]\s{{1,4}}\S{{0,80}}[\[(:]"
)
_DUMP = re.compile(r"[{\[]\s{0,20}(?:[\"'{\[][\w $.@-]{0,80}[\"']?\s{0,4}[:,\]}]|[}\]]$)")
_TRACE = re.compile(
    r"Traceback \(most recent call last\)|at [\w$.<>]{1,200}\([^()]{0,200}:\d+(?::\d+)?\)$"
    r"|File \"[^\"]{1,400}\", line \d+"
)
_PAYLOAD = re.compile(r"[A-Za-z0-9+/=_-]{200}")
_WIKILINK = r"!?\[\[[^\[\]]{1,300}\]\]"
_LOCAL = r"!?\[[^\[\]]{0,300}\]\((?![A-Za-z][\w+.-]*:)[^()]{1,400}\)"
_REPEATED = r"!?\[(?P<url>[^\[\]\s]{0,400})\]\((?P=url)\)|!?\[\]\([^()\s]{1,400}\)"
_LINKS = re.compile(rf"(?:(?:{_WIKILINK}|{_LOCAL}|{_REPEATED})[\s,;:.|/·•→←–—-]*)+")
_VARIABLE = re.compile(r"\d+(?:[.:,/-]\d+)*")

REPEATS = 3
"""So many lines of a page that differ only in numbers are noise."""


def is_noise(content: str) -> bool:
    """
    Tell whether a whole statement is a signal, a heartbeat line, a log line, a dump or nothing but links that lead on.

    Words inside never decide. A link to the web that has a text of its own says something; one to a file or page of the
    workspace only repeats what is found there.
    """
    if len(content) <= 100:
        if _NOTHING.search(content) is not None and _HEARTBEAT.search(content) is not None:
            return True
        if _SIGNALS.fullmatch(content) is not None:
            return True
    elif _PAYLOAD.search(content) is not None and content.count(" ") * 40 < len(content):
        return True
    first = content[0]
    if first in "![" and _LINKS.fullmatch(content) is not None:
        return True
    if first in "{[":
        return (_DUMP.match(content) is not None and content[-1] in "}]") or _LOG.match(content) is not None
    if first in "TFa (" or first.isupper() or first.isdigit():
        return _LOG.match(content) is not None or _TRACE.match(content) is not None
    return False


def mask(content: str) -> str:
    """Return the content with numbers and times replaced, so that repeats of one line are equal."""
    return _VARIABLE.sub("0", content)


def with_repeats(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Flag the stamped notes of a page that repeat but for their numbers."""
    masks = [
        mask(statement.content) if statement.kind is Kind.NOTE and statement.at is not None else ""
        for statement in statements
    ]
    counts = Counter(masked for masked in masks if masked)
    if not counts or max(counts.values()) < REPEATS:
        return tuple(statements)
    return tuple(
        attrs.evolve(statement, noise=True) if masked and counts[masked] >= REPEATS else statement
        for statement, masked in zip(statements, masks, strict=True)
    )
