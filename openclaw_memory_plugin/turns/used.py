"""Which of the facts put before the agent its reply made use of."""

from collections.abc import Iterable

from openclaw_memory_hookspecs import Fact
from openclaw_memory_plugin.words import content_words, language_of

USED_SHARE = 0.6
"""Share of a fact's words, beyond those of the question, that a reply must hold to count as having used it."""


def used_facts(reply: str, prompt: str, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """
    Tell which of the facts put before the agent its reply made use of.

    A fact is used when the reply names its id or citation, or holds most of its content words that the question did
    not already have.
    """
    languages = frozenset({language_of(reply), "en"})
    held = _terms(reply, languages)
    asked = _terms(prompt, languages)
    return tuple(fact for fact in facts if _is_used(fact, reply, held, asked, languages))


def _is_used(fact: Fact, reply: str, held: frozenset[str], asked: frozenset[str], languages: frozenset[str]) -> bool:
    if fact.id in reply or any(str(citation) in reply for citation in fact.citations):
        return True
    new = _terms(fact.content, languages) - asked
    return bool(new) and len(new & held) >= max(1, USED_SHARE * len(new))


def _terms(text: str, languages: frozenset[str]) -> frozenset[str]:
    return frozenset(term for word in content_words(text, languages) for term in word.alternatives)
