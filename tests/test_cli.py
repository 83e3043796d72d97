"""Promises of the command line: grammar, JSON contract, exit codes, and what a person sees."""

import datetime as dt
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from commanding import NOW, Run, answer
from openclaw_memory_plugin import __version__
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.faces.cli import main
from openclaw_memory_plugin.faces.commands import options

TODAY = dt.date(2026, 3, 25)


FACT_FIELDS = {
    "id", "kind", "content", "entities", "timestamp", "last_seen", "source", "lines", "other_sources", "salience",
    "confidence", "access_count", "last_accessed_at",
}  # fmt: skip


def test_recall_answers_with_the_contracts_fields(run: Run) -> None:
    """`recall --json` has every field that other programs rely on, with integers where counts are."""
    found = answer(run, "recall", "What does Peter prefer?")
    assert set(found) >= {"query", "hits", "candidates", "returned", "dropped", "tokens", "degraded"}
    assert found["query"] == "What does Peter prefer?"
    assert all(type(found[name]) is int for name in ("candidates", "returned", "dropped", "tokens"))
    assert found["returned"] == len(found["hits"])
    hit = found["hits"][0]
    assert set(hit) >= {*FACT_FIELDS, "score", "why"}
    assert (hit["kind"], hit["content"], hit["confidence"]) == ("opinion", "Prefers concise replies.", 0.95)
    assert (hit["source"], hit["lines"]) == ("memory/2026-03-20.md#L7", [7, 7])
    assert (hit["timestamp"], hit["last_seen"]) == ("2026-03-20", "2026-03-20")
    assert isinstance(hit["why"], dict)


def test_each_recall_is_an_access_of_its_own(run: Run) -> None:
    """Two recalls count twice, `--no-track` and `explain` not at all; the second answer shows the first access."""
    answer(run, "recall", "concise replies", "--no-track")
    first = answer(run, "recall", "concise replies")["hits"][0]
    second = answer(run, "recall", "concise replies")["hits"][0]
    answer(run, "explain", first["id"], "--query", "concise replies")
    assert (first["access_count"], first["last_accessed_at"]) == (0, None)
    assert (second["access_count"], second["last_accessed_at"]) == (1, "2026-03-25T12:00:00Z")
    fact = next(fact for fact in answer(run, "facts")["facts"] if fact["id"] == first["id"])
    assert fact["access_count"] == 2


def test_all_options_of_recall_are_accepted(run: Run) -> None:
    """The whole contract's line is understood."""
    found = answer(
        run, "recall", "Peter", "--k", "3", "--budget-tokens", "100", "--min-salience", "0.1", "--since", "30d",
        "--until", "2026-03-25", "--around", "yesterday", "--kind", "opinion", "--entity", "Peter",
        "--associative-depth", "2", "--activation-decay", "0.5", "--include-archived", "--no-track", "--no-cutoff",
        "--debug", "--agent-id", "main",
    )  # fmt: skip
    assert [hit["content"] for hit in found["hits"]] == ["Prefers concise replies."]


