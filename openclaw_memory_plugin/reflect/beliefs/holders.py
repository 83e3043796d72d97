"""
Whose attitude a clause tells, and of which time: his own of today, or a relative's, or that of his childhood.

Only what the words before the verb say counts. When they name somebody else, or a time that is over, the clause says
nothing for sure of what the subject thinks now.
"""

import re
from collections.abc import Collection, Sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


POSSESSIVES = _words("""
his her their my our your sein seine seiner seinen seinem seines ihr ihre ihrer ihren ihrem mein meine dessen
deren su sus mi mis son sa ses leur leurs mon ma mes seu sua seus suas meu minha
""")
OWN = _words("""
he she they i we you who himself herself er sie ich wir el ella ellos yo il elle ils elles je nous on ele ela
eles eu
""")
"""The subject of whom the statement is, by a pronoun."""
BEFORE_PHRASES = _words("""
in for with of at on by to about from after before during since despite without fur mit von bei nach vor wegen
trotz seit durch zu zum zur para con de por desde pour avec chez depuis par em com
""")
"""What makes the words after it no subject."""
DETERMINERS = _words("""
the a an some many most all every each other another these those several both everybody everyone others people
der die das ein eine viele alle manche andere jeder los las un una muchos muchas otros todos le la les une des
tous os o as um uma muitos outros
""")
HOLDING = re.compile(
    r"(?:like[ds]?|lov\w+|hat(?:es?|ed)|dislik\w+|detest\w*|loath\w+|despis\w+|enjoy\w*|prefer\w*|want\w*|adore\w*|trusts?"
    r"|distrust\w*|mistrust\w*|avoid\w*|refus\w+|reject\w*|dread\w*|resent\w*|appreciat\w+|can't stand|cannot stand"
    r"|mag|mogen|mochten?|liebt|lieben|hasst|hassen|verabscheu\w*|bevorzug\w*|geniess\w*|meid\w+|vermeid\w+|misstrau\w+"
    r"|odian?|ama|aman|adoran?|prefieren?|evitan?|quieren?|aiment?|adorent|prefere\w*|hait|deteste\w*|veut|veulent"
    r"|gostam?|odeiam?|preferem?|querem?)"
)
"""Attitudes that somebody has; others (`is awful`) may have their thing before them."""
_SEPARATE = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_RELATED = re.compile(r"(?:他|她|它|我|彼女?|\w{1,8}?さん|\w{1,4})(?:们)?[的の]\w{1,8}$")
_CJK_OWN = re.compile(r"(?:他|她|彼女?|我|私)(?:们|は|が|も)?$")
_YEAR = re.compile(
    r"(?<!since )(?<!seit )(?<!desde )(?<!depuis )(?:(?<!\w)(?:in|around|im jahre?|en|em|vers|um)\s+|(?<!\d))"
    r"(?P<year>(?:19|20)\d\d)(?P<cjk>年)?(?!\d)"
)


def of_another(before: str, verb: str, after: str, *, own: Collection[str], stops: Collection[str], cjk: bool) -> bool:
    """
    Tell whether an attitude is somebody else's.

    Args:
        before: the words of the clause before the attitude, folded, without those of the lexicon.
        verb: the attitude as it stands there.
        after: what follows it.
        own: parts of the names of the subject.
        stops: words that say nothing.
    """
    if cjk:
        text = before.strip()
        return bool(_RELATED.search(text)) and not _CJK_OWN.search(text)
    words = _SEPARATE.findall(before)
    if _names_subject(words, own) or _names_subject(_SEPARATE.findall(after)[:1], own):
        return False
    for place, word in enumerate(words):
        rest = [one for one in words[place + 1 :] if one not in stops and one not in own]
        related = (
            word in POSSESSIVES or (word.endswith("'s") and len(word) > 3) or (word[:-1] in own and word[-1] == "s")
        )
        experiencer = place and words[place - 1] == "a" and place == 1
        if related and rest and (not place or experiencer or words[place - 1] not in BEFORE_PHRASES):
            return True
    named = [one for one in words[1:] if one not in stops]
    return bool(words and named and words[0] in DETERMINERS and HOLDING.fullmatch(verb))


def years_of(text: str) -> list[int]:
    """Return the years in which a clause says that something was so; not those since which it is."""
    found = (match for match in _YEAR.finditer(text))
    return [int(match["year"]) for match in found if match["cjk"] or not match[0][0].isdigit()]


def _names_subject(words: Sequence[str], own: Collection[str]) -> bool:
    """Whether he stands there himself: by a pronoun, or by his name, not as a part of somebody else's."""
    for place, word in enumerate(words):
        if word in OWN or (word in own and (not place or words[place - 1] not in BEFORE_PHRASES)):
            return True
    return False
