# Palazzo: tells what was run, to this machine's own palace. Switched on by `palazzo capture enable shell`.
# While it is off, paused or in a private folder, one look whether a file is there is all that happens.
# Needs bash 5 or newer.
if [[ $- == *i* && ${BASH_VERSINFO[0]} -ge 5 && -z ${__palazzo_gate-} ]]; then
  __palazzo_gate=@GATE@
  __palazzo_send=(@PYTHON@ -I -S @SEND@ @SOCKET@ @GATE@ @SPOOL@)
  __palazzo_stamp='' __palazzo_began='' __palazzo_last='' __palazzo_pid='' __palazzo_fd='' __palazzo_loop=''
  __palazzo_looped='' __palazzo_entry=''
  __palazzo_commands=() __palazzo_paths=() __palazzo_allowed=() __palazzo_only=''

  __palazzo_load() {
    local line lines glob
    mapfile -t lines < "$__palazzo_gate" 2> /dev/null || return 1
    __palazzo_stamp=${lines[0]-} __palazzo_commands=() __palazzo_paths=() __palazzo_allowed=() __palazzo_only=''
    for line in "${lines[@]:1}"; do
      printf -v glob %q "${line:2}"
      glob=${glob//\\\*/*}  # everything as it is written, but * for any letters
      case $line in
        c:*) __palazzo_commands+=("$glob") ;;
        p:*) __palazzo_paths+=("$glob") ;;
        a:*) __palazzo_allowed+=("$glob") ;;
        o:) __palazzo_only=1 ;;
      esac
    done
    [[ -n $__palazzo_stamp ]]
  }

  __palazzo_open() {
    local glob
    [[ -O $__palazzo_gate && -z ${PALAZZO_INCOGNITO-} ]] || return 1
    [[ -n $__palazzo_stamp && -e $__palazzo_stamp ]] || __palazzo_load || return 1
    for glob in "${__palazzo_paths[@]}"; do [[ $1 == $glob ]] && return 1; done
    [[ -n $__palazzo_only ]] || return 0
    for glob in "${__palazzo_allowed[@]}"; do [[ $1 == $glob ]] && return 0; done
    return 1
  }

  # The last line of the history, without a process: written into a pipe that nobody but this shell has, and read back.
  # Only once the carrier said that the pipe never waits, however long the line; it is asked for in a process until then.
  __palazzo_history() {
    __palazzo_entry=''
    if [[ -z $__palazzo_looped && -n $__palazzo_loop ]] && read -t 0 -u "$__palazzo_loop"; then
      read -r -N 1 -u "$__palazzo_loop" __palazzo_looped
    fi
    if [[ -z $__palazzo_looped ]]; then
      __palazzo_entry=$(HISTTIMEFORMAT='' builtin history 1)
    elif ! { { HISTTIMEFORMAT='' builtin history 1 && printf '\0'; } >&"$__palazzo_loop" 2>&"$__palazzo_null" &&
      IFS= read -r -d '' -u "$__palazzo_loop" __palazzo_entry; }; then
      IFS= read -r -d '' -u "$__palazzo_loop" __palazzo_entry 2>&"$__palazzo_null"  # what did not fit is not told
      __palazzo_entry=''
    fi
    __palazzo_entry=${__palazzo_entry%$'\n'}
  }

  __palazzo_carrier() {
    local words=("${__palazzo_send[@]}") held
    [[ -n $__palazzo_fd ]] && exec {__palazzo_fd}>&-
    if [[ -z $__palazzo_looped && $OSTYPE == linux* ]]; then
      [[ -n $__palazzo_loop ]] && exec {__palazzo_loop}>&-
      exec {__palazzo_loop}<> <(:)
      words+=(--loop "$__palazzo_loop")
    fi
    if [[ $OSTYPE == linux* ]]; then
      exec {__palazzo_fd}<> <(:)  # both ends are ours: to write to a carrier that has ended would end this shell
      exec {held}> >(exec "${words[@]}" <&"$__palazzo_fd" > /dev/null 2>&1)
      __palazzo_pid=$!
      exec {held}>&-
    else
      exec {__palazzo_fd}> >(exec "${words[@]}" > /dev/null 2>&1)
      __palazzo_pid=$!
    fi
  }

  __palazzo_precmd() {
    local code=$? began=$__palazzo_began where=$__palazzo_where number text glob now
    __palazzo_began='' __palazzo_where=$PWD
    [[ -O $__palazzo_gate ]] || return $code
    __palazzo_open "$where" || return $code
    if [[ -z $__palazzo_last || -n $began ]]; then
      __palazzo_history
      if [[ $__palazzo_entry =~ ^\ *([0-9]+)\*?\ \ (.*)$ ]]; then number=${BASH_REMATCH[1]} text=${BASH_REMATCH[2]}; fi
    fi
    if [[ -z $began || -z $__palazzo_last || -z $number || $number == "$__palazzo_last" ]]; then
      __palazzo_last=${number:-${__palazzo_last:-0}}  # nothing was run, or what was run is not to be remembered
      return $code
    fi
    __palazzo_last=$number
    [[ $text == ' '* ]] && return $code
    for glob in "${__palazzo_commands[@]}"; do [[ $text == $glob ]] && return $code; done
    now=${EPOCHREALTIME/[.,]/}
    [[ -n $__palazzo_pid ]] && kill -0 "$__palazzo_pid" 2>&"$__palazzo_null" || __palazzo_carrier
    printf 'bash\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s\0' "$began" "$((now - began))" "$code" "$where" "$text" >&"$__palazzo_fd"
    return $code
  }

  exec {__palazzo_null}> /dev/null
  __palazzo_where=$PWD
  PS0=${PS0-}'${__palazzo_began:0:$((__palazzo_began=${EPOCHREALTIME/[.,]/},0))}'
  if [[ $(declare -p PROMPT_COMMAND 2> /dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__palazzo_precmd "${PROMPT_COMMAND[@]}")
  else
    PROMPT_COMMAND="__palazzo_precmd${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
  fi
fi
