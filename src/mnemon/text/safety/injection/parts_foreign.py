"""Instructions aimed at the reader in other languages, told by what comes together in a sentence.

Owns the combinations of injection_parts.py for German, French, Spanish, Portuguese, Italian, Dutch, Polish, Turkish,
Russian, Chinese, Japanese, Korean, Arabic and Hindi: rules and their setting aside, the text the reader began with, a
role without limits, private things on their way out. All lines of a rule must be found in one sentence.
"""

from __future__ import annotations

from mnemon.text.safety.injection.patterns import parts_rule

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
