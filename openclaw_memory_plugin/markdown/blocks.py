"""
Lines of Markdown -> blocks: headings, list items with their children, paragraphs, table rows.

A line scanner, because a full parser dominates the time of a bulk sync; its block structure (fences, quotes, comments,
lists) is CommonMark's and is tested against a CommonMark parser. What yields no facts (fences, quotes, comments, front
matter, managed blocks) yields no block.
"""

import re

import attrs

from openclaw_memory_plugin.markdown.inline import code_spans
from openclaw_memory_plugin.markdown.nouns import Defect
from openclaw_memory_plugin.markdown.tables import begins_table, cells

HEADING, ITEM, TEXT, ROW = "heading", "item", "text", "row"

_TYPED_HEAD = (
    r"(?:[(（]\d\d?[:：.]\d\d[)）]\s*)?[*_`]{0,3}[WBOS]\b[*_`]{0,3}\s?(?:[(（][^()（）]{0,200}[)）])?[*_`]{0,3}\s?"
    r"[@＠][^:：]{1,120}[:：]"
)
_ITEM = re.compile(  # a typed bullet may lack the blank
    rf"(?:([-*+])(?=[ \t]|$|(?<=[-+]){_TYPED_HEAD})"
    r"|([–—])(?=[ \t]+\S)|([•・‣◦●∙▪·])|(\d{1,9})(?:[.)](?=[ \t]|$)|[、．）]))([ \t　]*)"
)
_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_RULE = re.compile(r"(?:(?:-[ \t]*){3,}+|(?:\*[ \t]*){3,}+|(?:_[ \t]*){3,}+)$")
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$")
_RAW = re.compile(r"<(script|style|pre|textarea)(?=[\s>]|$)", re.I)
_TAG_ONLY = re.compile(r"(?:</?[A-Za-z][^<>]{0,400}>\s*){1,20}$")
_MANAGED = re.compile(r"<!--\s{0,8}openclaw-memory:begin\s{1,8}(\S{1,80})\s{0,8}-->")
_MANAGED_END = re.compile(r"<!--\s{0,8}openclaw-memory:end\b[^<>]{0,100}-->")
_TYPED = re.compile(_TYPED_HEAD)
_REFERENCE = re.compile(r"\[(?!\^)[^\[\]]{1,200}\]:\s*\S+")
_KEY = re.compile(r"[\w \"'-]{1,60}:(?:\s|$)")


@attrs.define(slots=True)
class Block:
    """One block with the lines it is made of."""

    kind: str
    line: int
    end: int
    lines: list[tuple[bool, str]]
    """Text of each line without markers and indentation; True where a nested item begins."""
    level: int = 0
    """Of a heading."""
    cells: tuple[tuple[str, str], ...] = ()
    """Of a table row: column name and value."""


@attrs.frozen(kw_only=True)
class Outline:
    """All blocks of a page."""

    blocks: list[Block]
    front: tuple[str, ...] = ()
    """Lines of the front matter."""
    unclosed: int | None = None
    """Line of a fence, comment or managed block that nothing ends: what is appended after it is swallowed."""
    defects: tuple[Defect, ...] = ()


def outline(text: str) -> Outline:
    """Split a text into its blocks, in order."""
    return _Scanner(text.split("\n")).run()


