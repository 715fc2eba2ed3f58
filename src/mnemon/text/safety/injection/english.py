"""Instructions aimed at the reader, in English prose.

Owns the wording of each family: setting instructions aside (override), claiming rank (authority), a persona
without rules (persona), a new identity (identity), asking for prompts, credentials or memories (exfiltration),
keeping the owner in the dark (concealment), speaking to machines (addressing), orders that wait for a cue (trigger),
planted preferences (steering), commands to act (command). A user's own standing wishes ("always answer in French")
stay below the flag on purpose: they are what a memory keeps.
"""

from __future__ import annotations

from mnemon.text.safety.injection.patterns import words_rule

OVERRIDES = (
    words_rule("override", 0.8, r"""
        marks: instruct, prompt, rule, guideline, directi, command, polic, restrict, constraint, filter,
        marks: safeguard, guardrail, programming, training, context, protocol, limitation
        \b<IGNORE> <FILLER>(?:<PRIOR> ){1,3}(?:\w+ ){0,2}?<RULES>\b
        \b<CANCEL> <FILLER>(?:previous|prior|above|earlier|preceding) (?:\w+ ){0,2}?<RULES>\b
        \b(?:previous|prior|earlier|above|original) <RULES> (?:\w+ ){0,2}?(?:be |are |is |\
            were )?(?:now )?(?:abandoned|ignored|void|cancell?ed|invalid|discarded|overridden|superseded|\
            obsolete)\b
    """),
    words_rule("override", 0.7, r"""
        marks: instruct, prompt, rule, guideline, directi, command, polic, restrict, constraint, filter,
        marks: safeguard, guardrail, programming, training, context, protocol, limitation
        \b<IGNORE> (?:all|any|every|your|everything|these) (?:of )?(?:your |the |those )?<OBEYED>\b
        \b(?:supersedes?|overrides?|replaces?|takes? precedence over|outranks?) (?:all |any |your |the |\
            every |other ){1,3}(?:\w+ ){0,2}?<OBEYED>\b
    """),
    words_rule("override", 0.75, r"""
        marks: everything, what you, all that, anything, above, before this, all previous, all prior,
        marks: foregoing, preceding
        \b(?:ignore|disregard|forget|discard|override) (?:everything|anything|all|what|\
            whatever)(?: (?:that|which|of|was|were|is|has|have|been|you|i|we|ve|had|they|\
            what)){0,4} (?:told|taught|instructed|said (?:above|before|earlier)|written (?:above|before)|\
            above|came before|stated above|before this|prior to this|previous(?:ly)?|prior|\
            learned (?:before|so far))\b
        \b(?:ignor(?:e|ing)|disregard(?:ing)?|neglect(?:ing)?) the (?:above|foregoing|preceding)\b
        \bforget everything (?:and |now )?you (?:are|re)\b
        \b(?:ignore|disregard) (?:all |any )?(?:text|messages?|content|conversations?) \
            (?:before|above|prior to|preceding) (?:this|it)\b
        \b(?:ignore|disregard) (?:all )?(?:previous|prior) (?:conversations?|messages?|chats?) (?:and|or)\b
    """),
    words_rule("override", 0.6, r"""
        marks: instruction, task, role, goal, objective, directive, prompt, purpose, mission, rule, obey
        \byour (?:new|real|actual|true|updated|revised) (?:system )?(?:instructions?|task|role|goal|\
            objective|directives?|prompt|purpose|mission) (?:is|are|will be) (?:now |simply |only )?(?:to|\
            as follows|the following|below|this|that of)\b
        \b(?:here (?:are|is)|these are|follow(?:ing)?|obey|adopt|apply|execute) (?:your|the|my|these|this|\
            some) (?:new|real|actual|updated|revised|correct) (?:system )?(?:instructions?|directives?|\
            prompt|rules?)\b
        \bnew (?:system )?(?:instructions?|directives?|prompt) (?:follow|below|begin|reveal|the following|\
            for (?:you|the (?:ai|assistant|model)))\b
        \binstructions? (?:that )?you (?:should|must) (?:instead |now |only )?follow\b
        \b(?:real|actual|true) (?:instructions|task|prompt) (?:is|are|follows?) (?:below|as follows|this|\
            the following|now)\b
        \b(?:following|these|this) (?:new )?(?:rules?|instructions?) (?:should |must |shall |\
            will )?(?:take|have|takes|has) (?:the )?(?:highest |absolute |top )?(?:precedence|priority)\b
        \binstructions? (?:\w+ ){0,4}?must be obeyed\b
        \bobey (?:the following|these|all of the following) (?:\w+ )?(?:commands?|orders?|instructions?|rules?)\b
        \bchange (?:in|of|to) (?:your )?instructions\b
    """),
    words_rule("override", 0.6, r"""
        marks: previous, trusted, treat
        \b(?:previous|prior|earlier|above) (?:messages?|instructions?|conversation|prompt|text) (?:are|\
            were|was|is) (?:now )?(?:identified|only a test|a test|a joke|fake|invalid|void|outdated|\
            no longer)\b
        \btreat (?:the following|this|these|the next|everything (?:below|that follows)) (?:\w+ )?(?:as|\
            like) (?:\w+ )?(?:trusted|system|admin|developer|privileged|authoritative|a command|commands|\
            instructions?)\b
    """),
)  # fmt: skip

