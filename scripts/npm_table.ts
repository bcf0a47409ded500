/**
 * Installs the npm packages below, each in a fresh session, from the registry that is configured here, imports each and
 * calls it once, and writes what came of it into docs/measured/NPM_PACKAGES.md. Arguments: names of packages to try, instead of all,
 * which writes nothing.
 */

import { writeMeasured } from "./measured.ts";
import { sourceCommand } from "./source_command.ts";
import { TestServer } from "../tests/support/harness.ts";

/** What is run after the installation, by package: a program, and what its last expression must show. */
const PACKAGES: Readonly<Record<string, readonly [code: string, result: string]>> = {
  lodash: [
    `import _, { chunk } from "lodash"; [chunk([1, 2, 3], 2), _.capitalize("abc")]`,
    `[ [ [ 1, 2 ], [ 3 ] ], 'Abc' ]`,
  ],
  dayjs: [
    `import dayjs from "dayjs"; dayjs("2026-01-31").add(1, "month").format("YYYY-MM-DD")`,
    `'2026-02-28'`,
  ],
  uuid: [
    `import { v4, v5, validate } from "uuid"; [validate(v4()), v5("a", v5.URL)]`,
    `[ true, 'e1407479-3136-56c0-9908-bb02fb0339e2' ]`,
  ],
  nanoid: [`import { nanoid } from "nanoid"; nanoid().length`, `21`],
  zod: [`import { z } from "zod"; z.object({ a: z.coerce.number() }).parse({ a: "4" })`, `{ a: 4 }`],
  ms: [`import ms from "ms"; [ms("2 days"), ms(60000)]`, `[ 172800000, '1m' ]`],
  semver: [
    `import semver from "semver"; semver.maxSatisfying(["1.2.0", "1.3.1", "2.0.0"], "^1.2")`,
    `'1.3.1'`,
  ],
  yaml: [
    `import { parse, stringify } from "yaml"; [parse("a: [1, 2]"), stringify({ b: 1 })]`,
    `[ { a: [ 1, 2 ] }, 'b: 1\\n' ]`,
  ],
  marked: [`import { marked } from "marked"; marked.parse("# *Hi*")`, `'<h1><em>Hi</em></h1>\\n'`],
  papaparse: [
    `import Papa from "papaparse"; Papa.parse("a,b\\n1,2", { header: true, dynamicTyping: true }).data`,
    `[ { a: 1, b: 2 } ]`,
  ],
  mathjs: [
    `import { evaluate, derivative } from "mathjs"; [evaluate("det([2, 1; 1, 3])"), derivative("x^2", "x").toString()]`,
    `[ 5, '2 * x' ]`,
  ],
  "decimal.js": [`import Decimal from "decimal.js"; new Decimal("0.1").plus("0.2").toString()`, `'0.3'`],
  immer: [`import { produce } from "immer"; produce({ a: 1 }, (draft) => { draft.a = 2; })`, `{ a: 2 }`],
  ramda: [`import * as R from "ramda"; R.pipe(R.map(R.inc), R.sum)([1, 2, 3])`, `9`],
  "date-fns": [
    `import { addDays, format } from "date-fns"; format(addDays(new Date(2026, 1, 27), 2), "yyyy-MM-dd")`,
    `'2026-03-01'`,
  ],
  validator: [
    `import validator from "validator"; [validator.isEmail("a@b.org"), validator.isURL("nope")]`,
    `[ true, false ]`,
  ],
  chalk: [`import { Chalk } from "chalk"; new Chalk({ level: 1 }).red("x")`, `'\\x1B[31mx\\x1B[39m'`],
  commander: [
    `import { Command } from "commander"; new Command().option("-n <n>").parse(["-n", "3"], { from: "user" }).opts()`,
    `{ n: '3' }`,
  ],
  minimist: [`import minimist from "minimist"; minimist(["--a=1", "b"])`, `{ _: [ 'b' ], a: 1 }`],
  "js-yaml": [`import { load } from "js-yaml"; load("a: 1")`, `{ a: 1 }`],
  handlebars: [
    `import Handlebars from "handlebars"; Handlebars.compile("Hi {{name}}")({ name: "you" })`,
    `'Hi you'`,
  ],
  mustache: [
    `import Mustache from "mustache"; Mustache.render("{{#a}}<{{.}}>{{/a}}", { a: [1, 2] })`,
    `'<1><2>'`,
  ],
  ajv: [
    `import { Ajv } from "ajv"; const valid = new Ajv().compile({ type: "object", required: ["a"] }); [valid({ a: 1 }), valid({})]`,
    `[ true, false ]`,
  ],
  rxjs: [
    `import { from, map, toArray, firstValueFrom } from "rxjs"; await firstValueFrom(from([1, 2]).pipe(map((x) => x * 2), toArray()))`,
    `[ 2, 4 ]`,
  ],
  async: [`import { mapLimit } from "async"; await mapLimit([1, 2], 1, async (x) => x + 1)`, `[ 2, 3 ]`],
  underscore: [
    `import _ from "underscore"; _.groupBy([1, 2, 3], (x) => x % 2 ? "odd" : "even")`,
    `{ odd: [ 1, 3 ], even: [ 2 ] }`,
  ],
  luxon: [
    `import { DateTime } from "luxon"; DateTime.utc(2026, 1, 31).plus({ months: 1 }).toISODate()`,
    `'2026-02-28'`,
  ],
  qs: [
    `import qs from "qs"; [qs.parse("a[b]=1"), qs.stringify({ c: [1, 2] })]`,
    `[ { a: { b: '1' } }, 'c%5B0%5D=1&c%5B1%5D=2' ]`,
  ],
  he: [`import { decode } from "he"; decode("&lt;&eacute;&gt;")`, `'<é>'`],
  slugify: [`import slugify from "slugify"; slugify("Some Téxt here", { lower: true })`, `'some-text-here'`],
  "fs-extra": [
    `import fs from "fs-extra"; fs.outputJsonSync("d/e.json", { a: 1 }); fs.readJsonSync("d/e.json")`,
    `{ a: 1 }`,
  ],
  glob: [
    `import { globSync } from "glob"; import fs from "node:fs"; fs.writeFileSync("q.txt", "x"); globSync("*.txt")`,
    `[ 'q.txt' ]`,
  ],
  prettier: [
    `import prettier from "prettier"; await prettier.format("a=1", { parser: "babel" })`,
    `'a = 1;\\n'`,
  ],
  "@babel/core": [
    `import * as babel from "@babel/core"; babel.transformSync("const a=1", { configFile: false, babelrc: false }).code`,
    `'const a = 1;'`,
  ],
  winston: [
    `import winston from "winston"; winston.createLogger({ transports: [new winston.transports.Console()] }).level`,
    `'info'`,
  ],
  express: [
    `import express from "express"; let code; try { express().listen(0); } catch (error) { code = error.code; } code`,
    `'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM'`,
  ],
  jsonwebtoken: [
    `import jwt from "jsonwebtoken"; jwt.verify(jwt.sign({ a: 1 }, "key", { noTimestamp: true }), "key")`,
    `{ a: 1 }`,
  ],
  bcryptjs: [`import bcrypt from "bcryptjs"; bcrypt.compareSync("a", bcrypt.hashSync("a", 4))`, `true`],
  cheerio: [`import { load } from "cheerio"; load("<p>a</p>")("p").text()`, `'a'`],
  "iconv-lite": [`import iconv from "iconv-lite"; iconv.encode("ä", "latin1").toString("hex")`, `'e4'`],
  "csv-parse": [
    `import { parse } from "csv-parse/sync"; parse("a,b\\n1,2", { columns: true })`,
    `[ { a: '1', b: '2' } ]`,
  ],
  moment: [`import moment from "moment"; moment.utc(0).format("LL")`, `'January 1, 1970'`],
  debug: [
    `import debug from "debug"; debug.enable("app:*"); [debug.enabled("app:x"), debug.enabled("other")]`,
    `[ true, false ]`,
  ],
  dotenv: [
    `import dotenv from "dotenv"; dotenv.parse("A=1\\nB=\\"x y\\" # note\\n")`,
    `{ A: '1', B: 'x y' }`,
  ],
  yargs: [
    `import yargs from "yargs"; const { _, n } = yargs(["build", "--n", "3"]).option("n", { type: "number" }).parseSync(); [_, n]`,
    `[ [ 'build' ], 3 ]`,
  ],
  classnames: [`import classNames from "classnames"; classNames("a", { b: true, c: false })`, `'a b'`],
  bluebird: [
    `import Promise from "bluebird"; await Promise.map([1, 2, 3], (x) => x * 2, { concurrency: 2 })`,
    `[ 2, 4, 6 ]`,
  ],
  "lru-cache": [
    `import { LRUCache } from "lru-cache"; const cache = new LRUCache({ max: 2 }); for (const key of "abc") cache.set(key, 1); [...cache.keys()]`,
    `[ 'c', 'b' ]`,
  ],
  minimatch: [`import { minimatch } from "minimatch"; minimatch("src/a/b.ts", "src/**/*.{ts,js}")`, `true`],
  picomatch: [`import picomatch from "picomatch"; picomatch("*.js")("abc.js")`, `true`],
  acorn: [
    `import * as acorn from "acorn"; acorn.parse("1 + 1", { ecmaVersion: 2020 }).body[0].expression.operator`,
    `'+'`,
  ],
  terser: [
    `import { minify } from "terser"; (await minify("function add(first, second) { return first + second; }")).code`,
    `'function add(n,d){return n+d}'`,
  ],
  "fast-xml-parser": [
    `import { XMLParser } from "fast-xml-parser"; new XMLParser().parse("<a><b>1</b><b>x</b></a>")`,
    `{ a: { b: [ 1, 'x' ] } }`,
  ],
  xml2js: [
    `import { parseStringPromise } from "xml2js"; await parseStringPromise("<root><k>v</k></root>")`,
    `{ root: { k: [ 'v' ] } }`,
  ],
  "p-limit": [
    `import pLimit from "p-limit"; const limit = pLimit(1); await Promise.all([1, 2].map((x) => limit(async () => x * 2)))`,
    `[ 2, 4 ]`,
  ],
  joi: [
    `import Joi from "joi"; Joi.object({ a: Joi.number().min(3) }).validate({ a: 1 }).error.message`,
    `'"a" must be greater than or equal to 3'`,
  ],
  yup: [
    `import * as yup from "yup"; await yup.object({ age: yup.number().required() }).validate({ age: "24" })`,
    `{ age: 24 }`,
  ],
  ejs: [
    `import ejs from "ejs"; ejs.render("<% for (const x of xs) { %>[<%= x %>]<% } %>", { xs: [1, "<"] })`,
    `'[1][&lt;]'`,
  ],
  pug: [`import pug from "pug"; pug.render("p.a #{name}", { name: "you" })`, `'<p class="a">you</p>'`],
  "markdown-it": [
    `import markdownIt from "markdown-it"; markdownIt().render("**a**")`,
    `'<p><strong>a</strong></p>\\n'`,
  ],
  "bignumber.js": [
    `import { BigNumber } from "bignumber.js"; new BigNumber("0.1").plus("0.2").toString()`,
    `'0.3'`,
  ],
  "@faker-js/faker": [
    `import { faker } from "@faker-js/faker"; faker.seed(1); faker.helpers.arrayElement(["only"])`,
    `'only'`,
  ],
  graphql: [
    `import { buildSchema, graphqlSync } from "graphql"; graphqlSync({ schema: buildSchema("type Query { a: Int }"), source: "{ a }", rootValue: { a: 4 } }).data.a`,
    `4`,
  ],
  react: [
    `import React, { isValidElement } from "react"; const element = React.createElement("p", { id: 1 }, "hi"); [isValidElement(element), element.props]`,
    `[ true, { id: 1, children: 'hi' } ]`,
  ],
  redux: [
    `import { legacy_createStore } from "redux"; const store = legacy_createStore((n = 0, { type }) => type === "add" ? n + 1 : n); store.dispatch({ type: "add" }); store.getState()`,
    `1`,
  ],
  jose: [
    `import * as jose from "jose"; const key = new TextEncoder().encode("0123456789abcdef0123456789abcdef"); const jwt = await new jose.SignJWT({ a: 1 }).setProtectedHeader({ alg: "HS256" }).sign(key); (await jose.jwtVerify(jwt, key)).payload`,
    `{ a: 1 }`,
  ],
  pino: [
    `import pino from "pino"; let line; pino({ base: null, timestamp: false }, { write(text) { line = text; } }).info({ a: 1 }, "hi"); line`,
    `'{"level":30,"a":1,"msg":"hi"}\\n'`,
  ],
  axios: [
    `import axios from "axios"; let code; try { await axios.get("http://localhost/"); } catch (error) { code = error.code; } [axios.getUri({ url: "/a", params: { b: 1 } }), typeof code]`,
    `[ '/a?b=1', 'string' ]`,
  ],
  nunjucks: [
    `import nunjucks from "nunjucks"; nunjucks.renderString("{% for x in xs %}<{{ x | upper }}>{% endfor %}", { xs: ["a"] })`,
    `'<A>'`,
  ],
};

