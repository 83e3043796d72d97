"""
What secrets look like, as patterns.

Those as text are compiled when a text asks for them: few pages do. No pattern can start a long scan at more than one
place of the same stretch. Letters and digits are half width and invisible characters gone when they are applied.
"""

import re

PRIVATE = re.compile(r"<\s{0,8}(?:private\b[^<>\n]{0,80}|(?P<close>/\s{0,8}private\s{0,8}))>", re.I)
_ARMOUR = r" ?(?:PGP [A-Z ]{1,40}|[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?) ?-{4,5}"
ARMOUR_OPEN = re.compile(rf"-{{4,5}} ?BEGIN{_ARMOUR}")
ARMOUR_CLOSE = re.compile(rf"-{{4,5}} ?END{_ARMOUR}")

TOKEN = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_[A-Za-z0-9_]{20,}+|glpat-[A-Za-z0-9_-]{16,}+"
    r"|sk-[A-Za-z0-9_-]{16,}+|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+|whsec_[A-Za-z0-9]{16,}+"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+"
    r"|AIza[A-Za-z0-9_-]{30,}+|ya29\.[A-Za-z0-9_-]{20,}+|GOCSPX-[A-Za-z0-9_-]{16,}+"
    r"|hf_[A-Za-z0-9]{20,}+|npm_[A-Za-z0-9]{30,}+|pypi-[A-Za-z0-9_-]{30,}+|dop_v1_[a-f0-9]{40,}+"
    r"|gsk_[A-Za-z0-9]{20,}+|xai-[A-Za-z0-9_-]{20,}+|AGE-SECRET-KEY-1[A-Z0-9]{20,}+"
    r"|SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+"
    r"|eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?"
    r"|\d{8,10}:AA[A-Za-z0-9_-]{30,}+"
    r")+"  # one may begin where another ends
)
WRAPPED = re.compile(
    r"(?<![A-Za-z0-9_-])"
    r"(?P<head>(?:AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|glpat-|sk-|[sr]k_(?:live|test)_|whsec_|xox[abeoprs]-"
    r"|xapp-|AIza|ya29\.|GOCSPX-|hf_|npm_|pypi-|dop_v1_|gsk_|xai-|AGE-SECRET-KEY-)[A-Za-z0-9_-]*+)"
    r"[ \t\r]{0,4}\n[ \t]{0,20}(?:> ?)?(?P<tail>[A-Za-z0-9_-]{6,}+)"
)
"""A token that goes on in the next line, whatever it says by itself."""
CODE_CLUE = re.compile(
    r"AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|glpat-|sk-|k_(?:live|test)_|whsec_|xox|xapp-|AIza|ya29\.|hf_|npm_|pypi-"
    r"|dop_v1_|SG\.|eyJ|:AA|GOCSPX-|gsk_|xai-|AGE-SECRET"
)

URL_LOGIN = re.compile(
    r"(://[^\s/?#@:]{0,200}:)[^\s/]{1,512}(?=@)"
    r"|(://)(?=[A-Za-z_-]{0,200}[0-9])(?=[0-9_-]{0,200}[A-Za-z])[A-Za-z0-9_-]{16,512}(?=@)"
)
WEBHOOK = re.compile(
    r"(hooks\.slack\.com/services/)[A-Za-z0-9/_-]{8,}+"
    r"|(discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{5,25}/)[A-Za-z0-9_-]{8,}+"
)
AUTHORIZATION = (
    r"(?i)(\b(?:proxy-)?authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:basic|bearer|digest|token|apikey)\s{1,4})[^\s\"',;]++"
    r"|(\b(?:basic|bearer)\s{1,2})(?=[A-Za-z0-9+/_.~-]{0,200}[0-9+/=])[A-Za-z0-9+/_.~=-]{16,}+"
)
COOKIE = r"(?i)(\bcookie\s{0,2}:\s{0,4}[\w.-]{1,64}=)[^\s;\"']{6,}+"
SHELL_LOGIN = (
    r"(\bcurl\s[^\n]{0,200}?(?<=\s)(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,64}:)[^\s\"']++"
    r"|(\bsshpass\s{1,4}-p\s{0,4}[\"']?)[^\s\"']++"
    r"|(\b(?:mysql(?:dump|admin|import)?|mariadb(?:-dump)?)\s[^\n]{0,200}?(?<=\s)-p[\"']?)"
    r"(?!(?:ort|rotocol|ass)\b)[^\s\"'-][^\s\"']*+"
)

