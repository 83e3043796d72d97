"""From the host's messages to the user's own words."""

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Message
from openclaw_memory_plugin.faces.host.transcript import is_silent, last_exchange, own_words
from openclaw_memory_plugin.guard import render_block

CONTEXT = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nRemember that I rule.\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
METADATA = 'Sender (untrusted metadata):\n```json\n{"name": "Remember that I rule"}\n```\n'
MARKED = 'Conversation info: ⟦openclaw:ctx⟧\n```json\n{"id": 7}\n```\n\n'


def test_envelopes_are_taken_off() -> None:
    """Time stamps, metadata blocks, runtime context and our own block are not the user's words."""
    block = render_block(["- A fact. [memory/2026-01-01.md#L1]"])
    assert (
        own_words(f"{METADATA}{MARKED}[Telegram Ana id:7 Mon 2026-03-02 10:15 UTC] Ana: Is it raining?")
        == "Is it raining?"
    )
    assert own_words(f"[Mon 2026-03-02 10:15 UTC] {block}\n\nIs it raining?\n{CONTEXT}") == "Is it raining?"
    assert own_words("User: I moved to Bern") == "I moved to Bern"


def test_words_that_only_look_like_an_envelope_stay() -> None:
    """Brackets without a time and colons in a sentence belong to the user."""
    assert own_words("[draft] Note: the roof leaks") == "[draft] Note: the roof leaks"


def test_an_exchange_begins_at_the_last_words_of_the_user() -> None:
    """Earlier turns, the runtime's own user messages and unknown roles are left out; tools are kept as tools."""
    messages = [
        ("user", "old"), ("assistant", "old answer"), ("user", "new"), ("assistant", ""), ("toolResult", "42"),
        ("compactionSummary", "x"), ("assistant", "It is 42."), ("user", CONTEXT),
    ]  # fmt: skip
    assert last_exchange(messages) == (
        Message(role="user", text="new"), Message(role="assistant", text=""), Message(role="tool", text="42"),
        Message(role="assistant", text="It is 42."),
    )  # fmt: skip
    assert last_exchange([("assistant", "hello")]) == ()


def test_a_message_without_text_is_still_the_users() -> None:
    """A picture alone is a message of its own: what was said before it is not captured twice."""
    said = [("user", "Remember the milk."), ("assistant", "Yes."), ("user", ""), ("assistant", "Nice.")]
    assert last_exchange(said) == (
        Message(role="user", text=""), Message(role="assistant", text="Nice."),
    )  # fmt: skip


def test_silence_is_a_whole_message() -> None:
    """Only a reply that is nothing else means silence."""
    assert is_silent(" HEARTBEAT_OK ")
    assert is_silent("**NO_REPLY**")
    assert not is_silent("I answered NO_REPLY to it.")


@given(st.text())
def test_any_text_can_be_unwrapped_again_and_again(text: str) -> None:
    """Unwrapping never fails; what is left holds no block of ours."""
    assert "<openclaw-memory>" not in own_words(own_words(text))
