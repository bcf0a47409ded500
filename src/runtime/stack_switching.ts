/** Programs that leave their stack where they have to wait, and come back: WebAssembly's JS Promise Integration. */

/** What a program does that may have to wait. */
export type Waits = "read" | "write" | "sleep" | "work";

/** Where a program that has a stack of its own waits. */
export interface Suspension {
  /** Whether it has to {@link wait} before it does something; `work`: about once a millisecond. */
  mustWait(before: Waits): boolean;
  /** Ends when it may try again. Rejected: that is thrown in the program. */
  wait(): Promise<void>;
  /** A sleep has come to its end. */
  slept(): void;
}

/** Thrown in an import that is to be tried again when the program has waited. */
export class MustWait extends Error {
  override name = "MustWait";
}

/** The binary form of `stack_switching.wat`; a test compares them. */
const HEX = `
0061736d0100000001190560047f7f7f7f017f60017f006000017f60000060017f017f028f010804686f73740766645f726561
64000004686f73740866645f7772697465000004686f73740b706f6c6c5f6f6e656f6666000004686f73740b6f75745f6f665f
6675656c000204686f73740477616974000304686f73740d737461636b5f706f696e746572000204686f7374117365745f7374
61636b5f706f696e746572000104686f7374057461626c65017000010307060000000304030d030100030742060766645f7265
616400070866645f777269746500080b706f6c6c5f6f6e656f666600090b6f75745f6f665f6675656c000a056170617274000b
056c65617665000c0a9401062101017f03402000200120022003100021042004417f46044010040c010b0b20040b2101017f03
402000200120022003100121042004417f46044010040c010b0b20040b2101017f03402000200120022003100221042004417f
46044010040c010b0b20040b09001003044010040b0b1d01017f1005210106402000410011010041000f0700200110060b4101
0b040008000b
`;

/** A WebAssembly module. */
export function stackSwitchingBytes(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(HEX.match(/[0-9a-f]{2}/g) ?? [], (pair) => parseInt(pair, 16));
}

let module: WebAssembly.Module | undefined;

/** What TypeScript does not know of yet. */
interface PromiseIntegration {
  readonly Suspending: new (wait: () => Promise<void>) => CallableFunction;
  promising(call: (...args: number[]) => number): (...args: number[]) => Promise<number>;
}
const { Suspending, promising } = WebAssembly as unknown as PromiseIntegration;

/** Makes a call on a stack of its own. */
export const onOwnStack: PromiseIntegration["promising"] = (call) => promising(call);

/** What an import returns to have its caller wait. */
const WAIT = -1;

type Import = (...args: number[]) => number;
type Imports = Readonly<Record<"wasi_snapshot_preview1" | "posix" | "sandbox", WebAssembly.ModuleImports>>;

function unlessItMust(call: () => number): number {
  try {
    return call();
  } catch (error) {
    if (error instanceof MustWait) return WAIT;
    throw error;
  }
}

/** What of the program's exports is used. */
export interface SwitchingExports {
  readonly __stack_pointer: WebAssembly.Global;
  sandbox_apart?(stack: number): void;
}

/** The imports of a program that may wait. */
export class StackSwitching {
  readonly imports: Imports;
  readonly #table = new WebAssembly.Table({ element: "anyfunc", initial: 1 });
  #stackPointer: WebAssembly.Global | undefined;

  /** @param streamOf Which standard stream a descriptor is, if any. */
  constructor(
    { wasi_snapshot_preview1: wasi, posix, sandbox }: Imports,
    suspension: Suspension,
    streamOf: (fd: number) => string | undefined,
  ) {
    const unless = (waits: (fd: number) => boolean, call: Import): Import => (fd, ...rest) =>
      waits(fd!) ? WAIT : unlessItMust(() => call(fd!, ...rest));
    const reads = (fd: number) => streamOf(fd) === "stdin" && suspension.mustWait("read");
    const writes = (fd: number) => streamOf(fd) !== undefined && suspension.mustWait("write");
    const sleep = unless(() => suspension.mustWait("sleep"), wasi["poll_oneoff"] as Import);
    const work = sandbox["out_of_fuel"] as () => void;
    module ??= new WebAssembly.Module(stackSwitchingBytes());
    const { exports } = new WebAssembly.Instance(module, {
      host: {
        fd_read: unless(reads, wasi["fd_read"] as Import),
        fd_write: unless(writes, wasi["fd_write"] as Import),
        poll_oneoff: (...args: number[]) => {
          const result = sleep(...args);
          if (result !== WAIT) suspension.slept();
          return result;
        },
        out_of_fuel: () => {
          work();
          return suspension.mustWait("work") ? 1 : 0;
        },
        wait: new Suspending(() => suspension.wait()),
        stack_pointer: () => this.#stackPointer!.value,
        set_stack_pointer: (value: number) => void (this.#stackPointer!.value = value),
        table: this.#table,
      },
    });
    const { fd_read, fd_write, poll_oneoff, out_of_fuel, apart, leave } =
      exports as WebAssembly.ModuleImports;
    this.imports = {
      wasi_snapshot_preview1: { ...wasi, fd_read: fd_read!, fd_write: fd_write!, poll_oneoff: poll_oneoff! },
      posix,
      sandbox: {
        ...sandbox,
        out_of_fuel: out_of_fuel!,
        ...("apart" in sandbox && { apart: apart!, leave: leave! }),
      },
    };
  }

  /** To be called before the first call of the program. */
  link({ __stack_pointer, sandbox_apart }: SwitchingExports): void {
    this.#stackPointer = __stack_pointer;
    if (sandbox_apart) this.#table.set(0, sandbox_apart);
  }
}