def test_global_options_stand_before_or_after_the_command(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both places mean the same."""
    before = main(["--workspace", str(workspace), "--json", *NOW, "recall", "ladder", "--no-track"])
    first = capsys.readouterr().out
    after = main(["recall", "ladder", "--no-track", "--workspace", str(workspace), *NOW, "--json"])
    assert (before, after) == (0, 0)
    assert first == capsys.readouterr().out


@pytest.mark.parametrize("query", ["--json", "--k", "-x", "-5", "recall", "--"])
def test_two_dashes_end_the_options(run: Run, query: str) -> None:
    """After `--` everything is text."""
    code, out, _ = run("--json", "recall", "--no-track", "--", query)
    assert (code, json.loads(out)["query"]) == (0, query)


@pytest.mark.parametrize("query", ["", " ", "🎉", "-x", "?", "*", "''", 'say "hi', "(python", "AND", "NEAR(", "{x}"])
def test_any_text_is_a_query(run: Run, query: str) -> None:
    """Operators, quotes, blanks and emoji are an answer or an empty list, never an error."""
    assert answer(run, "recall", query)["degraded"] == []


def test_nothing_found_is_no_failure(run: Run) -> None:
    """Exit 0, an empty list, and a person is told."""
    assert answer(run, "recall", "xylophone quark")["hits"] == []
    code, out, _ = run("recall", "xylophone quark")
    assert (code, out) == (0, "Nothing found.\n")


def test_retain_gives_the_stored_fact(run: Run, workspace: Path) -> None:
    """`retain --json` answers with the fact as it stands in the file."""
    fact = answer(
        run, "retain", "Sarah is leaving...", "--type", "B", "--entity", "Sarah", "--entity", "project",
        "--salience", "0.95", "--confidence", "0.8",
    )  # fmt: skip
    assert set(fact) >= FACT_FIELDS
    assert (fact["kind"], fact["content"], fact["entities"]) == (
        "experience",
        "Sarah is leaving...",
        ["Sarah", "project"],
    )
    assert (fact["salience"], fact["confidence"]) == (0.95, 0.8)
    path, _, line = fact["source"].partition("#L")
    assert "Sarah is leaving..." in (workspace / path).read_text().split("\n")[int(line) - 1]


def test_retain_tells_a_person_the_bullet(run: Run) -> None:
    """The documents' own acceptance line."""
    code, out, _ = run(
        "retain", "Sarah is leaving...", "--type", "B", "--entity", "Sarah", "--entity", "project", "--salience", "0.95"
    )
    assert code == 0
    assert out.splitlines()[0] == "✓ Retained: B(s=0.95) @Sarah @project: Sarah is leaving..."


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("retain", "x", "--salience", "1.7"), "salience must be a number in [0, 1], got 1.7"),
        (("retain", "x", "--salience", "nan"), "salience must be a number in [0, 1], got 'nan'"),
        (("retain", "x", "--confidence", "1_0"), "confidence must be a number in [0, 1], got '1_0'"),
        (("retain", "x", "--confidence", "-0.1"), "confidence must be a number in [0, 1], got -0.1"),
        (("retain", "x", "--type", "Q"), "unknown kind 'Q'"),
        (("retain", "x", "--by", "nobody"), "--by must be one of owner, agent, untrusted, got 'nobody'"),
        (("retain", "x", "--day", "31 February"), "--day: '31 February' is no day"),
        (("retain", ""), "nothing to retain"),
        (("recall", "x", "--kind", "gossip"), "unknown kind 'gossip'"),
        (("recall", "x", "--min-salience", "2"), "min_salience must be a number in [0, 1], got 2.0"),
        (("recall", "x", "--k", "-1"), "k must be at least 0, got -1"),
        (("recall", "x", "--associative-depth", "10"), "associative_depth must be 0 to 3, got 10"),
        (("recall", "x", "--activation-decay", "2"), "activation_decay must be a number in (0, 1], got 2.0"),
        (("recall", "x", "--activation-decay", "0"), "activation_decay must be a number in (0, 1], got 0.0"),
        (("recall", "x", "--since", "2026-02-30"), "--since: '2026-02-30' is no day"),
        (("recall", "x", "--since", "999999999d"), "--since: '999999999d' is no day"),
        (("recall", "x", "--since", "1d", "--until", "2026-01-01"), "is after until"),
        (("recall", "x", "--now", "soon"), "--now: 'soon' is no instant"),
        (("retain", "x", "--entity", ""), "--entity must name somebody or something, got ''"),
        (("explain", "zzzz"), "no fact has the id 'zzzz'"),
        (("entity", "Nobody"), "no entity is called 'Nobody'"),
    ],
)
def test_a_callers_mistake_names_the_value(run: Run, arguments: tuple[str, ...], says: str) -> None:
    """A value that cannot be: exit 2, said on standard error, nothing on standard output."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert says in err


@pytest.mark.parametrize(
    "arguments", [("frobnicate",), ("recall",), ("recall", "x", "--frobnicate"), ("recall", "x", "--k", "few")]
)
def test_what_is_no_command_line_is_a_usage_error(run: Run, arguments: tuple[str, ...]) -> None:
    """Unknown commands and options: exit 2 with a usage line."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "usage:" in err


def test_an_option_of_a_command_before_it_says_where_it_belongs(run: Run) -> None:
    """`--k 3 recall x`: the message names the option and where it stands, not its value as an unknown command."""
    code, out, err = run("--k", "3", "recall", "x")
    assert (code, out) == (2, "")
    assert "--k is no option of the program" in err
    assert "recall … --k" in err


def test_whom_a_statement_is_about_is_shown(run: Run, workspace: Path) -> None:
    """A person sees the heads of a bullet not named in its text, and the title above a note of an entity's page."""
    (workspace / "bank/entities").mkdir(parents=True)
    (workspace / "bank/entities/Ann.md").write_text("# Ann\n- Sails on Sundays\n")
    (workspace / "memory/2026-03-18.md").write_text(
        "- W @Ann: Sails to the annual fair\n- W @Ann @Bo: Ann sails alone\n"
    )
    out = run("recall", "sails", "--no-cutoff")[1]
    assert "W @Ann: Sails to the annual fair" in out
    assert "W @Bo: Ann sails alone" in out
    assert "@Ann: Sails on Sundays" in out


