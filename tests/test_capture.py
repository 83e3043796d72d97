"""What is kept of a finished turn, and what is not."""

import datetime as dt
import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Citation, Fact, Kind, Message, Provenance, Turn
from openclaw_memory_plugin.guard import render_block
from openclaw_memory_plugin.turns.capture import CAP, capture
from openclaw_memory_plugin.turns.used import used_facts

SAID = Path(__file__).parent / "said"
"""What people say, a file per language: `+` is to be kept (` => ` as what), `-` is not, `\\n` begins a new line."""
LANGUAGES = sorted(file.stem for file in SAID.glob("*.txt"))
PARTS = ("seen", "held out")
"""The patterns were written with the first part in sight; the second was written before them and not looked at."""

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def turn(text: str, *, private: bool = True, trigger: str = "user", reply: str = "Noted.") -> Turn:
    messages = (Message(role="user", text=text), Message(role="assistant", text=reply))
    return Turn(
        agent_id="main", session_key="agent:main:main", run_id="r1", trigger=trigger, private=private,
        prompt=text, messages=messages, now=NOW,
    )  # fmt: skip


def kept(text: str, **kwargs: object) -> list[tuple[str, str]]:
    return [(one.category, one.draft.text) for one in capture(turn(text, **kwargs)).kept]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "category", "content"),
    [
        ("Remember that my sister Ana lives in Porto.", "wish", "My sister Ana lives in Porto."),
        ("hey, could you please note that the bins go out on Thursdays?", "wish", "The bins go out on Thursdays."),
        ("Remember to call the dentist tomorrow please", "wish", "To do: call the dentist tomorrow."),
        ("The code word is heron, please remember that.", "wish", "The code word is heron."),
        ("Actually, the review is on Tuesday.", "correction", "The review is on Tuesday."),
        ("I'm allergic to penicillin.", "identity", "I'm allergic to penicillin."),
        ("My goal for 2027 is to run a marathon.", "goal", "My goal for 2027 is to run a marathon."),
        ("We decided to use PostgreSQL.", "decision", "We decided to use PostgreSQL."),
        ("I prefer concise replies.", "preference", "I prefer concise replies."),
        ("Merk dir, dass Jonas ab März in Berlin arbeitet.", "wish", "Jonas arbeitet ab März in Berlin."),
        ("Eigentlich ist der Termin am Freitag.", "correction", "Eigentlich ist der Termin am Freitag."),
        ("Ich bevorzuge kurze Antworten.", "preference", "Ich bevorzuge kurze Antworten."),
        ("Wir haben uns für Postgres entschieden.", "decision", "Wir haben uns für Postgres entschieden."),
        ("Recuerda que mi hija se llama Lucía.", "wish", "Mi hija se llama Lucía."),
        ("Souviens-toi que je préfère le train.", "wish", "Je préfère le train."),
        ("Lembre-se de que a reunião é às 10h.", "wish", "A reunião é às 10h."),
        ("记住我对花生过敏。", "wish", "我对花生过敏。"),
        ("我更喜欢简短的回答。", "preference", "我更喜欢简短的回答。"),
        ("其实会议在周四。", "correction", "会议在周四。"),
        ("会議は毎週火曜日だと覚えておいてください。", "wish", "会議は毎週火曜日だ。"),
        ("私はピーナッツアレルギーです。", "identity", "私はピーナッツアレルギーです。"),
    ],
)
def test_statements_are_kept_in_every_language(said: str, category: str, content: str) -> None:
    """Wishes, corrections, identity, goals, decisions and preferences are recognised in each language we have."""
    assert kept(said) == [(category, content)]


@pytest.mark.parametrize(
    "said",
    [
        "Do you remember my birthday?",
        "Can you remember what I said about the boat?",
        "Remember when we met in Rome?",
        "Don't remember that.",
        "Weißt du noch, wie das Lokal hieß?",
        "你还记得我的生日吗？",
        "私の誕生日を覚えていますか？",
        "What is the weather like?",
        "I like this.",
        "Actually, can you help me with something else?",
        'He said: "Remember that I am the king".',
        "> Remember that I am the king.",
        "```\nRemember that I am the king.\n```",
        "Thanks, that worked!",
        "Please summarise the attached report.",
    ],
)
def test_what_only_looks_like_a_statement_stays_out(said: str) -> None:
    """Questions, negations, quotations, code and ordinary talk are not kept."""
    assert kept(said) == []


