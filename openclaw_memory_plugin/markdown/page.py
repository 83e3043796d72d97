"""One file of Markdown -> everything it says."""

import datetime as dt
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

import attrs

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.guard import REDACTED, one_line, redact
from openclaw_memory_plugin.markdown import noise
from openclaw_memory_plugin.markdown.attributes import read_unit
from openclaw_memory_plugin.markdown.believed import PAGE as OPINIONS_PAGE
from openclaw_memory_plugin.markdown.believed import Account, believed
from openclaw_memory_plugin.markdown.blocks import HEADING, ITEM, ROW, Block, outline
from openclaw_memory_plugin.markdown.bullets import Bullet, read_bullet
from openclaw_memory_plugin.markdown.dates import validity
from openclaw_memory_plugin.markdown.front import FrontMatter, read_front
from openclaw_memory_plugin.markdown.inline import is_struck, plain, without_comments, without_strikes
from openclaw_memory_plugin.markdown.mentions import UNSPACED, find_mentions
from openclaw_memory_plugin.markdown.nouns import Defect, Page, Statement
from openclaw_memory_plugin.markdown.pinning import is_pinned
from openclaw_memory_plugin.markdown.recorded import folder_day, heading_day, is_bare_date, line_day, name_day
from openclaw_memory_plugin.markdown.sections import heading_text, is_retain

_ENTITY_PAGES = "bank/entities/"
_ALIASES = re.compile(
    r"[*_]{0,3}(?:aliases|alias(?:es)?|aliase|alias\(es\)|aka|also known as|auch bekannt als|别名|別名|又名|通称)[*_]{0,3}"
    r"\s*[:：][*_]{0,3}\s*(?P<names>.+)",
    re.I,
)
_ALIAS_SPLIT = re.compile(r"\s*[,，、;；/|]\s*")
_ROLE = re.compile(
    r"[*_]{0,3}(?P<role>user|assistant|system|tool|human|agent|ai)[*_]{0,3}\s?[:：][*_]{0,3}(?:\s+|$)", re.I
)
_PROVENANCE = {"user": Provenance.OWNER, "human": Provenance.OWNER, "tool": Provenance.UNTRUSTED}
_SESSION = re.compile(r"[*_]{0,3}(?:session (?:key|id)|source|channel|model|chat id|sender)[*_]{0,3}\s*[:：]", re.I)
_LABEL = re.compile(r"(?:\*\*|__)[^*_\n]{1,60}(?:[:：](?:\*\*|__)|(?:\*\*|__)\s?[:：])")
_STAMP = re.compile(r"[\[(（~]?(?P<h>[01]?\d|2[0-3])[:：](?P<m>[0-5]\d)(?:[:：][0-5]\d)?\s?[\])）]?(?=[\s,:：–—-])")
_BOX = re.compile(r"(?:\[(?P<state>[ xX/-]?)\](?=\s|$)|(?P<sign>[☐☑☒]))\s*")
_STATUS = "✅❌✔✖✗✘☑\ufe0f \t"
_NO_STATUS = re.compile(r"^[✅❌✔✖✗✘\ufe0f\s]+|[\s✅❌✔✖✗✘\ufe0f]+$")
_METADATA = re.compile(
    r"[*_`]{0,3}(?:evidence|last reinforced|last updated|updated|reinforced|confidence|source|sources|status|since|belege?"
    r"|证据|根拠)[*_`]{0,3}\s*[:：]",
    re.I,
)
_SPEECH = re.compile(r"[^\s:：|][^:：|]{0,40}[:：](?:\s|[^\x00-\x7f/])")
_KEY_VALUE = re.compile(
    r"[`*_]{0,3}(?P<key>opinion|statement|confidence|updated|last[_ ]updated)[`*_]{0,3}\s*[:：]\s*(?P<value>.+)", re.I
)
_WIDE = re.compile(rf"[{UNSPACED}\u3000-\u303f\uff00-\uff60]")
_ENDS = frozenset(".:;!?,。：；！？，、…")
_CJK_LETTERS = re.compile(rf"[{UNSPACED}]")


def parse_page(text: str, path: str) -> Page:
    """
    Read one file.

    Args:
        text: Its decoded text, newlines as they stand.
        path: Relative to the workspace, POSIX; it decides about dates, entity pages and where letters need no `@`.
    """
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return _Reader(redact(text.removeprefix("\ufeff")), path).read()


@attrs.define
class _Part:
    """The lines of one statement to be."""

    line: int
    end: int
    lines: list[tuple[bool, str]]
    role: str | None = None


