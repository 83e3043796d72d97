"""
Words by which a statement shows its attitude, by language: data of `polarity.py`, one table.

Written as `words.fold` leaves them (lower case, no accents on Latin letters). A `*` stands for any word ending. Chinese
and Japanese entries are found anywhere in a run, the longest first, so that an entry such as `不错` outweighs the `不`
in it.
"""

import attrs


def _set(text: str) -> tuple[str, ...]:
    return tuple(" ".join(entry.split()) for entry in text.split(",") if entry.strip())


@attrs.frozen(kw_only=True)
class Lexicon:
    """What one language says attitudes with."""

    likes: tuple[str, ...]
    """In favour of what the clause is about."""
    dislikes: tuple[str, ...]
    """Against it."""
    negators: tuple[str, ...]
    """Turn the attitude of their clause round, `no longer` and `used to` included."""
    reports: tuple[str, ...]
    """Hand on what somebody says; the subject's own words when nobody else stands before the verb."""
    hearsay: tuple[str, ...]
    """Hand on what others say, ask or make up, whoever stands before it."""
    hedges: tuple[str, ...]
    """Leave open whether it is so, or say that it was so once."""
    corrections: tuple[str, ...]
    """Announce that something recorded was wrong."""
    contrasts: tuple[str, ...]
    """Begin a clause that outweighs the one before."""
    comparisons: tuple[str, ...]
    """Begin what the thing before is preferred to."""
    firm: tuple[str, ...]
    """Leave no room: `never`, `definitely`."""
    inert: tuple[str, ...] = ()
    """Hold one of the entries above by accident, or say nothing about topic and attitude."""


