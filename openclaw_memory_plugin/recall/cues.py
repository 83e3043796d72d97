"""
What a question asks for beside its words: a time, an opinion, what holds now, what comes, what was first or last.

Pure: a text goes in, cues come out. Each cue is a row of a table with its phrases in English, German, Spanish,
Portuguese, French, Chinese and Japanese; phrases match folded text.
"""

import datetime as dt
import re
from collections.abc import Iterable

import attrs

from openclaw_memory_plugin.recall.times import Window, windows
from openclaw_memory_plugin.words import Word, content_words, fold


@attrs.frozen(kw_only=True)
class Cues:
    """A question, read."""

    words: tuple[Word, ...] = ()
    folded: str = ""
    """The whole question as `words.fold` returns it."""
    windows: tuple[Window, ...] = ()
    opinion: bool = False
    """It asks what somebody thinks, likes or wants."""
    current: bool = False
    """It asks what holds now."""
    future: bool = False
    """It asks for what is planned or due."""
    when: bool = False
    """It asks for a time."""
    timed: frozenset[str] = frozenset()
    """Texts of those words that only name a time."""
    edge: str = ""
    """`first` or `last` when it asks for the earliest or the latest."""


_PHRASES: dict[str, str] = {
    "opinion": r"""
        \b(?:prefers?|preferred|likes?|dislikes?|loves?|hates?|enjoys?|favou?rs?|favou?rite|minds?|fond|opinions?|views? (?:on|of|about)
        |thinks?|believes?|feels? about|thoughts? (?:on|about)|say (?:about|to)|would \w+ (?:say|want|rather|like|choose|pick|prefer)
        |wants?|wish(?:es)?|annoys?|bothers?|can(?:no|')t stand|attitude|stance|rather|happy with|in favou?r|should (?:i|we) not|agree)\b
        |\b(?:mag|mogen|mochten?|lieber|bevorzugt|halt \w+ von|halten \w+ von|denkt|findet|meint|meinung|ansicht|gefallt|will|wollen
        |wunscht|hasst|liebt|stort|haltung|am liebsten)\b
        |\b(?:prefier\w*|gusta\w*|opina\w*|opinion|piensa\w*|cree\w*|parece|quier\w*|odia\w*|encanta\w*|molesta\w*|preferencias?)\b
        |\b(?:prefere\w*|gosta\w*|acha\w*|pensa\w*|opiniao|quer\w*|odeia|adora\w*|incomoda\w*)\b
        |\b(?:prefer\w*|aime\w*|pense\w*|trouve\w*|croi\w*|avis|veut|deteste\w*|adore\w*|plait|gene)\b
        |喜欢|喜歡|偏好|偏爱|讨厌|討厭|觉得|覺得|认为|認為|看法|意见|意見|想法|态度|態度|怎么看|怎麼看|忌讳|忌諱|爱吃|愿意|願意|更想|宁愿|不想|反感|介意|在意
        |好き|好み|好む|嫌い|嫌が|嫌う|苦手|思って|思う|思い|考えて|意見|感想|望|欲し|たい|方がいい|気に入""",
    "current": r"""
        \b(?:now(?:adays)?|right now|by now|currently|at the moment|at present|still|these days|any ?more|no longer|latest|current|from now on|as of today)\b
        |\b(?:jetzt|derzeit|aktuell\w*|momentan|zurzeit|inzwischen|mittlerweile|noch immer|immer noch|nicht mehr|von nun an|ab jetzt|heutzutage)\b
        |\b(?:ahora|actualmente|todavia|aun|hoy en dia|ya no|a partir de ahora)\b
        |\b(?:agora|atualmente|ainda|hoje em dia|ja nao|a partir de agora)\b
        |\b(?:maintenant|actuellement|encore|toujours|desormais|a present|en ce moment)\b
        |现在|現在|目前|如今|当前|眼下|还在|还是|今后|もう|今は|今の|まだ|最新|今後|いま""",
    "future": r"""
        \b(?:when|what (?:date|day|time)|which (?:date|day)|for when|until when|by when|how soon)\b.*\b(?:will|is|are|due|planned|scheduled|start|begin|launch|open|next)\b
        |\b(?:planned|scheduled|upcoming|due|deadline|going to|will)\b
        |\bwann\b.*\b(?:wird|werden|kommt|kommen|beginnt|startet|ist|sind|soll)\b|\b(?:fur wann|bis wann|ab wann|geplant|fallig|frist|termin)\b
        |\b(?:cuando (?:sera|empieza|llega|es)|para cuando|previsto|programad[oa]|plazo)\b
        |\b(?:quando (?:sera|comeca|chega|e)|para quando|previst[oa]|prazo)\b
        |\bquand\b.*\b(?:sera|seront|commence|arrive)\b|\b(?:pour quand|prevu\w*|echeance)\b
        |什么时候|什麼時候|哪天|何时|何時|几号|定在|计划|計劃|预计|預計|截止|いつ|予定|締め?切り|期限""",
    "when": r"""
        \b(?:when|what (?:date|day|time|year|month)|which (?:date|day|year|month|week(?:day)?)|how long (?:ago|have|has|did|was|were|will|until)|since when|until when)\b
        |\b(?:wann|seit wann|bis wann|wie lange|an welchem tag|welche[sn]? datum|um wie viel uhr)\b
        |\b(?:cuando|que dia|que fecha|cuanto tiempo|quando|que dia|qual data|quanto tempo|quand|quel jour|quelle date|combien de temps)\b
        |什么时候|什麼時候|哪天|哪一天|何时|几号|几点|多久|哪年|いつ|何時|何日|何月|どれくらい""",
    "first": r"""
        \b(?:first(?: time)?|earliest|originally|initially|at first|in the beginning)\b|\b(?:zuerst|als erstes|zum ersten mal|ursprunglich|anfangs|am anfang)\b
        |\b(?:primer[oa]?|por primera vez|al principio|originalmente|primeir[oa]|pela primeira vez|no inicio|d'abord|premiere fois|au debut|initialement)\b
        |最初|第一次|首次|一开始|起初|初めて|はじめて|当初""",
    "last": r"""
        \b(?:last time|most recent(?:ly)?|latest|lastly|did (?:we|i) (?:\w+ )?last)\b|\b(?:zuletzt|als letztes|zum letzten mal|das letzte mal|neueste[nrs]?)\b
        |\b(?:ultima vez|por ultimo|mas reciente|mais recente|derniere fois|en dernier|recemment)\b
        |上次|最后一次|最近一次|最新|前回|最後に|この前""",
}  # fmt: skip
_PATTERNS = {name: re.compile(re.sub(r"\n\s+", "", phrases)) for name, phrases in _PHRASES.items()}
_CUT = ("current",)
"""Cues whose phrases say nothing about the subject, and are no search words."""