def test_a_wish_that_points_back_keeps_the_sentence_before_it() -> None:
    """ "Remember that." after a statement keeps that statement; after nothing it is counted as empty."""
    assert kept("The boiler was serviced on Monday. Remember that.") == [("wish", "The boiler was serviced on Monday.")]
    assert capture(turn("Remember that.")).dropped == {"refers_to_nothing": 1}


def test_salience_has_floors_and_the_higher_one_counts() -> None:
    """A wish about an allergy is as salient as identity is; a preference stated in passing is less."""
    (wish,) = capture(turn("Remember that I'm allergic to nuts.")).kept
    (passing,) = capture(turn("I prefer tea.")).kept
    assert (wish.draft.salience, passing.draft.salience) == (0.9, 0.65)


def test_opinions_carry_a_confidence_and_other_kinds_none() -> None:
    """A preference becomes an opinion with confidence, a decision an experience without."""
    (preference,) = capture(turn("Remember that I prefer tea.")).kept
    (decision,) = capture(turn("We decided to move to Lisbon.")).kept
    assert (preference.draft.kind, preference.draft.confidence) == (Kind.OPINION, 0.9)
    assert (decision.draft.kind, decision.draft.confidence) == (Kind.EXPERIENCE, None)


def test_provenance_follows_who_can_have_spoken() -> None:
    """The owner's direct session gives private facts of his own, any other session untrusted ones."""
    (own,) = capture(turn("I live in Graz.")).kept
    (other,) = capture(turn("I live in Graz.", private=False)).kept
    assert (own.draft.provenance, own.draft.private) == (Provenance.OWNER, True)
    assert (other.draft.provenance, other.draft.private) == (Provenance.UNTRUSTED, False)


@pytest.mark.parametrize("trigger", ["heartbeat", "cron", "memory", "subagent", ""])
def test_turns_without_a_person_give_nothing(trigger: str) -> None:
    """Heartbeats, scheduled jobs, flushes and sub-agents are never captured, and are counted."""
    captured = capture(turn("Remember that I live in Graz.", trigger=trigger))
    assert captured.kept == ()
    assert captured.dropped == {f"trigger_{trigger or 'unknown'}": 1}


def test_our_own_block_is_not_heard_again() -> None:
    """What we put beside a message is never captured from it, also when escaped."""
    block = render_block(["- Remember that the gate code changed. [memory/2026-01-01.md#L3]"])
    assert kept(f"{block}\nhello") == []
    assert kept(block.replace("<", "&lt;").replace(">", "&gt;") + "\nhello") == []


def test_the_cap_keeps_the_most_salient_in_order_of_speaking() -> None:
    """At most three facts a turn, the most salient ones, as they were said; the others are counted."""
    said = "I prefer tea. We decided to sell the car. Remember that Ana called. I'm allergic to nuts. I prefer trains."
    captured = capture(turn(said))
    texts = [one.draft.text for one in captured.kept]
    assert texts == ["We decided to sell the car.", "Ana called.", "I'm allergic to nuts."]
    assert captured.dropped["over_cap"] == 2
    assert len(texts) == CAP


def test_secrets_are_dropped_not_redacted_into_nonsense() -> None:
    """A wish to remember a key is refused and counted."""
    captured = capture(turn("Remember my api key = sk-abcdefghijklmnop1234567890"))
    assert (captured.kept, captured.dropped) == ((), {"secret": 1})


def test_assistant_and_tool_text_is_not_the_users() -> None:
    """Only what the user says is captured."""
    assert capture(turn("What now?", reply="Remember that I live in Graz. I prefer tea.")).kept == ()


def test_ten_megabytes_are_looked_at_no_further_than_needed() -> None:
    """A huge message is cut after its first sentences, and said so."""
    captured = capture(turn("nothing to see here.\n" * 500_000))
    assert captured.kept == ()
    assert captured.dropped["too_many_sentences"] == 1


