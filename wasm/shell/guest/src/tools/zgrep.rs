//! `zgrep` and its like: `grep` over what `zcat` makes of each file, as gzip's own scripts of these names are.

use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};

pub const NAMES: &[&str] = &["zgrep", "zegrep", "zfgrep"];

const SCRIPT: &str = r#"
options=() given= names=() label=
case $0 in zegrep) options=(-E) ;; zfgrep) options=(-F) ;; esac
fail() { printf '%s: %s\n' "$0" "$1" >&2; exit 2; }
while [ $# -gt 0 ]; do
  word=$1
  shift
  case $word in
    --) [ -n "$given" ] || { [ $# -gt 0 ] || break; options+=(-e "$1"); given=1; shift; }; names+=("$@"); break ;;
    --regexp=* | --file=*) options+=("$word") given=1 ;;
    --regexp | --file) options+=("$word" "${1?}") given=1; shift ;;
    --recursive | --dereference-recursive | --include* | --exclude*) fail "$word: option not supported" ;;
    --with-filename) label=-H ;;
    --no-filename) label=-h ;;
    --after-context | --before-context | --context | --max-count | --label | --binary-files)
      options+=("$word" "${1?}"); shift ;;
    --*) options+=("$word") ;;
    -?*)
      letters=${word#-}
      while [ -n "$letters" ]; do
        letter=${letters:0:1} letters=${letters:1}
        case $letter in
          [rR]) fail "-$letter: option not supported" ;;
          H) label=-H ;;
          h) label=-h ;;
          [ABCmefdD])
            [ -n "$letters" ] || { letters=${1?}; shift; }
            case $letter in [ef]) given=1 ;; esac
            options+=("-$letter" "$letters") letters= ;;
          *) options+=("-$letter") ;;
        esac
      done ;;
    *) if [ -n "$given" ]; then names+=("$word"); else options+=(-e "$word") given=1; fi ;;
  esac
done
[ -n "$given" ] || fail 'missing pattern'
if [ ${#names[@]} -eq 0 ]; then
  zcat -f | grep "${options[@]}" $label
  exit "${PIPESTATUS[1]}"
fi
[ -n "$label" ] || { [ ${#names[@]} -eq 1 ] && label=-h || label=-H; }
code=1
for name in "${names[@]}"; do
  if [ "$name" != - ] && ! [ -r "$name" ]; then
    printf 'gzip: %s: No such file or directory\n' "$name" >&2
    code=2
    continue
  fi
  zcat -f -- "$name" | grep "${options[@]}" $label --label="$name"
  status=("${PIPESTATUS[@]}")
  if [ "${status[1]}" -gt 1 ]; then exit "${status[1]}"; fi
  if [ "${status[0]}" -ne 0 ] && [ "${status[0]}" -ne 141 ]; then code=2; fi
  if [ "${status[1]}" -eq 0 ] && [ "$code" -eq 1 ]; then code=0; fi
done
exit "$code"
"#;

pub struct Zgrep;

#[async_trait]
impl Command for Zgrep {
    async fn execute(&self, _ctx: CommandContext<'_>) -> Result<CommandStatus> {
        unreachable!("it is a script")
    }

    fn script(&self, _name: &str, _args: &[String]) -> Option<String> {
        Some(SCRIPT.into())
    }
}
