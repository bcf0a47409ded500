/** Names that the prelude and the code around it agree on. */

/** Name of the prelude in stack traces; its frames are ours and never shown. */
export const PRELUDE_NAME = "wasmbox:prelude";

/** Global function that `rewrite` makes static imports call. */
export const IMPORT_CHECK = "__wasmboxImport";

/**
 * Global in which the text of modules finds what it needs: by a name that no program has, as one may have a `Symbol` or
 * an `Object` of its own.
 */
export const MODULES = "__wasmboxModules";

/** Global that `rewrite` puts in the place of a program's `import.meta`. */
export const IMPORT_META = "__wasmboxMeta";
