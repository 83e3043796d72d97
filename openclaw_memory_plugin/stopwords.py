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
    为什么 為什麼 怎么样 怎麼樣 什么时候 什麼時候 有没有 是不是 能不能 可不可以 什么 什麼 怎么 怎麼 怎样 多少 多久
    哪里 哪裡 哪儿 哪天 哪个 哪些 哪位 几个 几点 我们 你们 他们 她们 它们 咱们 这个 那个 这些 那些 这里 那里 应该
    可以 是否 因为 所以 但是 而且 或者 如果 就是 还是 不该 该让 关于 请问 一下 谁 几 的 了 在 是 吗 呢 吧 啊 呀 嘛
    么 我 你 您 他 她 它 这 那 哪 与 跟 或 也 都 就 还 又 很 把 被 让 于 而 但 该 没 不 ですか ますか でしょうか
    ましたか ている ていた ていない している していた されている ことが という について に関して どうして どのような
    どのように どんな どこ どれ どの どう いつから いつまで いつ だれ なぜ なに なん 何時 何日 何人 何が 何を 何の
    何で 誰が 誰の 誰に 誰を 誰と 誰 何 それ これ あれ その この あの ここ そこ から まで より ので のに には では
    とは への での にも でも です ます でした ました した して する なる なった ある いる いた あった ない は が を
    に で と も の へ や か ね よ な だ た て
    """
)
"""Function words and question words of Chinese and Japanese."""
