/** Files that tools leave behind for themselves, which nobody who looks for results wants to be told of. */

const DIRECTORIES = [
  "__pycache__",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".npm",
  ".git",
  ".venv",
  "node_modules",
];

/** Whether a path, absolute or relative, is such a file, or below such a directory. */
export function isLitter(path: string): boolean {
  return path.split("/").some((part) => DIRECTORIES.includes(part));
}