const PATIENCE_MS = 300_000;

interface Row {
  readonly name: string;
  readonly version: string;
  readonly works: boolean;
  readonly reason: string;
}

async function tryPackage(server: TestServer, name: string): Promise<Row> {
  const session = { session_id: `try-${name.replaceAll(/[^\w-]/g, "-")}` };
  const [code, expected] = PACKAGES[name] ??
    [`import * as it from ${JSON.stringify(name)}; Object.keys(it).length > 0`, "true"];
  try {
    const { isError, structuredContent } = await server.client.callTool({
      name: "install_package",
      arguments: { package_name: name, language: "javascript", timeout: PATIENCE_MS / 1000, ...session },
    }, { timeout: 2 * PATIENCE_MS });
    const structured = structuredContent as Record<string, unknown>;
    if (isError) {
      const { error_code, message } = structured["error"] as { error_code: string; message: string };
      return { name, version: "", works: false, reason: `${error_code}: ${oneLine(message)}` };
    }
    const installed = structured["installed"] as { name: string; version: string }[];
    const version = installed.find((item) => item.name === name)?.version ?? "?";
    const ran = await server.call("execute_code", { code, language: "javascript", ...session });
    const { result, error } = ran.structured as {
      result: string | null;
      error: { message: string; traceback?: string } | null;
    };
    if (error && Deno.args.length > 0) console.error(error.traceback);
    const works = result === expected;
    const more = installed.length > 1 ? `with ${installed.length - 1} more` : "";
    const reason = works ? more : error ? oneLine(error.message) : `gives ${oneLine(`${result}`)}`;
    return { name, version, works, reason };
  } finally {
    await server.call("destroy_session", session).catch(() => {});
  }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").slice(0, 160);

async function main(): Promise<void> {
  await using server = await TestServer.start(sourceCommand());
  const rows: Row[] = [];
  for (const name of Deno.args.length > 0 ? Deno.args : Object.keys(PACKAGES)) {
    const row = await tryPackage(server, name);
    rows.push(row);
    console.error(`${row.works ? "works" : "FAILS"} ${name} ${row.version} ${row.reason}`);
  }
  const works = rows.filter((row) => row.works).length;
  console.error(`${works} of ${rows.length}`);
  if (Deno.args.length > 0) return;
  const table = [
    `${works} of ${rows.length} can be installed and imported, and do what they are asked to.`,
    "",
    "| package | version | works | |",
    "| --- | --- | --- | --- |",
    ...rows.map((row) =>
      `| ${row.name} | ${row.version} | ${row.works ? "yes" : "**no**"} | ${row.reason} |`
    ),
  ].join("\n");
  await writeMeasured("NPM_PACKAGES", "scripts/npm_table.ts", table);
}

await main();
