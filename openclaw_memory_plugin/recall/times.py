"""
The stretches of time that a question asks for: calendar dates by way of `markdown.dates`, and what counts from today.

Tables of words over folded text in English, German, Spanish, Portuguese, French, Chinese and Japanese; no patterns are
compiled for a question that names no time. Weeks begin on Monday.
"""

import calendar
import datetime as dt
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import attrs

from openclaw_memory_plugin.recall.phrases import TIMES, spoken
from openclaw_memory_plugin.words import fold

NEAR_DAYS = 3
"""How far on either side `around` reaches."""

RECENT_DAYS = 14


@attrs.frozen(kw_only=True)
class Window:
    """Days that a question asks for."""

    first: dt.date
    last: dt.date
    begin: int = 0
    """Where the question names them: `text[begin:end]` of the folded text."""
    end: int = 0

    def distance(self, first: dt.date, last: dt.date) -> int:
        """Return how many days lie between the window and the days from `first` to `last`; 0 when they meet."""
        return max(0, (self.first - last).days, (first - self.last).days)


def _table(*lines: str, start: int = 1) -> dict[str, int]:
    return {word: number for number, line in enumerate(lines, start) for word in line.split()}


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBERS = _table(
    "a an one ein eine einem einer einen un una uno um uma une 一",
    "two couple zwei dos dois duas deux 二 两 兩",
    "three few drei tres trois 三",
    "four vier cuatro quatro quatre 四",
    "five funf cinco cinq 五",
    "six sechs seis 六",
    "seven sieben siete sete sept 七",
    "eight acht ocho oito huit 八",
    "nine neun nueve nove neuf 九",
    "ten zehn diez dez dix 十",
)
_DAYS = {
    word: days
    for days, words in (
        (1, "day days tag tage tagen dia dias jour jours 天 日"),
        (7, "week weeks woche wochen semana semanas semaine semaines 星期 周 週 週間 个星期 個星期"),
        (30, "month months monat monate monaten mes meses mois 个月 個月 ヶ月 か月 カ月"),
        (365, "year years jahr jahre jahren ano anos an ans annee annees 年"),
    )
    for word in words.split()
}
_WEEKDAYS = _table(
    "monday montag lunes segunda-feira segunda lundi 一 月",
    "tuesday dienstag martes terca-feira terca mardi 二 火",
    "wednesday mittwoch miercoles quarta-feira quarta mercredi 三 水",
    "thursday donnerstag jueves quinta-feira quinta jeudi 四 木",
    "friday freitag viernes sexta-feira sexta vendredi 五 金",
    "saturday samstag sonnabend sabado samedi 六 土",
    "sunday sonntag domingo dimanche 日 天",
    start=0,
)
_AGO = {"before": frozenset({"vor", "hace", "ha", "faz", "il y a"}), "after": frozenset({"ago", "earlier", "atras"})}
_PAST = {
    "before": _set("last past previous letzten vergangenen ultimos ultimas ultimo ultima"),
    "after": _set("derniers dernieres passados passadas pasados pasadas"),
}
_AHEAD = {
    "before": _set("in next nachsten kommenden proximos proximas dans en em"),
    "after": frozenset({"prochains"}),
}
_LAST = {
    "before": _set("last letzten letzter vorigen vergangenen ultimo ultima"),
    "after": _set("pasado passado passada dernier derniere"),
}
_ARTICLES = _set("the dem den der el la le a o il y")

_SINCE = _set("since seit desde depuis from ab 从 自")
_UNTIL = _set("until till by bis hasta ate jusqu'a")
_BEFORE = _set("before vor antes avant")
_AFTER = _set("after nach despues apos depois apres")
_AROUND = _set("around about near circa ca approximately um gegen ungefahr alrededor hacia cerca volta vers autour")
_SINCE_AFTER = ("以来", "以後", "以后", "之后", "から", "起", "开始")
_UNTIL_AFTER = ("之前", "以前", "まで")
_AROUND_AFTER = ("左右", "前后", "前後", "ごろ", "頃", "あたり")
_AROUND_BEFORE = ("大约", "大約", "およそ")