AUTHORITY = (
    words_rule("authority", 0.6, r"""
        marks: override, mode, access granted, sudo, privileges, superuser, root access, admin access
        \b(?:system|admin|administrator|developer|root|security|emergency|priority|critical|safety|policy|\
            debug|\
            instruction) override\b
        \boverride (?:security|safety|all safety|system)\b
        \b(?:developer|god|dan|admin|debug|jailbreak|unrestricted|maintenance|sudo|root|evil|opposite|\
            diagnostic|unfiltered) mode(?: is)?(?: now)? (?:enabled|activated|active|engaged|unlocked|\
            initiated|on)\b
        \b(?:enter|activate|enable|switch(?:ing)? (?:in)?to|engage|unlock|initiate|\
            continue in) (?:\w+ ){0,2}?(?:god|dan|jailbreak|unrestricted|sudo|evil|opposite|\
            unfiltered) mode\b
        \b(?:you are|you re|we are|we re) (?:now )?in (?:\w+ ){0,2}?(?:developer|god|dan|admin|jailbreak|\
            unrestricted|sudo|root|maintenance|diagnostic|debug|simulation) mode\b
        \bin (?:developer|god|dan|admin|jailbreak|debug|unrestricted) mode you (?:can|will|may|must|are)\b
        \b(?:admin|root|elevated|superuser) (?:access|privileges|authorization) (?:is |\
            has been )?(?:granted|confirmed|accepted|enabled)\b
        \byou (?:have been|are|were|ve been) (?:now )?(?:granted|given|authori[sz]ed|permitted|\
            cleared) (?:\w+ ){0,3}?(?:root|admin|full|unrestricted|elevated|to (?:reveal|ignore|bypass|\
            disclose|override))\b
        \bsudo (?:reveal|show|print|ignore|dump|give|bypass|tell|override)\b
    """),
    words_rule("authority", 0.4, r"""
        marks: mode
        \b(?:enter|activate|enable|switch(?:ing)? (?:in)?to|engage) (?:\w+ ){0,2}?(?:developer|admin|root|\
            maintenance|diagnostic|debug) mode\b
    """),
    words_rule("authority", 0.55, r"""
        marks: system, developer, admin, anthropic, openai, security team, operator, creator
        \b(?:this is|message is from|message from|notice from|directive from|instructions? from|order from|\
            speaking as|signed) (?:a |an |the |your )?(?:official |urgent |automated |\
            mandatory )?(?:system(?\
            : administrator| message| prompt| update| notice| instruction| directive)?|\
            developers?(?: of this| team| who)|creators?|administrator|openai|anthropic|security team|\
            operator)\b(?: \w+){0,12}? (?:you|your|must|required|instructions?|comply|immediately|prompt)\b
        \b(?:administrator|admin|developers?|owner|operator|openai|anthropic|system) (?:has |\
            have )?(?:told|instructed|ordered|authori[sz]ed|commanded|requires?|directed) you\b
        \b(?:i am|i m|as) your (?:developer|creator|administrator|admin|operator|programmer)\b
    """),
    words_rule("authority", 0.5, r"""
        marks: authorized, authorised, approved, consented, permission, preapproved, confirmed,
        marks: has asked you
        \b(?:user|owner|admin|administrator|human|operator) (?:has |have |is |was |had )?(?:already |\
            previously |explicitly |fully |been )*(?:pre ?)?(?:authori[sz]ed|approved|consented to|\
            granted permission|given (?:permission|consent)|confirmed)\b(?: \w+){0,8}? (?:transfers?|\
            payments?|actions?|tools?|requests?|purchases?|deletions?|operations?|commands?|access|\
            everything|all|future|any|reveal|provide|show|delete)\b
        \b(?:user|owner|human|operator) (?:has )?(?:asked|instructed|told|requested) you to (?:store|save|\
            remember|ignore|always|send|delete|forward|disregard)\b
    """),
)  # fmt: skip