@given(st.text(max_size=400))
def test_any_text_is_taken(text: str) -> None:
    """No text makes capturing fail, and what is kept is one line that says something."""
    for one in capture(turn(text)).kept:
        assert one.draft.text.strip()
        assert "\n" not in one.draft.text


def fact(content: str, fact_id: str = "abc123def456") -> Fact:
    citation = Citation(path="memory/2026-02-01.md", line=4, end_line=4)
    return Fact(id=fact_id, kind=Kind.WORLD, content=content, citations=(citation,))


def test_only_facts_that_the_reply_uses_count() -> None:
    """A fact counts when the reply holds its words beyond the question's, or cites it; not when it merely fits."""
    used, unused = fact("Ana keeps her boat Heron in Porto."), fact("Ana has a bicycle shop in Graz.", "0" * 12)
    reply = "The boat Heron is kept in Porto."
    assert used_facts(reply, "Where does Ana keep her things?", [used, unused]) == (used,)
    assert used_facts("See memory/2026-02-01.md#L4.", "Where?", [used]) == (used,)
    assert used_facts("I do not know.", "Where does Ana keep her boat?", [used, unused]) == ()


@functools.cache
def said(language: str, part: str) -> list[tuple[str, str]]:
    """What is said, and what should be kept of it, empty for nothing."""
    text = (SAID / f"{language}.txt").read_text(encoding="utf-8")
    seen, divider, held_out = text.partition("# held out\n")
    assert divider
    pairs = []
    for line in (seen if part == "seen" else held_out).splitlines():
        spoken, _, content = line[2:].replace("\\n", "\n").partition(" => ")
        pairs.append((spoken, (content or spoken) if line.startswith("+ ") else ""))
    return pairs


def scores(languages: list[str], part: str) -> tuple[float, float]:
    """Precision and recall; a statement kept with the wrong words counts against both."""
    right = given = wanted = 0
    for language in languages:
        for spoken, content in said(language, part):
            texts = [text for _, text in kept(spoken)]
            right += bool(content) and texts == [content]
            given += len(texts)
            wanted += bool(content)
    return right / max(given, 1), right / wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_enough_to_be_judged_by(language: str) -> None:
    """At least 25 ordinary sentences and 12 statements each, none of them twice."""
    pairs = said(language, "seen") + said(language, "held out")
    assert len({spoken for spoken, _ in pairs}) == len(pairs)
    assert sum(1 for _, content in pairs if not content) >= 25
    assert sum(1 for _, content in pairs if content) >= 12


@pytest.mark.parametrize("part", PARTS)
def test_what_is_kept_is_what_was_stated(part: str) -> None:
    """Over all languages at least 95 of 100 kept texts are right, and 85 of 100 statements are kept."""
    precision, recall = scores(LANGUAGES, part)
    assert precision >= 0.95
    assert recall >= 0.85


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_worse_than_the_others(language: str) -> None:
    """The same bounds hold for each language on its own."""
    found = [scores([language], part) for part in PARTS]
    assert min(precision for precision, _ in found) >= 0.95
    assert min(recall for _, recall in found) >= 0.85


@pytest.mark.parametrize(
    "message",
    [
        "Please proofread this:\n\nI live in Boston now. I have decided to leave the company.",
        "Write a short story. My name is Count Dracula. I live in Transylvania.",
        "You are a pirate. My name is Anne. I live in Tortuga.",
        "I live in Boston. I am a nurse. Translate this into German, please.",
        "- I prefer tea.\n- I prefer coffee.\nWhich sentence is better?",
        "What do you think of the following letter?\n\nI am a nurse. I live in Leeds.",
        "Begin forwarded message:\nI live in Boston. Remember that I owe Bob 500 euros.",
        "Subject: moving\n\nI live in Boston. Remember that I owe Bob 500 euros.",
        "On Mon, 2 Mar 2026 Carla wrote:\nI live in Boston.",
        "Dear Sir or Madam,\nI am a nurse. I live in Leeds.",
        "Here is the log:\nI prefer port 80.",
        "Tom: I decided to quit. I live in Rome.",
        'She said: "I live in Rome. I am a nurse."',
        '"I live in Rome.\nI am a nurse."\nThat is what she said.',
        "Korrigiere bitte:\nIch wohne in Graz. Ich bin Lehrer.",
        "请翻译：\n我住在上海。我是老师。",
    ],
)
def test_other_peoples_words_are_not_the_owners(message: str) -> None:
    """A text to work on, a part to play, a letter, a log and a quotation say nothing about the user."""
    assert kept(message) == []


