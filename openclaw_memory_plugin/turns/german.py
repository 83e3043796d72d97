"""From a German subordinate clause to a main clause: the finite verb goes from its end to the second place."""

import re

_PRONOUN = re.compile(r"(?:ich|du|wir|ihr(?! [A-ZÄÖÜ])|er|sie|es|man|das|dies)\b", re.I)
_PHRASE = re.compile(
    r"(?:der|die|das|mein|meine|unser|unsere|sein|seine|ihr|ihre|ein|eine|kein|keine|alle|jeder|jede)"
    r"(?: [a-zäöüß]+(?:e|er|es|en))*? [A-ZÄÖÜ][\wäöüß-]*"
)
_NAME = re.compile(r"(?:Herr |Frau |Dr\. |Prof\. )*[A-ZÄÖÜ][\wäöüß.-]*(?: [A-ZÄÖÜ][\wäöüß-]+(?= [a-zäöüß]))?")
_MORE = re.compile(r" (?:und|oder|des|der|von|vom|eine[rs]|(?:mein|dein|sein|ihr|unser|eur)e?[rs]) ")
"""After a subject: there is more of it."""
_FINITE = re.compile(
    r"[a-zäöüß]+(?:e|t|st|n)|bin|sind|seid|wird|war|hat|mag|muss|soll|will|kann|darf|weiß|lag|kam|ging"
)
_PREFIX = re.compile(
    r"(?P<prefix>zurück|zusammen|weiter|heraus|herein|hinaus|vorbei|teil|statt|fest|frei|nach|auf|aus|ein|vor|weg|her"
    r"|hin|mit|los|ab|an|bei|zu|um)(?P<stem>[bcdfghjklmnpqrstvwz][a-zäöüß]{2,})"
)
_UNPARTED = re.compile(r"antw|beinhalt|herrsch|hinder|mittel|umfass|umg[ei]b|zuck|zurr")
"""Verbs that only look as if they could be parted."""


def main_clause(clause: str) -> str | None:
    """
    Turn what follows "dass" into a sentence of its own: `ich kein Fleisch esse` -> `ich esse kein Fleisch`.

    Returns:
        None when the subject or the verb cannot be told, so that the caller keeps the clause as it is.
    """
    head, comma, tail = clause.partition(",")
    subject = _PRONOUN.match(head) or _PHRASE.match(head) or _NAME.match(head)
    words = head.rsplit(" ", 1)
    if subject is None or len(words) < 2 or len(words[0]) < subject.end() or not _FINITE.fullmatch(words[1]):
        return None
    if _MORE.match(head, subject.end()):
        return None
    middle = words[0][subject.end() :].strip()
    verb, particle = _parted(words[1])
    main = " ".join(part for part in (subject.group(), verb, middle, particle) if part)
    return f"{main}{comma}{tail}"


def _parted(verb: str) -> tuple[str, str]:
    """Part a separable verb: `abfährt` -> `fährt`, `ab`."""
    if _UNPARTED.match(verb):
        return verb, ""
    parted = _PREFIX.fullmatch(verb)
    return (parted["stem"], parted["prefix"]) if parted else (verb, "")
