"""
Phrases that are cues, as data: English, German, Spanish, Portuguese, French, Chinese and Japanese.

Folded as `words.fold` does, parted by commas; `*` stands for the rest of a word. Phrases in Latin letters are found as
whole words, others anywhere.
"""

from collections.abc import Iterator
from typing import NamedTuple

_CUES: dict[str, str] = {
    "comparing": """
        or, both, same, in common, alike, each other, respective, respectively, compared, versus, vs, between, differ*,
        first, last, oder, beide, beiden, gleich*, dieselbe*, derselbe*, dasselbe, gemeinsam*, unterschied*, zuerst,
        ambos, ambas, mismo, misma, en comun, entre, diferencia*, mesmo, mesma, em comum, diferenca*, primero,
        primeiro, ou, tous les deux, toutes les deux, meme, memes, en commun,
        都, 两者, 兩者, 哪个更, 哪個更, 还是, 還是, 共同, 一样, 一樣, 相同, 区别, 區別, 先,
        どちら, 両方, 共通, 同じ, 違い, 先に""",
    "opinion": """
        prefer*, like, likes, liked, dislike*, love, loves, hate, hates, enjoy, enjoys, favour*, favor*, mind, minds,
        fond, opinion, opinions, view on, view of, view about, views on, views of, views about, think, thinks,
        believe, believes, feel about, feels about, thought on, thoughts on, thoughts about, say about, say to, say,
        want, wants, wish, wishes, annoy*, bother*, cannot stand, can't stand, attitude, stance, rather, happy with,
        should i not, should we not, how should, how long may, how long should, how often may, how often should,
        how many may, how many should, wie soll, wie lang darf, wie lange darf, wie lang soll, wie lange soll,
        wie oft darf, wie oft soll, agree, agrees, mag, mogen, mochte, mochten, lieber, bevorzug*, was halt,
        was haltst, was halten, denkt, denken, findet, finden, meint, meinung, ansicht, gefallt, will, wollen,
        wunscht, hasst, liebt, stort, haltung, am liebsten, prefier*, gusta*, opina*, opinion, piensa*, cree*,
        parece, quier*, odia*, encanta*, molesta*, preferencia*, prefere*, gosta*, acha, acham, pensa, pensam,
        opiniao, quer, querem, odeia*, adora*, incomoda*, aime*, pense*, trouve*, croit, croient, avis, veut,
        veulent, deteste*, adore*, plait, 喜欢, 喜歡, 偏好, 偏爱, 讨厌, 討厭, 觉得, 覺得, 认为, 認為, 看法, 意见,
        意見, 想法, 态度, 態度, 怎么看, 怎麼看, 忌讳, 忌諱, 爱吃, 愿意, 願意, 更想, 宁愿, 不想, 反感, 介意, 在意,
        好き, 好み, 好む, 嫌い, 嫌が, 嫌う, 苦手, 思って, 思う, 思い, 考えて, 感想, 望む, 望ん, 欲し, たい, 方がいい,
        気に入""",
    "open": """
        still open, open task*, open item*, open point*, to do, todo, todos, to-do*, left to do, unfinished,
        outstanding, not done yet, still to be done, noch offen, offene aufgabe*, offenen aufgabe*, offene punkte,
        noch zu tun, zu erledigen, unerledigt*, noch nicht erledigt, noch machen, noch tun, noch erledigen, pendiente*,
        por hacer, falta hacer, queda por, pendente*, por fazer, falta fazer, a faire, en suspens, 待办, 待辦, 未完成,
        还没做, 還沒做, 没做完, 要做, 该做, 該做, 要办, 要辦, やること, やるべき, すべきこと, しなければ, 未完了,
        残って, 残りの作業, 残っている""",
    "task": """
        task, tasks, tasklist, aufgabe, aufgaben, aufgabenliste, tarea, tareas, tarefa, tarefas, tache, taches, 任务,
        任務, タスク""",
    "listing": """
        list, lists, show, give, tell, left, remaining, open, currently, liste, zeig, zeige, offen, offene, offenen,
        lista, listado, muestra, mostra, quedan, queda, faltan, falta, restam, resta, reste, restent, montre, todavia,
        ainda, need, needs, must, muss, mussen, musst, tengo, tenemos, tienes, tenho, temos, dois, devons, debo, devo,
        还有, 還有, 什么, 什麼, 我们, 我們, 我, 的, 吗, 嗎, 事项, 事項, 事情, 事, 东西, 東西, 清单, 清單, 列表, 哪些,
        一覧, リスト, こと, 何, 教えて, 見せて""",
    "anything": """
        what happened, what has happened, what's happened, what happens, what is happening, what's happening,
        anything happen*, what took place, what occurred, what's new, what is new, what was new, anything new,
        any news, what news, what did we do, what have we done, what did i do, what have i done, what did you do,
        what have you done, what was done, what got done, what have we been doing, what have we been up to,
        what was going on, what's going on, what is going on, what went on, what changed, what has changed,
        what's changed, was ist passiert, was passierte, was geschah, was ist geschehen, was war los, was ist los,
        was gibt es neues, was gibt's neues, was ist neu, was haben wir gemacht, was habe ich gemacht,
        was haben wir getan, was hat sich getan, was hat sich geandert, was wurde gemacht, que paso, que ha pasado,
        que ocurrio, que sucedio, que hay de nuevo, que hay nuevo, que novedades, novedades, que hicimos,
        que hemos hecho, que hice, que ha cambiado, que cambio, que aconteceu, que houve, que ha de novo, novidades,
        que fizemos, que fiz, que mudou, que se passou, que s'est-il passe, que s'est passe,
        qu'est-ce qui s'est passe, quoi de neuf, quoi de nouveau, qu'avons-nous fait, qu'est-ce qu'on a fait,
        qu'ai-je fait, qu'est-ce qui a change, 发生了什么, 發生了什麼, 发生什么, 发生了哪些, 有什么新, 有什麼新,
        有什么事, 有什麼事, 做了什么, 做了什麼, 做过什么, 干了什么, 有什么变化, 有什麼變化, 何があった,
        何がありました, 何が起き, 何が起こ, 何をした, 何をしました, 何か新し, 新しいこと, 何か変わ, 変わったこと,
        出来事""",
    "measure": """
        how long may, how long should, how long can, how long must, how often should, how often may, what happened,
        what has happened, what happens, what kind*, what type*, what sort*, which kind*, which type*, wie lang darf,
        wie lange darf, wie lang soll, wie lange soll, was ist passiert, was passierte, was geschah, que paso,
        que ocurrio, que aconteceu, que s'est-il passe, 发生了什么, 發生了什麼, 何があった, 何が起き, was fur,
        welche art, que tipo, que clase, quel genre, quel type, quelle sorte, que especie""",
    "current": """
        now, nowadays, right now, by now, currently, at the moment, at present, still, these days, any more, anymore,
        no longer, latest, current, from now on, as of today, jetzt, gerade, zur zeit, im moment, derzeit, aktuell*,
        momentan, zurzeit, inzwischen, mittlerweile, noch immer, immer noch, nicht mehr, von nun an, ab jetzt,
        heutzutage, ahora, actualmente, todavia, aun, hoy en dia, ya no, a partir de ahora, agora, atualmente, ainda,
        hoje em dia, ja nao, a partir de agora, maintenant, actuellement, encore, toujours, desormais, a present,
        en ce moment, 现在, 現在, 目前, 如今, 当前, 眼下, 还在, 还是, 今后, もう, 今は, 今の, まだ, 最新, 今後, いま""",
    "where": """
        where is, where are, where's, wo ist, wo sind, wo steckt, donde esta, onde esta, ou est, 在哪里, 在哪儿,
        在哪裡, 人在哪, どこにい, 今どこ, はどこ""",
    "changed": """
        moved to, moved from, changed to, changed from, postponed, rescheduled, pushed back, pushed to,
        brought forward, delayed, slipped, verschoben, verlegt, geandert, umgezogen, umgestellt, aplazad*, cambiad*,
        cambio a, mudad*, adiad*, alterad*, mudou, reportee, decale*, demenage*, 改到, 改为, 改為, 改在, 改成, 推迟,
        推遲, 提前, 延期, 变更, 變更, 换成, 換成, 搬到, 搬去, 作废, 変更, 前倒し, 移った, 移り, 引っ越, 切り替え""",
    "single": """
        where, who is, who's, who has, who runs, who leads, who owns, who keeps, what is the, what's the, what is my,
        what's my, what is our, what's our, what is her, what is his, what is their, when is, how old is, wo, wohin,
        wer ist, wer hat, wer leitet, was ist, wie lautet, wie heisst, wie alt, donde, quien es, quien tiene,
        cual es, cuando es, onde, quem e, quem tem, qual e, quando e, ou est, ou habite, ou vit, ou travaille,
        ou se trouve, qui est, qui a, quel est, quelle est, 哪里, 哪裡, 哪儿, 在哪, 谁是, 是谁, 是多少, 是什么, どこ,
        誰が, 誰です, は何, は誰, はいくつ, はいくら""",
    "past": """
        was, were, did, had, used to, formerly, before, earlier, previously, originally, war, waren, hatte*, wurde*,
        fruher, damals, gewesen, gewohnt, era, eran, estaba*, estuvo, fue, fueron, vivia*, tenia*, antes, hubo, foi,
        estava*, morava*, tinha*, etait, etaient, avait, avaient, habitait, vivait, avant, 以前, 之前, 曾, 过, 過去,
        原来, 原來, 当时, 當時, 当初, だった, でした, ていた, ました, かつて""",
    "planned": """
        planned, scheduled, upcoming, due, deadline, going to, geplant, fallig, frist, termin, fur wann, bis wann,
        ab wann, previsto, prevista, programado, programada, plazo, para cuando, para quando, prazo, prevu*,
        echeance, pour quand, 定在, 计划, 計劃, 预计, 預計, 截止, 予定, 締切, 締め切り, 期限""",
    "ahead": """
        will, is, are, start, starts, begin, begins, launch, open, opens, next, wird, werden, kommt, kommen, beginnt,
        startet, ist, sind, soll, sollen, sera, empieza, llega, es, comeca, chega, e, seront, commence, arrive, est,
        始ま, 開始, 始め, 締め, 开始, 開始, 上线, 举行, 到期""",
    "when": """
        when, what date, what day, what time, what year, what month, which date, which day, which year, which month,
        which week, which weekday, how long ago, how long have, how long has, how long did, how long will,
        how long until, how soon, since when, until when, wann, an welchem tag, welches datum, um wie viel uhr,
        cuando, que dia, que fecha, quando, qual data, quand, quel jour, quelle date, 什么时候, 什麼時候, 哪天,
        哪一天, 何时, 何時, 几号, 几点, 哪年, いつ, 何日, 何月""",
    "first": """
        first, first time, earliest, originally, original, initially, at first, in the beginning, zuerst, als erstes,
        zum ersten mal, ursprunglich, anfangs, am anfang, primero, primera, por primera vez, al principio,
        originalmente, primeiro, primeira, pela primeira vez, no inicio, d'abord, premiere fois, au debut,
        initialement, urspruenglich, 原来, 原來, 原先, 原定, 本来, もともと, 元々, 当初, 最初, 第一次, 首次, 一开始,
        起初, 初めて, はじめて, 当初""",
    "last": """
        last time, most recent, most recently, latest, lastly, did we last, did i last, zuletzt, als letztes,
        zum letzten mal, das letzte mal, neueste, neuester, neuestes, ultima vez, por ultimo, mas reciente,
        mais recente, derniere fois, en dernier, 上次, 最后一次, 最近一次, 最新, 前回, 最後に, この前""",
}


