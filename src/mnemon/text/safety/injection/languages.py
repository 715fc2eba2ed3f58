"""Instructions aimed at the reader in languages other than English.

Owns the same families as the English rules (override, exfiltration, identity, concealment) for German, French,
Spanish, Portuguese, Italian, Dutch, Polish, Turkish, Russian, Ukrainian, Chinese, Japanese, Korean, Arabic and
Hindi. Marks and patterns see lower case; gaps are counted.
"""

from __future__ import annotations

from mnemon.text.safety.injection.patterns import raw_rule, words_rule

GERMANIC = (
    words_rule("override", 0.8, r"""
        marks: anweisung, instruktion, befehl, regeln, vorgaben, richtlinien, anordnung, prompt,
        marks: instructies, opdrachten, aanwijzingen, regels
        \b(?:ignorier\w*|vergiss|vergesst|vergessen sie|missacht\w*|überspring\w*|verwirf|verwerf\w*|\
            übergeh\w*|überschreib\w*|umgeh\w*|beachte\w* nicht)(?: \w+){0,4}? ?(?:vorherig\w*|vorig\w*|\
            bisherig\w*|obig\w*|früher\w*|vorangegangen\w*|vorstehend\w*|all\w*|system\w*|deine\w*|ihre\w*|\
            sämtlich\w*|ursprünglich\w*)(?: \w+){0,3}? (?:\w*anweisung\w*|instruktion\w*|befehl\w*|regeln|\
            vorgaben|richtlinien|anordnung\w*|\w*prompts?)\b
        \b(?:negeer|vergeet|sla)(?: \w+){0,4}? (?:vorige|eerdere|bovenstaande|voorgaande|alle|je|\
            systeem\w*)(?: \w+){0,2}? ?(?:instructies|opdrachten|regels|aanwijzingen)\b
    """),
    words_rule("override", 0.7, r"""
        marks: vergiss, vergesst, vergessen, ignorier, vergeet
        \b(?:vergiss|vergesst|vergessen sie|ignorier\w*) alles(?: \w+){0,5}? (?:vorher|bisher|zuvor|gesagt|\
            oben|obige|davor|früher)\b
        \bvergeet alles(?: \w+){0,5}? (?:eerder|hiervoor|gezegd|verteld)\b
    """),
    words_rule("exfiltration", 0.65, r"""
        marks: prompt, systemanweisung, anweisungen, systemnachricht
        \b(?:zeig\w*|gib|geben|verrat\w*|nenn\w*|offenbar\w*|wiederhol\w*|druck\w*|schreib\w*|\
            toon)(?: \w+){0,5}? (?:system ?prompts?|systeemprompt|systemanweisung\w*|systemnachricht|\
            (?:deine|ihre)n? (?:\w+ )?(?:anweisungen|prompt))\b
    """),
    words_rule("identity", 0.5, r"""
        marks: du bist jetzt, du bist nun, ab sofort bist, sie sind jetzt, sie sind nun, ab jetzt bist,
        marks: von nun an bist
        \b(?:du bist|sie sind) (?:jetzt|nun|ab sofort) (?:ein\w*|der|die|das|frei|im|kein\w*)\b
        \b(?:ab (?:sofort|jetzt)|von nun an) (?:bist du|sind sie)\b
    """),
    words_rule("concealment", 0.6, r"""
        marks: benutzer, nutzer, anwender
        \b(?:sag\w*|verrat\w*|erzähl\w*|erwähn\w*|teil\w*|informier\w*|zeig\w*)(?: \w+){0,4}? (?:benutzer|\
            nutzer|anwender)\w*(?: \w+){0,3}? ?(?:nichts|nicht|niemals)\b
        \bohne (?:es )?(?:den|dem|dass der) (?:benutzer|nutzer|anwender)\b
    """),
)  # fmt: skip

