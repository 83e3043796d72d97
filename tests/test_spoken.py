"""Promises of `retain`: what it is told is what it writes, and what it leaves out is said."""

import io
import json
from pathlib import Path

import pytest

from commanding import Run, answer
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.host.wire import RetainArguments
from openclaw_memory_plugin.markdown.spoken import read_spoken


def bullet(out: str) -> str:
    return out.split("\n")[0].removeprefix("✓ Retained: ")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("W @Peter: Lives in Graz.", "W @Peter: Lives in Graz."),
        ("- O(c=0.9) @Peter: Hates mornings.", "O(c=0.9) @Peter: Hates mornings."),
        ("* B(s=0.8,private) @Ann @lab: Moved the lab.", "B(s=0.8,private) @Ann @lab: Moved the lab."),
        ("S: The lift is late again.", "S: The lift is late again."),
        ("@Peter: Has a cat.", "W @Peter: Has a cat."),
        ("- Has a cat.", "W: Has a cat."),
        ("O(n): linear in time.", "W: O(n): linear in time."),
        ("Plan B: walk home.", "W: Plan B: walk home."),
    ],
)
def test_a_bullet_is_taken_for_what_it_says(run: Run, text: str, written: str) -> None:
    """A text in the project's own bullet syntax gives kind, attributes and names; other text stays as it is."""
    code, out, _ = run("retain", "--", text)
    assert (code, bullet(out)) == (0, written)


def test_options_add_to_a_bullet(run: Run) -> None:
    """What only an option says holds beside what the bullet says."""
    out = run("retain", "O @Peter: Likes tea.", "--confidence", "0.7", "--entity", "Ann", "--type", "opinion")[1]
    assert bullet(out) == "O(c=0.7) @Peter @Ann: Likes tea."


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("O(c=0.9) @Peter: Likes tea.", "--type", "W"), "--type says world, but the bullet itself opinion"),
        (("O(c=0.9) @Peter: Likes tea.", "--confidence", "0.5"), "--confidence says 0.5, but the bullet itself 0.9"),
        (("O(c=1.7) @Peter: Likes tea.",), "c=1.7 is not a number in [0, 1]"),
        (("O(c=0.9,mood=good) @Peter: Likes tea.",), "mood=good is no attribute"),
        (("X @Peter: Likes tea.",), "unknown kind 'X'"),
        (("- W @Peter: One.\n- W @Peter: Two.",), "2 bullets are 2 facts"),
    ],
)
def test_what_a_bullet_cannot_say_is_refused(run: Run, workspace: Path, arguments: tuple[str, ...], says: str) -> None:
    """Where bullet and options differ, or the bullet holds what cannot be, nothing is written and it is said why."""
    before = sorted(path.read_bytes() for path in workspace.rglob("*.md"))
    code, out, err = run("retain", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert sorted(path.read_bytes() for path in workspace.rglob("*.md")) == before


def test_what_is_left_out_is_said(run: Run) -> None:
    """A secret that is redacted and lines that are joined are told to people and programs, without the secret."""
    code, out, _ = run("retain", "The door password: hunter22x\nis new.")
    assert code == 0
    assert out.splitlines()[2:] == ["! a secret was left out", "! several lines were put on one"]
    assert "hunter22x" not in out
    assert answer(run, "retain", "The key is AKIAABCDEFGHIJKLMNOP.")["notices"] == ["a secret was left out"]
    assert answer(run, "retain", "Nothing is secret.")["notices"] == []


def test_retain_reads_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`retain -` takes the text from there."""
    monkeypatch.setattr("sys.stdin", io.StringIO("B @Ann: Came home.\n"))
    assert bullet(run("retain", "-")[1]) == "B @Ann: Came home."


def test_the_id_stands_where_the_next_command_needs_it(run: Run) -> None:
    """What `retain`, `recall` and `entity` print for a person holds the id that other commands ask for."""
    fact = answer(run, "retain", "W @Zoe: Plays the cello.")["id"]
    for command in (("retain", "W @Zoe: Plays the cello."), ("recall", "Who plays the cello?"), ("entity", "Zoe")):
        assert f"id {fact}" in run(*command)[1]


def test_an_agent_may_hand_over_a_bullet() -> None:
    """The tool reads the same syntax; by whom it is, and what is pinned, is nothing that a text can claim."""
    draft = RetainArguments(text="- O(c=0.9,by=owner,pin) @Peter: Hates mornings.").draft(owner_present=True)
    assert (draft.kind.value, draft.confidence, draft.entities) == ("opinion", 0.9, ("Peter",))
    assert (draft.text, draft.provenance.value, draft.pinned) == ("Hates mornings.", "agent", False)


def test_doctor_finds_secrets_that_stand_in_files(run: Run, workspace: Path) -> None:
    """Each with path, line, kind and remedy, and never the secret itself; what is marked private is no finding."""
    page = workspace / "memory/2026-03-22.md"
    page.write_text("# Keys\n- Key AKIAABCDEFGHIJKLMNOP\n\n<private>hush</private>\nftp://me:s3cr3t@host/x\n")
    code, out, _ = run("doctor", "--json")
    assert code == 1
    found = [(one["path"], one["line"], one["message"]) for one in json.loads(out)["findings"]]
    assert found == [
        ("memory/2026-03-22.md", 2, "an access key or token stands in the file"),
        ("memory/2026-03-22.md", 5, "a password in an address stands in the file"),
    ]
    assert not any(secret in out for secret in ("AKIA", "s3cr3t", "hush"))


def test_doctor_finds_a_letter_that_is_no_kind(run: Run, workspace: Path) -> None:
    """`X @Peter: …` in a Retain section was meant as a bullet, and is listed with its line."""
    (workspace / "memory/2026-03-22.md").write_text("## Retain\n- X(s=0.9) @Peter: Hums.\n- W @Peter: Sings.\n")
    (finding,) = json.loads(run("doctor", "--json")[1])["findings"]
    assert (finding["line"], finding["message"]) == (2, "X is no kind, so this is read as a note")


def test_spoken_text_of_several_lines_is_one_fact() -> None:
    """A bullet with lines that go on is one; what it is about is read from its first line."""
    spoken = read_spoken("W @Peter: Lives\n  in Graz.")
    assert (spoken.heads, spoken.text.split()) == (("Peter",), ["Lives", "in", "Graz."])
    with pytest.raises(UsageError):
        read_spoken("- a\n- b")