TIME_WORD_WEIGHT = 0.4
"""What the words of a named date weigh beside others: the window already stands for them."""


def read_question(query: str, *, languages: Iterable[str], today: dt.date) -> Cues:
    """
    Read a question.

    Args:
        languages: those of the corpus; every word is looked for under each.
        today: in the owner's zone; relative times count from it.
    """
    folded = fold(query)
    asked = {name: pattern.search(folded) is not None for name, pattern in _PATTERNS.items()}
    spans = windows(query, today=today)
    rest = folded
    for window in spans:
        rest = rest[: window.begin] + " " * (window.end - window.begin) + rest[window.end :]
    for name in _CUT:
        rest = _PATTERNS[name].sub(_blank, rest) if asked[name] else rest
    codes = tuple(languages)
    words = {word.text: word for word in content_words(_as_written(query, folded, rest), codes)} if rest.strip() else {}
    timed = set()
    for window in spans:
        for word in content_words(folded[window.begin : window.end], codes):
            if word.text not in words:
                words[word.text] = attrs.evolve(word, weight=word.weight * TIME_WORD_WEIGHT)
                timed.add(word.text)
    return Cues(
        words=tuple(words.values()) or content_words(query, codes),
        folded=folded,
        windows=spans,
        timed=frozenset(timed),
        opinion=asked["opinion"],
        current=asked["current"],
        future=asked["future"],
        when=asked["when"],
        edge="first" if asked["first"] else "last" if asked["last"] else "",
    )


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _as_written(query: str, folded: str, rest: str) -> str:
    """Return the rest of a question with its capitals where folding kept every character in place."""
    if len(query) != len(folded):
        return rest
    return "".join(new if new == " " else old for old, new in zip(query, rest, strict=True))
