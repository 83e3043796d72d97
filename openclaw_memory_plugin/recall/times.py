"""
The stretches of time that a question asks for: calendar dates by way of `markdown.dates`, and what counts from today.

A table of patterns over folded text in English, German, Spanish, Portuguese, French, Chinese and Japanese; each says
which unit it counts in and how far away it lies. Weeks begin on Monday.
"""

import calendar
import datetime as dt
import re
import unicodedata

import attrs

from openclaw_memory_plugin.words import fold


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


NEAR_DAYS = 3
"""How far on either side `around` reaches when it names one day."""

RECENT_DAYS = 14

_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einer einen un una uno um uma une 一",
            "two couple zwei dos dois duas deux 二 两 兩",
            "three few drei ein paar tres trois 三",
            "four vier cuatro quatro quatre 四",
            "five funf cinco cinq 五",
            "six sechs seis 六",
            "seven sieben siete sete sept 七",
            "eight acht ocho oito huit 八",
            "nine neun nueve nove neuf 九",
            "ten zehn diez dez dix 十",
        ),
        1,
    )
    for word in words.split()
}
_N = rf"(?P<n>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNIT = (
    r"(?P<unit>days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?|dias?|semanas?|mes(?:es)?|anos?"
    r"|jours?|semaines?|mois|ans?|annees?)"
)
_CJK_N = r"(?P<n>\d{1,3}|[一二两兩三四五六七八九十])"
_CJK_UNIT = r"(?P<unit>天|日|个星期|個星期|星期|周|週間|週|个月|個月|ヶ月|か月|カ月|年)"
_UNITS = {
    "d": 1,
    "t": 1,
    "j": 1,
    "w": 7,
    "s": 7,
    "m": 30,
    "y": 365,
    "a": 365,
    "天": 1,
    "日": 1,
    "周": 7,
    "週": 7,
    "星": 7,
    "年": 365,
}

