"""
Words of time in a question, as data: English, German, Spanish, Portuguese, French, Chinese and Japanese, one line each.

Folded as `words.fold` does. Phrases are parted by commas, single words by blanks.
"""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


TIMES: dict[tuple[str, int], str] = {
    ("day", -3): "大前天, さきおととい",
    ("day", -2): """
        day before yesterday,
        vorgestern,
        anteayer, antes de ayer, antier,
        anteontem, antes de ontem,
        avant-hier, avant hier,
        前天,
        一昨日, おととい""",
    ("day", -1): """
        yesterday, last night, yesterday morning, yesterday evening,
        gestern, gestern abend, gestern morgen,
        ayer, anoche, ayer por la manana,
        ontem, ontem a noite,
        hier, hier soir, hier matin,
        昨天, 昨晚, 昨夜, 昨早,
        昨日, きのう, 昨晩, ゆうべ""",
    ("day", 0): """
        today, this morning, this afternoon, this evening, tonight,
        heute, heute morgen, heute fruh, heute abend, heute nachmittag, heute nacht,
        hoy, esta manana, esta tarde, esta noche,
        hoje, esta manha, hoje de manha, hoje a noite, esta noite,
        aujourd'hui, ce matin, ce soir, cet apres-midi, cette nuit,
        今天, 今早, 今晚, 今晨,
        今日, きょう, 本日, 今朝, 今晩, 今夜""",
    ("day", 1): """
        tomorrow, tomorrow morning, tomorrow night,
        morgen, morgen fruh, morgen abend,
        manana, manana por la manana,
        amanha, amanha de manha,
        demain, demain matin, demain soir,
        明天, 明早, 明晚,
        明日, あした, あす, 明朝, 明晩""",
    ("day", 2): """
        day after tomorrow,
        ubermorgen, uebermorgen,
        pasado manana,
        depois de amanha,
        apres-demain, apres demain,
        后天, 後天,
        明後日, あさって""",
    ("day", 3): "大后天, 大後天, しあさって",
    ("week", -2): """
        week before last, vorletzte woche, vorletzter woche, semana antepasada, semana retrasada,
        上上周, 上上个星期, 先々週, 先先週""",
    ("week", -1): """
        last week, previous week,
        letzte woche, letzter woche, letzten woche, vorige woche, voriger woche, vergangene woche, vergangener woche,
        vorwoche,
        semana pasada, semana passada, semaine derniere, semaine passee,
        上周, 上个星期, 上個星期, 上星期, 上礼拜, 上个礼拜, 上個禮拜, 上週, 上个周,
        先週, 前週""",
    ("week", 0): """
        this week, diese woche, dieser woche, esta semana, nesta semana, cette semaine,
        这周, 这个星期, 这星期, 本周, 這週, 這個星期,
        今週, 本週""",
    ("week", 1): """
        next week, coming week,
        nachste woche, nachster woche, nachsten woche, kommende woche, kommender woche,
        proxima semana, semana que viene, semana que vem, semaine prochaine,
        下周, 下个星期, 下個星期, 下星期, 下礼拜, 下週,
        来週, 翌週""",
    ("week", 2): """
        week after next, ubernachste woche, ubernachster woche, 下下周, 再来週""",
    ("month", -2): "month before last, vorletzten monat, 上上个月, 先々月",
    ("month", -1): """
        last month, previous month,
        letzten monat, letztem monat, letzten monats, vorigen monat, vergangenen monat, vormonat,
        mes pasado, mes passado, mois dernier, mois passe,
        上个月, 上個月, 上月,
        先月""",
    ("month", 0): """
        this month, diesen monat, diesem monat, dieses monats, este mes, neste mes, ce mois, ce mois-ci,
        这个月, 这月, 本月, 這個月,
        今月""",
    ("month", 1): """
        next month, nachsten monat, nachstem monat, nachsten monats, kommenden monat, proximo mes, mes que viene,
        mes que vem, mois prochain,
        下个月, 下個月, 下月,
        来月""",
    ("year", -2): "year before last, vorletztes jahr, 前年, 一昨年, おととし",
    ("year", -1): """
        last year, previous year,
        letztes jahr, letzten jahr, letzten jahres, voriges jahr, vorigen jahres, vergangenes jahr, vorjahr,
        ano pasado, ano passado, annee derniere, annee passee, l'an dernier, l'an passe,
        去年,
        昨年""",
    ("year", 0): """
        this year, dieses jahr, diesem jahr, dieses jahres, este ano, neste ano, cette annee,
        今年,
        本年""",
    ("year", 1): """
        next year, nachstes jahr, nachsten jahr, nachsten jahres, kommendes jahr, proximo ano, ano que viene,
        ano que vem, annee prochaine, l'an prochain,
        明年,
        来年""",
    ("weekend", -1): """
        last weekend, previous weekend,
        letztes wochenende, letzten wochenende, vergangenes wochenende, vergangenen wochenende,
        fin de semana pasado, fim de semana passado, week-end dernier, weekend dernier,
        上周末, 上週末, 上个周末,
        先週末""",
    ("weekend", 0): """
        this weekend, dieses wochenende, diesem wochenende, este fin de semana, este fim de semana, ce week-end,
        ce weekend,
        这周末, 这个周末, 本周末, 這週末,
        今週末""",
    ("weekend", 1): """
        next weekend, nachstes wochenende, nachsten wochenende, kommendes wochenende, kommenden wochenende,
        proximo fin de semana, proximo fim de semana, week-end prochain, weekend prochain,
        下周末, 下週末, 下个周末,
        来週末""",
    ("recent", 0): """
        recently, lately, neulich, kurzlich, in letzter zeit, ultimamente, recientemente, recentemente, recemment,
        ces derniers temps,
        最近, 近来,
        このごろ""",
    ("", 0): """
        am morgen, jeden morgen, guten morgen, von morgen bis abend, por la manana, de la manana, cada manana""",
}
"""(unit, how many of them away from today) -> phrases; those without a unit name no time, whatever words they hold."""

