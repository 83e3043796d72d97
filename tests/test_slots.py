"""What a statement says of something that has one value at a time, and which later statement takes its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_plugin.recall.slots import Said, replaced
from openclaw_memory_plugin.recall.stating import read_state

NOBODY: tuple[str, ...] = ()


def takes_place(before: str, after: str, heads: tuple[str, ...] = NOBODY) -> bool:
    said = []
    for content, day in ((before, "2026-10-01"), (after, "2026-11-10")):
        state = read_state(content, heads)
        if state is not None:
            said.append((content, Said(state, day)))
    return replaced(said) == {before: after}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Anna lives in Berlin.", "Anna moved to Munich."),
        ("Anna lives in Berlin.", "Anna lives in Munich now, near the river."),
        ("I live in Berlin.", "I moved to Munich last week."),
        ("Anna works at Siemens.", "Anna started at Bosch, she left Siemens."),
        ("Anna works at Siemens.", "Anna no longer works at Siemens."),
        ("Anna works at Siemens.", "Anna left Siemens."),
        ("Anna's phone number is 0151 1234567.", "Anna's new phone number is 0170 7654321."),
        ("The rent is 900 euros.", "The rent went up to 950 euros."),
        ("The rent is 900 euros.", "The rent is now 950."),
        ("The office wifi is called Falke5.", "The office wifi is now called Adler6."),
        ("Anna is 30 years old.", "Anna is now 31 years old."),
        ("Die Miete beträgt 900 Euro.", "Die Miete beträgt jetzt 950 Euro."),
        ("Anna wohnt in Berlin.", "Anna ist nach München umgezogen."),
        ("Anna arbeitet bei Siemens.", "Anna hat bei Bosch angefangen."),
        ("Ana vive en Madrid.", "Ana se mudó a Sevilla."),
        ("Ana vive en Madrid.", "Ana vive ahora en Sevilla."),
        ("Ana mora em Lisboa.", "Ana mudou-se para o Porto."),
        ("Ana mora em Lisboa.", "Ana mora agora em Coimbra."),
        ("Anne habite à Lyon.", "Anne a déménagé à Paris."),
        ("Le loyer est de 900 euros.", "Le loyer est maintenant de 950 euros."),
        ("李雷住在北京。", "李雷搬到上海了。"),
        ("房租是900元。", "房租现在是950元。"),
        ("房租是900元。", "房租改成950元了。"),
        ("王芳的电话号码是0151。", "王芳的新电话号码是0170。"),
        ("アンナはベルリンに住んでいる。", "アンナはミュンヘンに引っ越した。"),
        ("家賃は9万円です。", "家賃は今は10万円です。"),
    ],
)
def test_a_later_statement_on_the_same_thing_takes_its_place(before: str, after: str) -> None:
    """Where somebody lives or works, a number, a price, a name: in each language the newer one holds."""
    assert takes_place(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Anna likes cats.", "Anna likes dogs."),
        ("Anna's work phone number is 0151 1234567.", "Anna's private phone number is 0170 7654321."),
        ("Anna's phone number is 0151 1234567 (work).", "Anna's phone number is 0170 7654321 (private)."),
        ("Anna lives in Berlin.", "Anna's brother lives in Munich."),
        ("Anna lives in Berlin.", "Ben moved to Munich."),
        ("Anna lives in Berlin.", "Anna also lives in Munich."),
        ("Anna lives in Berlin.", "Anna moved to Munich in 2015."),
        ("Anna lives in Berlin.", "Anna moved to Munich ten years ago."),
        ("Anna lives in Berlin.", "Anna wants to be in Munich by May."),
        ("Anna lives in Berlin.", "Anna lives in Berlin Mitte."),
        ("Anna lives in Berlin.", "Anna lives in a flat."),
        ("Anna lives in Berlin.", "Anna moved to Munich?"),
        ("Anna lives in Berlin and works at Siemens.", "Anna moved to Munich."),
        ("Anna works at Siemens.", "Anna works at night."),
        ("Anna's son is called Max.", "Anna's son is called Paul."),
        ("Our neighbour is Tom.", "Our new neighbour is Kim."),
        ("Anna is vegan.", "Anna is now a manager."),
        ("Anna is 170 cm tall.", "Anna is now 31 years old."),
        ("The rent of the flat is 900 euros.", "The rent of the garage is now 80 euros."),
        ("李雷住在北京。", "李雷的弟弟住在上海。"),
        ("李雷住在北京。", "李雷也住在上海。"),
    ],
)
def test_in_doubt_both_stand(before: str, after: str) -> None:
    """Another thing, another kind, one more of it, long ago, not yet, or more than one thing said at once."""
    assert not takes_place(before, after)


def test_the_head_of_a_bullet_names_the_thing_like_its_words() -> None:
    """It does not matter whether a name stands before the statement or in it."""
    ways = ("Lives in Berlin.", ("Anna",)), ("Anna moved to Munich.", NOBODY), ("Anna: I live in Berlin.", NOBODY)
    states = [state for state in (read_state(*way) for way in ways) if state is not None]
    assert [(sorted(state.about), state.whole) for state in states] == [(["anna"], True)] * len(ways)


def test_what_is_said_again_holds_again() -> None:
    """After there and back the last statement stands, and the first one, which says the same."""
    days = (("Lives in Berlin.", "2026-01-01"), ("Moved to Munich.", "2026-02-01"), ("Moved to Berlin.", "2026-03-01"))
    said = [(text, Said(state, day)) for text, day in days if (state := read_state(text, ("Anna",))) is not None]
    assert replaced(said) == {"Moved to Munich.": "Moved to Berlin."}


@given(
    st.permutations([("Lives in Berlin.", 1), ("Lives in Paris.", 2), ("Moved to Rome.", 3), ("Works at Bosch.", 4)])
)
def test_the_order_in_which_statements_are_read_does_not_matter(days: list[tuple[str, int]]) -> None:
    """The newest one stands in the place of all older ones, not of the next one only."""
    said = [
        (text, Said(state, f"2026-01-0{day}"))
        for text, day in days
        if (state := read_state(text, ("Anna",))) is not None
    ]
    assert replaced(said) == {"Lives in Berlin.": "Moved to Rome.", "Lives in Paris.": "Moved to Rome."}


@given(
    st.text(max_size=60),
    st.sampled_from(["is", "lives in", "now called", "moved to", "住在", "は", "に住んで"]),
    st.text(max_size=60),
)
def test_any_text_can_be_read(before: str, phrase: str, after: str) -> None:
    """Nothing that somebody may write is an error."""
    state = read_state(f"{before} {phrase} {after}", ("Anna",))
    assert state is None or (state.about and state.value)