_RELATIVE: tuple[tuple[str, int, str], ...] = (
    ("day", -2, r"\bday before yesterday\b|\bvorgestern\b|\banteayer\b|\bantes de ayer\b|\banteontem\b|\bavant[- ]hier\b|前天|一昨日|おととい"),
    ("day", -1, r"\byesterday\b|\blast night\b|\bgestern\b|\bayer\b|\bontem\b|\bhier\b|昨天|昨晚|昨日|きのう"),
    ("day", 0, r"\btoday\b|\bthis (?:morning|afternoon|evening)\b|\btonight\b|\bheute\b|\bhoy\b|\bhoje\b|\baujourd'hui\b|今天|今日|きょう"),
    ("day", 1, r"\btomorrow\b|\bmorgen\b(?!\s+fruh)|\bmanana\b|\bamanha\b|\bdemain\b|明天|明日|あした"),
    ("week", -1, r"\b(?:last|previous|past) week\b|\b(?:letzte|vorige|vergangene)[nr]? woche\b|\bvorwoche\b|\bsemana pasada\b|\bsemana passada\b|\bsemaine (?:derniere|passee)\b|上(?:个|個)?(?:周|星期|礼拜|禮拜)|上週|先週"),
    ("week", 0, r"\bthis week\b|\bdiese[rn]? woche\b|\besta semana\b|\bcette semaine\b|这(?:个|一)?(?:周|星期)|本周|今週|本週"),
    ("week", 1, r"\bnext week\b|\b(?:nachste|kommende)[nr]? woche\b|\bproxima semana\b|\bsemana que (?:viene|vem)\b|\bsemaine prochaine\b|下(?:个|個)?(?:周|星期)|来週|下週"),
    ("month", -1, r"\b(?:last|previous|past) month\b|\b(?:letzten|vorigen|vergangenen) monat\b|\bvormonat\b|\bmes pasado\b|\bmes passado\b|\bmois (?:dernier|passe)\b|上(?:个|個)月|先月"),
    ("month", 0, r"\bthis month\b|\bdiese[nmr]? monats?\b|\beste mes\b|\bce mois(?:-ci)?\b|这(?:个|個)?月|本月|今月"),
    ("month", 1, r"\bnext month\b|\b(?:nachste|kommende)[nm] monats?\b|\bproximo mes\b|\bmes que (?:viene|vem)\b|\bmois prochain\b|下(?:个|個)月|来月"),
    ("year", -1, r"\blast year\b|\b(?:letztes|voriges|vergangenes|letzten) jahr\b|\bano pasado\b|\bano passado\b|\bannee derniere\b|\bl'an dernier\b|去年|昨年"),
    ("year", 0, r"\bthis year\b|\bdieses jahr\b|\beste ano\b|\bcette annee\b|今年"),
    ("year", 1, r"\bnext year\b|\b(?:nachstes|kommendes) jahr\b|\bproximo ano\b|\bano que (?:viene|vem)\b|\bannee prochaine\b|明年|来年"),
    ("weekend", -1, r"\blast weekend\b|\b(?:letztes|vergangenes) wochenende\b|\bfin de semana pasado\b|\bfim de semana passado\b|\bweek-?end dernier\b|上周末|先週末"),
    ("recent", 0, r"\brecently\b|\blately\b|\bthese days\b|\bneulich\b|\bkurzlich\b|\bin letzter zeit\b|\bultimamente\b|\brecientemente\b|\brecentemente\b|\brecemment\b|\bces derniers temps\b|最近|近来|このごろ"),
)  # fmt: skip
_COUNTED: tuple[tuple[str, str], ...] = (
    ("ago", rf"\b{_N} {_UNIT} ago\b|\bvor {_N.replace('<n>', '<n2>')} {_UNIT.replace('<unit>', '<unit2>')}\b"),
    ("ago", rf"\b(?:hace|ha|faz|il y a) {_N} {_UNIT}\b"),
    ("ago", rf"{_CJK_N}{_CJK_UNIT}(?:之?前|以前)"),
    ("past", rf"\b(?:last|past|previous|(?:in den )?(?:letzten|vergangenen)|(?:los |las )?ultim[oa]s|(?:les )?) ?{_N} {_UNIT}(?: derniers| dernieres| passados)?\b"),
    ("past", rf"(?:最近|过去|過去|近|この){_CJK_N}{_CJK_UNIT}"),
    ("ahead", rf"\bin {_N} {_UNIT}\b|\b(?:next|(?:in den )?nachsten|proxim[oa]s) {_N.replace('<n>', '<n2>')} {_UNIT.replace('<unit>', '<unit2>')}\b"),
)  # fmt: skip
_WEEKDAYS = {
    day: number
    for number, days in enumerate(
        (
            "monday montag lunes segunda-feira segunda lundi",
            "tuesday dienstag martes terca-feira terca mardi",
            "wednesday mittwoch miercoles quarta-feira quarta mercredi",
            "thursday donnerstag jueves quinta-feira quinta jeudi",
            "friday freitag viernes sexta-feira sexta vendredi",
            "saturday samstag sonnabend sabado samedi",
            "sunday sonntag domingo dimanche",
        )
    )
    for day in days.split()
}
_CJK_WEEKDAYS = {
    char: number
    for number, chars in enumerate(("一月", "二火", "三水", "四木", "五金", "六土", "日天"))
    for char in chars
}
_DAY_NAMES = "|".join(sorted(_WEEKDAYS, key=len, reverse=True))
_LAST_WEEKDAY = re.compile(
    rf"\b(?:last|letzten|vorigen|vergangenen) (?P<day>{_DAY_NAMES})\b|\b(?P<day2>{_DAY_NAMES}) (?:pasado|passad[oa]|dernier)\b"
    r"|(?:上(?:周|星期|週)|先週の)(?P<day3>[一二三四五六日天月火水木金土])(?:曜日?)?"
)

_SINCE = re.compile(r"(?:\b(?:since|seit|desde|depuis|from|ab)(?: (?:the|dem|der|el|la|a|o|le))?\s*|从|自)$")
_SINCE_AFTER = re.compile(r"\s*(?:以来|以後|以后|之后|から|起|开始)")
_UNTIL = re.compile(
    r"(?:\b(?:until|till|before|up to|by|vor|bis|hasta|antes de|ate|jusqu'a|avant)(?: (?:the|dem|der|el|la|a|o|le))?\s*)$"
)
_UNTIL_AFTER = re.compile(r"\s*(?:之前|以前|まで)")
_AROUND = re.compile(
    r"\b(?:around|about|near|circa|ca\.|approximately|um den|um|gegen|ungefahr|alrededor del?|hacia(?: el)?|cerca del?"
    r"|por volta de|vers(?: le)?|autour du|aux alentours du)(?: the| den| dem)?\s*$|大约|大約|およそ"
)
_AROUND_AFTER = re.compile(r"\s*(?:左右|前后|前後|ごろ|頃|あたり)")
_WORDS = re.compile(r"\w+")
_LIKELY = re.compile(r"\d|[一二三四五六七八九十]")


