/** Configuration: that of the repository over that of the user, `-c NAME=VALUE` over both. */
import { GitConfigManager } from "isomorphic-git/managers";
import { absolute, fatal, readText, started, writeText } from "./system.js";

/** Values of the command line, in their order. */
const given = [];
export const setOnce = (pair) => {
  const equals = pair.indexOf("=");
  given.push([
    keyOf(equals < 0 ? pair : pair.slice(0, equals)),
    equals < 0 ? "true" : pair.slice(equals + 1),
  ]);
};

/** Section and name are of no case; what is between them is. */
export function keyOf(name) {
  const parts = name.split(".");
  if (parts.length < 2) throw fatal(`key does not contain a section: ${name}`, 1);
  const last = parts.pop();
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(last)) throw fatal(`invalid key: ${name}`, 1);
  return [parts.shift().toLowerCase(), ...parts, last.toLowerCase()].join(".");
}

export const userFile = () => started.env.GIT_CONFIG_GLOBAL ?? `${started.env.HOME ?? "/app"}/.gitconfig`;

/** A file of it. */
export async function readConfig(path) {
  const text = (readText(path) ?? "").replace(/\n+$/, "");
  if (/\\\n/.test(text)) throw fatal(`${path}: lines that go on in the next are not read here`);
  const config = await GitConfigManager.get({ fs: { read: () => Promise.resolve(text) }, gitdir: "" });
  return {
    /** Pairs of keys and values. */
    get entries() {
      return config.parsedConfig.filter(({ name, isSection }) => !isSection && name)
        .map(({ path, value }) => [path, value]);
    },
    async set(key, value, append = false) {
      const parsed = config.parsedConfig;
      const section = key.slice(0, key.lastIndexOf("."));
      const last = parsed.findLastIndex(({ isSection, path }) => isSection && path === section);
      if ((!append && parsed.some(({ path, isSection }) => !isSection && path === key)) || last < 0) {
        await config.set(key, value);
        return;
      }
      // At the end of its section, where git puts it.
      let end = last + 1;
      while (end < parsed.length && !parsed[end].isSection) end++;
      const name = key.slice(section.length + 1);
      const { section: first, subsection } = parsed[last];
      parsed.splice(end, 0, { section: first, subsection, name, value, modified: true, path: key });
    },
    /** @returns whether there was one. */
    remove(key) {
      const before = config.parsedConfig.length;
      config.parsedConfig = config.parsedConfig.filter(({ path, isSection }) => isSection || path !== key);
      const left = config.parsedConfig;
      config.parsedConfig = left.filter(({ isSection }, at) =>
        !isSection || left.length === before || (at + 1 < left.length && !left[at + 1].isSection)
      );
      return left.length < before;
    },
    removeSection(name) {
      const before = config.parsedConfig.length;
      config.parsedConfig = config.parsedConfig.filter(({ section, subsection }) =>
        [section, subsection].filter((part) => part != null).join(".") !== name
      );
      return config.parsedConfig.length < before;
    },
    save: () => writeText(path, `${config.toString().replace(/^\n+/, "")}\n`),
  };
}

export class Config {
  #gitdir;
  #entries;

  /** @param gitdir Undefined outside of repositories. */
  constructor(gitdir) {
    this.#gitdir = gitdir;
  }

  get path() {
    return this.#gitdir && `${this.#gitdir}/config`;
  }

  async #load() {
    if (this.#entries) return this.#entries;
    return this.#entries = (await this.sources()).flatMap(({ entries }) => entries);
  }

  /** Where there is something, in the order in which it counts: `scope`, `file` if it is one, and `entries`. */
  async sources() {
    const files = [["global", userFile()], ...this.#gitdir ? [["local", this.path]] : []];
    const sources = [];
    for (const [scope, file] of files) {
      const { entries } = await readConfig(file);
      if (entries.some(([key]) => /^include(if)?\./.test(key))) {
        throw fatal(`${file}: include is not supported here`);
      }
      sources.push({ scope, file, entries });
    }
    return [...sources, { scope: "command", entries: [...environmentEntries(), ...given] }];
  }

  async entries() {
    return await this.#load();
  }
  async all(name) {
    const key = keyOf(name);
    return (await this.#load()).filter(([each]) => each === key).map(([, value]) => `${value}`);
  }
  async get(name) {
    return (await this.all(name)).at(-1);
  }
  async flag(name, fallback) {
    const value = await this.get(name);
    return value === undefined ? fallback : isTrue(value);
  }
  async path_(name) {
    const value = await this.get(name);
    return value && absolute(value.replace(/^~(?=\/)/, started.env.HOME ?? "/app"));
  }
  forget() {
    this.#entries = undefined;
  }
}

export const isTrue = (value) => /^(true|yes|on|[1-9]\d*)$/i.test(`${value}`);

function environmentEntries() {
  const count = Number(started.env.GIT_CONFIG_COUNT ?? 0) || 0;
  return Array.from(
    { length: Math.min(count, 1000) },
    (
      _,
      at,
    ) => [keyOf(started.env[`GIT_CONFIG_KEY_${at}`] ?? ""), started.env[`GIT_CONFIG_VALUE_${at}`] ?? ""],
  );
}
