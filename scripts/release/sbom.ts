/** What a release is made of, as CycloneDX has it: https://cyclonedx.org/docs/1.6/json/. The same build has the same one. */

import { parse } from "smol-toml";
import { LIBRARIES } from "../../src/runtime/javascript/libraries.ts";
import { VERSION } from "../../src/version.ts";
import type { Manifest } from "../assets/mod.ts";
import { COMPONENTS, SUITE } from "../assets/recipe.ts";
import { BUNDLED_SOURCES } from "../bundle/mod.ts";
import { npmPackagesOf } from "../npm_packages.ts";
import { DENO_VERSION, HOMEPAGE_TEXT, inRoot } from "./program.ts";

interface Component {
  readonly type: "library" | "platform";
  readonly name: string;
  readonly version: string;
  /** https://github.com/package-url/purl-spec */
  readonly purl: string;
  readonly licenses?: readonly { readonly license: { readonly name: string } }[];
  readonly hashes?: readonly { readonly alg: "SHA-256"; readonly content: string }[];
}

const CARGO_LOCKS = ["wasm/shell/guest/Cargo.lock", "wasm/python/science/rust/Cargo.lock"];
const SOURCES = "wasm/python/science/sources.json";

/** @returns The document's text. */
export async function sbomOf(manifest: Manifest): Promise<string> {
  const components = [
    library("deno", DENO_VERSION, `pkg:github/denoland/deno@v${DENO_VERSION}`, "MIT", "platform"),
    ...await npmComponents(),
    ...debianComponents(manifest),
    ...pythonComponents(manifest),
    ...await scienceComponents(manifest),
    ...await linkedComponents(manifest),
    ...await cargoComponents(),
  ];
  const byPurl = new Map(components.map((component) => [component.purl, component]));
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        name: "wasmbox",
        version: VERSION,
        description: HOMEPAGE_TEXT,
        licenses: [{ license: { id: "MIT" } }],
        purl: `pkg:npm/wasmbox@${VERSION}`,
      },
    },
    components: [...byPurl.values()].sort((a, b) => a.purl < b.purl ? -1 : 1),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function library(
  name: string,
  version: string,
  purl: string,
  licence?: string,
  type: Component["type"] = "library",
): Component {
  return { type, name, version, purl, ...licence && { licenses: [{ license: { name: licence } }] } };
}

/** What the bundles and JavaScript's libraries stand on. */
async function npmComponents(): Promise<Component[]> {
  const libraries = Object.values(LIBRARIES).map(({ entry }) => `src/runtime/javascript/libraries/${entry}`);
  const packages = await npmPackagesOf([
    ...BUNDLED_SOURCES,
    "src/page/main.tsx",
    "src/page/result_app.tsx",
    ...libraries,
  ]);
  return packages.map(({ name, version }) =>
    library(name, version, `pkg:npm/${name.replace("@", "%40")}@${version}`)
  );
}

/** Sources and compilers of Debian, and the modules of npm that are WebAssembly. */
function debianComponents({ versions }: Manifest): Component[] {
  return Object.entries(versions).map(([name, version]) => {
    const [, npm, npmVersion] = /^(@?[^@]+)@(.+)$/.exec(version) ?? [];
    if (npm !== undefined && npmVersion !== undefined) {
      return library(npm, npmVersion, `pkg:npm/${npm.replace("@", "%40")}@${npmVersion}`);
    }
    const of = COMPONENTS[name as keyof typeof COMPONENTS] ?? name;
    const arch = of.endsWith(":source") ? "?arch=source" : "";
    return library(
      name,
      version,
      `pkg:deb/debian/${of.replace(/:source$/, "")}@${encodeURIComponent(version)}${arch}`,
    );
  });
}

function pythonComponents({ packages, pip }: Manifest): Component[] {
  return [...packages, pip].map(({ name, version, licence, source }) => {
    const [, debian, debianVersion] = /^Debian (\S+) (\S+)$/.exec(source) ?? [];
    const purl = debian === undefined
      ? `pkg:pypi/${name.toLowerCase()}@${version}`
      : `pkg:deb/debian/${debian}@${encodeURIComponent(debianVersion!)}`;
    return library(name, version, purl, licence);
  });
}

/** What is linked into the interpreter that has numpy. */
async function scienceComponents({ science }: Manifest): Promise<Component[]> {
  if (!science) return [];
  const lists: Readonly<Record<string, readonly { file?: string; sha256?: string }[]>> = JSON.parse(
    await Deno.readTextFile(inRoot(SOURCES)),
  );
  return Object.values(lists).flat().flatMap(({ file = "", sha256 = "" }) => {
    const [, name, version] = /^(.+?)-(\d[^-]*?)(?:\.tar\.gz|\.zip|-.*\.whl)$/.exec(file) ?? [];
    if (name === undefined || version === undefined) return [];
    const component = library(name, version, `pkg:pypi/${name.toLowerCase()}@${version}`);
    return [{ ...component, hashes: [{ alg: "SHA-256" as const, content: sha256 }] }];
  });
}

/** Libraries in C that packages are linked with, and fonts: as the suite of Debian had them when they were built. */
async function linkedComponents({ science, scipy }: Manifest): Promise<Component[]> {
  const lists = [...science ? ["sources", "documents", "fonts"] : [], ...scipy ? ["scipy"] : []];
  const all = await Promise.all(lists.map(async (list) => {
    const { debian = [], tools = [] }: { debian?: string[]; tools?: string[] } = JSON.parse(
      await Deno.readTextFile(inRoot(`wasm/python/science/${list}.json`)),
    );
    return [
      ...debian.map((name) => library(name, SUITE, `pkg:deb/debian/${name}?arch=source&distro=${SUITE}`)),
      ...tools.filter((name) => name.startsWith("fonts-"))
        .map((name) => library(name, SUITE, `pkg:deb/debian/${name}?distro=${SUITE}`)),
    ];
  }));
  return all.flat();
}

async function cargoComponents(): Promise<Component[]> {
  const all: Component[] = [];
  for (const path of CARGO_LOCKS) {
    const { package: crates } = parse(await Deno.readTextFile(inRoot(path))) as unknown as {
      package: { name: string; version: string; source?: string }[];
    };
    // What has no source is our own.
    for (const { name, version, source } of crates) {
      if (source !== undefined) all.push(library(name, version, `pkg:cargo/${name}@${version}`));
    }
  }
  return all;
}
