"""Month names, numerals and the small words around dates, in the seven languages we read dates in."""

_NAMES = (
    "january jan januar jänner janvier janv enero ene janeiro",
    "february feb februar feber febr février fevrier févr fév fevr febrero fevereiro fev",
    "march mar märz maerz mär mrz mars marzo março marco",
    "april apr avril avr abril abr",
    "may mai mayo maio",
    "june jun juni juin junio junho",
    "july jul juli juillet juil julio julho",
    "august aug août aout agosto ago",
    "september sept sep septembre septiembre setiembre setembro set",
    "october oct oktober okt octobre octubre outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre déc diciembre dic dezembro",
)
MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
"""Lower-case name or abbreviation -> 1 to 12."""

MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=lambda name: (-len(name), name)))})\b\.?"

_CJK = {"〇": 0, "零": 0, "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
CJK_DIGITS = "〇零一二三四五六七八九十"
CJK_NUMBER = rf"(?:\d{{1,2}}|[{CJK_DIGITS}]{{1,3}})"

WIDE = str.maketrans("０１２３４５６７８９／．－：～〜（）　", "0123456789/.-:~~() ")
"""Full-width forms that occur in dates, one character for one."""

DASH = r"(?:-|–|—|−|~|‒)"
RANGE_WORDS = (
    rf"\s*{DASH}\s*|\s+(?:to|until|till|through|thru|bis(?:\s+zum|\s+einschließlich)?|au|al|a|à|até|hasta(?:\s+el)?|ao)"
    r"(?:\s+(?:the|el|o|le))?\s+|\s*(?:至|到|から|から翌|-|~)\s*"
)
UNTIL = (
    r"(?:until|till|\btil|through|bis(?:\s+zum|\s+einschließlich|\s+inklusive)?|hasta|até|jusqu['’](?:au|à|en|à la)"
    r"|jusque|valid to|(?:runs out|expires|ends)(?: on| in)?|läuft bis|gültig bis"
    r"|截至|直到|有效期至|(?<![改迟移换搬提延调拖定推報])[到至])"
)
FROM = (
    r"(?:since|from|starting(?: on)?|as of|effective|seit(?:\s+dem)?|ab(?:\s+dem)?|vom|von|desde|depuis"
    r"|à partir d[eu]|a partir d[eo]|从|自|從)"
)
ARTICLE = r"(?:\s*(?:the|el|la|le|o|ao|dem|den|zum)\b)?"

PARTS = {
    **dict.fromkeys(["beginning", "start", "early", "anfang", "début", "debut"], 1),
    **dict.fromkeys(["principios", "inicios", "início", "inicio"], 1),
    **dict.fromkeys(["middle", "mid", "mitte", "mi", "mediados", "meados"], 2),
    **dict.fromkeys(["end", "late", "ende", "fin", "finales", "final", "fim"], 3),
    "first half": 4,
    "second half": 5,
}
"""Part of a month -> 1 beginning, 2 middle, 3 end, 4 and 5 halves."""
PART = (
    rf"(?P<part>{'|'.join(sorted(PARTS, key=len, reverse=True))})(?:\s+(?:of|de|d[eo]s?|du)\b|-|\s)"
    r"(?:\s*(?:the|el|mes de))?\s*"
)

CJK_PARTS = {"初": 1, "上旬": 1, "中旬": 2, "中": 2, "底": 3, "末": 3, "下旬": 3, "上半月": 4, "下半月": 5}


def read_number(text: str) -> int:
    """Return the number 0 to 99 written in digits or Chinese numerals, -1 when it is none."""
    if text.isdigit() and text.isascii():
        return int(text)
    tens, mark, units = text.partition("十")
    if mark:
        if len(tens) > 1 or len(units) > 1:
            return -1
        return (_CJK.get(tens, 0) if tens else 1) * 10 + (_CJK.get(units, 0) if units else 0)
    return _CJK.get(text, -1) if len(text) == 1 else -1


def read_year(text: str) -> int:
    """Return the year written in four digits or four Chinese numerals."""
    if text.isdigit() and text.isascii():
        return int(text)
    return int("".join(str(_CJK[char]) for char in text))
