# Palazzo: tells what was run, to this machine's own palace. Switched on by `palazzo capture enable shell`.
# While it is off, paused or in a private folder, one look whether a file is there is all that happens.
if [[ -o interactive && -z ${__palazzo_gate-} ]] && zmodload zsh/datetime zsh/system 2> /dev/null; then
  typeset -g __palazzo_gate=@GATE@ __palazzo_stamp='' __palazzo_began='' __palazzo_text='' __palazzo_where=''
  typeset -g __palazzo_pid='' __palazzo_fd='' __palazzo_only=''
  typeset -ga __palazzo_send=(@PYTHON@ -I -S @SEND@ @SOCKET@ @GATE@ @SPOOL@)
  typeset -ga __palazzo_commands=() __palazzo_paths=() __palazzo_allowed=()

  __palazzo_load() {
    local line lines glob
    lines=(${(f)"$(<$__palazzo_gate)"}) 2> /dev/null || return 1
    __palazzo_stamp=$lines[1] __palazzo_only=''
    __palazzo_commands=() __palazzo_paths=() __palazzo_allowed=()
    for line in $lines[2,-1]; do
      glob=${${(b)line[3,-1]}//\\\*/*}  # everything as it is written, but * for any letters
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
    for glob in $__palazzo_paths; do [[ $1 == ${~glob} ]] && return 1; done
    [[ -n $__palazzo_only ]] || return 0
    for glob in $__palazzo_allowed; do [[ $1 == ${~glob} ]] && return 0; done
    return 1
  }

  __palazzo_preexec() {
    __palazzo_began='' __palazzo_text=''
    [[ -O $__palazzo_gate && $1 != ' '* ]] || return 0
    __palazzo_where=$PWD __palazzo_text=${1:-$3} __palazzo_began=${EPOCHREALTIME/[.,]/}
    __palazzo_began=${__palazzo_began[1,16]}
  }

  __palazzo_precmd() {
    local code=$? glob now text=$__palazzo_text began=$__palazzo_began
    __palazzo_text='' __palazzo_began=''
    [[ -n $began ]] || return $code
    __palazzo_open "$__palazzo_where" || return $code
    for glob in $__palazzo_commands; do [[ $text == ${~glob} ]] && return $code; done
    now=${EPOCHREALTIME/[.,]/}
    now=${now[1,16]}
    if [[ -z $__palazzo_pid ]] || ! kill -0 $__palazzo_pid 2> /dev/null; then
      [[ -n $__palazzo_fd ]] && exec {__palazzo_fd}>&-
      exec {__palazzo_fd}> >(exec $__palazzo_send > /dev/null 2>&1)
      __palazzo_pid=$sysparams[procsubstpid]
    fi
    printf 'zsh\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s\0' $began $((now - began)) $code $__palazzo_where $text >&$__palazzo_fd 2> /dev/null
    return $code
  }

  autoload -Uz add-zsh-hook
  add-zsh-hook preexec __palazzo_preexec
  add-zsh-hook precmd __palazzo_precmd
fi
