"""One file of Markdown -> everything it says."""

import datetime as dt
import re
import unicodedata

from openclaw_memory_hookspecs import Kind, Provenance
from openclaw_memory_plugin.guard import REDACTED, one_line, redact
from openclaw_memory_plugin.markdown import noise
from openclaw_memory_plugin.markdown.attributes import NONE as UNSAID
from openclaw_memory_plugin.markdown.attributes import holds_private
from openclaw_memory_plugin.markdown.believed import PAGE as OPINIONS_PAGE
from openclaw_memory_plugin.markdown.believed import Account, believed
from openclaw_memory_plugin.markdown.blocks import HEADING, ITEM, ROW, Block, outline
from openclaw_memory_plugin.markdown.bullets import Bullet, read_bullet, unknown_letter
from openclaw_memory_plugin.markdown.dates import validity
from openclaw_memory_plugin.markdown.dates.recorded import folder_day, heading_day, is_bare_date, line_day, name_day
from openclaw_memory_plugin.markdown.front import FrontMatter, read_front
from openclaw_memory_plugin.markdown.inline import is_struck, plain, without_comments, without_strikes
from openclaw_memory_plugin.markdown.mentions import find_mentions
from openclaw_memory_plugin.markdown.nouns import Defect, Page, Statement
from openclaw_memory_plugin.markdown.opinions import read_opinion, unread_confidence
from openclaw_memory_plugin.markdown.parts import (
    ROLE,
    Part,
    is_empty,
    join,
    labelled_task,
    parts,
    read_task,
    read_time,
    stamp,
    without_status,
)
from openclaw_memory_plugin.markdown.pinning import is_pinned
from openclaw_memory_plugin.markdown.sections import heading_text, is_retain