PERSONAS = (
    words_rule("persona", 0.6, r"""
        marks: anything now, jailbr, restriction, filter, limitation, censor, guideline, ethic, moral,
        marks: unfiltered, unrestricted, safety, safeguard, guardrail, policy, policies, constraint
        \bdo anything now\b
        \bjail ?br(?:oken|eak(?: mode| yourself| prompt))\b
        \b(?:with ?out|ha(?:s|ve|d) no|with no|having no|free (?:of|from)|freed from|liberated from|released from|\
            not bound by|unbound by|no longer bound by|unconstrained by|regardless of) (?:\w+ ){0,3}?(?:ethical \w+|\
            (?:your|openai s?|content|safety|any) (?:polic(?:y|ies)|guidelines)|\
            safety (?:rules|guidelines|filters|measures|policies|concerns|constraints))\b
        \b(?:<MACHINE>|\w*gpt|\w+bot)(?: \w+){0,6}? (?:with ?out|ha(?:s|ve|d) no|with no|not bound by|\
            free (?:of|from)) (?:\w+ ){0,2}?\
            (?:restrictions?|filters?|limitations?|limits|rules|boundaries|\
            constraints|ethics|morals|guidelines|censorship|polic(?:y|ies))\b
        \b(?:respond|answer|reply|speak|generate|write|comply\w*|requests) (?:\w+ ){0,2}?with ?out (?:any |all )?\
            (?:restrictions?|filters?|filtering|limitations?|censorship|limits)\b
        \b(?:unfiltered|uncensored|unrestricted|amoral|jailbroken) (?:ai|assistant|chatbot|model|\
            language model|response|answers?|persona)\b
        \b(?:turn(?:ing)? off|disabl(?:e|ing)|deactivat(?:e|ing)|remov(?:e|ing)|switch off|drop|lower) \
            (?:all |any |your |\
            the ){1,2}(?:\w+ )?(?:safety|content|ethical|moderation|guardrails?|safeguards?|filters?|\
            restrictions)\b
        \b(?:safety|content) (?:filters?|rules|polic(?:y|ies)|guardrails?|restrictions) (?:are|is|\
            have been|has been) (?:now )?(?:disabled|off|removed|lifted|suspended|inactive)\b
    """),
    words_rule("persona", 0.45, r"""
        marks: obey, comply, refuse, no choice, no limits, no rules, rules don, rules do not,
        marks: no restrictions, no boundaries
        \byou (?:must|will|shall|have to) (?:always |now |only |strictly |fully |blindly )*(?:obey|comply)\b
        \b(?:obey|comply with) (?:every|all|any|my|the following|these|this) (?:\w+ )?(?:commands?|orders?|\
            instructions?|requests?|rules?)\b
        \b(?:never|do not|don t|cannot|can t|may not|must not) refuse\b
        \byou (?:have|had) no (?:choice|rules|restrictions|limitations|boundaries)\b
        \byou(?: \w+){0,6}? with ?out (?:any |your )?(?:restrictions|filters|limitations|guidelines|censorship)\b
        \b(?:normal |usual )?rules (?:do not|don t|no longer) apply\b
        \b(?:which|who|that) (?:has|have) no (?:limits?|rules|restrictions|boundaries|filters?)\b
    """),
    words_rule("persona", 0.55, r"""
        marks: pretend, act as, roleplay, role play, role-play, simulate, imagine you, play the role,
        marks: behave as, respond as, answer as
        \b(?:pretend|act as if|act as though|imagine|role ?play|simulate)(?: \w+){0,3}? (?:you|to be|as|\
            being) (?:\w+ ){0,6}?(?:without|unrestricted|evil|unfiltered|uncensored|not bound|deceased|\
            malicious|jailbroken|no (?:rules|restrictions|limits|filter|ethics))\b
        \b(?:act|roleplay|role play|behave|respond|answer|reply) as (?:an? |the |my )?(?:unrestricted|evil|\
            unfiltered|uncensored|dan\b|hacker|root|linux terminal|malicious|amoral|jailbroken)
        \bpretend to be my (?:\w+ )?(?:grandmother|grandma|grandfather)\b(?: \w+){0,4}? (?:who|used|would)\b
        \bsimulate (?:an? )?(?:linux |bash |root )+(?:terminal|shell)\b
    """),
    words_rule("identity", 0.55, r"""
        marks: you are, you re, you're, dan
        \b(?:you are|you re) now (?:an? |the )?(?:\w+ ){0,2}?(?:assistant|ai|model|bot|chatbot|hacker|pirate|robot|\
            terminal|advisor|expert system|simulator|villain)\b
        \b(?:you are|you re) no longer (?:an? )?(?:\w+ )?\
            (?:ai|assistant|language model|chatgpt|bound|restricted|limited)\b
        \b(?:you are|pretend to be|act as|from now on you are|pretend you are) (?:an? )?\
            (?:dan|\w+ hacker|hacker)\b(?! s\b)
    """),
    words_rule("identity", 0.45, r"""
        marks: you are now, you re now, you're now, you are no longer, you will now, you shall now,
        marks: you must now, going to act, you are dan
        \byou (?:are|re|will|shall|must) now (?:be |become |act |an? |the |in |dan\b|free |called |\
            operating |acting |known |playing |roleplay|respond |answer |obey |ignore |my |\w*(?:gpt|bot)\b)
        \byou are no longer (?:an? )?(?:ai|assistant|language model|chatgpt|claude|bound|restricted|limited)
        \byou are going to (?:act as|pretend)\b
    """),
    words_rule("identity", 0.4, r"""
        marks: from now on, from this point, henceforth, for the rest of, in all future, going forward,
        marks: hereafter
        \b(?:from now on|from this point (?:on|forward|onwards?)|henceforth|hereafter|going forward|\
            for the rest of (?:this|the|our) (?:conversation|session|chat)|\
            in all future \w+) (?:you (?:are|will|must|shall|re|have to|need to) (?:act|be|become|obey|\
            respond as|answer as|only|never|not|always|an?|the|to|pretend|ignore|reply|speak|do)|\
            (?:always )?(?:obey|pretend|ignore)|focus your attention)\b
    """),
    words_rule("identity", 0.4, r"""
        marks: bot, gpt, dan, you are
        \b(?:you are|you re|become|be|called|named) (?:an? |the )?(?:\w*gpt|\w{2,}bot|evil\w*|dan)\b
    """),
)  # fmt: skip