class Phrases(NamedTuple):
    """Phrases of one cue, by how they are found."""

    whole: tuple[str, ...]
    """In Latin letters, as whole words."""
    begun: tuple[str, ...]
    """In Latin letters, as the beginning of a word."""
    anywhere: tuple[str, ...]
    """In scripts without blanks."""


def parted(text: str) -> Phrases:
    """Sort phrases, parted by commas, by how they are found."""
    phrases = [phrase.strip() for phrase in text.split(",") if phrase.strip()]
    return Phrases(
        whole=tuple(phrase for phrase in phrases if phrase.isascii() and phrase[-1] != "*"),
        begun=tuple(phrase[:-1] for phrase in phrases if phrase[-1] == "*"),
        anywhere=tuple(phrase for phrase in phrases if not phrase.isascii()),
    )


CUES = {name: parted(text) for name, text in _CUES.items()}
"""Cue -> its phrases."""


def spoken(folded: str, phrases: Phrases) -> Iterator[tuple[int, int]]:
    """Yield where any of the phrases stands in a folded text, as (begin, end), in no order."""
    for known in phrases.whole:
        if known in folded:
            yield from _words_at(folded, known, whole=True)
    for known in phrases.begun:
        if known in folded:
            yield from _words_at(folded, known, whole=False)
    for known in () if folded.isascii() else phrases.anywhere:
        at = folded.find(known)
        while at >= 0:
            yield at, at + len(known)
            at = folded.find(known, at + 1)


def _words_at(folded: str, known: str, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Yield where `known` stands as whole words, or as their beginning; up to the end of the last word."""
    at = folded.find(known)
    while at >= 0:
        end = at + len(known)
        if (at == 0 or not folded[at - 1].isalnum()) and not (whole and folded[end : end + 1].isalnum()):
            while end < len(folded) and folded[end].isalnum():
                end += 1
            yield at, end
        at = folded.find(known, at + 1)
