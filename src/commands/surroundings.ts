/** What of the machine may keep the program from working, and how to mend it. */

/** Something that is not as it should be. */
export interface Trouble {
  readonly what: string;
  readonly mend: string;
}

/** What a shell says of itself, in the units of its `ulimit`; undefined: no bound, or not known. */
export interface Surroundings {
  readonly addressSpaceKib?: number | undefined;
  readonly openFiles?: number | undefined;
  readonly kernel?: string | undefined;
  readonly machineBytes: number;
  /** Of the Deno that runs this, and of the one that it is tried with. */
  readonly deno: string;
}

/** V8 alone takes 32 GiB of addresses when it starts, and each memory of WebAssembly 8 to 10. None of that is memory. */
const ADDRESS_SPACE_KIB = 256 * 1024 * 1024;
/** A server has some ten for each executor, and one for each connection. */
const OPEN_FILES = 256;
/** The oldest kernel of a distribution that is still looked after. */
const KERNEL = [4, 18] as const;
const MACHINE_BYTES = 1024 ** 3;
/** The lines of Deno that executables are made with, and the sources are run with. */
const DENO = /^2\.(?:[6-9]|\d\d)\./;

export function troublesOf(
  { addressSpaceKib, openFiles, kernel, machineBytes, deno }: Surroundings,
): Trouble[] {
  const troubles: Trouble[] = [];
  if (addressSpaceKib !== undefined && addressSpaceKib < ADDRESS_SPACE_KIB) {
    troubles.push({
      what:
        `a process may have ${gib(addressSpaceKib * 1024)} of addresses (ulimit -v); each session reserves ` +
        "some 10 GiB of them, without using that much memory, and fails when they are used up",
      mend:
        'take the limit away: "ulimit -v unlimited" before it starts, LimitAS=infinity in a unit of systemd',
    });
  }
  if (openFiles !== undefined && openFiles < OPEN_FILES) {
    troubles.push({
      what: `a process may have ${openFiles} files open (ulimit -n)`,
      mend: `allow ${OPEN_FILES} or more: "ulimit -n 4096", LimitNOFILE=4096 in a unit of systemd`,
    });
  }
  if (kernel !== undefined && isOlder(kernel)) {
    troubles.push({
      what: `the kernel is ${kernel}`,
      mend: `take one of ${KERNEL.join(".")} or later; older ones lack what Deno asks of them`,
    });
  }
  if (machineBytes < MACHINE_BYTES) {
    troubles.push({
      what: `there is ${gib(machineBytes)} of memory for all sessions together`,
      mend: "give it 1 GiB at least, or lower policy.max_sessions and policy.memory_bytes",
    });
  }
  if (!DENO.test(deno)) {
    troubles.push({ what: `Deno ${deno} runs it, which it was never tried with`, mend: "take Deno 2.9.6" });
  }
  return troubles;
}

/** What can be asked of this machine. @param machineBytes Memory that there is. */
export async function lookAround(machineBytes: number): Promise<Surroundings> {
  const kernel = Deno.build.os === "linux" ? Deno.osRelease() : undefined;
  const [addressSpaceKib, openFiles] = await shellLimits();
  return { machineBytes, kernel, addressSpaceKib, openFiles, deno: Deno.version.deno };
}

async function shellLimits(): Promise<(number | undefined)[]> {
  if (Deno.build.os === "windows") return [];
  try {
    const { stdout } = await new Deno.Command("/bin/sh", {
      args: ["-c", "ulimit -v; ulimit -n"],
      stderr: "null",
    })
      .output();
    // "unlimited" is no number.
    return new TextDecoder().decode(stdout).split("\n").map((line) =>
      /^\d+$/.test(line) ? Number(line) : undefined
    );
  } catch {
    return []; // without a shell nobody has set limits by one
  }
}

function isOlder(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(/[.-]/).map(Number);
  return major < KERNEL[0] || major === KERNEL[0] && minor < KERNEL[1];
}

function gib(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
