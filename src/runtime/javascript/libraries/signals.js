/** Linux's signals, by their numbers. */
export const SIGNALS = Object.fromEntries(
  ("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ " +
    "VTALRM PROF WINCH IO PWR SYS").split(" ").map((name, at) => [`SIG${name}`, at + 1]),
);