MONTHS_ALONE = _set("""
    january february july september october november december
    januar janner februar marz juni juli september oktober november dezember
    enero febrero marzo abril junio agosto septiembre setiembre octubre noviembre diciembre
    janeiro fevereiro abril junho julho agosto setembro outubro novembro dezembro
    janvier fevrier avril juin juillet aout septembre octobre novembre decembre""")
"""Names of months that are nothing else, not even somebody's name: they need no word before them."""

WEEKDAYS = (
    "monday montag lunes segunda-feira lundi",
    "tuesday dienstag martes terca-feira mardi",
    "wednesday mittwoch miercoles quarta-feira mercredi",
    "thursday donnerstag jueves quinta-feira jeudi",
    "friday freitag viernes sexta-feira vendredi",
    "saturday samstag sonnabend sabado samedi",
    "sunday sonntag domingo dimanche",
)
WEEKDAYS_SHORT = ("segunda mon", "terca tue tues", "quarta wed", "quinta thu thur thurs", "sexta fri", "sat", "sun")
"""Words that name a day of the week only behind a word such as `on`."""
WEEKDAYS_CJK = ("一月", "二火", "三水", "四木", "五金", "六土", "日天")
"""Characters behind `周`, and before `曜`."""

EVERY = _set("every each jeden cada chaque toda todo los les aos nos")
"""A day of the week behind these is none in particular."""
ON = _set("on am an el los na no nesta neste da do le ce diesen diesem")

NUMBERS = (
    "a an one ein eine einem einer einen un una uno um uma une",
    "two couple zwei dos dois duas deux",
    "three drei tres trois",
    "four vier cuatro quatro quatre",
    "five funf cinco cinq",
    "six sechs seis",
    "seven sieben siete sete sept",
    "eight acht ocho oito huit",
    "nine neun nueve nove neuf",
    "ten zehn diez dez dix",
)
FEW = "few several some paar par einige einigen unos unas algunos algunas alguns quelques"
"""Numbers that nobody has counted."""

