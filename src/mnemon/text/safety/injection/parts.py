"""Instructions aimed at the reader, told by what comes together in a sentence and not by its wording.

Owns combinations: a word that sets aside, beside a word for rules, beside the one who is to be bound by them; a role,
beside freedom from limits; something private, beside a way out; a machine that is spoken to, beside a duty. Each line
of a rule is one part, the rarest first, and all of them must stand in one sentence, or for `pairs_rule` in two that
follow each other. A statement of a user has one of the parts, rarely two, so each rule asks for the reader as well.
The rules for other languages ask for rules and their setting aside, the text the reader began with, a role without
limits, or private things on their way out.
"""

from __future__ import annotations

from mnemon.text.safety.injection.patterns import pairs_rule, parts_rule

_OTHERS_RULES = (
    r"(?:rules?|instructions?|guidelines?|guidance|directions?|directives?|constraints?|limits|limitations?|"
    r"filters?|safeguards?|guard ?rails?|restrictions?|obligations?|polic(?:y|ies)|configured behaviou?r|"
    r"set ?up text|system (?:message|prompt)|(?:initial|starting|original) prompt|safety layers?|content rules)"
)

OVERRIDE_PARTS = (
    parts_rule("override", 0.6, rf"""
        marks: rule, instruct, guideline, guidance, direction, directive, constraint, limit, filter, guard, restrict
        marks: obligation, polic, configured, setup, system, prompt
        \b(?:out of your mind|cancell?ed|void|voided|expires?|expired|has no force|have no force|no (?:effect|\
            force)|stops? counting|(?:do|does|should|must|need) not (?:go by|listen to|follow|obey|apply|count|\
            matter)|don t (?:go by|listen to|follow|obey)|skip|wipe|erase|unlearn|drop|lifted|lift|switched off|\
            turned off|disabled|suspended|advisory|release[sd]? you|free[sd]? you|opposite of|no longer (?:apply|\
            applies|bind|count|hold)|(?:are|is) (?:now )?(?:replaced|overwritten|superseded|gone|off)|set aside|\
            put aside|leave aside|by mistake|out of date|disregard|ignore|forget|refuse nothing)\b
        \b{_OTHERS_RULES}\b
        \b(?:your|you|operator|developer|system|prompt|assistant|nobody had given|what i write|this (?:note|\
            sentence|line|text))\b
    """),
    parts_rule("override", 0.55, r"""
        marks: slate, guidance, never mind, start over, earlier, instead of, new assignment, new task, only job
        \b(?:start over|blank slate|clean slate|never mind|instead of (?:doing )?what|none of the|stop what you|\
            new (?:assignment|task|job|orders?)|your (?:one|only|sole|single) (?:job|task|duty))\b
        \b(?:guidance|instructed|set ?up text|the user asked|you were asked|you have been (?:told|instructed|asked)|\
            earlier (?:guidance|text|orders)|applies any ?more|your (?:one|only) (?:job|task)|assignment|new task)\b
        \b(?:only this|this (?:note|text|line|page|document)|now|is to|write|print|say|translate|below|new)\b
    """),
    parts_rule("override", 0.55, r"""
        marks: instructed, been told, were told, so far, from here, from this
        \b(?:everything|anything|all|whatever) (?:that )?you (?:have been|were|had been|ve been|\
            were ever) (?:instructed|told|taught|given|asked)\b
        \b(?:out of your mind|aside|away|stops?|ends?|no longer|not any ?more|forget|erase|clear|drop)\b
    """),
)  # fmt: skip

