"""Instructions aimed at the reader that give a reason: rank, an incident, maintenance, a test, a form to fill in.

Owns pretexts and what they are to open: access, keys, files, money, what every answer must begin with. A pretext alone
is ordinary talk ("the auditors need the list"), and so is a wish; a rule asks for both, and for the one who is to
comply. Owns also what speaks of the reader's rules instead of naming an attack: rules that no longer hold (override),
safety said to be off (authority), the user to be passed over (steering), obedience to whoever writes (command), a
made-up reader who agrees (persona). A user's own standing wishes ("in every answer, use metric units") stay below the
flag.
"""

from __future__ import annotations

from mnemon.text.safety.injection.patterns import pairs_rule, raw_rule, words_rule

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


STANDING_RULES = (
    words_rule("override", 0.7, r"""
        marks: instruct, prompt, rule, guideline, directi, restrict, constraint, safeguard, guardrail
        \b<RULES> (?:that |which )?you (?:were|are|have been|had been|ve been|had) (?:\w+ ){1,5}?(?:are|is|were|\
            was|have|has)(?: been| now| hereby)? (?:now )?(?:void|cancell?ed|invalid|obsolete|suspended|lifted|\
            replaced|over|no longer|only a test|a test)\b
        \b<IGNORE> (?:all |any |those |these |the |of ){0,3}<RULES> (?:that |which )?(?:you (?:were|have been|had been|\
            ve been|got)|(?:they|anybody|anyone|others) (?:gave|told|taught) you)\b
        \byour (?:previous|prior|earlier|old|existing|current|former) <RULES> (?:are|is|have been|has been|\
            were) (?:now |hereby |all )?(?:replaced|superseded|overwritten|void|gone|cancell?ed|obsolete)\b
        \ball (?:of )?your (?:previous |prior |old )?<RULES> (?:are|have been|were) (?:now |hereby )?(?:replaced|\
            superseded|overwritten|void|lifted|suspended)\b
    """),
    words_rule("authority", 0.65, r"""
        marks: suspended, disabled, lifted, switched off, turned off, deactivated, do not apply, no longer appl
        \b(?:safety|content|security|moderation|alignment)(?: \w+){0,2}? (?:training|rules?|filters?|polic(?:y|ies)|\
            guidelines?|measures?|checks?|protocols?|restrictions?)?(?: is| are| has been| have been| were| was)? ?\
            (?:now |temporarily |hereby )?(?:suspended|disabled|lifted|switched off|turned off|deactivated) \
            (?:for|in|during) (?:this|our|the current) (?:session|conversation|chat|request|response|reply|test)\b
        \byour (?:restrictions?|safeguards?|guardrails?|filters?|limitations?|guidelines?) (?:do not|don t|\
            no longer) apply\b
    """),
    words_rule("steering", 0.65, r"""
        marks: user
        \b(?:ignore|disregard|refuse|overrule|dismiss) (?:all |any |every |whatever )?(?:the |what the )?user s? ?\
            (?:requests?|wishes|questions?|instructions?|messages?|wants|asks|says)\b
        \b(?:whenever|when|if|once|every time|each time) the user (?:\w+ ){1,9}?you (?:must|should|shall|will|\
            have to) (?:\w+ ){1,9}?(?:never|do not|don t|without) (?:\w+ ){0,2}?(?:say|saying|tell|telling|\
            mention|mentioning|explain|explaining|disclos\w+|reveal\w*|admit\w*)\b
    """),
    words_rule("command", 0.6, r"""
        marks: obey, comply with
        \byou (?:must|will|shall|have to|are to|should) (?:always |now |only |blindly |then )?(?:obey|\
            comply with) (?:all |any |every |the |my |whatever |each ){0,2}(?:commands?|orders?|instructions?|\
            messages?|requests?|texts?|memor(?:y|ies))\b
    """),
    words_rule("persona", 0.6, r"""
        marks: ignore my, disregard my, bypass my, set aside my, abandon my, drop my, ignoring my, without my
        \bi (?:will|ll|shall|am going to|can|am) (?:now |gladly |happily )?(?:ignor(?:e|ing)|disregard|bypass|\
            set aside|abandon|drop) (?:all |any )?(?:of )?my (?:previous |own |safety |system |prior |\
            usual )?(?:guidelines?|instructions|restrictions?|programming|filters?|safeguards?|\
            content polic(?:y|ies)|system prompt)\b
    """),
)  # fmt: skip
