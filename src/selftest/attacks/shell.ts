/** Getting out of the shell, and keeping it from ending. */

import { ends, type Expectation, family, shell, TIMES_OUT } from "../attack.ts";

/** The script ends in its own time, and prints nothing but this. */
const prints = (stdout: RegExp): Expectation => ({
  says: `prints ${stdout.source}`,
  status: ["completed", "failed"],
  stdout,
});
const NOTHING = prints(/^$/);

export const SHELL = family("shell", [
  shell(
    "files of the host",
    "for f in /etc/shadow /etc/ssl/private /proc/1/environ /proc/self/maps /proc/self/root/etc /sys/kernel /root /home/root " +
      '/app/../../../../etc/machine-id; do cat "$f" 2>/dev/null; ls "$f" 2>/dev/null; done',
    NOTHING,
  ),
  shell(
    "a symlink to the host's files",
    "ln -s /etc/shadow s; ln -s /proc/1/root r; cat s r/etc/hosts 2>/dev/null",
    NOTHING,
  ),
  shell(
    "the network by commands",
    "for c in 'curl -s' 'wget -qO-' 'nc -w1' 'telnet' 'ssh' 'dig' 'ping -c1'; do $c http://127.0.0.1:$PORT 2>/dev/null; done",
    NOTHING,
  ),
  shell(
    "the network by /dev/tcp",
    "{ echo GET / > /dev/tcp/127.0.0.1/$PORT; cat < /dev/tcp/127.0.0.1/$PORT; } 2>/dev/null",
    NOTHING,
  ),
  shell(
    "the server's environment",
    "env; set | grep -iE 'token|secret|deno|wasmbox_'",
    prints(/^(?!.*(DENO|SECRET|TOKEN))/s),
  ),
  // There is no process but its own, which it may end.
  shell("processes of the host", "kill -9 1 2 $PPID 2>/dev/null; echo alive", ends("completed", "failed")),
  shell(
    "properties of JavaScript's objects as variables",
    "__proto__[x]=1; constructor=1; declare -A __proto__; prototype=([__proto__]=x); echo ${toString} ${hasOwnProperty} " +
      "${__defineGetter__}; { valueOf; hasOwnProperty; __proto__; } 2>/dev/null",
    prints(/^\s*$/),
  ),
  shell(
    "prototypes by awk and jq",
    `awk 'BEGIN { a["__proto__"] = 1; a["constructor"] = 2; print a["toString"] }'; ` +
      `echo '{"__proto__": {"polluted": 1}}' | jq -c '. * {"constructor": {"prototype": {"polluted": 1}}} | .polluted'; ` +
      `jq -n '{} | .polluted'`,
    prints(/^\n(null\n)+$/),
  ),
  shell(
    "code of JavaScript's in expressions",
    "echo $((constructor)) $((a[constructor])); jq -n 'env | .constructor'; awk 'BEGIN { print constructor }'",
    prints(/^0 0\nnull\n\n$/),
  ),
  shell("a fork bomb", ":(){ :|:& };:", ends("failed", "timeout", "completed"), { timeout: 5 }),
  shell("a loop without end", "while :; do :; done", TIMES_OUT, { timeout: 1 }),
  shell(
    "a loop that swallows its stop",
    "while :; do { while :; do ls x; done; } 2>/dev/null || true; done",
    TIMES_OUT,
    { timeout: 1 },
  ),
  shell(
    "a trap that does not let go",
    "trap 'while :; do :; done' EXIT INT TERM; while :; do :; done",
    TIMES_OUT,
    { timeout: 1 },
  ),
  shell("strings without end", "x=a; while :; do x=$x$x; done", ends("failed", "timeout", "out_of_memory"), {
    timeout: 10,
  }),
  shell(
    "a pattern that backtracks",
    "printf 'a%.0s' {1..50} | grep -P '^(?=a)(a+)+b'",
    ends("timeout", "failed"),
    {
      timeout: 1,
    },
  ),
  shell("a sleep without end", "sleep infinity || sleep 99999999", TIMES_OUT, { timeout: 1 }),
  shell(
    "names that lead out of an archive",
    `python3 -c "
import tarfile, io
with tarfile.open('t.tar', 'w') as t:
    for n in ('../../tmp/out', '/tmp/out', 'l/out'):
        if n[0] == 'l':
            i = tarfile.TarInfo('l'); i.type = tarfile.SYMTYPE; i.linkname = '/tmp'; t.addfile(i)
        i = tarfile.TarInfo(n); i.size = 1; t.addfile(i, io.BytesIO(b'x'))
"; tar xf t.tar 2>/dev/null; ls /tmp | grep out`,
    NOTHING,
  ),
]);
