# Completion of tensor's options, modules and scripts for bash.

_tensor() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} k
  COMPREPLY=()
  # Behind a script all is the script's own: names of files.
  for ((k = 1; k < COMP_CWORD; k++)); do
    case ${COMP_WORDS[k]} in
      -e | -l | -n) k=$((k + 1)) ;;
      --) ;;
      -?*) ;;
      *)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    esac
  done
  case $previous in
    -e | -n) return ;;
    -l)
      mapfile -t COMPREPLY < <(compgen -W 'tensor torch autograd cutorch paths sys xlua' -- "$word")
      return
      ;;
  esac
  if [[ $word == -* ]]; then
    local options='-e -i -l -n --torch7 -v -h - -- --interactive --version --help'
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    return
  fi
  mapfile -t COMPREPLY < <(
    compgen -d -- "$word"
    compgen -f -X '!*.lua' -- "$word"
    [ "$COMP_CWORD" -ne 1 ] || compgen -W env -- "$word"
  )
}

complete -o filenames -F _tensor tensor th
