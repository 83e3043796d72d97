"""The file that holds what was measured: each benchmark owns one section and leaves the others alone."""

from pathlib import Path

PATH = Path(__file__).with_name("RESULTS.md")

HEAD = """# Measured

Each section is written by the command it names. Speed is a ratio to the plain way of doing the same, paired in one
run; times alone mean nothing on shared machines.
"""


def replace_section(name: str, text: str, path: Path = PATH) -> None:
    """Write `text` between the markers of the section `name`, which is appended when it is not there yet."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    page = path.read_text(encoding="utf-8") if path.exists() else HEAD
    section = f"{begin}\n{text.strip()}\n{end}"
    before, found, rest = page.partition(begin)
    page = before + section + rest.partition(end)[2] if found else f"{page.rstrip()}\n\n{section}\n"
    path.write_text(page, encoding="utf-8")