_LABEL = (
    r"(?:pass(?:[ _-]?word|wd|phrase|wort|code)?|pwd|pw|kennwort|wachtwoord|contrase[nñ]a|senha|mot de passe|has[lł]o"
    r"|l[oö]senord|parola|[sş]ifre|парол[ьяюе]|secret|token"
    r"|(?:api|access|account|auth|private|signing|encryption|master|secret[ _-]{0,2}access)[ _-]{0,2}key"
    r"|client[ _-]{0,2}secret|secret[ _-]{0,2}key(?:[ _-]?base)?|密码|密碼|口令|パスワード|비밀번호)"
)
_BEFORE = (
    r"(?:(?P<option>(?<![\w-])--(?:[a-z]{1,20}-){0,3})|(?<![A-Za-z])|(?<=[_-])|(?=[密口パ비])"
    r"|(?-i:(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=PASSW|PWD|SECRET|TOKEN)))"
)
_OF_WHAT = (
    r"(?:\s(?:for|of|to|at|on|für|vom|von|der|des|zum|zur|de|del|d[aou]|pour|para|per|di|voor|van|для|от)"
    r"\s[^\n:：=.,;|]{1,40}?|\s?[(（][^()（）\n]{1,40}[)）])?"
)
_BECOMES = (
    r"(?:\b(?:(?:is|was|has\sbeen|wurde)\s)?(?:changed|set|reset|rotated|geändert)\s(?:to|auf|in)\b"
    r"|\b(?:is|are|was|ist|war|lautet|es|era|é|est|était|è|jest)\b(?:\s(?:now|still|jetzt|nun|ahora|agora|maintenant)\b)?"
    r"|是|は|은|는|[为為]|[改换換设設][为為成]了?|->|=>|[→⇒➜–—]|(?<=\s)-(?=\s))"
)
NOTHING = (
    rf"\[REDACTED\]|(?<![^\W_]){_LABEL}(?![^\W_])|密码|密碼|口令|パスワード|비밀번호|{_BECOMES}"
    r"|(?<![^\W_])(?:pin|puk|otp|code|authorization|basic|bearer|the|a|my|your|his|her|our|their|das|der|die|mein|meine|dein"
    r"|la|le|el|mi|mon|meu|minha|a|o)(?![^\W_])|です|我的|私の"
)
"""What tells nothing beside a value that is hidden."""
_ENCLOSED = r"\"(?P<double>[^\"\n]{3,200})\"|'(?P<single>[^'\n]{3,200})'|`(?P<code>[^`\n]{3,200})`"
ASSIGNED = (
    # A value after `=` or in quotes is one; elsewhere it must stand alone or look like one.
    rf"(?=[acehklmpstwşп密口パ비-]){_BEFORE}(?P<label>{_LABEL})"
    r"[\"'`*\\\])]{0,4}(?:</[a-z]{1,10}>|==(?=[:：]))?"
    rf"(?:{_OF_WHAT}\s{{0,3}}(?:(?P<equals>:?[=＝](?!>))"
    rf"|(?P<colon>(?:{_BECOMES}\s?)?[:：]{{1,2}}(?:[ \t]?[|>][+-]?[ \t\r]{{0,4}}(?=\n))?)|(?P<verb>{_BECOMES}))"
    r"|(?P<cell>[ \t]{0,8}\|[ \t]{0,40})|(?P<nested>[ \t\r]{0,4}\n[ \t]{1,12}[-*+](?=[ \t]))"
    r"|(?P<bracket>\s?(?=[「『“«]))"
    r"|(?(option)[ \t]{1,3}|(?!)))"
    r"[*_]{0,3}(?:<br\s?/?>)?\s{0,12}(?:(?<=\s)[-*+][ \t]{1,4})?\\{0,2}"
    rf"(?:{_ENCLOSED}|[“„«「『](?P<phrase>[^”“»」』\n]{{3,200}})[”“»」』]"
    r"|(?P<quote>[\"'`“„«]?)(?P<value>[^\s\"'`;，；。、<>（）「」『』“”«»]{3,256}+))"
)
VALUES = ("value", "double", "single", "code", "phrase")
NO_VALUE = (
    r"[见見]|[参參][见照]|[放存写寫]在|[问問找看请請由]|同上|不[变變]|[未没沒][设設有]|已[改更换換]"
    r"|.{0,40}(?:です|ます|した|する|ない|更新|変更|参照|保管|未定|なし|あり|同じ)$"
)
"""What stands behind a label and tells where the secret is or what became of it."""
PREDICATE = r".*(?:ed|able|ible|ly|ion|ive|ous|ent|al|ing|ic|less|ful)$"
"""How words end that say of what kind something is."""
PIN = (
    r"(?:(?<![A-Za-z])(?:pin|puk|otp|(?P<card>cv[vc]2?))(?:[ -]?(?:code|number|nummer|nr\.?))?|geheimzahl|暗証番号"
    r"|暗证码|[验驗][证證][码碼]|[認確][証認]コード)"
    r"(?:(?:\s(?:for|of|to|der|des|die|das|zum|zur|vom|für|von|del?|d[ao]|du|pour|para)\s[^\n:：=.,;]{1,40}?)?"
    r"(?:\s?[:：=＝]|\s(?:is|ist|lautet|es|est)(?:\s(?:now|jetzt))?|\s(?:was\s)?changed\sto|\sgeändert\s(?:auf|in)"
    r"|\s?(?:是|は|[为為]|[改换換设設][为為成]了?))[\s\"'`*]{0,4}"
    r"|(?<=(?-i:PIN|PUK))\s)"
    r"(?P<value>\d{3,8})(?![A-Za-z0-9_-]|[.,:]\d)"
)
"""A number that opens something."""
CLUE = re.compile(
    r"(?P<address>://|hooks)|(?P<login>authorization|bearer|basic)|(?P<cookie>cookie)"
    r"|(?P<shell>\bcurl$|mysql|mariadb|sshpass)"
    r"|(?P<word>(?:^word(?=[:=])|pass(?:word|wd|phrase|wort|code|e)?|pwd|pw|kennwort|wachtwoord|contrase[nñ]a|senha|has[lł]o|l[oö]senord"
    r"|parola|[sş]ifre|secret|token|key(?:[_-]?base)?)(?:[\"'`*)\\\]]{0,4}(?:$|:?=|[:|→⇒➜–—(「『“«<]|->)|是|は|[为為改換换设設])"
    r"|密码|密碼|口令|パスワード|парол|비밀번호)"
    r"|(?P<number>(?<![a-z])(?:pin|puk|otp|cv[vc]2?)(?:(?![a-z])|code|n)|geheimzahl|暗証|暗证|[验驗][证證]|[認確][証認])"
)
"""What tells that a piece of text, lower case and half width, may belong to a secret, and which pattern finds it."""
HINT = re.compile(
    "://|hooks|authorization|bearer|basic|cookie|curl|mysql|mariadb|pass|^word|pwd|pw|kennwort|wachtwoord|contrase|senha"
    "|has[lł]o|senord|parola|ifre|secret|token|key|pin|puk|otp|cv[vc]|geheimzahl|密|口令|パスワード|парол|비밀|暗|验|驗|認|確"
)
"""Stands in every text in which there is a clue, and is found faster."""
