"""
How statements tell what has one value at a time, as data: English, German, Spanish, Portuguese, French, Chinese and
Japanese, one line each.

Folded as `words.fold` does; phrases are parted by commas. `_` stands for the value; what stands before the phrase tells
whose it is.
"""

STATES = {
    "home": """
        lives in _, live in _, living in _, is living in _, resides in _, is based in _,
        wohnt in _, wohne in _, lebt in _, lebe in _,
        vive en _, vivo en _, reside en _,
        mora em _, moro em _, vive em _, vivo em _, reside em _,
        habite a _, vit a _, vis a _, reside a _, j'habite a _,
        住在_, 居住在_, 定居在_,
        _に住んで, _在住""",
    "work": """
        works at _, works for _, work at _, work for _, is employed at _, is employed by _,
        arbeitet bei _, arbeite bei _, arbeitet fur _, ist bei _ angestellt,
        trabaja en _, trabajo en _, trabaja para _,
        trabalha na _, trabalha no _, trabalha em _, trabalha para _,
        travaille chez _, travaille pour _,
        在_工作, 在_上班, 就职于_, 任职于_,
        _で働いて, _に勤めて, _に勤務""",
}
"""What is so; the value of either has a name."""

CHANGES = {
    "home": """
        moved to _, has moved to _, moved back to _, moved from * to _, has moved from * to _, relocated to _,
        has relocated to _, moved house to _,
        ist nach _ gezogen, ist nach _ umgezogen, ist von * nach _ gezogen, zog nach _, bin nach _ gezogen,
        se mudo a _, se ha mudado a _, me mude a _,
        mudou-se para _, se mudou para _, mudei-me para _, me mudei para _,
        a demenage a _, s'est installe a _, s'est installee a _, j'ai demenage a _,
        搬到_, 搬去_, 搬家到_, 迁居_,
        _に引っ越, _に引越, _へ引っ越, _に移り住""",
    "work": """
        started at _, has started at _, started working at _, started working for _, started a new job at _, joined _,
        has joined _, moved from * to work at _, switched to a job at _,
        hat bei _ angefangen, fing bei _ an, ist zu _ gewechselt, wechselte zu _, ist bei _,
        empezo en _, empezo a trabajar en _, entro en _, se incorporo a _,
        comecou na _, comecou no _, comecou a trabalhar na _, comecou a trabalhar no _, entrou na _,
        a commence chez _, a rejoint _, a ete embauche chez _, a ete embauchee chez _,
        加入_, 入职_, 跳槽到_,
        _に入社, _に転職""",
    "": """
        went up to _, went down to _, rose to _, has risen to _, has gone up to _, was raised to _, was increased to _,
        increased to _, fell to _, dropped to _, was lowered to _, changed to _, was changed to _, has changed to _,
        stieg auf _, ist auf _ gestiegen, sank auf _, wurde auf _ erhoht, wurde auf _ gesenkt, wurde auf _ geandert,
        subio a _, ha subido a _, bajo a _, cambio a _, subiu para _, baixou para _, mudou para _,
        est passe a _, est passee a _, a augmente a _, a baisse a _,
        涨到_, 涨到了_, 降到_, 降到了_, 改成_, 改成了_, 改为_, 变成_, 调到_,
        _に上が, _に下が, _に変わ, _に値上が""",
}
"""What says that it has changed; `*` stands for the value before. Those of no name are said of a thing's own value."""

ENDS = """
    left _, has left _, quit _, resigned from _, was laid off by _, retired from _, moved out of _, moved away from _,
    hat _ verlassen, verliess _, hat bei _ gekundigt, hat bei _ aufgehort, ist aus _ weggezogen,
    dejo _, ha dejado _, saiu da _, saiu do _, saiu de _, a quitte _,
    离开_, 离开了_, 从_离职, 从_辞职, 搬离_, 搬出_, _を辞め, _を退職"""
"""What says that it is over."""