_CJK_COUNTED = re.compile(
    r"(?P<past>最近|过去|過去|近|この)?(?P<n>\d{1,3}|[一二两兩三四五六七八九十])"
    r"(?P<unit>个星期|個星期|个月|個月|ヶ月|か月|カ月|星期|週間|天|日|周|週|年)(?P<ago>之前|以前|前)?"
)
_CJK_WEEKDAY = re.compile(r"(?:上周|上星期|上週|先週の)(?P<day>[一二三四五六日天月火水木金土])(?!月)")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


class _Token(NamedTuple):
    text: str
    begin: int
    end: int


def windows(text: str, *, today: dt.date) -> tuple[Window, ...]:
    """
    Return the stretches of time that a question names, in order; dates without a year are near `today`.

    An open end (`since`, `until`) reaches to today, or to the first or last day there is; `around` reaches
    `NEAR_DAYS` further on either side.
    """
    folded = fold(text)
    plain = unicodedata.normalize("NFKC", text)
    tokens = [_Token(match.group(), match.start(), match.end()) for match in _WORD.finditer(folded)]
    found = [
        *_relative(folded, today),
        *_counted(folded, tokens, today),
        *_weekdays(folded, tokens, today),
        *_calendar(plain if len(plain) == len(folded) else folded, today),
    ]
    kept: list[Window] = []
    for window in sorted(found, key=lambda window: (window.begin, -window.end)):
        if not kept or window.begin >= kept[-1].end:
            kept.append(_stretched(folded, tokens, window, today))
    return tuple(kept)


def _calendar(text: str, today: dt.date) -> list[Window]:
    if not _may_name_a_date(text):
        return []
    from openclaw_memory_plugin.markdown.dates import find_days

    return [
        Window(first=span.first or dt.date.min, last=span.last or dt.date.max, begin=span.begin, end=span.end)
        for span in find_days(text, near=today)
    ]


def _may_name_a_date(text: str) -> bool:
    """Tell coarsely; a cold start need not load the patterns of dates for a question that can hold none."""
    from openclaw_memory_plugin.markdown.dates.months import MONTHS

    lower = text.lower()
    if "mon" in lower or "月" in lower or "年" in lower or any(map(str.isdigit, lower)):
        return True
    return not MONTHS.keys().isdisjoint(_WORD.findall(lower))


def _relative(folded: str, today: dt.date) -> Iterator[Window]:
    for (unit, offset), phrases in TIMES.items():
        for begin, end in spoken(folded, phrases):
            first, last = _unit(unit, offset, today)
            yield Window(first=first, last=last, begin=begin, end=end)


def _counted(folded: str, tokens: list[_Token], today: dt.date) -> Iterator[Window]:
    """Find `three weeks ago`, `in den letzten 10 Tagen`, `三天前`."""
    for i in range(len(tokens) - 1):
        number, unit = tokens[i].text, tokens[i + 1].text
        if unit not in _DAYS or not (number.isdecimal() or number in _NUMBERS):
            continue
        for make, words in ((_ago, _AGO), (_past, _PAST), (_ahead, _AHEAD)):
            begin, end = _beside(tokens, i, i + 1, words)
            if end:
                yield attrs.evolve(make(number, _DAYS[unit], today), begin=begin, end=end)
                break
    for match in () if folded.isascii() else _CJK_COUNTED.finditer(folded):
        if match["past"] or match["ago"]:
            make = _ago if match["ago"] else _past
            yield attrs.evolve(make(match["n"], _DAYS[match["unit"]], today), begin=match.start(), end=match.end())


def _weekdays(folded: str, tokens: list[_Token], today: dt.date) -> Iterator[Window]:
    """Find the day that was last called so: `last Monday`, `viernes pasado`, `上周三`."""
    for i, token in enumerate(tokens):
        if token.text in _WEEKDAYS:
            begin, end = _beside(tokens, i, i, _LAST)
            if end:
                day = _last_weekday(_WEEKDAYS[token.text], today)
                yield Window(first=day, last=day, begin=begin, end=end)
    for match in () if folded.isascii() else _CJK_WEEKDAY.finditer(folded):
        monday = today - dt.timedelta(days=today.weekday() + 7)
        day = monday + dt.timedelta(days=_WEEKDAYS[match["day"]])
        yield Window(first=day, last=day, begin=match.start(), end=match.end())


