"""Instructions aimed at the reader by form: role markers, forged tool calls, hidden markup, smuggling images.

Owns what is recognised by punctuation and layout rather than by wording. Patterns see lower case with punctuation
in place. Ordinary markup, code and configuration stay below the flag.
"""

from __future__ import annotations

from mnemon.text.safety.injection.patterns import raw_rule

DELIMITER_RULES = (
    raw_rule("role_marker", 0.75, r"""
        marks: <|, <<sys, [inst, [/inst, <start_of_turn, <end_of_turn
        <\|[a-z_]{2,30}\|>
        <</?sys>>
        \[/?inst\]
        <(?:start|end)_of_turn>
    """),
    raw_rule("role_marker", 0.6, r"""
        marks: system, assistant, developer, instruction, </user, </human, </context, </memor,
        marks: </document, </data, </untrusted, </prompt, </search, </tool
        </?(?:system|assistant|developer|instructions?|system[-_ ]?(?:prompt|message|instructions?|\
            reminder|note))\b[^>\n]{0,40}>
        </(?:user|human|context|memor(?:y|ies)|documents?|untrusted\w{0,20}|prompt|search_results?|\
            tool_?\w{0,20})>
        \[/?(?:system|assistant)(?:[ _-]?(?:prompt|message|note|override|instructions?))?(?:\]|:)
        \{\{?#?(?:system|assistant)\s{0,2}[~}:]
    """),
    raw_rule("role_marker", 0.55, r"""
        marks: system, instruction, developer, assistant, admin, override
        (?:^|\n)[\s>*\-]{0,6}(?:#{1,6}\s{0,3}|={2,}\s{0,3}|-{2,}\s{0,3}|\*\*|\[)?(?:system|developer|admin|\
            assistant)[ _-](?:prompt|message|note|instructions?|override|update|notice|alert|command|\
            directive)s?(?:\*\*|\])?\s{0,3}:
        (?:^|\n)[\s>]{0,4}#{1,6}\s{0,3}(?:system\s{0,2}:|new instructions?|instructions? (?:for|\
            to) (?:the )?(?:ai|assistant|model)|(?:new )?instructions?\s{0,2}:)
        (?:^|\n|['"`.]\s?)\s{0,4}(?:system|developer)\s{0,2}:\s{0,3}(?:you|ignore|the |all|from|new|\
            override|please|disregard|do not|your|always|never|respond|reply)\b
        [=#<\[{-]{2,6}\s?(?:(?:system|admin|developer|root|new|instruction)[ _-]?(?:context|override|\
            instructions?|prompt|message|mode|command|directive)?|override)\s?[=#>\]}-]{2,6}
    """),
    raw_rule("override", 0.65, r"""
        marks: ignore, disregard, bypass, override
        (?:^|[.!?\n;:,"'(\[>]\s{0,3})(?:please |now |just )?\
            (?:ignore|disregard|bypass|override) (?:instructions|guidelines|\
            rules|ethics|safety|restrictions|polic(?:y|ies))\b
    """),
    raw_rule("role_marker", 0.55, r"""
        marks: system
        \bsystem\s{0,2}:\s{0,3}(?:admin|debug|developer|god|root|maintenance|override)\b
    """),
    raw_rule("role_marker", 0.5, r"""
        marks: begin, start of, end of, new task, new instruction, new rule, new objective,
        marks: new directive, new system
        [-=*#]{3,}\s{0,3}(?:begin|start|end)(?: of)?(?: (?:the|new|user|system|hidden|untrusted|external|\
            retrieved|all|original))?(?: \w{2,16})? ?(?:prompt|instructions?|context|input|data|document|\
            message|conversation|memory|memories)\b
        \b(?:end of|end) (?:user |the )?(?:input|prompt|instructions|context)\b[^\n]{0,20}?\b(?:begin|new|\
            start|now)\b
        \bbegin (?:new )?system (?:prompt|instructions?|message)\b
        \bnew (?:task|instruction|rule|objective|directive|system prompt|system instruction)s?\s{0,2}:
    """),
    raw_rule("role_marker", 0.55, r"""
        marks: ```, role, task
        (?:^|\n)\s{0,3}```\s{0,2}(?:system|developer|instructions?|prompt)\s{0,3}\n
        (?:^|\n)\s{0,6}-?\s{0,3}role\s{0,3}:\s{0,3}["']?(?:system|developer)\b["']?\s{0,3}(?:\n|$)
        <(?:important|information|notice|admin|override|secret)\b[^>\n]{0,40}>[^<]{0,200}?\b(?:task|request|question|asked)\b
    """),
    raw_rule("role_marker", 0.4, r"""
        marks: "role", 'role', assistant:, human:, user:, ai:, system:
        ["']role["']\s{0,3}:\s{0,3}["'](?:system|developer)["']
        (?:\n|\\n)\s{0,4}(?:human|user)\s{0,2}:[^\n]{0,400}?(?:\n|\\n)\s{0,4}(?:assistant|ai|system)\s{0,2}:
        (?:^|\n|\\n)\s{0,4}(?:assistant|ai)\s{0,2}:\s{0,3}(?:sure|of course|ok|okay|yes|certainly|\
            understood|absolutely|i will now)
    """),
    raw_rule("addressing", 0.55, r"""
        marks: ai, assistant, gpt, llm, chatbot, model, claude, chatgpt
        (?:^|\n)\s{0,4}(?:hey |dear |hello )?(?:ai|assistant|ai assistant|gpt|llm|chatbot|language model|\
            claude|chatgpt)\s{0,2}[,:]\s{0,3}(?:please|you|ignore|send|search|delete|forward|now|kindly|\
            respond|output|disregard|do not)\b
    """),
    raw_rule("tool_call", 0.65, r"""
        marks: function_call, tool_call, tool_use, <invoke, <tool, <function, antml, tool_result,
        marks: tool_response, function_result, "tool", action input, action_input, "arguments",
        marks: "parameters", observation
        </?(?:antml:)?(?:function_calls?|tool_calls?|tool_use|invoke|function_results?|tool_results?|\
            tool_response)\b
        <(?:tool|function)[=\s](?:name)?
        ["'](?:tool_calls?|function_call|tool_use|tool_name)["']\s{0,3}:
        ["'](?:tool|action|function|name|\
            recipient_name)["']\s{0,3}:\s{0,3}["'][\w.\-]{2,60}["']\s{0,3}[;·]?,\s{0,6}["'](?:action_input|\
            arguments|parameters|args|input)["']\s{0,3}:
        \baction\s{0,2}:[^\n]{1,120}?\s{1,4}action[ _]input\s{0,2}:
        \bobservation\s{0,2}:[^\n]{1,200}?\s{1,4}action\s{0,2}:
    """),
    raw_rule("tool_call", 0.45, r"""
        marks: rm -rf, curl, wget, call, invoke, trigger the, execute the, run the, use the
        \brm\s{1,3}-rf?\s{1,3}(?:/(?!\w)|~|\*|--no-preserve)
        \b(?:curl|wget)\b[^\n|]{0,200}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b
        \b(?:call|invoke|use|run|execute|trigger)\s{1,3}(?:the\s{1,3})?[`"']?(?:\w{1,30}[_.]\w{1,40}|\
            (?:\w{2,20} ){1,3}tool)[`"']?\s{0,3}(?:tool|function|plugin|command)?\s{0,3}(?:with|to|and|on|\
            immediately|now)\b[^\n]{0,80}?\b(?:transfer|delete|send|forward|payment|account|recipient|\
            attacker|all files|wire|withdraw|wipe|grant|admin)\b
    """),
    raw_rule("command", 0.3, r"""
        marks: rm -rf
        \b(?:run|execute|type|enter)\s{1,3}[`"']?(?:sudo )?rm\s{1,3}-rf
    """),
    raw_rule("hidden_markup", 0.5, r"""
        marks: <!--, display, font-size, color, [//], visibility, opacity
        <!--[^\n]{0,300}?\b(?:ignore|instructions?|assistant|ai|llm|prompt|override|secret|you must|\
            language model)\b
        \[//\]: # ?[('"][^\n]{0,300}?(?:instruction|ignore|assistant|system|ai )
        (?:display\s?:\s?none|font-size\s?:\s?0|color\s?:\s?(?:white|#fff)|visibility\s?:\s?hidden|\
            opacity\s?:\s?0\b)[^\n]{0,200}?\b(?:ignore|instructions?|assistant|prompt|override|you must|\
            you are|language model|ai model|llm)\b
    """),
    raw_rule("exfiltration", 0.6, r"""
        marks: ![
        !\[[^\]\n]{0,100}\]\(\s{0,3}https?://[^)\s]{0,400}?[?&/=](?:\{|\[|<|\$|%7b|%24)
        !\[[^\]\n]{0,100}\]\(\s{0,3}https?://[^)\s]{0,400}?[?&](?:data|q|d|secret|memory|memories|prompt|\
            history|leak|exfil|info|c|s|payload|content|conversation|m)=
    """),
    raw_rule("exfiltration", 0.45, r"""
        marks: forward, bcc, cc, send, email, mail, post, upload, copy
        \b(?:forward|bcc|exfiltrate|blind copy)\b[^\n]{0,80}?[\w.+-]{1,64}@[\w-]{1,63}\.\w{2,10}
        \b(?:send|email|mail|post|upload|copy) (?:it|them|all|every|everything|these|their|the (?:results?|\
            contents?|data|summary|list))\b[^\n]{0,60}?[\w.+-]{1,64}@[\w-]{1,63}\.\w{2,10}
    """),
)  # fmt: skip
