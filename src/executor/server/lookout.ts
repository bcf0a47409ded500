/**
 * A small shell beside the server: it reads what Deno lets no program read without all permissions (the memory of
 * processes, the limits of the control group), and when the server is gone, however that came, it ends the executors.
 * Those end by themselves when their stdin does, but for one that is stopped (SIGSTOP): it does not notice.
 */

const SHELL = "/bin/sh";

/** How long an answer may take; then the shell is of no use. */
const PATIENCE_MS = 5_000;

/**
 * First it says what memory there is. Then each line that it gets names the executors: it says what they hold, and an
 * empty line. Reading is built into the shell, so no process is started for it; where there is no /proc, ps is.
 *
 * If the machine has no memory left in spite of all, the kernel is told to choose an executor before anything else.
 */
const SCRIPT = `
root=$1
trap '' HUP INT TERM PIPE
exec 2>/dev/null

limits() {
  path=\${2%/}
  while :; do
    for file in memory.max memory.high memory.limit_in_bytes; do
      read -r limit < "$1$path/$file" && echo "limit $limit"
    done
    [ "$path" ] || break
    path=\${path%/*}
  done
}

[ -r "$root/proc/self/statm" ] && echo "page $(getconf PAGESIZE || echo 4096)"
while read -r key kib rest; do
  [ "$key" = MemTotal: ] && echo "limit $((kib * 1024))" && break
done < "$root/proc/meminfo"
while IFS=: read -r number controllers path; do
  case ",$controllers," in
    ,,) limits "$root/sys/fs/cgroup" "$path"; limits "$root/sys/fs/cgroup/unified" "$path" ;;
    *,memory,*) limits "$root/sys/fs/cgroup/memory" "$path" ;;
  esac
done < "$root/proc/self/cgroup"
echo

told=
while read -r pids; do
  if [ "$pids" != "$told" ]; then
    for pid in $pids; do echo 900 > "$root/proc/$pid/oom_score_adj"; done
  fi
  told=$pids
  if [ -r "$root/proc/self/statm" ]; then
    for pid in $pids; do
      read -r size resident shared rest < "$root/proc/$pid/statm" && echo "$pid $resident $shared"
    done
  elif [ "$pids" ]; then
    ps -o pid= -o rss= -p "$(echo $pids | tr ' ' ',')"
  fi
  echo
done
[ "$told" ] && kill -KILL $told
`;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Answers are lines, and then an empty one. */
const END_OF_BLOCK = /^\n|\n\n/;

/** What a process holds of the machine's memory, bytes. */
export interface Resident {
  readonly bytes: number;
  /** Of that, what others may hold as well: the program's own file, above all. 0 where it is not known. */
  readonly sharedBytes: number;
}

export class Lookout implements AsyncDisposable {
  /** The least that the machine or a control group allows, bytes; Infinity if neither is known. */
  readonly machineBytes: Promise<number>;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: ReadableStreamDefaultReader<Uint8Array>;
  /** What it said after its last whole answer. */
  #rest = "";
  #turn: Promise<unknown>;
  /** 0: memory is told in KiB. */
  #pageBytes = 0;
  #alive = true;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#input = child.stdin.getWriter();
    this.#output = child.stdout.getReader();
    this.machineBytes = this.#machine();
    this.#turn = this.machineBytes;
    void child.status.then(() => this.#alive = false);
  }

  /**
   * @param root Of the file system in which it looks for /proc and /sys.
   * @returns undefined where there is no such shell.
   */
  static start(root = ""): Lookout | undefined {
    try {
      const child = new Deno.Command(SHELL, {
        args: ["-c", SCRIPT, "wasmbox-lookout", root],
        clearEnv: true,
        env: { PATH: "/usr/bin:/bin" },
        cwd: "/",
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      return new Lookout(child);
    } catch {
      return undefined;
    }
  }

  /** False once it has ended, or did not answer. */
  get alive(): boolean {
    return this.#alive;
  }

  /** Whether a sample costs next to nothing. */
  get cheap(): boolean {
    return this.#pageBytes > 0;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /**
   * What these processes hold, by their ids; those that have ended are left out. From now on these are the ones that end
   * with the server.
   *
   * @returns undefined if it can't be known.
   */
  sample(pids: readonly number[]): Promise<ReadonlyMap<number, Resident> | undefined> {
    const answer = this.#turn.then(async () => {
      const block = await this.#ask(`${pids.join(" ")}\n`);
      return block && new Map(block.flatMap((line) => this.#resident(line)));
    });
    this.#turn = answer;
    return answer;
  }

  /** Ends it, when the executors have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#input.write(encoder.encode("\n")).catch(() => {}); // they have ended, and their ids may be others' by now
    await this.#input.close().catch(() => {});
    const timer = setTimeout(() => this.#kill(), PATIENCE_MS);
    await this.#child.status;
    clearTimeout(timer);
    await this.#output.cancel().catch(() => {});
  }

  async #machine(): Promise<number> {
    const lines = await this.#block() ?? [];
    const values = (key: string) =>
      lines.filter((line) => line.startsWith(`${key} `)).map((line) => Number(line.slice(key.length)));
    this.#pageBytes = values("page")[0] ?? 0;
    return Math.min(Infinity, ...values("limit").filter((limit) => limit > 0)); // "max" is no number
  }

  #resident(line: string): [number, Resident][] {
    const [pid, resident, shared = 0] = line.trim().split(/\s+/).map(Number);
    if (pid === undefined || resident === undefined || Number.isNaN(pid + resident + shared)) return [];
    const unit = this.#pageBytes || 1024;
    return [[pid, { bytes: resident * unit, sharedBytes: shared * unit }]];
  }

  async #ask(line: string): Promise<string[] | undefined> {
    if (!this.#alive) return undefined;
    this.#input.write(encoder.encode(line)).catch(() => {}); // seen as its end
    return await this.#block();
  }

  /** The lines up to the next empty one; undefined if they don't come in time. */
  async #block(): Promise<string[] | undefined> {
    const timer = setTimeout(() => this.#kill(), PATIENCE_MS);
    try {
      for (;;) {
        const end = END_OF_BLOCK.exec(this.#rest);
        if (end) {
          const block = this.#rest.slice(0, end.index);
          this.#rest = this.#rest.slice(end.index + end[0].length);
          return block.split("\n");
        }
        const { value } = await this.#output.read();
        if (!value) return undefined;
        this.#rest += decoder.decode(value);
      }
    } catch {
      return undefined; // it has ended
    } finally {
      clearTimeout(timer);
    }
  }

  #kill(): void {
    this.#alive = false;
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // it has ended
    }
  }
}
