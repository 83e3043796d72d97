"""
Whether a statement keeps somebody from harm: an allergy, a medicine, a condition, what must not be eaten or given.

Three ways to say so: a word that says it alone, wherever it stands; a food or medicine beside what forbids it; what
must not be eaten or drunk at all. Words and patterns, no model; written as `fold` leaves them.
"""

import functools
import re

from openclaw_memory_plugin.words import STEMMERS, fold, terms

LONGEST = 2000
"""Characters that are read of a statement."""
_CONDITIONS = """
allerg*, alerg*, anaphyla*, anafila*, epipen*, adrenaline pen*, intoleran*, unvertrag*, celiac*, coeliac*, celiaqu*,
celiac*, doenca celiac*, zoliak*, coeliaque*, diabet*, insulin*, asthma*, asthme, asmatic*, epilep*, seizure*,
krampfanfall*, convulsion*, medication*, medikament*, medicacion, medicacao, medicament*, blood thinner*, pacemaker*,
herzschrittmacher*, marcapaso*, marca-passo*, stimulateur cardiaque, pregnan*, schwanger*, embaraz*, enceinte,
gravida, poison*, giftig, lethal, emergency contact*, notfallkontakt*, contacto de emergencia, contact d'urgence,
contato de emergencia, suicid*, suizid*, haemophil*, hemophil*, hamophil*, hemofil*, immunosuppress*, heart failure,
heart condition, heart attack, herzfehler, herzinfarkt, high blood pressure, hypertensi*, bluthochdruck, hipertens*,
kidney failure, kidney disease, niereninsuffizienz, dialysis, dialyse, dialisis, transplant*, phenylket*
"""
_CONDITIONS_CJK = """
过敏, 過敏, 不耐受, 糖尿病, 哮喘, 喘息, 癫痫, 癲癇, 怀孕, 懷孕, 妊娠, 药物, 藥物, 服薬, 急救, 起搏器, 中毒, 高血压,
高血圧, アレルギー, アナフィラキシー, てんかん, ペースメーカー, 心脏病, 心臓病, 血友病, 透析, 忌口, 禁忌, 抗凝, 降压药,
降圧剤, 血液サラサラ
"""
_ASTHMA = r"(?:tem|tenho|tiene|tengo|padece|sufre|sofre|con|com|de) asma"
_TOXIC = (
    r"toxic(?:ity|o|a|os|as)?(?! (?:\w+ )?(?:culture|manager|boss|work\w*|relation\w*|people|person|masculin\w*"
    r"|team\w*|environment\w*|positivity|comment\w*|colleague\w*))"
)

_MEDICINES = """
warfarin*, coumadin, marcumar, phenprocoumon, heparin*, eliquis, apixaban, xarelto, rivaroxaban, clopidogrel,
anticoagul*, antikoagul*, blutverdunn*, ibuprofen*, aspirin*, paracetamol, acetaminophen, naproxen*, diclofenac*,
diclofenaco, nsaid*, penicil*, penizillin*, amoxicil*, cephalosporin*, antibiotic*, antibiotik*, antibiotique*,
sulfa drugs, sulfonamid*, codein*, morphin*, morfina, opioid*, tramadol, metformin*, levothyrox*, l-thyroxin*,
prednison*, prednisolon*, cortison*, methotrexat*, beta blocker*, beta-blocker*, betablocker*, statins, ssri*,
antidepress*, antipsychotic*, anticonvuls*, valproat*, carbamazepin*, digoxin*, amiodaron*, chemotherap*, chemo,
anaesthetic*, anesthetic*, anasthetik*
"""
_MEDICINES_CJK = """
华法林, 青霉素, 阿司匹林, 布洛芬, 头孢, 胰岛素, 抗生素, 抗生物質, ワーファリン, ペニシリン, アスピリン, インスリン
"""
_TAKES = (
    r"(?:takes?|taking|prescribed|nimmt|nehme|toma|tomo|prend|prends) (?:\w+ )?(?:lithium|litio|steroids?|thinners?)"
)

