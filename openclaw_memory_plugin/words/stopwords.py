"""
Words that say nothing about the subject of a question, by language: articles, pronouns, auxiliaries, question words.

Folded as `words.fold` does (lower case, no accents), because they are compared after folding. They also tell
languages apart.
"""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: dict[str, frozenset[str]] = {
    "en": _set(
        """
        a about after again all also am an and any anyone are aren't as at be because been before being but by can
        can't could did didn't do does doesn't doing don't done for from get gets got had has hasn't have haven't
        having he he's her here hers him his how i i'd i'll i'm i've if in into is isn't it it's its just let may me
        might mine must my no nor not of off on once only or our ours out over own please shall she she's should so
        some someone something such than that that's the their theirs them then there these they they're this those
        though to too under until up upon us very was wasn't we were what what's when where where's which while who
        who's whoever whom whose why will with won't would wouldn't yes you you're your yours
        """
    ),
    "de": _set(
        """
        aber alle allem allen aller alles als also am an ander andere auch auf aus bei beim bin bis bist da dabei
        dafur damit dann das dass dein deine dem den denn der deren des dessen dich die dies diese diesem diesen
        dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwa euch euer fur gegen gibt
        hab habe haben hast hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins
        ist ja jede jedem jeden jeder jedes kann kannst kein keine keinen konnen konnte konnten machen mal man mein
        meine meinem meinen meiner mich mir mit muss mussen nach nicht nichts noch nun nur ob oder ohne sehr sein
        seine seinem seinen seiner seit sich sie sind so soll sollen sollte sondern uber um und uns unser unsere
        unter vom von vor war waren warum was wegen weil welche welchem welchen welcher welches wem wen wenn wer
        werde werden wessen wie wieder wieso will wir wird wirst wo wofur woher wohin womit woran worden woruber
        wurde wurden zu zum zur zwischen
        """
    ),
    "es": _set(
        """
        a al algo alguien algun alguna ante antes aquel aquella asi aun aunque cada como con contra cual cuales
        cuando cuanto cuantos de del desde donde dos el ella ellas ellos en entre era eran eres es esa ese eso esta
        estaba estan estar estas este esto estos estoy fue fueron ha habia han hasta hay he la las le les lo los mas
        me mi mis muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero poco por porque pue puede que
        quien quienes se sea segun ser si sin sobre son su sus tambien tan te tener tiene tienen todo todos tu tus
        un una uno unos y ya yo
        """
    ),
    "fr": _set(
        """
        a ai ainsi alors as au aucun aussi autre aux avait avant avec avez avoir avons c'est ce ceci cela celle
        celui ces cet cette chez comme comment d dans de depuis des du elle elles en encore entre est est-ce et
        etaient etait etant ete etes etre eu fait fait-il faut il ils j je l la le les leur leurs lui m ma mais me
        meme mes moi mon n ne ni nos notre nous on ont ou par parce pas pendant peu peut plus pour pourquoi qu quand
        que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton tous
        tout toute toutes tres tu un une vers vos votre vous y
        """
    ),
    "pt": _set(
        """
        a ainda algo alguem ao aos apos aquela aquele aquilo as assim ate cada com como da das de dela dele deles
        depois desde do dos e ela elas ele eles em entre era eram essa esse esta estao estar estava este eu foi
        foram ha isso isto ja lhe mais mas me mesmo meu meus minha muito na nao nas nem no nos nossa nosso num numa
        o onde os ou para pela pelas pelo pelos por porque pra quais qual quando quanto quantos que quem se sem ser
        seu seus so sobre sou sua suas tambem te tem tenho ter teu todo todos tu tua um uma voce
        """
    ),
    "it": _set(
        """
        a ad ai al alla alle allo anche avere aveva c'e che chi ci cio come con cosa cui da dal dalla dalle de degli
        dei del della delle dello di dopo dove e ed era erano essere fa gli ha hai hanno ho i il in io la le lei li
        lo loro lui ma mi mia mio ne nei nel nella no noi non nostra nostro o per perche piu poi qual quale quali
        quando quanto quello questa questo qui se sei si sia sono sta su sua sul sulla suo ti tra tu tutti tutto un
        una uno vi voi
        """
    ),
    "nl": _set(
        """
        aan al als ben bij dan dat de der deze die dit doen door dus een en er ge geen had heb hebben heeft het hij
        hoe hun ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om
        onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want waren was
        wat we wel werd wezen wie wij wil worden zal ze zelf zich zij zijn zo zonder zou
        """
    ),
}

CJK_STOPS: frozenset[str] = _set(
    """
    あった あの ある あれ いた いつ いつから いつまで いる か から が くん ここ ことが この これ さま されている
    さん した して していた している する そこ その それ た だ だれ ちゃん て ていた ていない ている で でした
    でしょうか です ですか での では でも と という とは どう どうして どこ どの どのような どのように どれ どんな
    な ない なぜ なった なに なる なん に について には にも に関して ね の ので のに は へ への ました ましたか
    ます ますか まで も や よ より を 一下 不 不该 与 为什么 么 也 了 于 什么 什么时候 什麼 什麼時候 他 他们 但 但是
    何 何が 何で 何の 何を 何人 何日 何時 你 你们 关于 几 几个 几点 又 可不可以 可以 吗 吧 呀 呢 咱们 哪 哪个 哪些
    哪位 哪儿 哪天 哪裡 哪里 啊 嘛 因为 在 多久 多少 她 她们 如果 它 它们 就 就是 应该 很 怎么 怎么样 怎样 怎麼
    怎麼樣 您 我 我们 或 或者 所以 把 是 是不是 是否 有没有 様 没 為什麼 的 而 而且 能不能 被 誰 誰が 誰と 誰に 誰の
    誰を 让 该 该让 请问 谁 跟 还 还是 这 这个 这些 这里 那 那个 那些 那里 都
    """
)
"""Function words and question words of Chinese and Japanese."""
