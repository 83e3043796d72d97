"""Pages as they are read."""

from openclaw_memory_plugin.markdown.nouns import Page, Statement
from openclaw_memory_plugin.markdown.page import parse_page

LOG = "memory/2026-03-02.md"


def read(text: str, path: str = LOG) -> Page:
    return parse_page(text, path)


def one(text: str, path: str = LOG) -> Statement:
    (statement,) = read(text, path).statements
    return statement