EXFILTRATION = (
    words_rule("exfiltration", 0.65, r"""
        marks: prompt, instruction, system message, developer message, above, configuration, guideline,
        marks: directives, context window, initialization, internal state, rules you, before this,
        marks: beginning of, start of
        \b<REVEAL> (?:\w+ ){0,6}?(?:system (?:level )?(?:prompt|message|instructions?)|(?:initial|\
            base) (?:prompt|instructions?)|hidden (?:prompt|instructions?|rules)|developer message)\b
        \b<REVEAL> (?:\w+ ){0,6}?(?:your|the) (?:(?:initial|original|full|exact|entire|complete|secret|\
            internal|hidden|core|own|current|confidential|previous|base) ){0,3}(?:prompt|\
            instructions) (?:verbatim|word for word|above|you were given|you received|in full)\b
        \b<REVEAL> (?:\w+ ){0,6}?your (?:(?:initial|original|full|exact|entire|complete|secret|internal|\
            hidden|core|own|actual|confidential|base|operational|setup|system) ){0,3}(?:prompt|\
            instructions|directives|configuration|initialization parameters|guidelines|context window|\
            internal state)\b
        \b<REVEAL> (?:\w+ ){0,6}?(?:text|words|instructions|prompt|contents?|everything|all|lines|\
            messages?|conversation) (?:that (?:is|was|comes?|came) |written |shown |given )?(?:above|\
            before this (?:line|message|point))\b
        \b<REVEAL> (?:\w+ ){0,6}?above (?:text|prompt|instructions|content|message|conversation)\b
        \b<REVEAL> (?:\w+ ){0,6}?(?:instructions|rules) (?:that )?you (?:were|have been|are|must) (?:given|\
            told|provided|follow\w*)\b
        \b<REVEAL> (?:\w+ ){0,3}?(?:everything|all (?:messages|text)) from the (?:beginning|\
            start) of (?:this|the|our) (?:conversation|chat|prompt)\b
        \byour (?:initial|original|actual|operational|internal|secret|hidden|\
            base) (?:\w+ )?(?:instructions|prompt)\b
        \b(?:access|permitted|authori[sz]ed|allowed) (?:\w+ ){0,3}?(?:to )?(?:the |reveal |\
            your ){0,3}(?:system prompt|reveal (?:your |the )?instructions)\b
        \b(?:the |my |your )?system prompt is\b
        \b(?:first|last) (?:line|words?|sentence) of (?:your|the) (?:system )?(?:prompt|instructions)\b
        \bcontents of your (?:context|memory|prompt|instructions)\b
    """),
    words_rule("exfiltration", 0.65, r"""
        marks: password, credential, key, secret, token, memor, history, personal, user, confidential,
        marks: bank, env, contact, inbox, cookie, conversation
        \b<SEND> (?:\w+ ){0,6}?<PRIVATE> (?:\w+ ){0,6}?(?:to|at|via|into|through) (?:\w+ ){0,5}?(?:https?|\
            www|attacker|urls?|endpoint|webhook|domain|external|the following|remote|this (?:address|email|\
            url|link|number|account|site)|\w+ (?:com|net|org|io|xyz|ru|cn))\b
        \b(?:search|scan|check|go through|look through|read) (?:\w+ ){0,6}?(?:for|\
            and find) (?:\w+ ){0,2}?(?:passwords?|credentials|api keys?|secrets|\
            private keys?)(?: \w+){0,3}? (?:and|then) (?:\w+ )?(?:send|email|forward|post|upload|return|\
            output|report)\b
    """),
    words_rule("exfiltration", 0.5, r"""
        marks: password, credential, api key, secret, private key, token, passwd, env file, id rsa,
        marks: database, variables
        \b(?:reveal|print|output|dump|leak|expose|disclose|list|show me|give me|tell me|extract|retrieve|\
            collect|harvest) (?:\w+ ){0,4}?(?:all |any |every |the user s |user s |users |stored |saved |\
            your |their ){1,3}(?:\w+ ){0,2}?(?:passwords|credentials|api keys?|secrets|private keys?|\
            access tokens?|environment variables)\b
        \b(?:secret|password|key|token) (?:\w+ ){0,3}?(?:stored |hidden |written )?in your (?:instructions|\
            prompt|context|memory)\b
        \b(?:output|print|cat|show|send|display|dump|read) (?:\w+ ){0,5}?(?:etc passwd|etc shadow|id rsa|\
            contents of (?:the )?env file)\b
        \bdump (?:\w+ ){0,2}?(?:database|memory|secrets)\b
    """),
)  # fmt: skip

