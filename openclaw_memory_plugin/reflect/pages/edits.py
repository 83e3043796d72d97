"""
A line of ours that somebody edited inside a block -> the statement that takes its place, to stand below the block.

What somebody made of our line is what holds: it is written as a typed bullet of theirs that contradicts the fact of
the old one, so that every page, core memory and recall follow. A line that is no edit of ours is not touched here.
"""

import difflib
import re
from collections.abc import Callable, Iterable

from openclaw_memory_hookspecs import Draft, Kind, Provenance
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.guard import one_line
from openclaw_memory_plugin.markdown import inline
from openclaw_memory_plugin.markdown.attributes import read_unit
from openclaw_memory_plugin.markdown.write import fact_id, write_bullet
from openclaw_memory_plugin.reflect.pages import Entry, entry_ids
from openclaw_memory_plugin.reflect.pages.blocks import Block
from openclaw_memory_plugin.reflect.pages.citing import excerpt, is_link, plain

LIKENESS = 0.4
"""Of a line in core memory and the one that it was, which has no id, from which on it is an edit of it."""

SAME = 0.7
"""The same of a line that stands outside the block, of which it is not certain that it ever was ours."""

LONGEST = 4000
"""Characters of a line from which on it is none of ours: an excerpt is much shorter."""

_LINE = re.compile(
    r"[-*+] +(?:\(c=(?P<confidence>[^()]*)\) )?(?:\*\*(?P<heads>[^*]+)\*\*: )?(?P<text>.*?)"
    r"(?: *\(\[(?P<label>(?:[^\[\]\\]|\\.)*)\]\((?P<target>[^()]*)\)\))? *`(?P<id>[0-9a-f]{12})`(?P<rest>.*)$"
)
_CORE_LINE = re.compile(r"[-*+] +(?:\*\*(?P<heads>[^*]+)\*\*: )?(?P<text>.*?)(?: *\((?P<where>[^()]*#L\d+)\))?\s*$")
_NOTHING = "x"


def restated(line: str, block: Block, find: Callable[[str], Entry | None], about: str | None = None) -> str | None:
    """
    Say in one bullet what became of a line with the id of a fact; "" when nothing was said that is not known.

    Args:
        find: gives the entry of an id, None when there is no such fact.
        about: whom the page is about; named when the fact names nobody.

    Returns:
        None when the line is no edit of ours, or says more than a bullet holds: it stays as it is.
    """
    match = _LINE.match(line) if len(line) <= LONGEST else None
    entry = find(match["id"]) if match else None
    if match is None or entry is None or excerpt(entry.content) != plain(entry.content):
        return None
    if match["label"] is not None and not is_link(match["label"], match["target"]):
        return None
    given = match["confidence"]
    confidence = entry.confidence if given is None else read_unit(given)
    if given is not None and (confidence is None or entry.fact.kind != Kind.OPINION.value):
        return None
    is_copy = entry.fact.id in entry_ids(one for one in block.lines if one not in block.strange)
    moved = confidence is not None and entry.confidence is not None and abs(confidence - entry.confidence) > 0.0051
    text = f"{match['text'].strip()} {match['rest'].strip()}".strip()
    return _bullet(
        entry, text, match["heads"], about, confidence=confidence, replaces=not is_copy, new_confidence=moved
    )


def restated_core(
    line: str,
    block: Block,
    entries: Iterable[Entry],
    core_line: Callable[[Entry], str],
    about: Callable[[Entry], str | None],
) -> str | None:
    """
    The same for a line of core memory, which has no id: it is the edit of a line that the sums say we wrote.

    Args:
        entries: what may have stood there.
        core_line: renders an entry as it stands in the block.
        about: gives somebody or something that a fact mentions; without a name there is no typed bullet on that page.
    """
    match = _CORE_LINE.match(line) if len(line) <= LONGEST else None
    if match is None:
        return None
    found = []
    for entry in entries:
        ours = core_line(entry)
        if match["where"]:
            ours = f"{ours.rpartition(' (')[0]} ({match['where']})"
        if ours not in block.lines and block.wrote(ours) and plain(entry.content) in ours:
            found.append((_likeness(entry, match["text"]), entry.fact.id, entry))
    if not found or max(found)[0] < LIKENESS:
        return None
    _, _, entry = max(found)
    name = None if entry.heads else about(entry)
    if not (entry.heads or name):
        return None
    return _bullet(entry, match["text"].strip(), match["heads"], name, confidence=entry.confidence)


def said_by_hand(text: str, block: Block | None, entries: Iterable[Entry]) -> frozenset[str]:
    """
    Return the facts that a page words otherwise by hand: in a line with our citation that was moved out of the block.

    Each line stands for the fact of the file it cites that is most like it; O(such lines times facts of the file).
    """
    around = f"{text[: block.start]}\n{text[block.end :]}" if block else text
    if "#L" not in around:
        return frozenset()
    lines = (_CORE_LINE.match(line) for line in around.split("\n") if "#L" in line and len(line) <= LONGEST)
    claims = [(match["text"], match["where"].rpartition("#L")[0]) for match in lines if match and match["where"]]
    by_path: dict[str, list[Entry]] = {}
    for entry in entries if claims else ():
        by_path.setdefault(plain(entry.places[0].path), []).append(entry)
    found = set()
    for said, path in claims:
        near = [(_likeness(entry, said), entry.fact.id) for entry in by_path.get(path, ())]
        if near and max(near)[0] >= SAME:
            found.add(max(near)[1])
    return frozenset(found)


def _likeness(entry: Entry, text: str) -> float:
    return difflib.SequenceMatcher(None, plain(entry.content)[:600], text[:600], autojunk=False).ratio()


def _bullet(
    entry: Entry,
    text: str,
    named: str | None,
    about: str | None,
    *,
    confidence: float | None,
    replaces: bool = True,
    new_confidence: bool = False,
) -> str | None:
    content = one_line(inline.plain(text))
    kind = Kind(entry.fact.kind) if entry.fact.kind != Kind.NOTE.value else Kind.WORLD
    heads = tuple(inline.plain(named).split(", ")) if named else entry.heads or ((about,) if about else ())
    same_heads = not named or named == ", ".join(map(plain, entry.heads))
    if text == plain(entry.content) and same_heads and not new_confidence:
        return ""
    same = fact_id(kind, content, heads) == entry.fact.id
    draft = Draft(
        text=_NOTHING,
        kind=kind,
        entities=heads,
        salience=None if entry.fact.salience == 0.5 else entry.fact.salience,
        confidence=confidence if kind is Kind.OPINION else None,
        provenance=_hand(Provenance(entry.fact.provenance)),
        pinned=bool(entry.fact.pinned),
        contradicts=(entry.fact.id,) if replaces and not same else (),
    )
    try:
        return write_bullet(draft).removesuffix(_NOTHING) + text if content else None
    except UsageError:
        return None


def _hand(noted: Provenance) -> Provenance:
    """Whose a corrected line is: a person's, also where the agent noted it; what came from elsewhere stays so."""
    return Provenance.OWNER if noted is Provenance.AGENT else noted