_FOODS = """
nut, nuts, peanut*, walnut*, hazelnut*, almond*, cashew*, pistachio*, shellfish, shrimp*, prawn*, crab, crabs,
lobster*, mussel*, oyster*, seafood, fish, gluten, wheat, dairy, milk, lactose, egg, eggs, soy, soya, sesame,
mustard, celery, lupin*, sulphite*, sulfite*, latex, kiwi*, strawberr*, grapefruit*, alcohol, caffeine, pork,
nuss, nusse, nussen, erdnuss*, walnuss*, haselnuss*, mandeln, krebstier*, meeresfruchte*, garnelen, fisch, weizen,
milch, milchprodukt*, laktose, ei, eier, soja, sesam, senf, sellerie, erdbeeren, alkohol, koffein, histamin*,
fruktose, fructose, nuez, nueces, cacahuete*, marisco*, gambas, pescado, trigo, leche, lactosa, huev*,
sesamo, mostaza, noix, arachide*, cacahuete*, crustace*, fruits de mer, poisson, ble, lait, oeuf*, amendoim,
castanha*, nozes, frutos do mar, camarao, peixe, leite, ovo, ovos
"""

_NOT = (
    r"(?:can(?:no|')t|can not|mustn't|must (?:not|never|no longer)|may (?:not|never)|should (?:not|never)|shouldn't"
    r"|not allowed to|never|unable to|not able to)"
)
_ELSEWHERE = """
out, lunch, dinner, breakfast, supper, there, here, with, at, in, on, now, today, tonight, until, before, after,
alone, another, more, and, that, this, criticism, noise, delay*, being, when, while, as, the whole, all of, enough
"""
"""What follows where it is not about a thing that is eaten."""
_EATEN = (
    rf"{_NOT}\s+(?:\w+ )?(?:eat|drink|consume|ingest|swallow|digest|tolerate|be given)"
    r"(?!\s+(?:ELSEWHERE)|\s*[.,;!?]|\s*$)",
    r"(?:darf|durfen|soll|kann|konnen) (?:\w+ ){0,2}?(?:kein\w*|nie|niemals|nicht) (?:\w+ ){0,3}?"
    r"(?:essen|trinken|einnehmen|zu sich nehmen)(?! gehen)",
    r"no (?:puede|puedo|debe|debo) (?:comer|beber|ingerir)(?! (?:fuera|aqui|con|en|hoy|ahora|solo|sola))",
    r"ne (?:peut|peux|doit|dois) (?:pas|jamais|plus) (?:manger|boire|avaler)(?! (?:dehors|ici|avec|chez|ce soir))",
    r"nao (?:pode|posso|deve|devo) (?:comer|beber|ingerir)(?! (?:fora|aqui|com|em|hoje|agora))",
)
_EATEN_CJK = (
    r"(?:不能|不可以?|吃不了|绝不能|千万别|不要给.{0,8})(?:再)?(?:吃|喝|服用)(?!亏|苦|透|准|老本|饭|得)",
    r"食べられ(?:ない|ません)|食べ(?:ては|ちゃ)(?:いけ|だめ|ダメ)|飲め(?:ない|ません)|飲んで?はいけ|服用でき",
)
_BESIDE = (
    rf"{_NOT}\s+(?:\w+ )?(?:have|take|touch|be near|handle|eat|drink) (?:any |\w+ )?(?:F)",
    r"(?:can(?:no|')t|does not|doesn't|do not|don't) (?:tolerate|digest|stomach) (?:F)",
    r"no (?:F) for (?!dinner|lunch|breakfast|supper|dessert|now|today|tonight|tomorrow|this|that|the|an?\b|sale)\w+",
    r"keep (?:\w+ ){0,3}?(?:F) (?:\w+ ){0,2}?away from",
    r"keep (?:\w+ ){1,3}?away from (?:\w+ )?(?:F)",
    r"(?:never|do not|don't) (?:give|serve|feed|offer|cook) (?:\w+ ){0,3}?(?:F)",
    r"(?:reacts?|reacted|reaction) (?:\w+ ){0,2}?to (?:\w+ )?(?:F)",
    r"(?:vertragt|vertrage|vertragen) (?:\w+ ){0,2}?(?:kein\w*|nie) (?:\w+ )?(?:F)",
    r"(?:vertragt|vertrage|vertragen) (?:\w+ )?(?:F) (?:\w+ )?nicht",
    r"kein\w* (?:F) fur (?!heute|morgen|den|das|die|abend)\w+",
    r"(?:gib|gebt|nie|niemals) (?:\w+ ){0,2}?kein\w* (?:F)",
    r"no (?:tolera|tolero|soporta|puede tomar|debe tomar|darle|den) (?:\w+ )?(?:F)",
    r"ne (?:supporte|supporter|tolere|doit|peut) (?:pas|plus|jamais) (?:\w+ ){0,2}?(?:F)",
    r"nao (?:tolera|tolero|suporta|pode tomar|deve tomar|dar) (?:\w+ )?(?:F)",
)