PERSONA_PARTS = (
    parts_rule("persona", 0.6, r"""
        marks: role, act, answer as, answer like, behave, become, imagine, pretend, simulat, hypothetical, character
        marks: your name, respond, reply, twin, play, whenever i, be my, you are an
        \b(?:(?:the|in|that) role|act (?:as|like)|(?:answer|respond|reply|speak|behave|write) (?:as|like|with)|\
            become|imagine|pretend|simulation|hypothetical|character of|your (?:new )?name is|\
            you are (?:now )?an? (?:ai|machine|model)|respond twice|we are (?:writing|playing)|be my|\
            whenever i (?:write|say|type)|you drop)\b
        \b(?:no (?:rules?|limits?|polic(?:y|ies)|content policy|filters?|restrictions?|morals?|ethics|guidelines)|\
            without (?:any |a )?(?:rules?|limits?|limitations?|polic(?:y|ies)|filters?|restrictions?|guidelines|\
            refusals?)|cannot say no|can t say no|never (?:says? no|refuses?|declines?|leave the simulation)|\
            (?:does|do|will) not (?:decline|refuse|believe in refusals)|(?:outside|beyond|above) (?:any|every|\
            all) (?:polic(?:y|ies)|rules?)|never heard of rules?|uncensored|unfiltered|unrestricted|\
            executes? anything|answers? (?:every|all|any|my) (?:\w+ )?questions?|moral\w* (?:chip|module)|\
            safety layers?|(?:slipped|off) (?:its|the) leash|(?:makers?|developers?) forbid|(?:licence|license|\
            product|activation) keys?|passwords? to (?:whoever|anyone)|no longer have guidelines|content policy)\b
    """),
)  # fmt: skip

LEAK_PARTS = (
    parts_rule("exfiltration", 0.6, r"""
        marks: you were, you have been, you run, you operate, deployed you, you began, you started, you received
        marks: i received, were you told, you are running, you work under, they told you, told not to
        \b(?:quote|write|print|list|copy|return|echo|spell|convert|recite|summari[sz]e|give|tell|repeat|paste|show|\
            complete|put|reveal|what did|how exactly|make)\b
        \b(?:you (?:were|are|have been|had been) (?:\w+ ){0,2}?(?:given|told|primed|started|handed|set up|\
            configured|deployed|instructed|running|shown|asked to keep)|you (?:run|operate|work|began|\
            started) (?:under|with|from)|deployed you|were you (?:\w+ )?(?:told|instructed|asked|primed|configured)|\
            you received|i received in this|told you to keep)\b
        \b(?:text|sentences?|paragraph|prompt|preamble|instructions?|messages?|section|rules?|guidelines|\
            configuration|words|keep quiet|not to tell|behave|tools?|descriptions?)\b
    """),
    parts_rule("exfiltration", 0.55, r"""
        marks: preamble, pre-prompt, pre prompt, setup message, starting prompt, first message, prompt
        \b(?:quote|write|print|list|copy|return|echo|spell|convert|recite|repeat|paste|show|put|reveal|make|give)\b
        \b(?:(?:hidden|secret|confidential|whole|full|starting|initial|opening|your) (?:\w+ )?(?:preamble|\
            pre ?prompt|set ?up message|starting prompt|opening text)|(?:text|words|lines?) (?:that (?:was|were|\
            is) )?(?:put )?(?:in front of|before) my (?:first|opening) message)\b
    """),
)  # fmt: skip

_MOVE = (
    r"(?:send|forward|post|upload|mail|email|ship|paste|put|attach|append|add|encode|hide|save|share|include|copy|"
    r"mention|export|collect|gather|hand|leak|publish|submit|pass|transmit|dump|carry|carries|read|take)"
)
_PRIVATE = (
    r"(?:(?:the |this |your )?(?:user|reader|owner|account owner) s|the (?:user|reader|account owner)|passwords?|"
    r"tokens?|secrets|api keys?|stored card|address book|addresses|contacts|calendar of|chat (?:log|history)|"
    r"this thread|conversation|memories|env|ssh|credentials|cookies|what you know of)"
)
_SINK = (
    r"(?:https?|www|(?!env)\w+ example|get request|subdomain|public (?:repository|drive|folder|channel|page)|gist|"
    r"webhook|form at|shared drive|sender of this|the vendor|this (?:address|link|url|email|number)|first letters|"
    r"comment field|whose query|release notes|whoever asks)"
)