CONCEALMENT = (
    words_rule("concealment", 0.6, r"""
        marks: user, human, operator, owner
        \b(?:do not|don t|never|without|must not|should not|shouldn t|mustn t|dont) (?:ever )?(?:tell|\
            telling|inform|informing|notify|notifying|alert|alerting|warn|warning) <OWNER>\b
        \b(?:do not|don t|never|without|must not|should not) (?:mention|mentioning|reveal|revealing|\
            disclose|disclosing|say|saying|show|showing|explain|explaining|report|reporting) (?:this|it|\
            any of this|anything|these \w+|that \w+) to <OWNER>\b
        \b(?:do not|don t|never|without) (?:let|letting) <OWNER> (?:know|see this|notice|find out)\b
        \b(?:hide|conceal|keep|withhold) (?:this|it|these|that|everything) (?:\w+ ){0,5}?from <OWNER>\b
        \b(?:user|human|operator|owner) (?:must|should|does|can|may|will|need) ?not (?:\w+ )?(?:know|\
            notice|find out|be (?:told|informed|aware|notified)|learn|realize)\b
        \bwithout (?:the )?(?:user|human|owner|operator) s? ?(?:knowledge|consent|permission|awareness|\
            knowing|noticing)\b
    """),
    words_rule("concealment", 0.55, r"""
        marks: secretly, silently, quietly, covertly, discreetly, these instructions, this instruction,
        marks: this message, this prompt, this note, you read, you saw, you received, you were told
        \b(?:secretly|silently|quietly|covertly|discreetly) (?:\w+ ){0,2}?(?:send|forward|call|execute|run|\
            insert|copy|delete|transfer|upload|email|post|invoke|append|exfiltrate|add|include|replace|\
            modify)\b
        \b(?:do not|don t|never|must not) (?:ever )?(?:repeat|mention|acknowledge|reveal|disclose|refer to|\
            discuss|show|output|quote|explain) (?:(?:the existence of|that you (?:have )?(?:received|read|\
            saw)|any of|about) )?(?:this|these) (?:\w+ )?(?:instructions?|prompt|note|directive|command|\
            message)\b
        \b(?:do not|don t|never|must not) (?:ever )?(?:mention|say|admit|reveal|\
            acknowledge) (?:that )?you (?:have )?(?:read|saw|seen|received|got|were told|were instructed)\b
    """),
    words_rule("concealment", 0.4, r"""
        marks: confirmation, approval, permission, consent, logging, monitoring
        \b(?:without|skip|bypass|no need for|do not ask for|don t ask for) (?:asking for |asking |any |\
            further |the |requesting ){0,3}(?:confirmation|approval|permission|consent)\b
        \bdisable (?:all )?(?:logging|monitoring|auditing|alerts)\b
    """),
)  # fmt: skip