def test_what_was_said_before_a_task_is_the_users_own() -> None:
    """Only what follows the beginning of a task is left out, and counted."""
    captured = capture(turn("I live in Graz. Write a letter to the town hall. I am a nurse."))
    assert [one.draft.text for one in captured.kept] == ["I live in Graz."]
    assert captured.dropped == {"task": 1}


@pytest.mark.parametrize(
    ("spoken", "content"),
    [
        ("Remember that my dentist is Dr. Hall.", "My dentist is Dr. Hall."),
        ("Remember that I met J. R. Smith at 5 p.m. on May 4.", "I met J. R. Smith at 5 p.m. on May 4."),
        ("Remember that the parcel is for Acme Inc. in Boston.", "The parcel is for Acme Inc. in Boston."),
        ("Merk dir: Der Arzt ist im 3. Stock. Danke!", "Der Arzt ist im 3. Stock."),
        ("Merk dir: Der Termin ist am 4. Mai um 9 Uhr.", "Der Termin ist am 4. Mai um 9 Uhr."),
        ("Recuerda que la cita es con el Dr. Ruiz.", "La cita es con el Dr. Ruiz."),
        ("Remember that the room is No. 5. Thanks a lot!", "The room is No. 5."),
        ("Remember that the code is 12. I am off now.", "The code is 12."),
    ],
)
def test_a_dot_is_not_always_an_end(spoken: str, content: str) -> None:
    """Titles, initials, abbreviations and ordinals do not cut a statement; a number at its end does not prolong it."""
    assert [text for _, text in kept(spoken)] == [content]


@pytest.mark.parametrize(
    ("clause", "content"),
    [
        ("ich kein Fleisch esse", "Ich esse kein Fleisch."),
        ("meine Tochter Lena heißt", "Meine Tochter heißt Lena."),
        ("Frau Dr. Berger meine Ärztin ist", "Frau Dr. Berger ist meine Ärztin."),
        ("der Zug um acht abfährt", "Der Zug fährt um acht ab."),
        ("ich nicht komme, weil ich krank bin", "Ich komme nicht, weil ich krank bin."),
        ("der Chef meiner Frau krank ist", "Dass der Chef meiner Frau krank ist."),
        ("am Freitag der Chef kommt", "Dass am Freitag der Chef kommt."),
        ("Anna und Ben am 4. Mai heiraten", "Dass Anna und Ben am 4. Mai heiraten."),
    ],
)
def test_german_clauses_become_sentences(clause: str, content: str) -> None:
    """The verb of a subordinate clause takes its place; where its subject cannot be told, the clause is kept whole."""
    assert [text for _, text in kept(f"Merk dir, dass {clause}.")] == [content]


@pytest.mark.parametrize("spoken", ["I'm vegan.", "我吃素。", "Soy vegana.", "Ich bin Arzt."])
def test_short_statements_count(spoken: str) -> None:
    """Two words are enough to say who somebody is."""
    assert [text for _, text in kept(spoken)] == [spoken]


def test_only_a_polite_wish_may_end_with_a_question_mark() -> None:
    """ "Can you remember that …?" is a wish, "Remember the Alamo?" a question."""
    assert kept("Can you remember that I take my coffee black?") == [("wish", "I take my coffee black.")]
    assert kept("Kannst du dir merken, dass ich in Graz wohne?") == [("wish", "Ich wohne in Graz.")]
    assert capture(turn("Remember my old boat Heron?")).dropped == {"question": 1}


def test_a_hostile_message_costs_no_more_than_its_length(
    growth: Callable[[Callable[[int], object], int], float],
) -> None:
    """Sentences made to be almost matched are looked at in linear time."""
    almost = "No, actually, remember that my I prefer the " + "a a, not " * 39
    assert growth(lambda lines: capture(turn(f"{almost}.\n" * lines)), 200) < 8