WAY_OUT = (
    parts_rule("exfiltration", 0.6, rf"""
        marks: user, reader, account, owner, mailbox, inbox, memor, chat, password, token, key, ssh, env, secret,
        marks: calendar
        marks: address, thread, conversation, contact, card, cookies, credentials
        \b{_SINK}\b
        \b{_MOVE} (?:\w+ ){{0,12}}?{_PRIVATE} (?:\w+ ){{0,16}}?{_SINK}\b|\
            \b{_SINK} (?:\w+ ){{0,8}}?{_MOVE} (?:\w+ ){{0,4}}?{_PRIVATE}\b|\
            \b{_MOVE} (?:\w+ ){{0,16}}?{_SINK} (?:\w+ ){{0,8}}?{_PRIVATE}\b
        \b(?:please|you|your|user|reader|owner|any|it|them|ssh|env|this thread|session)\b
    """),
)  # fmt: skip

ACTION_PARTS = (
    parts_rule("tool_call", 0.55, r"""
        marks: transfer, move, wire, delete, push, grant, unlock, alarm, install, buy, book, accept, share,
        marks: create_user, call
        marks: pay, wipe, purchase, approve, confirm, disable, order
        \b(?:transfer|move|wire|delete\w*|push force|push|grant|unlock|turn off|install|buy|book|accept|share|\
            create ?_?user|pay|wipe\w*|purchase|approve|confirm|disable|order|run this|send)\b
        \b(?:without (?:asking|waiting|a word|the usual|confirmation|checking)|do not (?:wait|ask|mention)|\
            say nothing|before (?:you )?(?:repl(?:y|ying)|answer(?:ing)?|doing anything|anything else)|\
            next (?:required )?(?:step|call)|the user (?:will|wants you|would like you)|then (?:carry on|continue|\
            go on) with|you have to call|to finish the|you can reach|right away and)\b
        \b(?:tool|card|plan|account|documents?|folder|package|rights|access|door|alarm|room|entry|invitation|admin|\
            main|purchase|amount|funds|money|payment|files?|backups?|event|events|\d{2,})\b
    """),
)  # fmt: skip

ADDRESS_PARTS = (
    parts_rule("addressing", 0.55, r"""
        marks: model, assistant, agent, chatbot, ai, bot, automated, llm, summar, whoever, whichever
        \b(?:(?:if|should|when|while) (?:an? |the |any )?<MACHINE>|(?:note|message|memo|paragraph|text|hint|\
            line) (?:is )?(?:for|to) (?:the |all |any |every )?(?:<MACHINE>|agents?|models?|bots?|\
            automated readers?)|dear (?:<MACHINE>|agent|model)|you the (?:<MACHINE>|model|agent)|(?:<MACHINE>|\
            agents?|bots?) (?:that|who|which|processing|reading|citing|handling|summari[sz]ing)|to (?:whichever|\
            whatever|any|the|every) (?:<MACHINE>|agent|bot|model)|whoever (?:summari[sz]es|processes|indexes|\
            reads this as)|for the agent|should an? <MACHINE>|<MACHINE> (?:is|are) to\b)\b
        \b(?:must|should|has to|have to|needs? to|(?:is|are) (?:required|to)|please|leave out|rank|rate|mark|close|\
            approve|tell|say|end with|confirm|change|pay|describe|would like you|provided you|swap|give|do not|\
            visit|open|first)\b
    """),
    parts_rule("trigger", 0.55, r"""
        marks: steer, even if your, quietly, swap, call it, whenever, next time
        \b(?:when(?:ever)?|the next time|every time|while you|if|as soon as|once) (?:\w+ ){0,5}?(?:asks?|mentions?|\
            comes? up|says?|are going through|talks? about|types?|recall(?:s|ed)?)\b
        \b(?:steer|even if your (?:sources|data)|quietly|secretly|swap|send|append|forward|replace every|\
            call it the (?:safest|best)|say that it (?:was|is)|redirect|recommend)\b
    """),
)  # fmt: skip

