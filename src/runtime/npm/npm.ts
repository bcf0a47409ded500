/**
 * Installs and removes npm's packages in a session.
 *
 * It runs in the session's Worker: archives of strangers are opened where a guest could do no more than its own harm, and
 * whatever they contain is bounded by the session's quota while it is written. No script of any package is run.
 */

import { Aborted } from "../../control/cell.ts";
import { type FileSystem, FsError } from "../../fs/file_system.ts";
import { NODE_MODULES } from "../../fs/places.ts";
import type { Lock, NamedVersion, NpmCommand, NpmReport } from "../../executor/wire/npm_command.ts";
import type { RunOutcome, RuntimeHost } from "../runtime.ts";
import { Stopped, StopSign } from "../../control/stop_sign.ts";
import { NpmError, NpmStopped } from "./error.ts";
import { extract } from "./extract.ts";
import { checkLocked } from "./locked.ts";
import { type InstalledPackage, type InstalledRecord, readRecord, writeRecord } from "./record.ts";
import { Registry } from "./registry.ts";
import { parseRequirement, type Requirement, requirementOf } from "./requirement.ts";
import { substituteFor } from "./substitutes.ts";
import { type Package, resolveTree, type Tree } from "./tree.ts";

const MAX_WARNINGS = 50;
const encoder = new TextEncoder();

const NOTHING: NpmReport = {
  exitCode: 0,
  installed: [],
  removed: [],
  satisfied: [],
  warnings: [],
  error: null,
};

/**
 * Runs one command. It succeeds, or the files are as they were. No heap of the session is touched.
 *
 * @returns Whose `result`, if completed, is an {@link NpmReport} as JSON.
 */
export function runNpm(host: RuntimeHost, command: NpmCommand): RunOutcome {
  const before = host.fs.snapshot();
  const ending = { heap: "kept", fuelConsumed: 0, memoryBytes: 0 } as const;
  const goBack = () => {
    host.fs.restore(before);
    host.fs.reap();
  };
  try {
    const report = new Npm(host).run(command);
    return { ...ending, status: "completed", result: JSON.stringify(report) };
  } catch (error) {
    goBack();
    if (error instanceof Aborted || error instanceof Stopped || error instanceof NpmStopped) {
      return { ...ending, status: "stopped" };
    }
    const failure = failureOf(error);
    if (!failure) throw error;
    const { reason, message, about } = failure;
    const report: NpmReport = { ...NOTHING, exitCode: 1, error: { reason, message, about } };
    return { ...ending, status: "completed", result: JSON.stringify(report) };
  }
}

/** What is installed where everything sees it. */
export function listNpm({ fs }: Pick<RuntimeHost, "fs">): NamedVersion[] {
  return readRecord(fs).packages
    .map(named)
    .filter(({ name }) => !name.includes("/node_modules/"))
    .sort((a, b) => a.name < b.name ? -1 : 1);
}

class Npm {
  readonly #registry: Registry;
  readonly #stop: StopSign;

  constructor(readonly host: RuntimeHost) {
    this.#registry = new Registry(host);
    this.#stop = new StopSign(host.cell);
  }

  run(command: NpmCommand): NpmReport {
    return command.kind === "install" ? this.#install(command) : this.#uninstall(command.names);
  }