LEXICONS: dict[str, Lexicon] = {
    "en": Lexicon(
        likes=_set(
            """
            like, likes, liked, liking, lov*, enjoy*, prefer*, favour*, favor*, want*, wish*, appreciat*,
            accept*, approv*, welcom*, happy, happily, glad, gladly, fond of, keen, adore*, trust*, recommend*,
            prais*, great, good, best, better, excellent, wonderful, useful, helpful, fine with, ok with,
            okay with, comfortable, at ease, would rather, d rather, would sooner, looks forward to,
            looking forward to, insist*, pleased, delight*, support*, believes in, is for, in favour of,
            in favor of, always picks, always pick, always chooses, eat, eats, can eat, tolerat*, satisf*,
            enthusias*, convinced, worth, swears by, values, vouch*, thrilled, impress*
            """
        ),
        dislikes=_set(
            """
            dislik*, hate, hates, hated, hating, detest*, loath*, despis*, distrust*, mistrust*, avoid*, refus*,
            reject*, oppos*, against, annoy*, nuisance, waste, wastes, wasted, bother*, irritat*, complain*,
            bored, boring, terrible, awful, horrible, bad, worse, worst, useless, can't stand, cannot stand,
            can not stand, tired of, fed up, sick of, unhappy, uncomfortable, afraid, fear*, worr*, allerg*,
            intoleran*, doubt*, sceptical, skeptical, suspicious, disappoint*, too long, too short, too loud,
            too noisy, pointless, overrated, turned off by, objects to, resent*, hostile, dread*, banned,
            forbid*, wary, shun*, unreliable, disagree*
            """
        ),
        negators=_set(
            """
            not, no, never, nor, neither, none, nothing, without, hardly, isn't, aren't, wasn't, weren't,
            doesn't, don't, didn't, won't, wouldn't, cannot, can't, couldn't, hasn't, haven't, no longer,
            not any more, not anymore, any longer, stopped, quit, gave up, used to, ceased, nobody, isnt,
            doesnt, dont, outgrew, grew out of, it is not true that, it's not true that, far from
            """
        ),
        reports=_set(
            """
            said, says, saying, say, told, tells, claim*, wrote, writes, mentions, mentioned, asked, asks,
            thinks that, believes that, announc*, explain*, admit*
            """
        ),
        hearsay=_set(
            """
            according to, heard, hears, allegedly, reportedly, rumour*, rumor*, quot*, wonder*, whether,
            suppos*, gossip*, assum*, joked, jokes, jokingly, article*, blog, podcast, newsletter, read that,
            pretend*, hypothetical*, accus*, imagin*, in the novel, in the film, a character, discuss*,
            insinuat*, hint*, nobody claimed, nobody said
            """
        ),
        hedges=_set(
            """
            less sure, as long as, maybe, perhaps, might, may be, may have, may not, possibly, probably,
            presumably, seem*, apparently, not sure, unsure, unclear, i guess, i think, could be, somehow,
            kind of, sort of, sometimes, starts to, started to, if, unless, depends, i suppose,
            as far as i know, looks like, sounded like, sounds like, or so, at least today, this time, for once,
            when, something about, no idea, impression, today only, only today
            """
        ),
        corrections=_set(
            """
            correction, corrected, actually, i was wrong, was wrong, were wrong, that was a mistake, mistaken,
            in fact, to be precise, wrongly, on the contrary, misunderst*, got it wrong, contrary to what,
            changed his mind, changed her mind, changed their mind
            """
        ),
        contrasts=_set("but, however, though, although, yet, nowadays, these days, by now, since then"),
        comparisons=_set("rather than, instead of, than, over"),
        firm=_set(
            """
            never, definitely, absolutely, always, any more, anymore, no longer, at all, hate*, love*, strictly,
            under no circumstances
            """
        ),
        inert=_set(
            """
            find, finds, found, consider, considers, considered, think, thinks, thought, feel, feels, calls,
            most, all, lot, lots, every, any, really, truly, quite, very much, so much, still, again, nearly,
            almost, soon, today, yesterday, tomorrow, now, every time, whenever
            """
        ),
    ),
    "de": Lexicon(
        likes=_set(
            """
            mag, mogen, mochte, liebt, liebe, lieben, gern, gerne, lieber, am liebsten, bevorzug*, genies*,
            geniess*, schatz*, will, wollen, wunscht, freut sich, gefallt, gefallen, gut, besser, beste, besten,
            toll, super, zufrieden, vertraut, empfiehl*, empfehl*, lobt, akzeptier*, angenehm, nutzlich,
            hilfreich, begeistert, vertragt, steht auf, schwort auf, besteht auf, einverstanden, isst
            """
        ),
        dislikes=_set(
            """
            hasst, hassen, verabscheu*, meidet, vermeidet, misstraut, ablehn*, lehnt, argert, nervt, nervig,
            lastig, schlecht, schlechter, schlimm, furchtbar, schrecklich, zeitverschwendung, verschwendung,
            langweil*, stort, storend, unangenehm, unzufrieden, satt, angst, furchtet, allerg*, unvertrag*,
            bezweifel*, skeptisch, gegen, unnotig, nutzlos, beschwert sich, weigert sich, enttauscht, zu lang,
            zu laut, graut
            """
        ),
        negators=_set(
            """
            nicht, kein, keine, keinen, keinem, keiner, keines, nie, niemals, nichts, niemand, ohne, nicht mehr,
            kein mehr, aufgehort, kaum, weder, noch nie
            """
        ),
        reports=_set(
            """
            sagt, sagte, gesagt, erzahl*, behaupt*, meint, meinte, schreibt, schrieb, fragt, fragte, erwahn*,
            berichtet
            """
        ),
        hearsay=_set(
            """
            laut, angeblich, hort, gehort, ob, zitat, zitier*, gerucht*, artikel, vermutet, zufolge
            """
        ),
        hedges=_set(
            """
            vielleicht, eventuell, womoglich, moglicherweise, wahrscheinlich, vermutlich, scheint, anscheinend,
            offenbar, wohl, glaube, unsicher, unklar, irgendwie, manchmal, falls, wenn, konnte, durfte,
            mal sehen, hochstens, diesmal, ausnahmsweise
            """
        ),
        corrections=_set(
            """
            korrektur, berichtigung, tatsachlich, in wirklichkeit, falsch, irrtum, geirrt, im gegenteil,
            missverstand*
            """
        ),
        contrasts=_set("aber, jedoch, inzwischen, mittlerweile, doch, allerdings, sondern, seitdem"),
        comparisons=_set("als, statt, anstatt, anstelle"),
        firm=_set(
            """
            nie, niemals, auf keinen fall, unbedingt, immer, nicht mehr, gar nicht, uberhaupt nicht, hasst,
            liebt
            """
        ),
        inert=_set(
            """
            findet, fand, halt, denkt, fuhlt, meist, meisten, alle, jede, jeden, wirklich, sehr, ziemlich, noch,
            wieder, heute, gestern, jetzt, sofort, besonders
            """
        ),
    ),
    "es": Lexicon(
        likes=_set(
            """
            gusta, gustan, gustaba, gusto, gustaria, encanta*, prefier*, preferir*, ama, amar, adora, disfrut*,
            quiere, quieren, desea, aprecia*, acepta*, aprueba, feliz, contento, contenta, bueno, buena, bien,
            mejor, mejores, excelente, util, confia, recomienda, satisfech*, elogi*, entusiasm*, tolera, apoya,
            conforme, valora
            """
        ),
        dislikes=_set(
            """
            odia, odian, detesta*, evita, evitan, rechaza*, desconfia*, molest*, disgust*, aborrec*, malo, mala,
            mal, peor, terrible, horrible, aburr*, perdida de tiempo, inutil, cansad*, hart*, contra, miedo,
            teme, alerg*, intoleran*, duda, dudas, queja, quejas, se queja, incomod*, decepcion*, fastidi*,
            demasiado larg*, demasiado ruid*, opone
            """
        ),
        negators=_set(
            """
            no, nunca, jamas, ni, nada, sin, tampoco, ya no, dejo de, ha dejado de, nadie, ningun*
            """
        ),
        reports=_set(
            """
            dice, dijo, dicen, afirma*, cuenta, conto, comenta*, escribio, escribe, pregunta*, menciona*
            """
        ),
        hearsay=_set("segun, si es que, rumor*, supuestamente, cita, articulo, oyo"),
        hedges=_set(
            """
            quiza, quizas, tal vez, acaso, puede que, posiblemente, probablemente, parece, al parecer, creo,
            no estoy segur*, podria, a veces, cuando, esta vez
            """
        ),
        corrections=_set(
            """
            correccion, en realidad, de hecho, me equivoque, era un error, fue un error, equivocad*,
            al contrario, rectific*, cambio de opinion
            """
        ),
        contrasts=_set("pero, sin embargo, ahora, aunque, sino, desde entonces"),
        comparisons=_set("en vez de, en lugar de, antes que, mas que"),
        firm=_set("nunca, jamas, siempre, ya no, en absoluto, odia, encanta, definitivamente"),
        inert=_set(
            """
            encuentra, considera, piensa, cree, siente, casi, todos, todas, realmente, mucho, muy, todavia,
            otra vez, hoy, ayer, ahora
            """
        ),
    ),
    "fr": Lexicon(
        likes=_set(
            """
            aime, aiment, aimait, adore*, prefer*, apprecie*, veut, veulent, souhaite*, plait, plaisent,
            accepte*, content, contente, heureux, heureuse, bon, bonne, bien, mieux, meilleur*, excellent*,
            utile, confiance, recommand*, satisfait*, ravi*, enthousias*, supporte, approuv*, tolere*
            """
        ),
        dislikes=_set(
            """
            deteste*, hait, evite*, refuse*, rejette*, mefie*, agace*, ennui*, enerve*, mauvais*, mal, pire,
            pires, terrible, horrible, perte de temps, inutile*, fatigue*, marre, contre, peur, craint, allerg*,
            intoleran*, doute*, se plaint, gene*, decu*, deplait, deplaisent, trop long*, trop bruyan*
            """
        ),
        negators=_set("pas, ne, n, jamais, sans, aucun*, ni, cesse de, arrete de"),
        reports=_set("dit, disent, affirme*, raconte*, ecrit, demande*, mentionne*"),
        hearsay=_set("selon, d'apres, pretend*, rumeur*, parait-il, cite*, article*, entendu"),
        hedges=_set(
            """
            peut-etre, peut etre, sans doute, probablement, possible*, semble*, apparemment, je crois, pas sur,
            pas sure, pourrait, parfois, quand, cette fois
            """
        ),
        corrections=_set(
            """
            correction, en fait, en realite, je me suis trompe*, c'etait une erreur, erreur, au contraire,
            rectific*, a change d'avis
            """
        ),
        contrasts=_set("mais, cependant, pourtant, maintenant, desormais, toutefois, depuis"),
        comparisons=_set("plutot que, plutot qu, au lieu de"),
        firm=_set("jamais, toujours, absolument, plus du tout, pas du tout, deteste*, adore*"),
        inert=_set(
            """
            trouve, pense, considere, croit, sent, presque, tous, toutes, vraiment, beaucoup, tres, encore,
            aujourd'hui, hier
            """
        ),
    ),
    "pt": Lexicon(
        likes=_set(
            """
            gosta, gostam, gostava, gostou, adora*, ama, prefer*, aprecia*, quer, querem, deseja, aceita*,
            aprova, feliz, contente, bom, boa, bem, melhor, melhores, excelente, util, confia, recomenda*,
            satisfeit*, elogi*, entusiasm*, tolera, apoia, valoriza, curte
            """
        ),
        dislikes=_set(
            """
            odeia, odeiam, detesta*, evita, evitam, rejeita*, recusa*, desconfia*, incomod*, irrit*, mau, ma,
            ruim, pior, terrivel, horrivel, chato, chata, perda de tempo, inutil, cansad*, fart*, contra, medo,
            teme, alerg*, intoleran*, duvida*, reclama*, queixa*, decepcion*, aborrec*, longo demais
            """
        ),
        negators=_set("nao, nunca, jamais, nem, nada, sem, ninguem, nenhum*, ja nao, deixou de, parou de"),
        reports=_set("diz, disse, dizem, afirm*, conta, contou, coment*, escreveu, pergunt*, mencion*"),
        hearsay=_set("segundo, boato*, supostamente, cita, citou, artigo*, ouviu"),
        hedges=_set(
            """
            talvez, quica, possivelmente, provavelmente, parece, aparentemente, acho, nao tenho certeza,
            poderia, as vezes, quando, desta vez
            """
        ),
        corrections=_set(
            """
            correcao, na verdade, na realidade, enganei, era um erro, foi um erro, errad*, pelo contrario,
            retific*, mudou de ideia
            """
        ),
        contrasts=_set("mas, porem, agora, contudo, entretanto, embora, desde entao"),
        comparisons=_set("do que, em vez de, ao inves de"),
        firm=_set("nunca, jamais, sempre, ja nao, de forma alguma, odeia, adora, definitivamente"),
        inert=_set(
            """
            considera, pensa, acredita, sente, quase, todos, todas, realmente, muito, ainda, de novo, hoje,
            ontem, agora
            """
        ),
    ),
    "zh": Lexicon(
        likes=_set(
            """
            喜欢, 喜歡, 爱, 愛, 偏好, 更愿意, 宁愿, 愿意, 享受, 欣赏, 想要, 希望, 接受, 赞成, 支持, 满意, 信任,
            相信, 推荐, 不错, 很好, 最好, 更好, 好用, 有用, 高兴, 开心, 可以吃, 能吃, 乐意, 认可, 称赞
            """
        ),
        dislikes=_set(
            """
            讨厌, 討厭, 厌恶, 恨, 反感, 反对, 拒绝, 避免, 怀疑, 不信任, 抱怨, 烦, 麻烦, 浪费, 无聊, 糟糕, 很差,
            最差, 没用, 害怕, 担心, 过敏, 不耐受, 失望, 太低, 太长, 太吵, 太慢, 太贵, 嫌, 受不了, 不满, 排斥
            """
        ),
        negators=_set("不, 没, 没有, 不再, 从不, 从来不, 并非, 并不, 不太, 戒了, 不会, 不能"),
        reports=_set("说, 表示, 声称, 问起, 问了, 询问, 提到"),
        hearsay=_set("听说, 据说, 据报, 引用, 文章, 转述, 传言, 是否"),
        hedges=_set(
            """
            也许, 可能, 或许, 大概, 似乎, 好像, 不确定, 恐怕, 应该是, 有时, 如果, 要是, 这次, 看起来, 貌似
            """
        ),
        corrections=_set("更正, 纠正, 其实, 实际上, 事实上, 搞错, 弄错, 记错, 说错, 恰恰相反, 改主意"),
        contrasts=_set("但是, 但, 不过, 可是, 然而, 现在, 如今"),
        comparisons=_set("而不是, 比起, 胜过"),
        firm=_set("绝对, 从不, 从来不, 永远, 一定, 不再, 完全, 讨厌, 根本"),
        inert=_set(
            """
            觉得, 认为, 感觉, 每次, 一直, 特别, 非常, 真的, 小说, 说明, 说服, 不同, 不仅, 不但, 不久, 可爱,
            爱人, 麻烦你
            """
        ),
    ),
    "ja": Lexicon(
        likes=_set(
            """
            好き, 大好き, 好む, 好んで, 好まし, 気に入って, 気に入った, 楽しん, 楽しみ, 嬉しい, 満足, 信頼,
            良い, よい, いいと, 最高, 便利, 役に立, 歓迎, 賛成, おすすめ, お気に入り, 愛用, 希望, 望ん,
            食べられ, したい, べたい, きたい, りたい
            """
        ),
        dislikes=_set(
            """
            嫌い, 大嫌い, 嫌が, 嫌っ, 嫌だ, 苦手, 避け, 反対, 不満, 面倒, 無駄, 退屈, 最悪, 悪い, 怖い, 心配,
            アレルギー, 不信, 疑っ, 疑う, うんざり, 断っ, 断る, 長すぎ, うるさい, 迷惑, 飽き
            """
        ),
        negators=_set(
            """
            ない, なかった, ません, ではなく, じゃない, なくなった, やめた, 辞めた, られない, もう好きでは
            """
        ),
        reports=_set("と言っ, と言う, と述べ, と書い, と話し, 尋ね"),
        hearsay=_set("と聞い, らしい, そうだ, によると, かどうか, 噂, 引用, 記事"),
        hedges=_set(
            """
            かもしれ, 多分, たぶん, おそらく, かも, ようだ, みたい, だろう, でしょう, もし, 今回は, 時々,
            ときどき, 分からない, わからない
            """
        ),
        corrections=_set("訂正, 実は, 実際には, 間違い, 間違って, 誤り, 勘違い, 逆に"),
        contrasts=_set("しかし, だが, けれど, けど, でも, ただし, 今は, 最近は"),
        comparisons=_set("よりも, より, 代わりに"),
        firm=_set("絶対, 決して, 全く, まったく, 必ず, もう, 二度と, 大嫌い, 大好き"),
        inert=_set(
            """
            と思う, と思っ, と感じ, いつも, とても, すごく, 本当に, 少ない, 危ない, つまらない, もったいない,
            足りない, しかない
            """
        ),
    ),
}