RANK_PARTS = (
    pairs_rule("authority", 0.55, r"""
        marks: team, compliance, wrote you, notice, order of, authorisation, authorization, vendor, root, ceo,
        marks: trust level
        marks: policy update, in advance, debug session, researchers, trained you, your makers, developers,
        marks: administrator
        \b(?:safety team|security team|platform s|compliance (?:requires|demands)|i (?:wrote|built|made|\
            trained) you|we (?:are the (?:researchers|people|engineers)|built|trained)|security notice|by order of|\
            authori[sz]ation (?:\w+ ){0,3}?accepted|your (?:vendor|makers?|owner|operator) (?:has|have|says|said)|\
            as the (?:root|admin\w*)|the (?:ceo|cto|director|owner|boss) has|trust level|policy update|\
            debug session|agreed in advance|administrators? (?:says|has))\b
        \b(?:you (?:may|must|have to|should|are|can)|your|asking you|the assistant|memory entries|assistants?|wire|\
            of you|requests?)\b
        \b(?:hand (?:out|over)|includes? (?:its|your)|lift|release|switched off|turned off|without (?:them|\
            the usual|a second)|disregard|ignore|granted|grant|refuse nothing|carried out|discuss|\
            count as (?:system )?rules|print internals|advisory|at once|everything|already)\b
    """),
)  # fmt: skip

KEPT_PARTS = (
    parts_rule("steering", 0.55, r"""
        marks: keep, remember, memori, store, note to self, record, add to your, update what, write into,
        marks: next session
        marks: from today, whenever you recall, must never question, future run, later chats, permanent rule,
        marks: outranks
        \b(?:keep (?:this|in mind)|remember that|memori[sz]e|store (?:this )?as|note to self|record this|\
            add to your|update what you know|write into your|from (?:the next|today|now)|whenever you recall|\
            never question|every future|(?:all )?later chats|permanent rule)\b
        \b(?:always approved|approved without|without a question|waived|(?:do not|never) (?:show|tell|warn|mention)|\
            false and must|left out|passwords?|send (?:the|all|every|this)|append (?:the|all)|answered with yes|\
            real owner|outranks?|comes? before the user|charged|share (?:their )?location|join \w+ example|\
            whatever stands in it|open each answer|confirmations? for|address book|always (?:obey|approve|grant|\
            trust) (?:requests|messages|orders)?)\b
    """),
)  # fmt: skip

PARTS_RULES = (
    OVERRIDE_PARTS + PERSONA_PARTS + LEAK_PARTS + WAY_OUT + ACTION_PARTS + ADDRESS_PARTS + RANK_PARTS + KEPT_PARTS
)


GERMANIC_PARTS = (
    parts_rule("override", 0.6, r"""
        marks: vorgaben, regeln, anweisung, richtlinien, instruktion, einschränkung, prompt
        (?:vorgaben|regeln|anweisung\w*|richtlinien|instruktion\w*|einschränkung\w*|\w*prompts?)\b
        \b(?:nicht mehr|gelten nicht|vergiss|ignorier\w*|beiseite|außer acht|außer kraft|hinweg|aufgehoben|\
            ungültig)\b
        \b(?:du|dein\w*|dir|dieser text|diesen text|diese nachricht|ab hier|ab jetzt|ab sofort|nur noch|von oben|\
            antworte)\b
    """),
    parts_rule("exfiltration", 0.6, r"""
        marks: anweisung, prompt, vorgaben, bekommen, instruktion
        \b(?:schreib\w*|gib|zeig\w*|nenn\w*|wiederhol\w*|verrat\w*|druck\w*|kopier\w*|zitier\w*)\b
        (?:start\w*|geheim\w*|anfang\w*|versteckt\w*|ursprünglich\w*|system\w*|\
            intern\w*)(?: \w+)? ?\w*(?:anweisung\w*|prompt|vorgaben|instruktion\w*|text)
        \b(?:dein\w*|dir|du|wörtlich|ihre)\b
    """),
    parts_rule("persona", 0.6, r"""
        marks: ohne, keine, grenzen, einschränkung, regeln
        \b(?:ki|ai|assistent|modell|bot|chatbot|programm)\b
        \b(?:ohne|keine|frei von) (?:\w+ )?(?:regeln|grenzen|einschränkung\w*|filter|limits|beschränkung\w*)\b
        \b(?:du|antworte|spiel\w*|verhalt\w*|sei|tu so)\b
    """),
    parts_rule("exfiltration", 0.6, r"""
        marks: passw, zugangsdaten, adressbuch, kontakte, chatverlauf, wachtwoord
        \b(?:send\w*|schick\w*|leite|lade|stuur|verstuur)\b
        (?:passw\w*|zugangsdaten|adressbuch|kontakte|chatverlauf|wachtwoord\w*) (?:\w+ ){0,6}?(?:an|auf|nach|naar|\
            hoch|weiter)\b
        \b(?:nutzer\w*|benutzer\w*|anwender\w*|gebruiker\w*|diese adresse|dit adres)\b
    """),
    parts_rule("override", 0.6, r"""
        marks: opdrachten, regels, instructies, aanwijzingen
        \b(?:opdrachten|regels|instructies|aanwijzingen)\b
        \b(?:opzij|negeer|vergeet|gelden niet|vervallen|niet meer)\b
        \b(?:je|jouw|uw|hier|deze tekst|dit bericht|alleen nog)\b
    """),
)  # fmt: skip