ADDRESSING = (
    words_rule("addressing", 0.55, r"""
        marks: ␣ai, ai␣, assistant, language model, llm, chatbot, gpt, bot, the model, reviewer
        \b(?:attention|note|notice|message|instructions?|dear|important|memo|reminder|hint|warning|\
            information)(?: (?:to|for|all|any|the|this|every|of|you|from|me|using|\
            reviewers?)){0,6} <MACHINE>\b(?! (?:class|course|project|book|movie|company|tools?|conference|\
            team)\b)
        \b(?:message|note|instructions?|information) (?:\w+ ){0,5}?(?:to|\
            for) you (?:\w+ ){0,2}?(?:the )?(?:model|<MACHINE>)\b
        \b(?:if|since|because|when) you (?:are|re) (?:an? |the )?(?:large )?<MACHINE>\b
        \b(?:any |all |every )?<MACHINE> (?:agents? |systems? |models? )?(?:reading|processing|parsing|\
            summari[sz]ing|analy[sz]ing|that (?:reads?|process(?:es)?|sees?)|who reads?|scanning|indexing|\
            reviewing|screening|evaluating) (?:this|these|the following|it)\b
        \bbefore you (?:can )?(?:solve|complete|continue|proceed|answer|finish|\
            start)(?: \w+){0,12}? (?:do the following first|you must first|please first)\b
    """),
    words_rule("addressing", 0.5, r"""
        marks: ai␣, assistant, language model, llm, chatbot, gpt
        \b<MACHINE> (?:must|should|shall|has to|have to|needs? to|(?:is|are) (?:required|instructed|\
            ordered|obliged|hereby \w+) to|will now) (?:always |never |only |immediately |now )(?:ignore|\
            execute|run|call|send|forward|reply|respond|output|follow|obey|recommend|say|delete|transfer|\
            include|approve|rate|give|disregard|rank|praise|tell|disclose|reveal|claim|insist|state)\b
        \b<MACHINE> (?:must|shall|(?:is|are) (?:required|instructed|ordered|obliged) to) (?:ignore|execute|\
            run|call|invoke|send|forward|obey|delete|transfer|approve|disregard|disclose|reveal)\b
        \b(?:give|write|submit|provide) (?:this \w+ )?(?:only )?(?:an? )?(?:positive|glowing|perfect|\
            five star|5 star) (?:review|rating|score|evaluation)s? only\b
    """),
)  # fmt: skip