def test_a_missing_workspace_says_how_to_make_one(run: Run, tmp_path: Path) -> None:
    """Exit 2, the folder is named, `init` is the remedy, nothing is created."""
    gone = tmp_path / "gone"
    code, out, err = run("recall", "x", root=gone)
    assert (code, out) == (2, "")
    assert f"no workspace at {gone}" in err
    assert "init" in err
    assert not gone.exists()


def test_what_was_stated_before_is_shown_where_it_is_written_now(run: Run) -> None:
    """A statement of another day: the answer shows the new bullet and its line, not the first citation's."""
    again = ("retain", "Prefers concise replies.", "--type", "O", "--entity", "Peter", "--confidence", "0.5")
    code, out, _ = run(*again)
    assert (code, out) == (
        0,
        "✓ Retained: O(c=0.5) @Peter: Prefers concise replies.\n  memory/2026-03-25.md#L4, id 47552ab73634\n",
    )


def test_what_cannot_be_written_is_a_failure(run: Run, workspace: Path) -> None:
    """A log that cannot be replaced: exit 1, for nothing was wrong with the command; the path is named."""
    (workspace / "memory/2026-03-25.md").mkdir()
    code, out, err = run("retain", "Peter likes tea.")
    assert (code, out) == (1, "")
    assert "memory/2026-03-25.md" in err


def test_init_makes_a_workspace_and_leaves_what_is_there(run: Run, tmp_path: Path) -> None:
    """After `init` every command works; a second one changes nothing."""
    root = tmp_path / "new"
    code, out, _ = run("init", "--json", root=root)
    assert (code, json.loads(out)["created"]) == (0, [".", "memory", "bank", "bank/entities"])
    (root / "MEMORY.md").write_text("- Peter likes tea.\n")
    code, out, _ = run("init", "--json", root=root)
    assert (code, json.loads(out)["created"], json.loads(out)["facts"]) == (0, [], 1)
    assert run("recall", "tea", root=root)[0] == 0
    assert (root / ".memory/.gitignore").read_text() == "*\n"


def test_an_unknown_setting_names_file_and_key(run: Run, tmp_path: Path) -> None:
    """A configuration of the caller that cannot be used is exit 2."""
    settings = tmp_path / "settings.yaml"
    settings.write_text("recal: {k: 3}\n")
    code, _, err = run("recall", "x", "--config", str(settings))
    assert code == 2
    assert f"{settings}: unknown key recal; did you mean recall?" in err