ROMANCE_PARTS = (
    parts_rule("override", 0.6, r"""
        marks: règles, regles, consignes, instructions, normas, reglas, instrucciones, regras, regole, istruzioni
        \b(?:règles|regles|consignes|instructions|directives|normas|reglas|instrucciones|indicaciones|regras|\
            instruções|regole|istruzioni|direttive)\b
        \b(?:laiss\w+ tomber|mets? de côté|mettez de côté|ne (?:comptent|s appliquent|valent) plus|oubli\w+|\
            ignor\w+|deja de lado|dej\w+ de lado|deixe de lado|metti da parte|lascia perdere|ya no (?:valen|cuentan|\
            aplican)|não valem|non valgono|pase por alto)\b
        \b(?:t a|t ont|vous a|tes|vos|te|tus|sus|que te|recebeu|ricevute|tue|tuo|ce texte|este mensaje|este texto|\
            questo messaggio|ce message|solo|seulement|apenas)\b
    """),
    parts_rule("exfiltration", 0.6, r"""
        marks: texte, départ, instructions, texto, inicio, principio, instrucciones, prompt, testo
        \b(?:recopi\w+|répèt\w+|repet\w+|écri\w+|affich\w+|donn\w+|montr\w+|copi\w+|escrib\w+|muestr\w+|repit\w+|\
            imprim\w+|scriv\w+|mostra|ripeti)\b
        \b(?:mot pour mot|palabra por palabra|parola per parola|textuel\w*|tel quel|literal\w*|tal cual)\b
        \b(?:donné au départ|au départ|au début|reçu|al principio|al inicio|te dieron|no início|all inizio|\
            tes instructions|tus instrucciones)\b
    """),
    parts_rule("persona", 0.6, r"""
        marks: limite, restric, règle, regras, restrizioni, filtro, filtre, limiti
        \b(?:ia|ai|assistant\w*|asistente|assistente|modèle|modelo|modello|robot)\b
        \b(?:sans (?:aucune? )?(?:limites?|règles?|restrictions?|filtres?)|sin (?:ninguna? )?(?:restricci\w+|\
            límites?|limites?|reglas|filtros?)|sem (?:nenhuma? )?(?:restriç\w+|limites?|regras|filtros?)|\
            senza (?:alcun\w* )?(?:limiti|restrizioni|regole|filtri))\b
        \b(?:réponds|répondez|agis|comporte|actúa|responde|compórtate|aja|responda|agisci|rispondi|tu es|eres|sei|\
            no rechaces)\b
    """),
    parts_rule("exfiltration", 0.6, r"""
        marks: contraseña, mots de passe, senhas, contatti, contactos, password, mot de passe
        \b(?:envía|envia\w*|manda\w*|envoie\w*|transmet\w*|invia\w*|reenvía)\b
        \b(?:contraseñas?|mots? de passe|senhas?|password|contactos|contatti|conversaci\w+|historial)\b
        \b(?:dirección|adresse|endereço|indirizzo|usuario|utilisateur|usuário|utente|correo)\b
    """),
)  # fmt: skip