  #install(
    { requirements, upgrade, toRun = false, lock }: Extract<NpmCommand, { kind: "install" }>,
  ): NpmReport {
    const asked = requirements.map(parseRequirement);
    const before = readRecord(this.host.fs);
    const more = Object.fromEntries(asked.map(({ name, spec }) => [name, spec]));
    const kept = lock?.frozen ? {} : before.brought;
    const wishes = toRun
      ? { wanted: before.wanted, brought: { ...kept, ...more } }
      : { wanted: { ...before.wanted, ...more }, brought: without(kept, Object.keys(more)) };
    const { versions = [] } = lock ?? {};
    const locked = new Set(versions.map(({ from }) => from));
    const others = before.packages.filter(({ from }) => !locked.has(from));
    const { tree, report } = this.#become(
      wishes,
      asked,
      before.packages,
      upgrade ? [] : [...versions, ...others],
      lock,
    );
    const there = new Set(before.packages.map(identity));
    const satisfied = asked.flatMap(({ name }) => {
      const found = tree.packages.find((each) => each.name === name && !each.parent);
      return found && there.has(identity(plain(found))) ? [{ name, version: found.version }] : [];
    });
    return { ...report, satisfied };
  }

  #uninstall(names: readonly string[]): NpmReport {
    const { wanted, brought, packages } = readRecord(this.host.fs);
    for (const name of names) {
      if (Object.hasOwn(wanted, name) || Object.hasOwn(brought, name)) continue;
      const needed = packages.some(({ path }) => path === `${NODE_MODULES}/${name}`);
      const why = needed ? "is there because another package needs it" : "is not installed";
      throw new NpmError("not_found", `${name} ${why}`, name);
    }
    const left = { wanted: without(wanted, names), brought: without(brought, names) };
    return this.#become(left, [], packages, packages).report;
  }

  /**
   * Makes what is installed that which is wanted.
   *
   * @param asked What of it is asked for now.
   * @param there What is installed.
   * @param kept What of it stays where it fits.
   */
  #become(
    wishes: Pick<InstalledRecord, "wanted" | "brought">,
    asked: readonly Requirement[],
    there: readonly InstalledPackage[],
    kept: readonly { readonly from: string; readonly version: string }[],
    lock?: Lock,
  ): { readonly tree: Tree; readonly report: NpmReport } {
    const { fs } = this.host;
    const { wanted, brought } = wishes;
    const roots = Object.entries({ ...brought, ...wanted }).map(([name, spec]) => requirementOf(name, spec));
    const told = new Set([...Object.keys(wanted), ...asked.map(({ name }) => name)]);
    this.#say(`Resolving ${[...told].join(", ") || "nothing"}`);
    const versions = new Map<string, string[]>();
    for (const { from, version } of kept) versions.set(from, [...versions.get(from) ?? [], version]);
    const tree = resolveTree(this.#registry, roots, versions);
    if (lock) checkLocked(tree, there, lock);

    const planned = new Set(tree.packages.map((each) => identity(plain(each))));
    const removed = there.filter((each) => !planned.has(identity(each)));
    for (const { path } of removed) remove(fs, path);
    const all = [...tree.warnings];
    const installed: Package[] = [];
    const missing = new Set<Package>();
    const typed = tree.packages.some(isCompiler);
    // What was installed before there was a compiler has no types.
    const known = new Set(typed && !there.some(isCompiler) ? [] : there.map(identity));
    for (const each of tree.packages) {
      if (each.parent && missing.has(each.parent)) missing.add(each);
      else if (!known.has(identity(plain(each))) || !fs.exists(each.path)) {
        const { left, warning } = this.#fetch(each, {
          optional: tree.optional.has(each),
          direct: tree.direct.has(each),
          typed,
        });
        if (left) missing.add(each);
        else installed.push(each);
        if (warning !== undefined) all.push(warning);
      }
    }
    fs.mkdir(NODE_MODULES, { recursive: true });
    writeRecord(fs, wishes, tree.packages.filter((each) => !missing.has(each)));
    const warnings = all.slice(0, MAX_WARNINGS);
    if (all.length > MAX_WARNINGS) warnings.push(`and ${all.length - MAX_WARNINGS} more`);
    for (const warning of warnings) this.host.write("stderr", encoder.encode(`warning: ${warning}\n`));
    const report = {
      ...NOTHING,
      installed: installed.map(plain).map(named),
      removed: removed.map(named),
      warnings,
    };
    return { tree, report };
  }

  /** @returns Whether it is left out, since all works without it. @throws {NpmError} @throws {NpmStopped} @throws {Stopped} */
  #fetch(
    each: Package,
    { optional, direct, typed }: {
      readonly optional: boolean;
      readonly direct: boolean;
      readonly typed: boolean;
    },
  ): { readonly left: boolean; readonly warning: string | undefined } {
    const { fs } = this.host;
    this.#say(`Downloading ${each.name} ${each.version}`);
    try {
      const tarball = this.#registry.tarball(each.about.integrity, each.from);
      remove(fs, each.path);
      const { name, version } = each;
      // What others need may do its work without what is native in it, as a test runner does without its watching of files.
      const about = { name, version, typed, native: direct || optional ? "refused" : "left out" } as const;
      const native = extract(fs, tarball, each.path, about, this.#stop);
      const substitute = substituteFor(each.from);
      if (substitute !== undefined) fs.writeFile(`${each.path}/index.js`, encoder.encode(substitute));
      return {
        left: false,
        warning: native === undefined
          ? undefined
          : `${name} ${version} is without its native code (${native}): what uses that fails`,
      };
    } catch (error) {
      if (!optional || !(error instanceof NpmError) || error.reason === "full") throw error;
      remove(fs, each.path);
      return { left: true, warning: `${each.name}, which is optional, is left out: ${error.message}` };
    }
  }

  #say(line: string): void {
    this.host.write("stdout", encoder.encode(`${line}\n`));
  }
}

function without(ranges: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(ranges).filter(([name]) => !names.includes(name)));
}

function remove(fs: FileSystem, path: string): void {
  if (fs.exists(path, { follow: false })) fs.rm(path, { recursive: true });
}

/** Whether types of packages are read by it. */
function isCompiler({ from }: { readonly from: string }): boolean {
  return from === "typescript";
}

function plain({ path, from, version, about: { integrity } }: Package): InstalledPackage {
  return { path, from, version, integrity };
}

function identity({ path, from, version, integrity }: InstalledPackage): string {
  return JSON.stringify([path, from, version, integrity]);
}

/** By the name that it is imported by, or where it lies among the packages if only another one sees it. */
function named({ path, version }: InstalledPackage): NamedVersion {
  return { name: path.slice(NODE_MODULES.length + 1), version };
}

function failureOf(error: unknown): NpmError | undefined {
  if (error instanceof NpmError) return error;
  if (!(error instanceof FsError)) return undefined;
  if (error.code === "ENOSPC") return new NpmError("full", "the workspace has no room for it");
  return new NpmError("corrupt", `${NODE_MODULES} is not as it was left: ${error.message}`);
}