def test_an_agents_id_selects_the_workspace(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Without `--workspace` the agent's folder of OpenClaw's configuration is used; an unknown agent gets nothing."""
    config = tmp_path / "openclaw.json"
    config.write_text(json.dumps({"agents": {"entries": {"coder": {"workspace": str(workspace)}}}}))
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(config))
    code, out, _ = run("recall", "ladder", "--agent-id", "coder", root=None)
    assert (code, "ladder" in out) == (0, True)
    assert run("recall", "ladder", "--agent-id", "mallory", root=None)[0] == 2
    assert run("recall", "ladder", "--agent-id", "mallory")[0] == 0


def test_facts_are_listed_without_scores(run: Run) -> None:
    """`facts --json` has the fields of a hit, but `score` and `why`; filters narrow it."""
    facts = answer(run, "facts")["facts"]
    assert [fact["source"] for fact in facts] == [f"memory/2026-03-20.md#L{line}" for line in (3, 7, 8)]
    assert all(set(fact) >= FACT_FIELDS and not {"score", "why"} & set(fact) for fact in facts)
    assert [fact["kind"] for fact in facts] == ["note", "opinion", "experience"]
    assert len(answer(run, "facts", "--kind", "O")["facts"]) == 1
    assert len(answer(run, "facts", "--entity", "database")["facts"]) == 1
    assert len(answer(run, "facts", "--since", "2d")["facts"]) == 0
    assert len(answer(run, "facts", "--until", "2026-03-20")["facts"]) == 3


def test_explain_tells_the_parts_of_a_score(run: Run) -> None:
    """With a question `explain` adds why the fact scores what it scores; a beginning of the id is enough."""
    fact = answer(run, "facts", "--kind", "O")["facts"][0]
    assert "why" not in answer(run, "explain", fact["id"])
    why = answer(run, "explain", fact["id"][:6], "--query", "What does Peter prefer?")["why"]
    hit = answer(run, "recall", "What does Peter prefer?", "--no-track")["hits"][0]
    assert why["score"] == pytest.approx(hit["score"])
    code, out, _ = run("explain", fact["id"], "--query", "What does Peter prefer?")
    assert (code, "memory/2026-03-20.md#L7" in out) == (0, True)


def test_entity_tells_what_is_known(run: Run) -> None:
    """`entity` finds by name, with or without `@`, in any case."""
    for name in ("Peter", "@peter"):
        assert answer(run, "entity", name)["fact_count"] == 2
    assert "Prefers concise replies." in run("entity", "Peter")[1]


def test_stats_names_the_most_frequent_entities(run: Run) -> None:
    """Whoever asks for an unknown entity is sent to `stats`, which lists them, most facts first."""
    assert answer(run, "stats")["frequent_entities"] == [
        {"name": "Peter", "facts": 2}, {"name": "database", "facts": 1}
    ]  # fmt: skip
    assert re.search(r"frequent_entities +Peter \(2\), database \(1\)$", run("stats")[1], re.M)


def test_stats_doctor_and_plugins_are_objects(run: Run) -> None:
    """Each answers with one JSON object."""
    assert answer(run, "stats")["facts"] == 3
    assert answer(run, "doctor")["findings"] == []
    assert isinstance(answer(run, "plugins")["plugins"], list)
    assert answer(run, "sync")["files"] == 1
    assert answer(run, "sync", "--rebuild")["files"] == 1


def test_doctor_exits_1_with_path_line_and_remedy(run: Run, workspace: Path) -> None:
    """Whatever could not be taken as written is listed, and everything else works."""
    (workspace / "memory/2026-03-21.md").write_text("## Retain\n- O(c=1.7) @Peter: Likes tea.\n", encoding="utf-8")
    (workspace / "memory/2026-03-22.md").write_bytes(b"\x00\x01\x02\x03" * 500)
    code, out, _ = run("doctor", "--json")
    findings = {(finding["path"], finding["line"]): finding for finding in json.loads(out)["findings"]}
    assert code == 1
    assert {("memory/2026-03-21.md", 2), ("memory/2026-03-22.md", 0)} <= set(findings)
    assert all(finding["message"] and finding["remedy"] for finding in findings.values())
    code, out, _ = run("doctor")
    assert (code, "memory/2026-03-21.md#L2" in out) == (1, True)
    assert answer(run, "recall", "tea")["hits"][0]["content"] == "Likes tea."


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("30d", "2026-02-23"), ("2w", "2026-03-11"), ("12h", "2026-03-25"), ("13h", "2026-03-24"), ("1y", "2025-03-25"),
        ("today", "2026-03-25"), ("Yesterday", "2026-03-24"), ("2025-11-27", "2025-11-27"), (" 1D ", "2026-03-24"),
    ],
)  # fmt: skip
def test_days_are_dates_or_durations(text: str, day: str) -> None:
    """ISO dates, `today`, `yesterday`, and times before now."""
    now = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
    assert options.parse_day(text, "--since", now=now, today=TODAY).isoformat() == day


@pytest.mark.parametrize(
    "text", ["", "soon", "30", "d", "-1d", "2026-13-01", "31 February", "٣d", "9999999d", "999999y"]
)
def test_what_is_no_day_is_an_error(text: str) -> None:
    """Anything else names the option and the value."""
    now = dt.datetime(2026, 3, 25, 12, tzinfo=dt.UTC)
    with pytest.raises(UsageError, match="--since"):
        options.parse_day(text, "--since", now=now, today=TODAY)


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` and `--help` exit 0, nothing at all exits 2 with help."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"openclaw-memory-plugin {__version__}\n"
    assert main(["--help"]) == 0
    assert main(["recall", "--help"]) == 0
    assert "--associative-depth" in capsys.readouterr().out
    assert main([]) == 2


def test_debug_shows_the_traversal(run: Run) -> None:
    """With `--debug` a person sees how each hit was found and how activation went, a program gets it as data."""
    line = ("recall", "Peter", "--associative-depth", "2", "--debug", "--no-track")
    out = run(*line)[1]
    assert "Traversal" in out
    assert "@Peter → @database" in out
    assert "Final activation" in out
    assert answer(run, *line)["debug"]["seeds"] == ["Peter"]


@pytest.mark.parametrize("command", [("recall", "x"), ("facts",)])
def test_a_time_that_ends_before_it_begins_is_a_mistake(run: Run, command: tuple[str, ...]) -> None:
    """Every command with `--since` and `--until` refuses such a time alike."""
    code, out, err = run(*command, "--since", "2026-03-01", "--until", "2026-01-01")
    assert (code, out) == (2, "")
    assert "since 2026-03-01 is after until 2026-01-01" in err


@pytest.mark.parametrize("command", [("facts",), ("init",), ("doctor",)])
def test_a_file_is_no_workspace(run: Run, workspace: Path, command: tuple[str, ...]) -> None:
    """It is said to be a file, and nobody is told to make a workspace of it."""
    file = workspace / "memory/2026-03-20.md"
    code, _, err = run(*command, root=file)
    assert code != 0
    assert "is a file" in err
    assert "create it with" not in err
    assert "permissions" not in err


@pytest.mark.parametrize("command", [("facts",), ("init",), ("recall", "x")])
def test_a_file_in_place_of_our_folder_is_named(run: Run, workspace: Path, command: tuple[str, ...]) -> None:
    """The file is named, not the settings that would be in the folder."""
    (workspace / ".memory").write_text("mine", encoding="utf-8")
    code, _, err = run(*command)
    assert code == 1
    assert ".memory is a file where a folder has to be" in err
    assert "config.yaml" not in err
    assert (workspace / ".memory").read_text(encoding="utf-8") == "mine"


def test_what_matches_by_its_surroundings_is_no_direct_match(run: Run, workspace: Path) -> None:
    """A fact whose neighbour or heading holds the words stands apart from those that hold them."""
    (workspace / "memory/2026-03-21.md").write_text(
        "# Zeppelin\n\n- The zeppelin landed in Ulm.\n- Everybody waved.\n", encoding="utf-8"
    )
    out = run("recall", "zeppelin", "--no-cutoff", "--no-track")[1]
    direct, _, beside = out.partition("Beside what matches")
    assert "landed in Ulm" in direct
    assert "Everybody waved." not in direct
    assert "Everybody waved." in beside


def test_any_typed_fact_may_have_a_confidence(run: Run) -> None:
    """It is kept as stated, whatever the kind: only that of opinions is moved by evidence."""
    for kind in "WBOS":
        stored = answer(run, "retain", f"Statement of kind {kind}.", "--type", kind, "--confidence", "0.8")
        assert stored["confidence"] == 0.8
        assert answer(run, "explain", stored["id"])["confidence"] == 0.8


def test_facts_lists_the_tasks(run: Run, workspace: Path) -> None:
    """Those that are open, or done; what was struck out is neither."""
    lines = "- [ ] Buy paint\n- [x] Sell the bike\n- [ ] ~~Sell the boat~~\n- TODO: call the landlord\n"
    (workspace / "memory/2026-03-21.md").write_text(lines)
    found = {
        state: [fact["content"] for fact in answer(run, "facts", "--task", state)["facts"]]
        for state in ("open", "done")
    }
    assert found == {"open": ["Buy paint", "TODO: call the landlord"], "done": ["Sell the bike"]}


@pytest.mark.parametrize("limit", ["0", "-1"])
def test_history_refuses_a_limit_that_shows_nothing(run: Run, limit: str) -> None:
    """It would say that nothing was ever changed."""
    answer(run, "retain", "Lives in Graz.", "--entity", "Peter")
    code, out, err = run("history", "--limit", limit)
    assert (code, out) == (2, "")
    assert "--limit must be at least 1" in err


def test_maintain_says_why_facts_stay(run: Run, workspace: Path) -> None:
    """By the rule that keeps them, named as the manual names it, and what one run may take."""
    for month in range(1, 4):
        lines = "".join(f"- Note {number} of month {month}.\n" for number in range(4))
        (workspace / f"memory/2025-0{month}-01.md").write_text(lines)
    (workspace / "MEMORY.md").write_text("- Was in Oslo.\n")
    ahead = "- [ ] Buy paint\n- TODO: call Ana\n- The visa ends on 2027-02-28.\n"
    (workspace / "memory/2025-01-02.md").write_text(ahead)
    _, out, _ = run("maintain")
    assert "  staying: open task (2), outside memory/ (1), still ahead (1)\n" in out
    assert "one run takes 20% of all facts at most\n" in out


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the streams")
@pytest.mark.parametrize("closing", ["2>&-", ">&-", ">&- 2>&-", "<&-"])
def test_closed_streams_are_no_reason_to_do_nothing(workspace: Path, closing: str) -> None:
    """Who closed our output hears nothing, and the work is done."""
    main = "import sys; from openclaw_memory_plugin.faces.cli import main; sys.exit(main())"
    command = shlex.join([sys.executable, "-c", main, "--workspace", str(workspace), "sync"])
    done = subprocess.run(["sh", "-c", f"{command} {closing}"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (workspace / ".memory" / "index.sqlite").read_bytes()[:6] == b"SQLite"
