/** Where things are in the tree that every session starts with. */

/** Working directory of every language, and the part of the tree that is the user's. */
export const WORKING_DIRECTORY = "/app";

/** What other sandboxes call their working directory: each leads to {@link WORKING_DIRECTORY}. */
export const ALIASES = ["/content", "/home/user", "/mnt/data", "/workspace"] as const;

/**
 * Where the packages go that are installed in a session. Every Python has it on its path, before what is bundled; it is
 * made when the first one comes.
 */
export const SITE_PACKAGES = "/opt/python/lib/python3.13/site-packages";

/**
 * Where npm's packages go that are installed in a session. Like {@link SITE_PACKAGES} it is outside the user's part of
 * the tree: what is installed clutters no listing, and every program finds it, wherever it lies.
 */
export const NODE_MODULES = "/opt/node/lib/node_modules";

/** Where tools look for them that know nothing of {@link NODE_MODULES}, as TypeScript's compiler: it leads there. */
export const NODE_MODULES_LINK = "/node_modules";

/** Which packages those are, in the form of npm's own lock files. */
export const NPM_RECORD = `${NODE_MODULES}/.package-lock.json`;

/** Where pip lies, as a zip for `sys.path`. It is on nobody's path. */
export const PIP = "/usr/lib/python3.13/pip.zip";

/** Where numpy and what stands on it are, if they are. */
export const SCIENCE = "/usr/lib/python3.13/science.zip";

/** Where directories of the host stand, each under a name of its own. */
export const VOLUMES = "/data";

/** Where single files of the host stand. */
export const EXTERNAL = "/external";