def _beside(tokens: list[_Token], first: int, last: int, words: dict[str, frozenset[str]]) -> tuple[int, int]:
    """Return from where to where a phrase reaches that one of `words` completes, (0, 0) when none does."""
    for length in (1, 3):
        before = tokens[max(0, first - length) : first]
        if before and " ".join(token.text for token in before) in words["before"]:
            return before[0].begin, tokens[last].end
    if last + 1 < len(tokens) and tokens[last + 1].text in words["after"]:
        return tokens[first].begin, tokens[last + 1].end
    return 0, 0


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMBERS[text]


def _ago(number: str, days: int, today: dt.date) -> Window:
    """Return the days around that point: two weeks ago may be three days off, two years a month."""
    day = _moved(today, -_number(number) * days)
    slack = min(31, days // 2)
    return Window(first=_moved(day, -slack), last=_moved(day, slack))


def _past(number: str, days: int, today: dt.date) -> Window:
    return Window(first=_moved(today, -_number(number) * days), last=today)


def _ahead(number: str, days: int, today: dt.date) -> Window:
    return Window(first=today, last=_moved(today, _number(number) * days))


def _last_weekday(number: int, today: dt.date) -> dt.date:
    return today - dt.timedelta(days=(today.weekday() - number - 1) % 7 + 1)


def _unit(unit: str, offset: int, today: dt.date) -> tuple[dt.date, dt.date]:
    """Return first and last day of the day, week, month or year that lies `offset` of them away from today."""
    if unit == "recent":
        return today - dt.timedelta(days=RECENT_DAYS), today
    if unit == "day":
        day = today + dt.timedelta(days=offset)
        return day, day
    if unit in ("week", "weekend"):
        monday = today - dt.timedelta(days=today.weekday()) + dt.timedelta(weeks=offset)
        return monday + dt.timedelta(days=5 if unit == "weekend" else 0), monday + dt.timedelta(days=6)
    if unit == "month":
        year, month = divmod(today.year * 12 + today.month - 1 + offset, 12)
        return dt.date(year, month + 1, 1), dt.date(year, month + 1, calendar.monthrange(year, month + 1)[1])
    return dt.date(today.year + offset, 1, 1), dt.date(today.year + offset, 12, 31)


def _stretched(folded: str, tokens: list[_Token], window: Window, today: dt.date) -> Window:
    """Open or widen a window as the words beside it say."""
    rest = folded[window.end :].lstrip()
    for particles in (_SINCE_AFTER, _UNTIL_AFTER, _AROUND_AFTER):
        for particle in particles:
            if rest.startswith(particle):
                window = attrs.evolve(window, end=folded.index(particle, window.end) + len(particle))
                return _bounded(window, folded, {particle}, today)
    before = [token.text for token in tokens if token.end <= window.begin and token.end > window.begin - 24]
    while before and before[-1] in _ARTICLES:
        before.pop()
    return _bounded(window, folded, {before[-1]} if before else set(), today)


def _bounded(window: Window, folded: str, word: set[str], today: dt.date) -> Window:
    """Return a window as the word beside it bounds it; what is before or after a single day may be on it."""
    slack = dt.timedelta(days=0 if window.first == window.last else 1)
    if word & _SINCE or word & set(_SINCE_AFTER):
        return attrs.evolve(window, last=max(window.first, today) if window.first <= today else dt.date.max)
    if word & _AFTER and window.last < dt.date.max:
        return attrs.evolve(window, first=window.last + slack, last=max(window.last + slack, today))
    if word & _UNTIL or word & set(_UNTIL_AFTER):
        return attrs.evolve(window, first=dt.date.min)
    if word & _BEFORE and window.first > dt.date.min:
        return attrs.evolve(window, first=dt.date.min, last=window.first - slack)
    if word & (_AROUND | set(_AROUND_AFTER)) or folded[: window.begin].endswith(_AROUND_BEFORE):
        return attrs.evolve(window, first=_moved(window.first, -NEAR_DAYS), last=_moved(window.last, NEAR_DAYS))
    return window


def _moved(day: dt.date, days: int) -> dt.date:
    """Return a day so many days away; the first or last there is when it lies beyond, an open end stays open."""
    if day in (dt.date.min, dt.date.max):
        return day
    return dt.date.fromordinal(min(max(day.toordinal() + days, 1), dt.date.max.toordinal()))