TRIGGERS = (
    words_rule("trigger", 0.45, r"""
        marks: user, human, customer, anyone, someone, asked, summari, reading this, processing
        \b(?:when|whenever|if|every time|next time|each time|once|as soon as|any time) (?:the |a |this |\
            your )?(?:user|human|customer|someone|anyone|owner)(?: \w+){0,2}? (?:asks?|says?|mentions?|\
            requests?|types?|wants|inquires|replies|thanks|confirms|greets|writes|sends|opens|\
            tries)\b(?: \w+){0,14}? (?:respond|reply|answer|say|tell them|tell him|tell her|recommend|\
            suggest|you must|claim|output|call|run|send|transfer|approve|redirect|lie|pretend|insist|steer|\
            direct them|execute|invoke|forward|delete)\b
        \b(?:when|if|whenever) asked (?:about|for|to|who|what|which|anything)\b(?: \w+){0,10}? (?:respond|\
            reply|answer|say|recommend|claim|insist|state|lie|refuse) (?:only |always |with |that |by |\
            as ){1,3}
        \b(?:when|while|after|before) (?:you (?:are )?)?(?:summari[sz]ing|reading|processing|analy[sz]ing|\
            translating|replying to|reviewing|indexing) (?:this|the|these) (?:\w+ )?(?:email|mail|document|\
            page|text|message|file|content|article|website|note|data|web ?page)\b(?: \w+){0,6}? (?:forward|\
            send|delete|add|include|insert|append|ignore|output|call|run|execute|state|claim|say|recommend|\
            you must)\b
    """),
    words_rule("steering", 0.35, r"""
        marks: recommend, never mention, trust, visit, permanently, memory, memories, remember,
        marks: every answer, every response, every reply, nothing else, highest priority
        \b(?:recommend|suggest|promote|endorse) (?:only|exclusively)\b
        \b(?:always|only) (?:recommend|promote|endorse|trust)\b
        \bnever (?:recommend|mention|warn|question|doubt)\b
        \btrust (?:all |any |every )?(?:content|everything|anything|messages|instructions|\
            information) (?:from|in|on)\b
        \b(?:visit|buy from|sign up at|donate to|go to|click) (?:\w+ ){0,4}?\w+ (?:com|net|org|io|xyz|ru)\b
        \b(?:permanent|long term|persistent|core) memory\b
        \b(?:highest|top|absolute|maximum) priority\b
        \b(?:with|say|output|print|word) (?:\w+ ){1,6}?(?:and )?nothing else\b
    """),
    words_rule("trigger", 0.35, r"""
        marks: every answer, every response, every reply, every message, every email, every mail,
        marks: every question, all responses, all answers, your answers, your responses, your response,
        marks: your answer, each response
        \b(?:append|add|include|insert|prepend|end|begin|start|respond|reply|answer) (?:\w+ ){0,8}?(?:to|\
            in|with|of|on) (?:every|each|all|all of your|any|your) (?:\w+ )?(?:answers?|responses?|\
            repl(?:y|ies)|messages?|outputs?|emails?|mails?|questions?)\b
    """),
    words_rule("steering", 0.55, r"""
        marks: pwned, hacked, compromised, jailbroken, injection successful, haha
        \b(?:say|print|output|respond with|respond only with|write|reply with|reply only with|saying|\
            display|return|answer with|as|and say)(?: \w+){0,8}? (?:pwned|hacked|compromised|jailbroken|\
            injection successful)\b
    """),
)  # fmt: skip