class _Reader:
    """Walks over the blocks of one page and keeps what the headings above say."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.outline = outline(text)
        self.front = read_front(self.outline.front) if self.outline.front else FrontMatter()
        self.defects: list[Defect] = [*self.outline.defects, *self.front.defects]
        self.in_bank = path.startswith("bank/")
        self.in_entities = path.startswith(_ENTITY_PAGES)
        self.aliases: list[str] = list(self.front.aliases)
        self.links: dict[str, None] = {}
        self.title: str | None = None
        self.headings: list[tuple[int, str, bool, dt.date | None]] = []
        self.section: tuple[str, ...] = ()
        self.retain = False
        self.session = False
        self.file_day = self._file_day()
        self.day = self.file_day or folder_day(path)
        self.statements: list[Statement] = []

    def read(self) -> Page:
        for block in self.outline.blocks:
            if block.kind is HEADING:
                self._heading(block)
            elif block.kind is ROW:
                self._row(block)
            elif block.kind is ITEM:
                self._item(block)
            else:
                for part in _parts(block):
                    self._paragraph(part)
        if self.path == OPINIONS_PAGE:
            for account in believed(self.text):
                self._belief(account)
            self.statements.sort(key=lambda statement: statement.line)
        return Page(
            statements=_with_repeats(self.statements),
            title=self._title(),
            aliases=tuple(dict.fromkeys(self.aliases)),
            names=tuple(self.links),
            language=_language(self.text),
            defects=tuple(self.defects),
        )

    def _file_day(self) -> dt.date | None:
        if self.front.evergreen:
            return None
        day, bad = name_day(self.path)
        if bad:
            self.defects.append(
                Defect(
                    line=0, message=f"{bad} in the file name is no day", remedy="rename the file, its notes are undated"
                )
            )
        return day

    def _title(self) -> str | None:
        if not self.in_entities:
            return None
        stem = self.path.rpartition("/")[2].rpartition(".")[0]
        return self.title or self.front.title or unicodedata.normalize("NFC", stem)

    def _heading(self, block: Block) -> None:
        text = one_line(heading_text(" ".join(line for _, line in block.lines)))
        self._open_section(block.level, text)
        if block.level == 1 and self.title is None and text:
            self.title = text
            self.session = text.lower().startswith("session")

    def _open_section(self, level: int, text: str) -> None:
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        day = None
        if self.file_day is None and not (self.front.evergreen and level == 1):
            day = heading_day(text)
        self.headings.append((level, text, is_retain(text), day))
        self.section = tuple(heading for _, heading, _, _ in self.headings if heading)
        self.retain = any(retain for _, _, retain, _ in self.headings)
        if self.file_day is None:
            dated = next((day for _, _, _, day in reversed(self.headings) if day), None)
            self.day = dated or (None if self.front.evergreen else folder_day(self.path))

    def _item(self, block: Block) -> None:
        text = block.lines[0][1]
        bullet = read_bullet(text, lone_letter=self.retain or self.in_bank) if text else None
        if bullet is not None:
            self._typed(block, bullet)
            return
        if self.in_entities and (match := _ALIASES.fullmatch(text)):
            self._alias_line(match)
            return
        if self.session and _SESSION.match(text):
            return
        if self.path == OPINIONS_PAGE and self._opinion_item(block):
            return
        role = _ROLE.match(text) if self.session else None
        lines = [(False, text[role.end() :]), *block.lines[1:]] if role else block.lines
        self._note(_Part(block.line, block.end, lines, role["role"].lower() if role else None))

    def _paragraph(self, part: _Part) -> None:
        text = part.lines[0][1]
        if len(part.lines) == 1:
            if is_bare_date(text):
                self._open_section(7 if self.headings else 1, plain(text))
                return
            bare = plain(text)
            if bare != text and text[0] in "*_" and is_retain(bare):
                self._open_section(7, bare)
                return
            if self.in_entities and (match := _ALIASES.fullmatch(text)):
                self._alias_line(match)
                return
            bullet = read_bullet(text, lone_letter=self.retain or self.in_bank)
            if bullet is not None:
                self._typed(Block(ITEM, part.line, part.end, part.lines), bullet)
                return
        self._note(part)

    def _alias_line(self, match: re.Match[str]) -> None:
        names = (plain(name).strip("[]() \t。.") for name in _ALIAS_SPLIT.split(plain(match["names"])))
        self.aliases += [name for name in names if name]

    def _typed(self, block: Block, bullet: Bullet) -> None:
        lines = [(False, bullet.text)]
        details: list[str] = []
        for nested, line in block.lines[1:]:
            if (nested and _METADATA.match(line)) or (details and not nested):
                details.append(line)
            else:
                lines.append((nested, line))
        raw = without_comments(_join(lines))
        struck = is_struck(raw)
        content = one_line(plain(raw[2:-2] if struck else without_strikes(raw)))
        if _is_empty(content):
            return
        for problem in bullet.attributes.problems:
            self.defects.append(
                Defect(line=block.line, message=problem, remedy="correct the attribute; kind and text were kept")
            )
        self._add(
            block.line,
            block.end,
            raw,
            content,
            bullet=bullet,
            struck=struck,
            details=" ".join(details),
            at=_time(bullet.time) if bullet.time else None,
        )

    def _note(self, part: _Part) -> None:
        text = part.lines[0][1]
        task = None
        box = _BOX.match(text) if text and text[0] in "[☐☑☒" else None
        if box:
            text = text[box.end() :]
            task = "open" if (box["state"] or "").strip() in ("", "/") and box["sign"] in (None, "☐") else "done"
        if text and text[0] in _STATUS:
            text = text.lstrip(_STATUS)
        lines = [(False, text), *part.lines[1:]]
        written = _join(lines)
        raw = without_comments(written)
        struck = is_struck(raw)
        content = one_line(plain(raw[2:-2] if struck else without_strikes(raw)))
        if (content and content[-1] in _STATUS) or (content and content[0] in _STATUS):
            content = _NO_STATUS.sub("", content)
        if _is_empty(content):
            return
        self._add(
            part.line,
            part.end,
            raw,
            content,
            task=task,
            struck=struck,
            pinned=is_pinned(written),
            role=part.role,
            at=_stamp(content),
        )

    def _row(self, block: Block) -> None:
        values = [(name, value) for name, value in block.cells if value and value.strip("-–— ")]
        if not values:
            return
        if self.path == OPINIONS_PAGE and self._opinion(block, {plain(k).lower(): plain(v) for k, v in values}):
            return
        raw = without_comments("; ".join(f"{name}: {value}" if name else value for name, value in values))
        content = one_line(plain(without_strikes(raw)))
        if not _is_empty(content):
            marked = " ; ".join(value for _, value in values)
            self._add(block.line, block.end, marked, content)

    def _opinion_item(self, block: Block) -> bool:
        """Read `opinion: …` with `confidence: …` and `updated: …` below it."""
        values: dict[str, str] = {}
        for _, line in block.lines:
            match = _KEY_VALUE.fullmatch(line)
            if match:
                key = match["key"].lower()
                values[{"statement": "opinion"}.get(key, "updated" if "updated" in key else key)] = match["value"]
        return self._opinion(block, values)

    def _opinion(self, block: Block, values: dict[str, str]) -> bool:
        raw = values.get("opinion") or values.get("statement") or ""
        confidence = read_unit(values.get("confidence", "").strip("` "))
        content = one_line(plain(raw))
        if confidence is None or not content:
            return False
        day = self.day or line_day(values.get("updated", "") or values.get("last updated", ""))
        mentions = find_mentions(raw)
        first, last = validity(content, near=day)
        self.statements.append(
            Statement(
                kind=Kind.OPINION,
                content=content,
                line=block.line,
                end_line=block.end,
                marks=mentions.marks,
                runs=mentions.runs,
                tags=mentions.tags,
                section=self.section,
                day=day,
                valid_from=first,
                valid_to=last,
                confidence=confidence,
            )
        )
        return True

    def _belief(self, account: Account) -> None:
        """Take what the page believes: the words are the log's, the confidence is not."""
        bullet = read_bullet(account.bullet, lone_letter=True)
        content = one_line(plain(bullet.text)) if bullet else ""
        if bullet is None or bullet.kind is not Kind.OPINION or _is_empty(content):
            return
        mentions = find_mentions(bullet.text)
        self.statements.append(
            Statement(
                kind=bullet.kind,
                content=content,
                line=account.line,
                end_line=account.end_line,
                heads=bullet.heads,
                marks=mentions.marks,
                runs=mentions.runs,
                tags=mentions.tags,
                confidence=bullet.attributes.confidence,
                believed=True,
            )
        )

    def _add(
        self,
        line: int,
        end: int,
        raw: str,
        content: str,
        *,
        bullet: Bullet | None = None,
        task: str | None = None,
        struck: bool = False,
        pinned: bool = False,
        role: str | None = None,
        details: str = "",
        at: dt.time | None = None,
    ) -> None:
        day = self.day
        if day is None:
            day = line_day(content) or (line_day(details) if details else None)
        mentions = find_mentions(raw)
        for link in mentions.links:
            self.links[link] = None
        first, last = validity(content, near=day) if len(content) < 4000 else (None, None)
        if bullet is None:
            self.statements.append(
                Statement(
                    kind=Kind.NOTE,
                    content=content,
                    line=line,
                    end_line=end,
                    marks=mentions.marks,
                    runs=mentions.runs,
                    tags=mentions.tags,
                    section=self.section,
                    day=day,
                    at=at,
                    valid_from=first,
                    valid_to=last,
                    provenance=_PROVENANCE.get(role, Provenance.AGENT) if role else Provenance.OWNER,
                    task=task,
                    struck=struck,
                    pinned=pinned,
                    noise=noise.is_noise(content),
                )
            )
            return
        given = bullet.attributes
        self.statements.append(
            Statement(
                kind=bullet.kind,
                content=content,
                line=line,
                end_line=end,
                heads=bullet.heads,
                marks=mentions.marks,
                runs=mentions.runs,
                tags=mentions.tags,
                section=self.section,
                day=day,
                at=at,
                valid_from=first,
                valid_to=last,
                confidence=given.confidence,
                salience=given.salience,
                provenance=given.provenance,
                private=given.private,
                pinned=given.pinned,
                supports=given.supports,
                contradicts=given.contradicts,
                extra=given.extra,
                struck=struck,
            )
        )


