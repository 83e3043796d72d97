"""What one page of Markdown says: statements with their lines, names it introduces, and what could not be read."""

import datetime as dt

import attrs

from openclaw_memory_hookspecs import Kind, Provenance


@attrs.frozen(kw_only=True)
class Statement:
    """One fact as it stands at one place: what the line itself says, nothing that depends on other files."""

    kind: Kind
    content: str
    """The statement on one line, Markdown emphasis kept out, secrets already redacted."""
    line: int
    """First line, 1-based, counting LF only."""
    end_line: int
    heads: tuple[str, ...] = ()
    """Names before the colon of a typed bullet, as written (`Peter`), each once."""
    marks: tuple[str, ...] = ()
    """
    Names marked with `@` or `[[…]]` in running text, as written. In scripts without spaces the mark cannot be
    delimited here: it is the whole run after the `@`, listed in `runs` instead.
    """
    runs: tuple[str, ...] = ()
    """Runs after an `@` in a script without spaces; the longest known name that starts one is the entity."""
    tags: tuple[str, ...] = ()
    """`#tags`, without the sign."""
    section: tuple[str, ...] = ()
    """Heading path above it, outermost first."""
    day: dt.date | None = None
    """The recorded day: file name, H1, heading, folder or a date in the line; never the file's mtime."""
    at: dt.time | None = None
    """Local time of day written before the statement."""
    valid_from: dt.date | None = None
    valid_to: dt.date | None = None
    """The time that the statement is about, when it names a range or an end."""
    confidence: float | None = None
    salience: float | None = None
    """None when not given."""
    provenance: Provenance = Provenance.OWNER
    private: bool = False
    pinned: bool = False
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    """Attributes of other programs, kept as they stand (`k=v`)."""
    task: str | None = None
    """`open` or `done` for a check box, else None."""
    struck: bool = False
    """Struck through: superseded."""
    believed: bool = False
    """Not stated here but believed: a line of the managed block of `bank/opinions.md`; its confidence holds."""
    noise: bool = False
    """A heartbeat line, a masked repeat, a log line: findable, weighted down."""


@attrs.frozen(kw_only=True)
class Defect:
    """Something in a file that could not be taken as written; the rest of the file was."""

    line: int
    """1-based; 0 when it concerns the whole file."""
    message: str
    """What is wrong, quoting the value."""
    remedy: str
    """What the owner can do."""


@attrs.frozen(kw_only=True)
class Page:
    """Everything one file says."""

    statements: tuple[Statement, ...] = ()
    """In order of lines."""
    title: str | None = None
    """For a page of `bank/entities/`: the entity it is about; else None."""
    aliases: tuple[str, ...] = ()
    """Other names of that entity."""
    names: tuple[str, ...] = ()
    """Names that the page makes known beside heads and marks: wikilinks."""
    language: str = "en"
    """Dominant language, ISO 639-1."""
    defects: tuple[Defect, ...] = ()