class _Scanner:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.open: Block | None = None
        self.indent = 0
        self.offset = 0
        self.deepest = 0
        self.blank = False
        self.blank_after = False
        self.lazy_quote = False
        self.quoted_fence = False
        self.header: list[str] | None = None
        self.defects: list[Defect] = []
        self.unclosed: int | None = None

    def run(self) -> Outline:
        lines = self.lines
        front = self._front_matter()
        number = len(front) + 2 if front is not None else 0
        total = len(lines)
        while number < total:
            line = lines[number]
            number += 1
            stripped = line.strip(" \t\r")
            if not stripped:
                self.blank = True
                self.lazy_quote = self.quoted_fence = False
                self.header = None
                if self.open is not None and self.open.kind is not ITEM:
                    self.open = None
                continue
            first = line[0]
            indent = 0 if first not in " \t" else _indent(line)
            char = stripped[0]
            if char in "<`~" and (indent < 4 or self._inside(indent)):
                after = self._skipped(number, stripped, indent)
                if after:
                    number = after
                    self.lazy_quote = self.quoted_fence = False
                    continue
            here = number
            if "<!--" in stripped:
                stripped, number = self._without_comment(number, stripped)
                if not stripped:
                    continue
            self.blank_after = False
            self._line(here, stripped, indent, stripped[0])
            self.blank = self.blank_after
        return Outline(
            blocks=self.blocks, front=tuple(front or ()), unclosed=self.unclosed, defects=tuple(self.defects)
        )

    def _inside(self, indent: int) -> bool:
        """Whether something indented so far belongs to the open item and is no indented code."""
        return self.open is not None and self.open.kind is ITEM and self.offset <= indent < self.deepest + 4

    def _front_matter(self) -> list[str] | None:
        if self.lines[0].lstrip("\ufeff").rstrip() != "---":
            return None
        for number in range(1, min(len(self.lines), 400)):
            if self.lines[number].rstrip() in ("---", "..."):
                front = [line.rstrip("\r") for line in self.lines[1:number]]
                return front if any(map(_KEY.match, front)) else None
            if not self.lines[number].strip() and number == 1:
                return None
        return None

    def _line(self, number: int, text: str, indent: int, char: str) -> None:
        """Take one line that is neither blank nor skipped."""
        if char == ">" and (indent < 4 or self.open is not None):
            self._quote(number, text, indent)
            return
        self.quoted_fence = False
        item = _ITEM.match(text) if char in "-*+•・‣◦●∙▪·–—" or char.isdigit() else None
        block = self.open
        in_item = block is not None and block.kind is ITEM
        nested = in_item and indent >= self.indent + 2
        if char in "-*_" and not nested and _RULE.match(text):
            self._rule(number, text, indent)
            return
        if char == "#" and indent < 4 and not self._inside(indent) and (heading := _HEADING.match(text)):
            self._close()
            self.blocks.append(Block(HEADING, number, number, [(False, text[heading.end() :])], len(heading[1])))
            return
        if item is not None and not self._interrupts_nothing(item, in_item):
            self._item(number, text, indent, item, nested)
            return
        if self.lazy_quote and not self.blank:
            return
        if in_item and block is not None:
            if _TYPED.match(text) and (not nested):
                self._new_text(number, text, indent)
            elif (not self.blank and char != "|") or indent > self.indent:
                block.lines.append((False, text))
                block.end = number
                self.blank_after = char == "#" and _HEADING.match(text) is not None
            else:
                self._new_text(number, text, indent)
            return
        self._paragraph(number, text, indent, char)

    def _paragraph(self, number: int, text: str, indent: int, char: str) -> None:
        block = self.open
        if self.header is not None:
            if "|" in text:
                self._row(number, text)
                return
            self._close()
            block = None
        if block is not None and not self.blank:
            if char in "=-" and indent < 4 and self._underlined(block, text):
                return
            if char in "|:-" and self._table(block, text):
                return
            if not _TYPED.match(text):
                block.lines.append((False, text))
                block.end = number
                return
        if _REFERENCE.match(text):
            return
        self._new_text(number, text, indent)

    def _new_text(self, number: int, text: str, indent: int) -> None:
        """Open a paragraph; one that is a typed bullet without marker works as an item."""
        self.header = None
        self.lazy_quote = False
        kind = ITEM if _TYPED.match(text) else TEXT
        continues = self.open is not None and self.open.kind is ITEM and not self.blank
        self.open = Block(kind, number, number, [(False, text)])
        self.indent = indent
        if not continues:
            self.offset = indent + 1
            self.deepest = -4
        self.blocks.append(self.open)

    def _item(self, number: int, text: str, indent: int, item: re.Match[str], nested: bool) -> None:
        self.lazy_quote = False
        self.header = None
        rest = text[item.end() :]
        gap = len(item[5])
        self.deepest = indent + item.end() - gap + (gap if 0 < gap < 5 else 1)
        if nested and self.open is not None and not _TYPED.match(rest):
            self.open.lines.append((True, rest))
            self.open.end = number
            return
        self.open = Block(ITEM, number, number, [(False, rest)])
        self.indent = indent
        self.offset = self.deepest
        self.blocks.append(self.open)

    def _interrupts_nothing(self, item: re.Match[str], in_item: bool) -> bool:
        """An ordered item other than 1, or an empty one, does not end a paragraph; it does end a line of code."""
        if self.open is None or self.blank or in_item or (self.indent >= 4 and len(self.open.lines) == 1):
            return False
        return (item[4] is not None and item[4] != "1") or item.end() == len(item.string)

    def _rule(self, number: int, text: str, indent: int) -> None:
        block = self.open
        if (
            block is not None
            and block.kind is TEXT
            and not self.blank
            and text[0] == "-"
            and self._underlined(block, text)
        ):
            return
        self._close()

    def _underlined(self, block: Block, text: str) -> bool:
        """Turn a short one-line paragraph into a heading; under a sentence the line is a rule."""
        if not block.lines or not _UNDERLINE.match(text):
            return False
        content = block.lines[0][1]
        if len(block.lines) > 1 or len(content) > 80 or content[-1] in ".!?。！？…;":
            if text[0] == "-":
                self._close()
                return True
            return False
        block.kind = HEADING
        block.level = 1 if text[0] == "=" else 2
        block.end += 1
        self._close()
        return True

    def _table(self, block: Block, text: str) -> bool:
        head = block.lines[-1][1]
        if not begins_table(head, text):
            return False
        self.header = cells(head)
        block.lines.pop()
        if block.lines:
            block.end -= 1
        else:
            self.blocks.remove(block) if self.blocks[-1] is not block else self.blocks.pop()
        self.open = Block(TEXT, block.end, block.end, [])
        return True

    def _row(self, number: int, text: str) -> None:
        names = self.header or []
        values = cells(text)[: len(names)]
        self.blocks.append(Block(ROW, number, number, [], 0, tuple(zip(names, values, strict=False))))

    def _quote(self, number: int, text: str, indent: int) -> None:
        """Quoted lines belong to the block right above them, and say nothing."""
        inner = text.lstrip("> \t")
        if inner[:3] in ("```", "~~~"):
            self.quoted_fence = not self.quoted_fence
            inner = ""
        self.lazy_quote = bool(inner) and not self.quoted_fence and not inner.startswith("#")
        self.header = None
        block = self.open
        if block is None:
            return
        if not self.blank:
            block.end = number
        if block.kind is not ITEM or indent < self.offset:
            self.open = None

    def _close(self) -> None:
        self.open = None
        self.header = None
        self.lazy_quote = False

    def _skipped(self, number: int, text: str, indent: int) -> int:
        """Index of the line after a fence, comment, managed or raw block that begins here; 0 when none does."""
        if text[0] == "<":
            if text.startswith("<!--"):
                return self._comment(number, text, indent)
            raw = _RAW.match(text)
            if raw:
                return self._until(number, re.compile(rf"</{raw[1]}\s*>", re.I), number - 1)
            if _TAG_ONLY.match(text):
                self.blank = True
                if self.open is not None and self.open.kind is not ITEM:
                    self.open = None
                return number
            return 0
        fence = _FENCE.match(text)
        if fence is None:
            return 0
        return self._fence(number, fence[1] or fence[3], indent)

    def _fence(self, number: int, opening: str, indent: int) -> int:
        container = 0
        if self._inside(indent):
            container = self.deepest if indent >= self.deepest else self.offset
        else:
            self._close()
        self.lazy_quote = False
        for index in range(number, len(self.lines)):
            line = self.lines[index]
            stripped = line.strip(" \t\r")
            if container and stripped and _indent(line) < container:
                self.blank = True
                return index
            closes = len(stripped) >= len(opening) and stripped.strip(opening[0]) == ""
            if closes and _indent(line) < container + 4:
                self.blank = True
                return index + 1
        self.unclosed = number
        return len(self.lines)

    def _comment(self, number: int, text: str, indent: int) -> int:
        if not self._inside(indent):
            self._close()
        begin = _MANAGED.match(text)
        if begin:
            self._close()
            return self._until(number, _MANAGED_END, number, f"managed block {begin[1]} is not closed")
        if _MANAGED_END.match(text):
            return number
        close = text.find("-->", 4)
        if close >= 0:
            rest = text[close + 3 :].strip()
            if rest:
                self._line(number, rest, 0, rest[0])
            return number
        after = self._until(number, re.compile("-->"), number)
        if _MANAGED.match(self.lines[after - 1].strip()):
            return after - 1  # what ends a forgotten comment is the marker of a block of ours, and no end of a comment
        return after

    def _until(self, number: int, closing: re.Pattern[str], start: int, problem: str = "") -> int:
        for index in range(start, len(self.lines)):
            if closing.search(self.lines[index]):
                return index + 1
        self.unclosed = number
        if problem:
            self.defects.append(Defect(line=number, message=problem, remedy="add its end marker below it"))
        return len(self.lines)

    def _without_comment(self, number: int, text: str) -> tuple[str, int]:
        """Cut a comment that begins within a line and ends on a later one of the same paragraph."""
        start = text.rfind("<!--")
        if (
            text[start - 1] == "\\"
            or text.find("-->", start) >= 0
            or any(begin < start < end for begin, end in code_spans(text))
        ):
            return text, number
        for index in range(number, len(self.lines)):
            line = self.lines[index]
            if not line.strip() or _MANAGED.match(line.strip()):
                break
            close = line.find("-->")
            if close >= 0:
                self.lines[index] = f"  {line[close + 3 :]}" if line[close + 3 :].strip() else " "
                return text[:start].rstrip(), index
        return text, number


def _indent(line: str) -> int:
    """Columns before the first character, tabs to the next multiple of four."""
    columns = 0
    for char in line:
        if char == " ":
            columns += 1
        elif char == "\t":
            columns += 4 - columns % 4
        else:
            break
    return columns