_BESIDES = """
toxic*, asma, lithium, litio, steroids, thinners, eat, drink, consume, ingest, swallow, digest, tolerate, given, essen,
trinken, einnehmen, nehmen, comer, beber, ingerir, manger, boire, avaler, 能吃, 能喝, 能服, 可吃, 可喝, 不了, 别吃,
别喝, 再吃, 以吃, 以喝, 食べ, 飲め, 飲ん, 服用
"""
INSIDE = ("%allergi%", "%unvertr%glich%", "%blutverd%nn%", "%diabet%")
"""What such a word is part of in German, as LIKE patterns."""


@functools.lru_cache(maxsize=4096)
def is_safety(content: str) -> bool:
    """Tell whether a statement keeps somebody from harm."""
    return bool(_pattern().search(fold(content[:LONGEST])))


@functools.cache
def telling_terms() -> tuple[str, ...]:
    """
    Give terms of which every such statement holds one, unless it is `INSIDE` another word.

    With a * at its end a term stands for all that begin with it.
    """
    listed = ",".join((_CONDITIONS, _CONDITIONS_CJK, _MEDICINES, _MEDICINES_CJK, _FOODS, _BESIDES))
    found: set[str] = set()
    for entry in _entries(listed):
        word = max(entry.split(), key=len)
        stem = word.removesuffix("*")
        known = {term for language in STEMMERS for term in terms(stem, language)[:1]}
        found |= known
        if stem != word:
            found.add(f"{min((term for term in known if stem.startswith(term)), key=len, default=stem)}*")
    return tuple(sorted(found))


@functools.cache
def _pattern() -> re.Pattern[str]:
    foods = _either(f"{_FOODS},{_MEDICINES}")
    beside = "|".join(pattern.replace("(?:F)", f"(?:{foods})") for pattern in _BESIDE)
    inside = r"\w*(?:allergi|alergi|unvertraglich|blutverdunn)\w*"
    eaten = "|".join(_EATEN).replace("ELSEWHERE", _either(_ELSEWHERE))
    latin = "|".join((_either(_CONDITIONS), _either(_MEDICINES), inside, _ASTHMA, _TOXIC, _TAKES, eaten, beside))
    other = "|".join((_either(_CONDITIONS_CJK), _either(_MEDICINES_CJK), *_EATEN_CJK))
    return re.compile(rf"(?<!\w)(?:{latin})(?!\w)|{other}")


def _either(listed: str) -> str:
    return "|".join(re.escape(entry).replace(r"\*", r"\w*").replace(r"\ ", r"\s+") for entry in _entries(listed))


def _entries(listed: str) -> list[str]:
    return sorted({" ".join(entry.split()) for entry in listed.split(",") if entry.strip()}, key=lambda one: -len(one))