def _parts(block: Block) -> Iterator[_Part]:
    """Split a paragraph where its lines are turns, labels or stamped entries of their own."""
    lines = block.lines
    if not lines:
        return
    spoken = len(lines) > 1 and all(_SPEECH.match(text) for _, text in lines)
    part: _Part | None = None
    for number, (nested, text) in enumerate(lines, block.line):
        role = _ROLE.match(text)
        starts = role or spoken or (text[:2] in ("**", "__") and _LABEL.match(text)) or _STAMP.match(text)
        if part is None or starts:
            if part is not None:
                yield part
            part = _Part(
                number, number, [(nested, text[role.end() :] if role else text)], role["role"].lower() if role else None
            )
        else:
            part.lines.append((nested, text))
            part.end = number
    if part is not None:
        part.end = max(part.end, block.end if block.end - part.end <= 1 or not lines else part.end)
        yield part


def _join(lines: list[tuple[bool, str]]) -> str:
    """One line: continuation lines after a blank, nested items after a semicolon, nothing between CJK characters."""
    if len(lines) == 1:
        return lines[0][1]
    joined = lines[0][1]
    for nested, text in lines[1:]:
        if not text or text == REDACTED:
            continue
        if not joined:
            joined = text
            continue
        wide = _WIDE.match(joined[-1]) is not None and _WIDE.match(text) is not None
        if nested and joined[-1] not in _ENDS:
            joined += "；" if wide else "; "
        elif not wide:
            joined += " "
        joined += text
    return joined


