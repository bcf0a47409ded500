/** Exit codes of what did not end by itself, as a shell gives them: 128 and the signal that ends such a process. */
export const ExitCode = {
  /** As the command `timeout` has it. */
  timedOut: 124,
  /** What could not be run at all. */
  notRun: 126,
  notFound: 127,
  /** SIGINT. */
  interrupted: 130,
  /** SIGABRT. */
  crashed: 134,
  /** SIGKILL: by whoever looks after memory, say. */
  killed: 137,
  /** SIGXCPU. */
  outOfFuel: 152,
} as const;