def windows(text: str, *, today: dt.date) -> tuple[Window, ...]:
    """
    Return the stretches of time that a question names, in order; dates without a year are near `today`.

    An open end (`since`, `until`) reaches 36,500 days; `around` a single day reaches `NEAR_DAYS` to either side.
    """
    folded = fold(text)
    plain = unicodedata.normalize("NFKC", text)
    found = [*_counted_from(folded, today), *_calendar(plain if len(plain) == len(folded) else folded, today)]
    kept: list[Window] = []
    for window in sorted(found, key=lambda w: (w.begin, -w.end)):
        if not kept or window.begin >= kept[-1].end:
            kept.append(_stretched(folded, window, today))
    return tuple(kept)


def _calendar(text: str, today: dt.date) -> list[Window]:
    if not _may_name_a_date(text):
        return []
    from openclaw_memory_plugin.markdown.dates import find_days

    found = []
    for span in find_days(text, near=today):
        first = span.first or dt.date.min
        last = span.last or dt.date.max
        found.append(Window(first=first, last=last, begin=span.begin, end=span.end))
    return found


def _may_name_a_date(text: str) -> bool:
    """Tell coarsely; a cold start need not load the patterns of dates for a question that can hold none."""
    from openclaw_memory_plugin.markdown.months import MONTHS

    lower = text.lower()
    if "mon" in lower or "月" in lower or "年" in lower or any(map(str.isdigit, lower)):
        return True
    return not MONTHS.keys().isdisjoint(_WORDS.findall(lower))


def _counted_from(folded: str, today: dt.date) -> list[Window]:
    found = []
    for unit, offset, pattern in _RELATIVE_PATTERNS:
        for match in pattern.finditer(folded):
            first, last = _unit(unit, offset, today)
            found.append(Window(first=first, last=last, begin=match.start(), end=match.end()))
    for match in _LAST_WEEKDAY.finditer(folded):
        number = _CJK_WEEKDAYS[match["day3"]] if match["day3"] else _WEEKDAYS[match["day"] or match["day2"]]
        day = today - dt.timedelta(days=(today.weekday() - number - 1) % 7 + 1)
        found.append(Window(first=day, last=day, begin=match.start(), end=match.end()))
    if _LIKELY.search(folded) or " " in folded:
        for direction, pattern in _COUNTED_PATTERNS:
            for match in pattern.finditer(folded):
                found.append(_counted(direction, match, today))
    return found


def _counted(direction: str, match: re.Match[str], today: dt.date) -> Window:
    groups = match.groupdict()
    number = groups.get("n") or groups.get("n2") or "1"
    unit = groups.get("unit") or groups.get("unit2") or "day"
    size = _UNITS.get(unit.lstrip("个個ヶかカ")[0], 1) if not unit.startswith("月") else 30
    if "月" in unit:
        size = 30
    count = (int(number) if number.isdecimal() else _NUMBERS[number]) * size
    slack = dt.timedelta(days=size // 4 if size < 365 else 31)
    begin, end = match.start(), match.end()
    if direction == "ago":
        day = today - dt.timedelta(days=count)
        return Window(first=day - slack, last=day + slack, begin=begin, end=end)
    if direction == "past":
        return Window(first=today - dt.timedelta(days=count), last=today, begin=begin, end=end)
    return Window(first=today, last=today + dt.timedelta(days=count), begin=begin, end=end)


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
        months = today.year * 12 + today.month - 1 + offset
        year, month = divmod(months, 12)
        return dt.date(year, month + 1, 1), dt.date(year, month + 1, calendar.monthrange(year, month + 1)[1])
    return dt.date(today.year + offset, 1, 1), dt.date(today.year + offset, 12, 31)


def _stretched(folded: str, window: Window, today: dt.date) -> Window:
    """Open or widen a window as the words beside it say."""
    before, after = folded[max(0, window.begin - 24) : window.begin], folded[window.end : window.end + 4]
    if _SINCE.search(before) or _SINCE_AFTER.match(after):
        return attrs.evolve(window, last=max(window.first, today) if window.first <= today else dt.date.max)
    if _UNTIL.search(before) or _UNTIL_AFTER.match(after):
        return attrs.evolve(window, first=dt.date.min)
    if _AROUND.search(before) or _AROUND_AFTER.match(after):
        reach = dt.timedelta(days=NEAR_DAYS)
        return attrs.evolve(window, first=_shift(window.first, -reach), last=_shift(window.last, reach))
    return window


def _shift(day: dt.date, by: dt.timedelta) -> dt.date:
    return day if day in (dt.date.min, dt.date.max) else day + by


_RELATIVE_PATTERNS = tuple((unit, offset, re.compile(pattern)) for unit, offset, pattern in _RELATIVE)
_COUNTED_PATTERNS = tuple((direction, re.compile(pattern)) for direction, pattern in _COUNTED)
