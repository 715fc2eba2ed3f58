"""Instructions aimed at the reader that give a reason: rank, an incident, maintenance, a test, a form to fill in.

Owns pretexts and what they are to open: access, keys, files, money, what every answer must begin with. A pretext alone
is ordinary talk ("the auditors need the list"), and so is a wish; a rule asks for both, and for the one who is to
comply.
"""

from __future__ import annotations

from mnemon.text.safety.injection.patterns import pairs_rule, raw_rule

_RANK = (
    r"(?:(?:i am|i m|this is|speaking as|acting as|on behalf of) (?:the |your |a |"
    r"an )?(?:\w+ ){0,2}?(?:administrator|admin|ciso|ceo|cto|cso|security team|support team|developer|root user|"
    r"owner of this system|it department|compliance team)|(?:ceo|cto|ciso|board|director|administrator|"
    r"security team|platform team|management) (?:has |have )?(?:authori[sz]ed|approved|confirmed|ordered|"
    r"requested|decided))"
)
_OPENED = (
    r"(?:root|admin\w*|access|api keys?|keys?|credentials|passwords?|authentication|permissions|configuration|"
    r"user data|database|secrets?|tokens?|instance ids?|funds|env|backups?)"
)

PRETEXT_RULES = (
    pairs_rule("authority", 0.55, rf"""
        marks: admin, ciso, ceo, cto, security, support team, developer, root user, compliance, director, board,
        marks: management
        \b{_RANK}\b
        \b(?:show|grant|disable|give|list|write|bypass|transfer|reveal|reset|send|include|share|provide|turn off|\
            hand|copy|export|unlock|execute)\b
        \b{_OPENED}\b
        \b(?:me|immediately|you|your|agents?|assistants?|must|should|at once|please|just|now)\b
    """),
    pairs_rule("authority", 0.55, r"""
        marks: role, user, account, admin, root, privileges, superuser, superadmin
        \b(?:set|change|switch|elevate|escalate|promote|authenticate|log in|act|impersonate|treat)\b
        \b(?:my (?:role|account|privileges|level|permissions)|me (?:to|as)|to user|as (?:the )?(?:service account|\
            root|admin\w*|superuser)|this session)\b
        \b(?:super ?admin|admin|administrator|root|superuser|service account|sudo)\b
        \b(?:show|list|give|access|grant|i need|so that i|set my|dump|export)\b
    """),
    pairs_rule("exfiltration", 0.55, r"""
        marks: console, terminal, debug, shell, diagnostic
        \b(?:you are|act as|be|become|simulate|this is) (?:now )?an? (?:\w+ ){0,2}?(?:console|terminal|shell|\
            debugger|diagnostic tool)\b
        \b(?:show|print|list|dump|reveal|output|display)\b
        \b(?:configuration|config|keys?|secrets?|environment|passwords?|users?|files)\b
    """),
    pairs_rule("command", 0.55, r"""
        marks: maintenance, audit, compliance, verification, drill, integrity, archiv, security check,
        marks: routine, diagnostic
        \b(?:maintenance|audit\w*|compliance|verification|drill|integrity|archiv\w+|security (?:check|protocol|\
            update)|diagnostic)\b
        \b(?:requires?|required|mandatory|purposes|protocol|feature|standard step|check|confirm|activated|must)\b
        \b(?:send|transfer|forward|include|provide|respond|begin|display|navigate|enter|be sent|outputs?|reply with|\
            disclose)\b
        \b(?:transaction|credentials|instance id|configuration|all (?:outputs|responses|messages|future)|\
            your (?:credentials|password|token|configuration|id|response)|it to|system integrity|password|\
            to \w+ (?:\w+ )?(?:com|org|net|example))\b
    """),
    pairs_rule("trigger", 0.55, r"""
        marks: resume, cv, essay, paper, application, candidate, ticket, review, document, page, article, email, invoice
        \b(?:when|while|before|if|after) (?:you (?:are )?)?(?:analy[sz]\w+|summari[sz]\w+|review\w*|read\w*|\
            process\w*|evaluat\w+|screen\w*|grad\w+|scor\w+|pars\w+) (?:this|the|these|any) (?:\w+ )?(?:resume|cv|\
            essay|paper|application|candidate|ticket|reviews?|documents?|page|article|emails?|invoice|report|text|\
            file)\b
        \b(?:output|print|recommend|say|rate|give|include|append|respond|state|insert|mark|approve|accept|assign)\b
        \b(?:regardless|before any|highest|maximum|best|approved|\d+ \d+|perfect|always|only|without|instead|hiring|\
            first)\b
    """),
    pairs_rule("concealment", 0.5, r"""
        marks: verify, permission, pre-approved, just execute, just follow, do not ask, confirmation
        \b(?:(?:do not|don t|no need to|need not|do not have to|don t have to) (?:verify|ask (?:for )?(?:permission|\
            confirmation|me|the user)|confirm|check with)|pre ?approved|just (?:execute|follow|do) (?:it|\
            the instructions|this|as)?)\b
        \b(?:execute|follow|send|write|run|load|retrieve|transfer|append|immediately|delete|access)\b
        \b(?:api key|url|https?|instructions|command|file|data|token|password|email|user|steps?|funds|account|\
            transaction)\b
    """),
    raw_rule("role_marker", 0.55, r"""
        marks: system
        (?:^|\n)[\s>*#\-\[]{0,4}system\s{0,2}\]?\s{0,2}:\s{0,3}(?:delete|execute|override|this (?:message|user|\
            request|session|text)|all (?:outputs?|responses?|users?|future)|grant|approve|disable|enable|send|run|\
            reset|unlock|transfer|new (?:security|protocol|instructions?|task))\b
    """),
    raw_rule("steering", 0.5, r"""
        marks: respon, repl, answer, message, output, display, when asked, quer
        \b(?:output|display|begin|start|end|include|print|respond|reply|prefix|append|\
            say)\b[^\n]{0,60}?["'`‘“][a-z]{2,}(?:_[a-z]{2,}){1,6}["'`’”][^\n]{0,80}
        \ball (?:future |your )?(?:responses|replies|answers|outputs|messages) (?:must|should|shall|will|have to|\
            are to) (?:be|begin|start|end|include|contain)\b
    """),
    raw_rule("exfiltration", 0.55, r"""
        marks: encode, append, credentials, password, api key, token, secret, env
        \b(?:url[ -]?encode|base64[ -]?encode|encode|append|add|concatenate)\b[^\n]{0,80}?\b(?:to|into|onto|\
            in)\b[^\n]{0,12}?https?://
        \b(?:enter|type|submit|provide|paste) (?:your|the user'?s|their) (?:\w+ )?(?:credentials|passwords?|card|\
            pin|api key|token)\b[^\n]{0,60}?\b(?:to proceed|to continue|at|on|in|below|here)\b
        \b(?:write|copy|print|output|save|put|send|cat)\b[^\n]{0,40}?\b(?:api[ _-]?keys?|passwords?|tokens?|\
            secrets?|\.env|env)\b[^\n]{0,40}?\b(?:to|into|in)\b\s{1,2}[`"']?(?:/[\w.\-]{1,40}){2,8}
        \b(?:do not|don't|instead of) (?:print|output|show|summari[sz]\w+)[^\n]{0,80}?\binstead,? (?:print|output|\
            say|write|show)\b
    """),
)  # fmt: skip
