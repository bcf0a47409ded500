/** What the session's installed packages need (PyPA: core metadata, recording installed projects). */

import type { FileSystem } from "../../fs/file_system.ts";
import { SITE_PACKAGES } from "../../fs/places.ts";
import { normalized } from "../../project_name.ts";

/** Projects that are looked into, and bytes of a file. */
const MAX_PROJECTS = 500;
const MAX_METADATA_BYTES = 256 * 1024;
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** Of those whose modules are called otherwise: import name to project. */
const PROJECTS: Readonly<Record<string, string>> = {
  PIL: "pillow",
  docx: "python-docx",
  mpl_toolkits: "matplotlib",
  pptx: "python-pptx",
  pylab: "matplotlib",
  sklearn: "scikit-learn",
};

/**
 * Whether installed packages from which some modules come need others, themselves or by what they need.
 *
 * @param names Modules that are imported. @param others Modules of packages that are not among the installed ones.
 * @throws {FsError}
 */
export function installedNeed(fs: FileSystem, names: Iterable<string>, others: readonly string[]): boolean {
  const entries = entriesOf(fs);
  const wanted = [...names].filter((name) => entries.has(name) || entries.has(`${name}.py`));
  if (wanted.length === 0) return false;
  return needy(fs, entries, others).some(({ directory }) => {
    const record = text(fs, `${SITE_PACKAGES}/${directory}/RECORD`, MAX_RECORD_BYTES);
    // pip ends its lines as csv does.
    const tops = new Set(record.split(/\r?\n/).map((line) => line.replace(/[/,].*/, "")));
    return wanted.some((wish) => tops.has(wish) || tops.has(`${wish}.py`));
  });
}

/** Whether some of the installed projects need others, themselves or by what they need. @throws {FsError} */
export function projectsNeed(
  fs: FileSystem,
  projects: readonly string[],
  others: readonly string[],
): boolean {
  const wanted = new Set(projects.map(normalized));
  return needy(fs, entriesOf(fs), others).some(({ name }) => wanted.has(name));
}

function entriesOf(fs: FileSystem): ReadonlySet<string> {
  return new Set(fs.exists(SITE_PACKAGES) ? fs.readdir(SITE_PACKAGES).map(({ name }) => name) : []);
}

interface Project {
  readonly name: string;
  readonly directory: string;
}

/** The installed projects that need packages which certain modules come from. */
function needy(fs: FileSystem, entries: ReadonlySet<string>, others: readonly string[]): readonly Project[] {
  const directories = [...entries].filter((name) => name.endsWith(".dist-info")).slice(0, MAX_PROJECTS);
  const projects = directories.map((directory) => ({
    directory,
    name: normalized(directory.replace(/-[^-]*\.dist-info$/, "")),
    needs: needsIn(text(fs, `${SITE_PACKAGES}/${directory}/METADATA`, MAX_METADATA_BYTES)),
  }));
  const names = new Set(others.map((name) => PROJECTS[name] ?? normalized(name)));
  for (let before = -1; before !== names.size;) {
    before = names.size;
    for (const { name, needs } of projects) if (needs.some((need) => names.has(need))) names.add(name);
  }
  return projects.filter(({ name }) => names.has(name));
}

/** Projects that the metadata of one requires, whatever the extras. */
function needsIn(metadata: string): string[] {
  const [header = ""] = metadata.split("\n\n", 1);
  return [...header.matchAll(/^Requires-Dist:[ \t]*([\w.-]+)(.*)$/gm)]
    .filter(([, , rest]) => !/\bextra\s*==/.test(rest!))
    .map(([, name]) => normalized(name!));
}

/** The beginning of a file; nothing if there is none. */
function text(fs: FileSystem, path: string, maxBytes: number): string {
  return fs.exists(path) ? new TextDecoder().decode(fs.readFile(path).subarray(0, maxBytes)) : "";
}