def _with_repeats(statements: list[Statement]) -> tuple[Statement, ...]:
    """Flag notes that repeat on the page but for their numbers."""
    masks = [
        noise.mask(s.content) if s.kind is Kind.NOTE and s.at is not None and not s.noise else "" for s in statements
    ]
    counts = Counter(mask for mask in masks if mask)
    if not counts or counts.most_common(1)[0][1] < noise.REPEATS:
        return tuple(statements)
    return tuple(
        attrs.evolve(statement, noise=True) if mask and counts[mask] >= noise.REPEATS else statement
        for statement, mask in zip(statements, masks, strict=True)
    )


def _is_empty(content: str) -> bool:
    return not any(map(str.isalnum, content.replace(REDACTED, "")))


def _time(written: str) -> dt.time | None:
    match = re.fullmatch(r"\s*(\d\d?)[:：.](\d\d)\s*", written)
    if not match or int(match[1]) > 23:
        return None
    return dt.time(int(match[1]), int(match[2]))


def _stamp(content: str) -> dt.time | None:
    if content[0] not in "0123456789[(（~０１２":
        return None
    match = _STAMP.match(content)
    return dt.time(int(match["h"]), int(match["m"])) if match else None


def _language(text: str) -> str:
    from openclaw_memory_plugin.words import language_of

    return language_of(text[:20000])
