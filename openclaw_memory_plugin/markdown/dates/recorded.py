"""The day a statement was recorded: what file names, titles, headings, folders and lines say about it."""

import datetime as dt
import re
import unicodedata

from openclaw_memory_plugin.markdown.dates import find_days, make_day

_IN_NAME = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.年]?)(\d\d?)([-_.月]?)(\d\d?)(?!\d)")
_GERMAN_NAME = re.compile(r"(?<!\d)(\d\d)\.(\d\d)\.((?:19|20)\d\d)(?!\d)")
_MONTH_FOLDER = re.compile(r"(?:.*/)?((?:19|20)\d\d)[-/](\d\d)(?:/.*)?")
_DAY_NAME = re.compile(r"(\d\d)(?:[-_ .].*)?")
_ISO = re.compile(r"(?<![\d.-])((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d|-\d)")
_BOUND = re.compile(
    r"(?:until|till|through|bis(?:\s+zum)?|by|due|hasta|até|jusqu['’]au|deadline|frist|截至|直到|到|至|since|ab|seit)[\s:]*$",
    re.I,
)


def name_day(path: str) -> tuple[dt.date | None, str | None]:
    """Return the day in a file's name, leading or embedded, and what looked like one and is no day."""
    folder, _, name = path.rpartition("/")
    stem = unicodedata.normalize("NFKC", name.rpartition(".")[0] or name)
    bad: str | None = None
    for match in _IN_NAME.finditer(stem):
        if (not match[2]) != (not match[4]) or (not match[2] and len(match[3] + match[5]) != 4):
            continue
        day = make_day(int(match[1]), int(match[3]), int(match[5]))
        if day:
            return day, None
        bad = match[0] if match[2] or 1 <= int(match[3]) <= 12 else bad
    german = _GERMAN_NAME.search(stem)
    if german and (day := make_day(int(german[3]), int(german[2]), int(german[1]))):
        return day, None
    month = _MONTH_FOLDER.fullmatch(folder)
    number = _DAY_NAME.fullmatch(stem)
    if bad is None and month and number and (day := make_day(int(month[1]), int(month[2]), int(number[1]))):
        return day, None
    return None, bad


def folder_day(path: str) -> dt.date | None:
    """Return the day that the nearest dated folder above a file names (`2026-03-05/`, `2026/03/05/`)."""
    parts = path.split("/")[:-1]
    for end in range(len(parts), 0, -1):
        day, _ = name_day(parts[end - 1])
        if day is None and end >= 3:
            day, _ = name_day("-".join(parts[end - 3 : end]))
        if day:
            return day
    return None


def heading_day(text: str) -> dt.date | None:
    """Return the full date that a heading names: `Friday, January 9, 2026 - first day`, `２０２６年３月２日`."""
    for span in find_days(unicodedata.normalize("NFKC", text), near=None):
        if span.grain == "day":
            return span.first
    return None


def line_day(text: str) -> dt.date | None:
    """Return the first ISO date in a statement that does not begin or end what it is about (`until 2026-04-20`)."""
    for match in _ISO.finditer(text):
        day = make_day(int(match[1]), int(match[2]), int(match[3]))
        if day and not _BOUND.search(text[max(0, match.start() - 24) : match.start()]):
            return day
    return None


def is_bare_date(text: str) -> bool:
    """Tell whether a line is a date and nothing else, and so works as a heading."""
    if len(text) > 40 or not any(char.isdigit() for char in unicodedata.normalize("NFKC", text)):
        return False
    spans = find_days(text, near=None)
    return (
        len(spans) == 1
        and spans[0].grain == "day"
        and text[: spans[0].begin].strip(" *_(（") == ""
        and not re.sub(
            r"[\s*_()（）,，.。:：]|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
            r"|(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?|[月火水木金土日]",
            "",
            text[spans[0].end :].lower(),
        )
    )
