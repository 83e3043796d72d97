"""Write one fact into the daily log: the whole read-modify-write under the workspace's lock, in one atomic step."""

import datetime as dt
from collections.abc import Callable, Iterable

import attrs

from openclaw_memory_hookspecs import Citation, Draft, Fact
from openclaw_memory_plugin.errors import ConflictError, RetainError
from openclaw_memory_plugin.markdown.nouns import Statement
from openclaw_memory_plugin.markdown.page import parse_page
from openclaw_memory_plugin.markdown.write import append_bullet, check_statement, fact_id, write_bullet
from openclaw_memory_plugin.workspace import Workspace, encode_edited, hidden

ATTEMPTS = 3
"""Times that a log is read again when an editor saved it between our reading and writing."""


def write_fact(workspace: Workspace, draft: Draft, now: dt.datetime) -> Fact:
    """
    Append a prepared draft to the log of its day and return the fact as the file now states it.

    The change is journalled, so that it can be undone. What was archived comes back, and what was forgotten is taught
    again when the owner says it. What that log states already, with the same attributes, is not written again, whoever
    wrote it: said twice on one day it is no more than said once.

    Raises:
        UsageError: It is no statement: too long, empty, or nothing but a secret.
        WorkspaceError: The log cannot be read, locked or written.
        ConflictError: Somebody else kept changing it.
        RetainError: It was forgotten, or what was written does not read back as one fact.
    """
    from openclaw_memory_plugin.reflect import history

    day = draft.day or workspace.today(now)
    check_statement(draft.text)
    bullet = write_bullet(draft)
    with workspace.lock():
        for attempt in range(1, ATTEMPTS + 1):
            path = workspace.log_path(day)
            source = workspace.read(path)
            text, line = append_bullet(source.editable, bullet, day=day)
            statements = _statements(text, path)
            statement = _statement_at(statements, path, line)
            take_back = _hidden_before(workspace, draft, statement, now)
            if (twin := _twin(statement, statements)) is not None:
                fact = _fact(twin, path, day)
                break
            fact = _fact(statement, path, day)
            change = history.Change(
                path=path, before=source.data, after=encode_edited(text), before_digest=source.digest
            )
            try:
                history.apply(workspace, [change], reason=f"retain {fact.id}", now=now)
                break
            except ConflictError:
                if attempt == ATTEMPTS:
                    raise
        if take_back is not None:
            take_back()
    return fact


def _hidden_before(
    workspace: Workspace, draft: Draft, statement: Statement, now: dt.datetime
) -> Callable[[], None] | None:
    """Ask what archive and tombstones say of it, where there are any."""
    if not hidden.signature(workspace.root):
        return None
    from openclaw_memory_plugin.reflect.upkeep.forget import welcome

    return welcome(workspace, statement, provenance=draft.provenance, now=now)


def _statements(text: str, path: str) -> tuple[Statement, ...]:
    return tuple(parse_page(text.removeprefix("\ufeff"), path).statements)


def _twin(statement: Statement, others: Iterable[Statement]) -> Statement | None:
    """Find the same statement on an earlier line, wherever on the page."""

    def moved(one: Statement) -> Statement:
        return attrs.evolve(one, line=statement.line, end_line=statement.end_line, section=statement.section)

    return next((one for one in others if one is not statement and moved(one) == statement), None)


def _statement_at(statements: Iterable[Statement], path: str, line: int) -> Statement:
    """Find what the new line says, before it is written."""
    statement = next((found for found in statements if found.line == line), None)
    if statement is None:
        raise RetainError(
            f"not retained: {path}#L{line} would not read back as a fact; close the fence or comment above"
        )
    return statement


def _fact(statement: Statement, path: str, day: dt.date) -> Fact:
    """Give the fact as far as its own line tells it."""
    names = dict.fromkeys((*statement.heads, *statement.marks))
    return Fact(
        id=fact_id(statement.kind, statement.content, statement.heads),
        kind=statement.kind,
        content=statement.content,
        citations=(Citation(path=path, line=statement.line, end_line=statement.end_line),),
        entities=tuple(names),
        timestamp=statement.day or day,
        last_seen=statement.day or day,
        valid_from=statement.valid_from,
        valid_to=statement.valid_to,
        salience=0.5 if statement.salience is None else statement.salience,
        confidence=statement.confidence,
        provenance=statement.provenance,
        private=statement.private,
        pinned=statement.pinned,
        section=statement.section,
    )