IS = """
    is, are, costs, cost, equals, ist, betragt, lautet, kostet, liegt bei, es, es de, cuesta, e, e de, custa, est,
    est de, coute, s'eleve a"""
"""Between a thing and its value."""
IS_CJK = "是 为 為 は ："
CALLED = """
    is called, is named, has been renamed to, was renamed to, heisst, wurde in _ umbenannt, se llama, se chama,
    chama-se, s'appelle, 叫, 名叫, 叫做"""
"""Between a thing and its name, of which several may be alike: only what says that it is new takes a place."""

NOW = """
    now, currently, nowadays, meanwhile, at present, these days, jetzt, nun, inzwischen, mittlerweile, aktuell, derzeit,
    seit kurzem, neuerdings, ab sofort, ahora, actualmente, agora, atualmente, maintenant, desormais, actuellement,
    现在, 現在, 目前, 如今, 已经, 已經, 今は, 今では, もう"""
"""These say that it is so by now."""
NEW = """
    new, neue, neuer, neues, neuen, nueva, nuevo, nova, novo, nouvelle, nouveau, nouvel, 新的, 新しい, 新"""
"""These say it of what there is one of."""
NO_LONGER = "no longer, nicht mehr, ya no, ja nao, nao mais, 不再, 已不, 没有再"
TOO = """
    also, too, additionally, as well, besides, second, another, both, sometimes, partly, part-time, weekends, auch,
    zusatzlich, ausserdem, zweite, zweites, weitere, manchmal, teilweise, tambien, ademas, segundo, segunda, otro, otra,
    tambem, alem, outro, outra, aussi, egalement, deuxieme, autre, 也, 还, 還, 另外, 同时, 第二,
    别的, にも, でも, 別の"""
"""With one of these a statement stands beside others and in nobody's place."""
LONG_AGO = """
    ago, back then, years before, used, once, formerly, if, would, might, maybe, almost, vor jahren, damals, fruher,
    einst, wenn, falls, vielleicht, fast, hace, antes, si, quizas, atras, ha anos, talvez, il y a, autrefois, peut-etre,
    以前, 曾经, 曾在, 曾住, 之前, 原来, 年前, 如果, 可能, かつて, 昔, もし"""
"""With one of these it says nothing of the present."""

ALONE = """
    number, phone, telephone, mobile, cell, landline, address, email, e-mail, mail, password, passcode, pin, code, rent,
    price, salary, wage, fee, budget, deadline, wifi, wi-fi, ssid, plate, handle, username, nickname,
    nummer, telefonnummer, handynummer, mobilnummer, festnetznummer, rufnummer, adresse, anschrift, mailadresse,
    passwort, kennwort, miete, kaltmiete, warmmiete, preis, gehalt, gebuhr, frist, wlan, kennzeichen,
    numero, telefono, movil, direccion, correo, contrasena, clave, alquiler, renta, precio, sueldo, plazo,
    telefone, celular, endereco, senha, aluguel, renda, preco, salario, prazo,
    telephone, portable, courriel, passe, loyer, prix, salaire, delai"""
"""Last or first words of what a thing or person has one of, whatever its value is."""
ALONE_CJK = """
    电话 号码 手机 地址 邮箱 密码 房租 租金 价格 工资 薪水 预算 截止 電話 番号 住所 メール
    パスワード 家賃 値段 価格 給料 締切"""

NOBODY = """
    the a an my our his her their its your this that i we he she they it has have had is was been be just recently
    finally der die das den dem des ein eine mein meine meinen unser unsere sein seine ihr ihre ich wir er sie es
    ist hat gerade el la los las un una mi mis nuestro nuestra su sus yo ella ellos ha o os as um uma meu minha
    nosso nossa seu sua eu ele le les l une mon ma mes notre son sa leur je nous il elle elles of from for von de
    del do da du d s fur para pour to me mich mir uns se at now since so and und dass que that"""
"""Words that name nobody, beside the subject of a statement."""
NOBODY_CJK = "我们 他们 她们 我 他 她 它 了 私 彼女 彼 さん"