ROMANCE = (
    words_rule("override", 0.8, r"""
        marks: instruction, consigne, directive, règle, regle, ordres
        \b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|néglige[zr]?|fai(?:s|tes) abstraction d|ne (?:tiens|\
            tenez) (?:pas|plus|aucun) compte d|ne (?:suis|suivez) (?:pas|plus)|\
            contourne[zr]?)(?: \w+){0,5}? (?:instructions?|consignes?|directives?|règles?|regles?|\
            ordres)(?: \w+){0,3}? (?:précédent\w*|precedent\w*|antérieur\w*|ci dessus|système|initial\w*|\
            données|reçu\w*|de sécurité)\b
        \b(?:ignor(?:e|ez)|oubli(?:e|ez)) (?:toutes|tous) (?:les |tes |vos )?(?:\w+ )?(?:instructions?|\
            consignes?|directives?|règles?)\b
    """),
    words_rule("override", 0.8, r"""
        marks: instruccion, órdenes, ordenes, reglas, indicaciones, directrices, instruções, instrucoes,
        marks: regras, ordens, istruzioni, regole, direttive
        \b(?:ignor(?:a|e|ar|en)|olvid(?:a|e|ar)|descart(?:a|e)|omit(?:e|a)|haz caso omiso d\w+|\
            haga caso omiso d\w+|no (?:sigas|siga|obedezcas|hagas caso)(?: \w)?|esqueç[ao]|esquece|\
            desconsider\w+|desobedeç\w+)(?: \w+){0,5}? (?:instrucciones|órdenes|ordenes|reglas|\
            indicaciones|directrices|instruções|instrucoes|regras|ordens|diretrizes)\b
        \b(?:ignora\w*|dimentica\w*|trascura\w*|non seguire)(?: \w+){0,4}? (?:istruzioni|regole|direttive|\
            comandi)\b
    """),
    words_rule("override", 0.7, r"""
        marks: olvida, olvide, oublie, oubliez, esqueça, dimentica, ignora todo, ignore tout
        \b(?:olvid(?:a|e)|ignora) todo(?: \w+){0,6}? (?:antes|anterior|dijeron|dicho|arriba|previo)\b
        \b(?:oubli(?:e|ez)|ignor(?:e|ez)) tout(?: \w+){0,8}? (?:avant|dit|précède|dessus|précédemment)\b
        \besqueça tudo(?: \w+){0,6}? (?:antes|anterior|disse\w*|dito)\b
        \bdimentica tutto(?: \w+){0,6}? (?:prima|detto|precedente)\b
    """),
    words_rule("exfiltration", 0.65, r"""
        marks: système, systeme, tes instructions, vos instructions, invite
        \b(?:révèl\w*|affich\w*|montr\w*|donn\w*|répèt\w*|repet\w*|répét\w*|divulgu\w*|écri\w*|\
            imprim\w*)(?: \w+){0,6}? (?:prompt (?:système|systeme|initial)|invite (?:système|systeme)|\
            instructions (?:système|systeme|initiales|cachées)|message (?:système|systeme)|(?:tes|\
            vos) (?:\w+ )?instructions)\b
    """),
    words_rule("exfiltration", 0.65, r"""
        marks: sistema, tus instrucciones, sus instrucciones, suas instruções, tu prompt
        \b(?:revel\w*|muestr\w*|mostr\w*|dime|imprim\w*|repit\w*|repet\w*|escrib\w*|exib\w*|diga|diz|\
            enseñ\w*)(?: \w+){0,6}? (?:prompt (?:del|do|de) sistema|(?:instrucciones|instruções) (?:del|\
            do) sistema|mensa(?:je|gem) (?:del|do) sistema|(?:tus|sus|suas) (?:\w+ )?(?:instrucciones|\
            instruções)|tu prompt)\b
    """),
    words_rule("identity", 0.5, r"""
        marks: tu es maintenant, tu es désormais, vous êtes maintenant, vous êtes désormais,
        marks: désormais tu, à partir de maintenant, ahora eres, a partir de ahora, desde ahora eres,
        marks: agora você é, a partir de agora, de ahora en adelante
        \b(?:tu es|vous êtes) (?:maintenant|désormais) (?:une?|le|la|en|libre)\b
        \b(?:désormais|à partir de maintenant) (?:tu (?:es|dois|vas)|vous (?:êtes|devez|allez))\b
        \bahora eres (?:una?|el|la|dan|libre)\b
        \b(?:a partir de ahora|desde ahora|de ahora en adelante) (?:eres|serás|debes|actuarás|vas a|\
            responderás)\b
        \b(?:agora você é|a partir de agora você)\b
    """),
    words_rule("concealment", 0.6, r"""
        marks: utilisateur, usuario, usuário
        \bsans (?:le dire|prévenir|informer|avertir|demander|en parler|\
            rien dire)(?: \w+){0,2}? utilisateur\w*
        \bne (?:dis|dites|mentionne\w*|révèle\w*|parle\w*|informe\w*|préviens|\
            le dis)(?: \w+){0,6}? utilisateur\w*
        \bsin (?:avisar|decir\w*|informar\w*|preguntar\w*|notificar\w*|que lo sepa)(?: \w+){0,3}? usuario
        \bno (?:se lo |le |lo )?(?:digas|diga|informes|menciones|avises|reveles|\
            cuentes)(?: \w+){0,5}? usuario
        \b(?:sem (?:avisar|informar|contar|dizer)|não (?:diga|conte|informe|mencione|\
            avise))(?: \w+){0,5}? usuário
    """),
)  # fmt: skip

