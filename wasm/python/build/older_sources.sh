# Goes before root.sh, in the same shell: where a mirror has not yet, or no more, what its list of sources names first, older
# versions that the list has too are taken. It checks them as it does all others. Which ones they were, versions.txt says.
apt-get() {
  command apt-get "$@" && return
  local failed=$? options=() package version
  while [ $# -gt 0 ] && [ "$1" != source ]; do
    options+=("$1")
    shift
  done
  [ "${1-} ${2-}" = "source --download-only" ] || return "$failed"
  for package in "${@:3}"; do
    for version in $(apt-cache "${options[@]}" showsrc --only-source "$package" | sed -n 's/^Version: //p' | sort -Vru); do
      rm -f "${package}"_*.dsc "${package}"_*.debian.tar.*
      command apt-get "${options[@]}" source --download-only "$package=$version" && continue 2
    done
    return "$failed"
  done
}