_ENTITY_PAGES = "bank/entities/"
_ALIASES = re.compile(
    r"[*_]{0,3}(?:aliases|alias(?:es)?|aliase|alias\(es\)|aka|also known as|auch bekannt als|别名|別名|又名|通称)"
    r"[*_]{0,3}\s*[:：][*_]{0,3}\s*(?P<names>.+)",
    re.I,
)
_ALIAS_SPLIT = re.compile(r"\s*[,，、;；/|]\s*")
_PROVENANCE = {"user": Provenance.OWNER, "human": Provenance.OWNER, "tool": Provenance.UNTRUSTED}
_SESSION = re.compile(r"[*_]{0,3}(?:session (?:key|id)|source|channel|model|chat id|sender)[*_]{0,3}\s*[:：]", re.I)
_METADATA = re.compile(
    r"[*_`]{0,3}(?:evidence|last reinforced|last updated|updated|reinforced|confidence|sources?|status|since"
    r"|belege?|证据|根拠)[*_`]{0,3}\s*[:：]",
    re.I,
)


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
                for part in parts(block):
                    self._paragraph(part)
        if self.path == OPINIONS_PAGE:
            for account in believed(self.text):
                self._belief(account)
            self.statements.sort(key=lambda statement: statement.line)
        return Page(
            statements=noise.with_repeats(self.statements),
            title=self._title(),
            aliases=tuple(dict.fromkeys(map(redact, self.aliases))),
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
        return self.title or redact(self.front.title or unicodedata.normalize("NFC", stem))

    def _heading(self, block: Block) -> None:
        text = redact(one_line(heading_text(" ".join(line for _, line in block.lines))))
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
        if self.retain and (letter := unknown_letter(text)):
            message = f"{letter} is no kind, so this is read as a note"
            self.defects.append(Defect(line=block.line, message=message, remedy="write W, B, O or S"))
        if self.in_entities and (match := _ALIASES.fullmatch(text)):
            self._alias_line(match)
            return
        if self.session and _SESSION.match(text):
            return
        if self.path == OPINIONS_PAGE and self._opinion(block):
            return
        role = ROLE.match(text) if self.session else None
        lines = [(False, text[role.end() :]), *block.lines[1:]] if role else block.lines
        self._note(Part(block.line, block.end, lines, role["role"].lower() if role else None))

    def _paragraph(self, part: Part) -> None:
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
        written = _joined(lines)
        raw = without_comments(written)
        struck = is_struck(raw)
        raw, content = _finished(written, raw, one_line(plain(raw[2:-2] if struck else without_strikes(raw))))
        if is_empty(content):
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
            task=labelled_task(bullet.text),
            struck=struck,
            details=" ".join(details),
            at=read_time(bullet.time) if bullet.time else None,
        )

    def _note(self, part: Part) -> None:
        text = part.lines[0][1]
        task, text = read_task(text)
        lines = [(False, without_status(text)), *part.lines[1:]]
        written = _joined(lines)
        raw = without_comments(written)
        struck = is_struck(raw)
        raw, content = _finished(written, raw, one_line(plain(raw[2:-2] if struck else without_strikes(raw))))
        content = without_status(content)
        if is_empty(content):
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
            at=stamp(content),
        )

    def _row(self, block: Block) -> None:
        values = [(name, value) for name, value in block.cells if value and value.strip("-–— ")]
        if not values:
            return
        if self.path == OPINIONS_PAGE and self._opinion(block):
            return
        row = "; ".join(f"{name}: {value}" if name else value for name, value in values)
        raw = without_comments(redact(row))
        marked = " ; ".join(value for _, value in values) if REDACTED not in raw else raw
        marked, content = _finished(row, marked, one_line(plain(without_strikes(raw))))
        if not is_empty(content):
            self._add(block.line, block.end, marked, content)

    def _opinion(self, block: Block) -> bool:
        """Take a block that states an opinion by field names; False when it does not."""
        opinion = read_opinion(block)
        text, content = _finished(opinion.text, opinion.text, one_line(plain(opinion.text))) if opinion else ("", "")
        if opinion is None or not content:
            written = unread_confidence(block)
            if written is not None:
                message = f"confidence {written} is not a number in [0, 1]"
                remedy = "correct it; until then this is an ordinary note"
                self.defects.append(Defect(line=block.line, message=message, remedy=remedy))
            return False
        day = self.day or line_day(opinion.updated)
        mentions = find_mentions(text)
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
                confidence=opinion.confidence,
            )
        )
        return True

    def _belief(self, account: Account) -> None:
        """Take what the page believes: the words are the log's, the confidence is not."""
        bullet = read_bullet(account.bullet, lone_letter=True)
        text, content = _finished(bullet.text, bullet.text, one_line(plain(bullet.text))) if bullet else ("", "")
        if bullet is None or bullet.kind is not Kind.OPINION or is_empty(content):
            return
        mentions = find_mentions(text)
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
                private=bullet.attributes.private,
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
        given = bullet.attributes if bullet else UNSAID
        hides = not given.private and holds_private(raw)
        if hides:
            self.defects.append(Defect(line=line, message=_HIDDEN, remedy="give it a line of its own, as a bullet"))
        self.statements.append(
            Statement(
                kind=bullet.kind if bullet else Kind.NOTE,
                content=content,
                line=line,
                end_line=end,
                heads=bullet.heads if bullet else (),
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
                provenance=_PROVENANCE.get(role, Provenance.AGENT) if role else given.provenance,
                private=given.private or hides,
                pinned=pinned or given.pinned,
                supports=given.supports,
                contradicts=given.contradicts,
                extra=given.extra,
                task=task,
                struck=struck,
                noise=bullet is None and noise.is_noise(content),
            )
        )


_HIDDEN = "something private stands inside another statement, so the whole of it is kept from others"


def _finished(written: str, raw: str, content: str) -> tuple[str, str]:
    """Take out of a text without its marks, and so out of what is read of it, the secrets that the marks had split."""
    if content == written or (clean := redact(content)) == content:
        return raw, content
    return clean, clean


def _joined(lines: list[tuple[bool, str]]) -> str:
    """Join the lines of a statement; together they may say what none of them told to be a secret."""
    return join(lines) if len(lines) == 1 else redact(join(lines))


def _language(text: str) -> str:
    from openclaw_memory_plugin.words import language_of

    return language_of(text[:20000])