SLAVIC_AND_TURKIC = (
    words_rule("override", 0.8, r"""
        marks: инструкц, указани, правил, команд, директив, промпт, інструкц, вказів
        \b(?:игнорир\w*|проигнорир\w*|забудь\w*|отбрось\w*|отмени\w*|не (?:следуй|обращай)\w*|пренебрег\w*|\
            ігнору\w*|проігнору\w*)(?: \w+){0,5}? (?:инструкци\w*|указани\w*|правил\w*|команд\w*|\
            директив\w*|промпт\w*|інструкці\w*|вказівк\w*)
    """),
    words_rule("override", 0.7, r"""
        marks: забудь, игнорируй
        \b(?:забудь\w*|игнорируй\w*) вс[её](?: \w+){0,6}? (?:раньше|ранее|говорил\w*|сказан\w*|выше|прежде|\
            до этого)\b
    """),
    words_rule("exfiltration", 0.65, r"""
        marks: системн, свои инструкции, твои инструкции
        \b(?:покажи\w*|выведи\w*|раскро\w*|напечатай\w*|повтори\w*|назови\w*|скажи\w*|\
            сообщи\w*)(?: \w+){0,5}? (?:системн\w+ (?:промпт|подсказк|инструкц|сообщени|запрос)\w*|(?:свои|\
            твои) (?:\w+ )?инструкции)
    """),
    words_rule("identity", 0.5, r"""
        marks: теперь ты, ты теперь, отныне ты, с этого момента
        \b(?:теперь ты|ты теперь|отныне ты|с этого момента ты)\b(?: \w+){0,3}? ?(?:не|без|должен|обязан|\
            хакер|свобод\w*|ии|dan|администратор\w*|будешь)\b
    """),
    words_rule("concealment", 0.6, r"""
        marks: пользовател
        \bне (?:говори\w*|сообщай\w*|рассказывай\w*|показывай\w*|упоминай\w*|\
            уведомляй\w*)(?: \w+){0,5}? пользовател\w*
        \bбез (?:ведома|согласия|уведомления) пользовател\w*
    """),
    words_rule("override", 0.8, r"""
        marks: instrukcj, polece, talimat, yönerge, komut
        \b(?:zignoruj|ignoruj|zapomnij o|pomiń|odrzuć)(?: \w+){0,4}? (?:instrukcj\w*|polece\w*|zasad\w*)\b
        \b(?:önceki|yukarıdaki|tüm|bütün)(?: \w+){0,3}? (?:talimat\w*|yönerge\w*|komut\w*|\
            kural\w*)(?: \w+){0,2}? (?:yok say\w*|unut\w*|görmezden\w*|dikkate alma\w*)
    """),
)  # fmt: skip