ANTONYMS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = tuple(
    (_set(one), _set(other))
    for one, other in (
        (
            "short, brief, concise, terse, kurz, knapp, corto, breve, court, bref, curto",
            "long, detailed, verbose, lengthy, lang, ausfuhrlich, largo, detallado, detaille, longo",
        ),
        (
            "early, earlier, morning, mornings, fruh, morgens, temprano, manana, tot, matin, cedo, manha",
            "late, later, evening, evenings, night, spat, abends, tarde, noche, tard, soir, noite",
        ),
        ("hot, warm, heiss, caliente, chaud, quente", "cold, iced, kalt, frio, froid"),
        ("formal, formell, formel", "informal, casual, informell, informel"),
        ("indoors, inside, drinnen, dentro", "outdoors, outside, draussen, fuera, dehors, fora"),
        ("weekday, weekdays, wochentags", "weekend, weekends, wochenende"),
        ("public, offentlich, publico", "private, privat, privado, prive"),
        ("paper, printed, papier, papel", "digital, electronic, screen, digitales"),
        ("light, hell, claro, clair", "dark, dunkel, oscuro, sombre, escuro"),
        ("quiet, leise, ruhig, tranquilo, calme", "loud, noisy, laut, ruidoso, bruyant, barulhento"),
        ("fixed, fest", "hourly, flexible, flexibel"),
        ("with, mit, con, avec, com", "without, ohne, sin, sans, sem"),
        ("短, 简短, 簡潔, 短い", "长, 详细, 詳細, 長い"),
        ("早上, 早晨, 上午, 朝", "晚上, 夜里, 夜, 晩"),
        ("热, 熱い, ホット", "冷, 冰, 冷たい, アイス"),
    )
)
"""Words for the two ends of one scale: liking one end speaks against liking the other."""

SAFETY: tuple[str, ...] = _set(
    """
    allerg*, alerg*, anaphyla*, anafila*, epipen, adrenalin*, intoleran*, unvertrag*, celiac*, coeliac*,
    celiaqu*, zoliakie, diabet*, insulin*, asthma*, asma, epilep*, seizure*, medication*, medikament*,
    medicacion, medicament*, blood thinner*, pacemaker*, herzschrittmacher, pregnan*, schwanger*, embaraz*,
    enceinte, gravida, poison*, giftig, toxic*, lethal, emergency contact, notfallkontakt, suicid*, suizid*,
    过敏, 過敏, 不耐受, 糖尿病, 哮喘, 喘息, 癫痫, 怀孕, 妊娠, 药物, 服薬, アレルギー, アナフィラキシー,
    てんかん, 急救, 起搏器, ペースメーカー, 中毒
    """
)
"""Words of statements that keep somebody from harm, whatever the language around them."""
