/**
 * What the MCP SDK makes when it is loaded, and nobody needs: schemas of each type of the protocol, for helpers that say
 * whether a value is of one. Making four hundred of them takes a sixth of a server's start, and a bundler keeps them, since it
 * can't know that to make a schema does nothing else.
 */

/** Modules that make nothing but schemas and constants, in the comments by which bundles name them. */
const CORE = /^\/\/ .*\/@modelcontextprotocol\/core\/.*\.mjs$/;
/** What is all of any such module, as bundles have it: a name, and what it is made of, up to a line that ends it. */
const SCHEMA = /^var (\w+Schema) = (.*)$/;
/** The helpers, as the SDK makes them: a table for each of both. */
const TABLES = /^var _specTypeSchemas = \{\};\n[^]*?^var isSpecType = Object\.freeze\(_isSpecType\);$/m;
const FROZEN = /^var (\w+) = Object\.freeze\((\w+)\);$/gm;

/**
 * Says of a bundle's schemas that they can go if nobody uses them: the next to bundle it leaves them out.
 *
 * @throws {Error} if it does not have the SDK as that is known here.
 */
export function droppable(bundle: string): string {
  const { text, schemas } = droppableSchemas(bundle);
  const tables = TABLES.exec(text)?.[0];
  const names = [...tables?.matchAll(FROZEN) ?? []].map(([, name, table]) => ({ name, table }));
  if (schemas === 0 || !tables || names.length !== 2) {
    throw new Error("the MCP SDK does not make its schemas, or its tables of them, as it did");
  }
  const made = `{\n${tables.replace(FROZEN, "")}\nreturn { ${
    names.map(({ table }) => table).join(", ")
  } };\n}`;
  const taken = names.map(({ name, table }) =>
    `var ${name} = ${pure(`(Object.freeze(specTypes.${table}))`)};`
  );
  return text.replace(tables, () => [`var specTypes = ${pure(made)};`, ...taken].join("\n"));
}

function droppableSchemas(bundle: string): { readonly text: string; readonly schemas: number } {
  let inCore = false;
  let schemas = 0;
  let within = false;
  const lines = bundle.split("\n").map((line) => {
    if (within) {
      if (!/^\S.*;$/.test(line)) return line;
      within = false;
      return `${line.slice(0, -1)}))();`;
    }
    if (/^\/\/ .*\//.test(line)) inCore = CORE.test(line);
    const [, name, value = ""] = inCore && SCHEMA.exec(line) || [];
    if (name === undefined) return line;
    schemas++;
    if (value.endsWith(";")) return `var ${name} = ${pure(`(${value.slice(0, -1)})`)};`;
    within = true;
    return `var ${name} = ${PURE}(() => (${value}`;
  });
  return { text: lines.join("\n"), schemas };
}

const PURE = "/* @__PURE__ */ ";
const pure = (value: string) => `${PURE}(() => ${value})()`;
