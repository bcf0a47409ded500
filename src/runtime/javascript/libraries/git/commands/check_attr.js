/** `check-attr`. */
import { Attributes, isAttributeName, UNSPECIFIED } from "../attributes.js";
import { parseOptions } from "../options.js";
import { quotePath } from "../patch.js";
import { unquotePath } from "../patches.js";
import { openRepository } from "../repository.js";
import { absolute, decode, Failure, out, readInput } from "../system.js";

export async function checkAttr(args) {
  const options = parseOptions("check-attr", args, "a|all stdin z !cached !source=");
  const repository = await openRepository();
  const all = options.has("all");
  const { names, paths } = wordsOf(options, all);
  const usage = (what) =>
    new Failure(
      `error: No ${what} specified\nusage: git check-attr [-a | --all | <attr>...] [--] <pathname>...\n`,
      129,
    );
  if (!all && names.length === 0) throw usage("attribute");
  if (!options.has("stdin") && paths.length === 0) throw usage("file");
  const odd = names.find((name) => !isAttributeName(name));
  if (odd !== undefined) throw new Failure(`error: ${odd}: not a valid attribute name\n`, 255);
  const z = options.has("z");
  if (options.has("stdin")) {
    const lines = decode(readInput()).split(z ? "\0" : "\n").filter((line) => line !== "");
    paths.push(...z ? lines : lines.map(unquotePath));
  }
  const attributes = await new Attributes(repository).load();
  for (const given of paths) {
    const path = repository.within(absolute(given), given);
    const found = attributes.of(given.endsWith("/") ? `${path}/` : path);
    const rows = all
      ? [...found].filter(([, value]) => value !== UNSPECIFIED)
      : names.map((name) => [name, found.get(name) ?? UNSPECIFIED]);
    for (const [name, value] of rows) {
      out(z ? `${given}\0${name}\0${value}\0` : `${quotePath(given)}: ${name}: ${value}\n`);
    }
  }
}

/** Without `--` the first word is an attribute, and all others are files. */
function wordsOf(options, all) {
  const { operands, paths } = options;
  if (all) return { names: [], paths: [...operands, ...paths ?? []] };
  if (paths !== undefined || options.has("stdin")) return { names: operands, paths: [...paths ?? []] };
  return { names: operands.slice(0, 1), paths: operands.slice(1) };
}