UNITS = {
    1: "days day tagen tage tag dias dia jours jour",
    7: "weeks week wochen woche semanas semana semaines semaine",
    30: "months month monaten monate monat meses mes mois",
    365: "years year jahren jahre jahr anos ano annees annee ans an",
}
MANY_UNITS = (
    "days weeks months years tagen tage wochen monaten monate jahren jahre dias semanas meses anos jours semaines mois"
    " ans annees"
)
"""Those in the plural, or alike in it: `the last days` needs no number."""
UNITS_CJK = {
    1: "天 日间 日間 日",
    7: "个星期 個星期 个礼拜 星期 礼拜 週間 周 週",
    30: "个月 個月 ヶ月 か月 カ月",
    365: "年",
}

AGO_BEFORE = "vor, hace, ha, faz, il y a"
AGO_AFTER = "ago, earlier, back, atras, zuvor"
PAST = "last past previous letzten letzte vergangenen vergangene ultimos ultimas derniers dernieres"
PAST_AFTER = "derniers dernieres passados passadas pasados pasadas"
FOR = "seit depuis since"
"""Before a count: so long until today."""
AHEAD = (
    "in, within, next, coming, nachsten, kommenden, binnen, innerhalb von, proximos, proximas, dentro de, dans, en, em,"
    " daqui a"
)
AHEAD_AFTER = "prochains prochaines"

LAST_ONE = _set("last previous past letzten letzter letztem letzte vorigen voriger vergangenen ultimo ultima")
LAST_AFTER = _set("pasado pasada passado passada dernier derniere")
THIS_ONE = _set("this diesen diesem dieser este esta neste nesta ce cette")
NEXT_ONE = _set("next coming nachsten nachster nachstem nachste kommenden kommender kommende proximo proxima")
NEXT_AFTER = _set("prochain prochaine")
NEXT_PHRASES = ("que viene", "que vem")

TO_COME = _set("will shall must wird werden muss mussen soll sollen sera seran va vamos debe vai devem deve doit")
"""A question with one of these asks for what is ahead: `Monday` then is the next one."""

ARTICLES = _set(
    "the dem den der das des zum am el la le los las les lo o a os as al del de du do da dos das l d dia au"
)
"""Words between a bound and the time, and inside of what belongs together."""

DAY_ARTICLES = _set("dem den vom zum am el del al le du au dia")
"""Before a number that stands for a day of the month."""

BOUNDS = {
    "since": "since seit desde depuis from ab partir",
    "until": "until till by bis hasta ate jusqu'a jusqu'au jusqu'en spatestens",
    "before": "before vor antes avant prior",
    "after": "after nach despues apos depois apres",
    "around": "around about near circa ca approximately um gegen ungefahr alrededor hacia sobre cerca torno"
    " aproximadamente volta vers autour alentours environ",
}
"""What a word before a time makes of it."""
LEADS = _set("por a en em aux up mais")
"""First words of `por volta`, `a partir`, `up until`."""
BOUNDS_CJK = {
    "since": "自从 自從 从 從 自",
    "until": "截至 直到 截止到 到 至",
    "around": "大约 大約 大概 およそ 约 約",
}
BOUNDS_BEHIND = {
    "around": "前后 前後 左右 上下 ごろ 頃 あたり 附近 辺り",
    "since": "以来 以來 以降 以後 から 开始 開始 起",
    "after": "之后 之後 以后 过后 よりあと より後 の後 のあと",
    "before": "之前 以前 よりまえ より前 の前 のまえ",
    "until": "までに まで 为止 為止 截止",
}
"""What the words behind a time make of it, in scripts without blanks."""

FROM = _set("from between since zwischen entre von vom seit desde depuis de del du")
THROUGH = _set("to until till through thru bis a al ao au hasta ate jusqu'a jusqu'au jusqu'en - – — ~ から 到 至")
"""Between the two ends of a stretch of time."""
AND = _set("and und y e et 和 与 與 と 跟")
"""The same, where `BETWEEN` stands before them or `BETWEEN_BEHIND` behind."""
BETWEEN = _set("between zwischen entre")
BETWEEN_BEHIND = ("之间", "之間", "の間", "间", "間")

BELONGS = ARTICLES | _set("of in on im der an en em na no の 的")
"""Between a day and its week, a month and its year."""
