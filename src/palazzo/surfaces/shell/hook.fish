# Palazzo: tells what was run, to this machine's own palace. Switched on by `palazzo capture enable shell`.
# While it is off, paused or in a private folder, one look whether a file is there is all that happens.
if status is-interactive; and not set -q __palazzo_gate
    set -g __palazzo_gate @GATE@
    set -g __palazzo_send @PYTHON@ -I -S @SEND@ @SOCKET@ @GATE@ @SPOOL@
    set -g __palazzo_stamp ''
    set -g __palazzo_pid ''
    set -g __palazzo_waiting
    set -g __palazzo_queue @SPOOL@.$fish_pid

    function __palazzo_regex
        string join '|' (string escape --style=regex -- $argv | string replace --all '\\*' '.*')
    end

    function __palazzo_load
        set -l lines
        while read -l line
            set -a lines $line
        end <$__palazzo_gate
        set -g __palazzo_stamp $lines[1]
        set -g __palazzo_commands '(?s)^(?:'(__palazzo_regex (string replace -rf '^c:' '' -- $lines))')$'
        set -g __palazzo_paths '(?s)^(?:'(__palazzo_regex (string replace -rf '^p:' '' -- $lines))')$'
        set -g __palazzo_allowed '(?s)^(?:'(__palazzo_regex (string replace -rf '^a:' '' -- $lines))')$'
        set -g __palazzo_only (contains -- o: $lines; and echo 1)
        test -n "$__palazzo_stamp"
    end

    function __palazzo_preexec --on-event fish_preexec
        set -g __palazzo_text ''
        test -O $__palazzo_gate; or return 0
        string match -q ' *' -- $argv[1]; and return 0
        test -z "$PALAZZO_INCOGNITO" -a -z "$fish_private_mode"; or return 0
        set -g __palazzo_where $PWD
        set -g __palazzo_text $argv[1]
    end

    function __palazzo_postexec --on-event fish_postexec
        set -l code $status
        set -l took $CMD_DURATION
        test -n "$__palazzo_text"; or return 0
        test -O $__palazzo_gate; or return 0
        test -n "$__palazzo_stamp" -a -e "$__palazzo_stamp"; or __palazzo_load; or return 0
        string match -qr -- $__palazzo_paths $__palazzo_where; and return 0
        if test -n "$__palazzo_only"
            string match -qr -- $__palazzo_allowed $__palazzo_where; or return 0
        end
        string match -qr -- $__palazzo_commands "$__palazzo_text"; and return 0
        test -n "$took"; or set took 0
        # fish cannot keep a pipe open: a line in a file of its own, in memory, that a process of its own carries on.
        # Nothing here is asked in parentheses, for which fish waits: what waits is counted as a list.
        test -e $__palazzo_queue; or set -g __palazzo_waiting
        set -g -a __palazzo_waiting 1
        set -q __palazzo_waiting[501]; and return 0
        printf 'fish\x1f0\x1f%s\x1f%s\x1f%s\x1f%s\0' "$took"000 $code $__palazzo_where "$__palazzo_text" >>$__palazzo_queue
        if test -z "$__palazzo_pid"; or set -q __palazzo_waiting[21]
            $__palazzo_send --follow $__palazzo_queue </dev/null >/dev/null 2>/dev/null &
            set -g __palazzo_pid $last_pid
            set -g __palazzo_waiting 1
            disown 2>/dev/null
        end
        return 0
    end
end
