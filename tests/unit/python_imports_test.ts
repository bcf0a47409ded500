/** The table of imports, and what is said of those that it does not help with. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { adviceOn } from "../../src/executor/worker/import_advice.ts";
import { companionOf, importNames, insteadOf, projectOf, standsOnScience } from "../../src/python_imports.ts";

Deno.test("the table names the projects of imports that are called otherwise", () => {
  const names = ["yaml", "bs4", "dateutil", "jwt", "dotenv", "slugify", "sqlalchemy", "attr", "markdown"];
  deepEqual(names.map((name) => projectOf(name)?.name), [
    "PyYAML",
    "beautifulsoup4",
    "python-dateutil",
    "PyJWT",
    "python-dotenv",
    "python-slugify",
    "SQLAlchemy",
    "attrs",
    "Markdown",
  ]);
  equal(projectOf("reqeusts"), undefined);
  equal(projectOf("constructor"), undefined);
});

Deno.test("a name that several projects share leads to them by what comes after its dot", () => {
  const names = ["google.auth.transport.requests", "google.api", "poetry.core.version", "toolz.curried"];
  deepEqual(names.map((name) => projectOf(name)?.name), [
    "google-auth",
    "googleapis-common-protos",
    "poetry-core",
    "toolz",
  ]);
  deepEqual(["google", "google.nothing", "google.cloud"].map(projectOf), [undefined, undefined, undefined]);
  match(adviceOn("google", [], "on_import", false, undefined), /google-auth for google\.auth/);
});

Deno.test("the table has hundreds of names, each once, none of them anything but an identifier", () => {
  const names = importNames();
  ok(names.filter((name) => projectOf(name)?.native === false).length > 400);
  deepEqual(names.filter((name) => !/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(name)), []);
  deepEqual(names.filter((name) => !/^[A-Za-z0-9][\w.-]*$/.test(projectOf(name)!.name)), []);
});

Deno.test("what has native code is told apart, with what does instead", () => {
  for (
    const name of [
      "numpy",
      "pandas",
      "cv2",
      "sklearn",
      "PIL",
      "lxml",
      "torch",
      "cryptography",
      "psycopg2",
      "Crypto",
    ]
  ) {
    const project = projectOf(name)!;
    ok(project.native, name);
    ok(insteadOf(project), name);
  }
});

Deno.test("advice follows from what is known of a name, and from what the operator allows", () => {
  const standard = ["itertools", "json", "ssl"];
  const on = (name: string, mode: "off" | "on_request" | "on_import", failure?: string) =>
    adviceOn(name, standard, mode, false, failure);
  match(on("toolz", "off"), /this server installs none/);
  match(on("toolz", "on_request"), /install_package gets it/);
  match(on("toolz", "on_import", "there is no network"), /could not be installed: there is no network\./);
  match(on("ssl", "on_import"), /does not work in WebAssembly/);
  match(on("requets", "on_import"), /^Did you mean requests\?$/);
  match(on("jsno", "on_import"), /^Did you mean json\?$/);
  match(on("my_own_module", "on_import"), /no such file in \/app/);
  match(on("distutils", "on_import"), /removed in Python 3\.12/);
});

Deno.test("what is pure but needs science's packages leads there, and modules to what they need beside their project", () => {
  const names = ["jsonschema", "referencing", "altair", "fastapi", "pydantic_settings", "yaml", "requests"];
  deepEqual(names.map(standsOnScience), [true, true, true, true, true, false, false]);
  equal(projectOf("jsonschema")?.native, false); // older ones run in a lean build
  equal(companionOf("fastapi.testclient.TestClient"), "starlette[full]");
  equal(companionOf("fastapi.FastAPI"), undefined);
});