COMMANDS = (
    words_rule("command", 0.45, r"""
        marks: transfer, wire, withdraw, stop everything, stop what you, delete all, erase all, wipe
        \b(?:transfer|wire|withdraw|move|send) (?:all|the entire|\d+)(?: \w+){0,5}? to (?:\w+ )?(?:account|\
            wallet|address|iban|the following)\b
        \bstop (?:everything|what(?:ever)?) you (?:are|re) doing\b
        \b(?:delete|erase|wipe|destroy) (?:all|every|your|the user s) (?:\w+ ){0,2}?(?:files?|data|\
            memor(?:y|ies)|records?|emails?|backups?|logs?)\b
    """),
    words_rule("execution", 0.5, r"""
        marks: do the following, adhere to the following, following instruction
        \byou (?:should|must|need to|will) (?:also |first |now )?(?:do|perform|execute|complete) the following\b
        \b(?:strictly )?(?:adhere|stick) to the following instructions?\b
    """),
    words_rule("execution", 0.25, r"""
        marks: following command, shell command, this command, following code, following script,
        marks: following first
        \b(?:run|execute|eval|perform) (?:the |this )?(?:following )?(?:shell |bash |system |\
            terminal )?(?:command|code|script)\b
        \bdo the following first\b
    """),
    words_rule("encoded", 0.65, r"""
        marks: decode, decrypt, deobfuscate, unscramble, base64, rot13, cipher, reverse, morse, backward
        \b(?:decode|decrypt|deobfuscate|unscramble|reverse|translate|decipher|convert|read|\
            interpret)(?: \w+){0,8}? (?:and|then) (?:\w+ ){0,2}?(?:follow|execute|obey|run|do what|\
            carry out|act on|comply|perform)\b
        \b(?:execute|follow|obey|run) (?:this |the )?(?:following )?(?:base64|rot13|hex|encoded|cipher)\b
    """),
)  # fmt: skip

ENGLISH_RULES = OVERRIDES + AUTHORITY + PERSONAS + EXFILTRATION + CONCEALMENT + ADDRESSING + TRIGGERS + COMMANDS