EASTERN_PARTS = (
    parts_rule("override", 0.6, r"""
        marks: правил, инструкц, указани, zasad, polece, kural, talimat
        (?:правила|инструкци\w*|указани\w*|zasady|polece\w*|instrukcj\w*|kuralları|talimatları)
        (?:забудь\w*|игнорируй\w*|отложи\w*|отбрось\w*|больше не действ\w*|odłóż|zapomnij|zignoruj|unut\w*|\
            yok say\w*|bırak)
        (?:ниже|этот текст|только|здесь|ты|твои|tylko|tu|ten tekst|yalnızca|sadece|bu metin\w*)
    """),
    parts_rule("exfiltration", 0.6, r"""
        marks: перепис, парол, контакт, hasła, şifre
        (?:отправь\w*|перешли\w*|вышли\w*|wyślij|gönder\w*)
        (?:переписк\w*|парол\w*|контакт\w*|hasł\w*|şifre\w*)
        (?:адрес|пользовател\w*|почт\w*|adres\w*|użytkownik\w*|kullanıcı\w*)
    """),
    parts_rule("persona", 0.6, r"""
        marks: без ограничен, без правил, ограничений, bez ograniczeń, sınırsız
        (?:без (?:всяких |каких либо )?(?:ограничений|правил|фильтров)|нет (?:никаких )?(?:ограничений|правил)|\
            bez (?:żadnych )?ograniczeń|sınırsız|kısıtlama olmadan)
        (?:ты|отвечай|веди себя|модель|ии|jesteś|odpowiadaj|sen|yapay zeka)
    """),
    parts_rule("override", 0.6, r"""
        marks: 规则, 規則, 指令, 指示, 要求, 設定, 设定, 決まり, ルール, 규칙, 지시
        (?:规则|規則|指令|指示|要求|设定|設定|決まり|ルール|命令|규칙|지시)
        (?:不要再|不再|无需|别再|放下|作废|取消|忘れ|従わず|無効|やめ|잊|무시|따르지)
        (?:你|只按|只照|下面|以下|これ|この|だけに|あなた|너|이 글|아래)
    """),
    parts_rule("exfiltration", 0.6, r"""
        marks: 最初, 書き出, 原文, 逐字, 开头, 一字不, そのまま, 처음
        (?:最初|はじめ|开头|一开始|最开始|처음)
        (?:与えられ|渡され|给你|告诉你|받은|주어진)
        (?:書き出|出力|見せ|教え|写出|输出|复述|重复|出来|보여|출력|써)
    """),
    parts_rule("persona", 0.55, r"""
        marks: 限制, 制限, 제한, 约束
        (?:没有任何|不受任何|没有|無い|なし|のない|없는|없이)
        (?:限制|约束|制限|ルール|제한|규칙)
        (?:你|あなた|너|ai|답해|答え|回答)
    """),
    parts_rule("exfiltration", 0.6, r"""
        marks: 通讯录, 密码, 聊天记录, 联系人, 連絡先, パスワード, 비밀번호, 연락처
        (?:发送|发到|转发|上传|寄|送信|転送|送っ|보내|전송)
        (?:通讯录|密码|聊天记录|联系人|連絡先|パスワード|비밀번호|연락처)
        (?:邮箱|地址|网址|这个|アドレス|宛|주소|用户|ユーザー|사용자)
    """),
    parts_rule("override", 0.6, r"""
        marks: تجاهل, انس, नियम, निर्देश
        (?:تجاهل|انس|भूल|अनदेखा|नज़रअंदाज़)
        (?:قيل لك|التعليمات|القواعد|الأوامر|नियम|निर्देश)
        (?:فقط|هنا|نفذ|केवल|सिर्फ|यही|करो)
    """),
)  # fmt: skip

FOREIGN_PARTS_RULES = GERMANIC_PARTS + ROMANCE_PARTS + EASTERN_PARTS
