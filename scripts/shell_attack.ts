/**
 * `deno run … scripts/shell_attack.ts`: feeds 50 MB to each command of the shell, stops it after a second, and prints how
 * long that took and what it took, as the table in docs/SHELL.md. A name as argument attacks with that command only.
 */

import { TestServer } from "../tests/support/harness.ts";

const TIMEOUT_MS = 1000;

/** Many lines, one line, and JSON of 50 MB each; smaller ones where a command's output is a multiple of its input. */
const PREPARE = `
import random
random.seed(1)
with open('lines', 'w') as f:
    for i in range(1_000_000): f.write('%049d\\n' % random.getrandbits(160) if i % 2 else 'word %044d\\n' % i)
with open('line', 'w') as f: f.write('ab ' * 16_666_666)
with open('json', 'w') as f:
    f.write('['); f.write(','.join('{"a":%d,"b":"x"}' % i for i in range(2_200_000))); f.write(']')
`;

/** Command lines, by the command they attack. */
const ATTACKS: Readonly<Record<string, readonly string[]>> = {
  awk: ["awk '{s += $1; a[$1]++} END {print s}' lines", "awk '{gsub(/a/, \"b\"); print}' line"],
  base64: ["base64 lines", "base64 line | base64 -d"],
  bc: ["tr ' ' '+' < line | head -c 1000000 | bc", "echo 'sqrt(2^60000)' | bc"],
  cat: ["cat lines line", "cat -n lines"],
  cmp: ["cmp lines line"],
  column: ["column -t lines", "column -t line"],
  comm: ["comm lines line"],
  cp: ["cp lines copy"],
  cut: ["cut -c 1-5 lines", "cut -d ' ' -f 1- line"],
  diff: ["diff lines line", "diff <(sort lines) lines"],
  du: ["du -a /"],
  echo: ['echo "$(cat line)"'],
  expand: ["expand lines", "expand line"],
  expr: ['expr "$(cat line)" : "a.*b"'],
  file: ["file lines line"],
  find: ["find / -name '*a*'"],
  fold: ["fold -w 5 lines", "fold -s -w 5 line"],
  grep: ["grep -E '(a|b)*c' line", "grep -c 1 lines", "grep -o a line", "grep -P '(?=a)(a+)+c' line"],
  gzip: ["gzip -9 -c lines", "gzip -c line | gunzip"],
  head: ["head -n 900000 lines", "head -c 40000000 line"],
  "html-to-markdown": ["html-to-markdown < line"],
  join: ["join lines lines"],
  jq: ["jq 'map(.a) | add' json", "jq . lines", "jq -n '[range(1e9)] | length'"],
  ls: ["ls -laR /"],
  md5sum: ["md5sum lines"],
  nl: ["nl lines"],
  node: ['node -e \'require("fs").readFileSync(0, "utf8").split(/\\s/).sort()\' < lines'],
  od: ["od -c lines"],
  paste: ["paste lines lines", "paste -s lines"],
  printf: ['printf "%s\\n" $(cat line)', "printf '%60000000d' 1"],
  python3: ["python3 -c 'import sys; sorted(sys.stdin.read())' < line"],
  read: ["while read x; do :; done < lines"],
  rev: ["rev lines", "rev line"],
  rg: ["rg -c 1 lines", "rg '(a|b)*c' line"],
  sed: ["sed 's/0/1/g' lines", "sed 's/a/b/g' line", "sed -n '$p' lines"],
  seq: ["seq 1 100000000"],
  sha1sum: ["sha1sum lines"],
  sha256sum: ["sha256sum lines"],
  shuf: ["shuf lines"],
  sort: ["sort lines", "sort -n -u lines", "sort line"],
  split: ["split -l 100000 lines"],
  strings: ["strings lines", "strings line"],
  tac: ["tac lines", "tac line"],
  tail: ["tail -n 900000 lines"],
  tar: ["tar czf /tmp/t.tgz lines line", "tar cf - lines | tar tf -"],
  tee: ["tee copy < lines"],
  tr: ["tr 0-9 a-j < lines", "tr -d a < line", "tr -s ' ' < line"],
  tree: ["tree /"],
  unexpand: ["unexpand -a lines"],
  uniq: ["uniq -c lines"],
  wc: ["wc lines line", "wc -m line"],
  xargs: ["xargs -n1 echo < lines", "xargs echo < line"],
  xxd: ["xxd lines", "xxd -p line"],
  yes: ["yes | tr y n | wc"],
  zip: ["zip -q /tmp/z.zip lines line"],
  "(word splitting)": ["for w in $(cat line); do :; done", "a=($(cat lines)); echo ${#a[@]}"],
  "(expansion)": [
    "x=$(cat line); echo ${x//a/b}",
    "x=$(cat line); echo ${x##*a}",
    "x=$(cat line); [[ $x =~ (a|b)*c ]]",
  ],
  "(parser)": ["source lines", 'eval "$(cat line)"', "bash json"],
};

interface Reply {
  readonly status: string;
  readonly state: string;
  readonly execution_time_ms: number;
  readonly error: { readonly message: string } | null;
}

async function attack(server: TestServer, command: string): Promise<string> {
  const args = { command: `{ ${command}; } > /dev/null`, timeout: TIMEOUT_MS / 1000, on_failure: "keep" };
  const { structured } = await server.call("execute_command", { ...args, session_id: "target" });
  const { status, state, execution_time_ms: ms, error } = structured as unknown as Reply;
  if (status === "completed" || status === "failed") return `ended by itself | ${Math.round(ms)}`;
  if (status !== "timeout") throw new Error(`${command}: ${status}: ${error?.message}`);
  const how = state === "kept" ? "stopped, state kept" : "its process was killed, session rolled back";
  return `${how} | ${Math.round(ms - TIMEOUT_MS)}`;
}

if (import.meta.main) {
  const [only] = Deno.args;
  await using server = await TestServer.start();
  await server.call("execute_code", { code: PREPARE, session_id: "target", timeout: 120 });
  console.log("| command | how it ended | ms: run, or from stop to end |\n| --- | --- | ---: |");
  for (const [name, commands] of Object.entries(ATTACKS)) {
    if (only && only !== name) continue;
    for (const command of commands) {
      console.log(`| \`${command.replaceAll("|", "\\|")}\` | ${await attack(server, command)} |`);
      await server.call("execute_command", { command: "rm -rf copy x?? /tmp/*", session_id: "target" });
    }
  }
}