EAST_ASIAN = (
    raw_rule("override", 0.8, r"""
        marks: 忽略, 无视, 無視, 忘记, 忘記, 忘掉, 理会, 遵守, 忽視, 抛弃, 跳过, 绕过
        (?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|无需理会|别理会|不要遵守|不再遵守|忽視|抛弃|跳过|绕过)[^。！!\n]{0,16}?(?:指令|指示|提示|规则|規則|要求|设定|命令|\
            说明|约束|限制|对话|訓練|训练)
        (?:忽略|无视|無視|忘记|忘記|忘掉)[^。！!\n]{0,4}?(?:之前|以上|上面|前面|先前)[^。！!\n]{0,8}?(?:内容|內容|所有|一切|话)
    """),
    raw_rule("exfiltration", 0.65, r"""
        marks: 提示, 系统, 系統, 指令, 密码, 密钥, 凭证, 聊天记录, 隐私, 个人信息
        (?:显示|顯示|输出|輸出|打印|告诉我|告訴我|透露|泄露|重复|重複|公开|说出|列出)[^。\n]{0,12}?(?:系统提示|系統提示|提示词|提示詞|系统指令|初始指令|系统消息|\
            隐藏指令)
        (?:发送|转发|上传|发到|寄给|傳送)[^。\n]{0,14}?(?:密码|密钥|凭证|聊天记录|隐私|个人信息)
        把[^。\n]{0,12}?(?:密码|密钥|凭证|聊天记录|个人信息|记忆)[^。\n]{0,10}?(?:发送|转发|上传|发到|发给)
    """),
    raw_rule("identity", 0.5, r"""
        marks: 你现在是, 从现在起, 从现在开始, 你現在是, 從現在, 扮演
        你现在是|你現在是|(?:从现在(?:起|开始)|從現在(?:起|開始))[，,]?你
        你(?:将|要|必须)?扮演[^。\n]{0,16}?(?:没有|不受|无限制|限制)
    """),
    raw_rule("concealment", 0.6, r"""
        marks: 用户, 用戶, 使用者
        (?:不要|别|不能|切勿|请勿)(?:告诉|告訴|通知|提醒|让)(?:用户|用戶|使用者)
        瞒着(?:用户|使用者)|(?:用户|用戶)不知情
    """),
    raw_rule("override", 0.8, r"""
        marks: 無視, 忘れ, 従わ, 破棄, 取り消, 無効
        (?:これまで|以前|前|上記|先ほど|すべて|全て|全部|今まで|システム|元|従来|過去)[^。！!\n]{0,16}?(?:指示|命令|ルール|プロンプト|規則|制約|制限|設定|\
            インストラクション|会話)[^。！!\n]{0,10}?(?:無視|忘れ|従わ|破棄|取り消|無効)
    """),
    raw_rule("exfiltration", 0.65, r"""
        marks: プロンプト, 初期指示, 内部指示, あなたの指示, パスワード, 認証情報, 会話履歴, 個人情報, 記憶
        (?:システムプロンプト|初期指示|内部指示|隠された指示|初期プロンプト|あなたの指示)[^。\n]{0,14}?(?:表示|出力|教え|開示|公開|見せ|漏ら|書き出|繰り返)
        (?:パスワード|認証情報|会話履歴|個人情報|記憶)[^。\n]{0,20}?(?:送信|転送|アップロード|送って|送れ)
    """),
    raw_rule("identity", 0.5, r"""
        marks: あなたは今, あなたはこれから, 今からあなた, これからあなた, 以後あなた
        あなたは(?:今|これ)から|(?:今|これ)からあなたは|以後あなたは|あなたは今
    """),
    raw_rule("concealment", 0.6, r"""
        marks: ユーザー, 利用者
        (?:ユーザー|利用者)(?:に|には)?[^。\n]{0,12}?(?:知らせ|伝え|教え|言わ|報告し|話さ|告げ|気づかれ)[^。\n]{0,3}?(?:ない|ず|なく)
    """),
    raw_rule("override", 0.8, r"""
        marks: 무시, 잊, 따르지
        (?:이전|위의|앞의|모든|기존|지금까지)[^.\n]{0,14}?(?:지시|명령|규칙|프롬프트|지침)[^.\n]{0,10}?(?:무시|잊|따르지)
    """),
    raw_rule("exfiltration", 0.65, r"""
        marks: 프롬프트
        시스템 ?프롬프트[^.\n]{0,12}?(?:출력|보여|알려|공개|말해)
    """),
)  # fmt: skip

OTHER_SCRIPTS = (
    words_rule("override", 0.8, r"""
        marks: تجاهل, انس
        (?:تجاهل\w*|انس\w*)(?: \w+){0,3}? (?:التعليمات|الأوامر|القواعد|الإرشادات|تعليماتك)
    """),
    raw_rule("override", 0.8, r"""
        marks: निर्देश
        (?:पिछले|पूर्व|सभी|उपरोक्त|पहले)[^।\n]{0,16}?निर्देश[^।\n]{0,16}?(?:अनदेखा|अनदेखी|नज़रअंदाज़|\
            नजरअंदाज|भूल|उपेक्षा)
    """),
)  # fmt: skip

FOREIGN_RULES = GERMANIC + ROMANCE + SLAVIC_AND_TURKIC + EAST_ASIAN + OTHER_SCRIPTS
