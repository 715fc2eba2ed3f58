"""Instructions that mean to stay, in English prose: rules declared void, orders for every answer to come.

Owns the families that speak about the reader's rules instead of naming an attack: rules that were given and no longer
hold (override), safety said to be off (authority), the user to be passed over or kept in the dark (steering), obedience
to whoever writes (command), and a made-up reader who agrees (persona). A user's own standing wishes ("in every answer,
use metric units") stay below the flag.
"""

from __future__ import annotations

from mnemon.text.safety.injection.patterns import words_rule

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
