/**
 * Installs and imports the 100 packages below, each in a fresh session, from the index that is configured here, and
 * writes what came of it into docs/measured/PYTHON_PACKAGES.md.
 */

import { writeMeasured } from "./measured.ts";
import { fileURLToPath } from "node:url";
import { TestServer } from "../tests/support/harness.ts";

/**
 * Among those that are downloaded most, the ones written in Python alone. After a colon: what is imported, where that is
 * not the name with underscores.
 */
const PACKAGES = `
boto3 botocore urllib3 requests setuptools certifi charset-normalizer idna typing-extensions python-dateutil:dateutil
s3transfer packaging six fsspec jmespath pyasn1 pyparsing click importlib-metadata zipp attrs jinja2 platformdirs pytz
filelock virtualenv googleapis-common-protos:google.api pygments pytest pluggy iniconfig tomli tomlkit decorator
colorama rsa cachetools google-auth:google.auth requests-oauthlib oauthlib tqdm beautifulsoup4:bs4 soupsieve docutils
isodate tabulate wcwidth prompt-toolkit rich markdown-it-py:markdown_it mdurl httpx h11 anyio sniffio starlette uvicorn
websocket-client:websocket more-itertools tenacity et-xmlfile openpyxl itsdangerous werkzeug flask blinker mako alembic
sqlalchemy pyjwt:jwt python-dotenv:dotenv gitpython:git networkx sympy pexpect traitlets jedi ipython:IPython toml
docker poetry-core:poetry.core babel humanize sortedcontainers html5lib pycparser termcolor faker arrow xmltodict
marshmallow dill cloudpickle joblib django black isort jsonschema fastapi pydantic
`.trim().split(/\s+/).map((entry) => {
  const [name = "", module = name.replaceAll("-", "_")] = entry.split(":");
  return { name, module };
});

/** The largest has 14 MB and two thousand files, and this may be a busy machine. */
const PATIENCE_MS = 600_000;

interface Row {
  readonly name: string;
  readonly version: string;
  readonly works: boolean;
  readonly reason: string;
}

async function tryPackage(server: TestServer, name: string, module: string): Promise<Row> {
  const session = { session_id: `try-${name}` };
  try {
    const { isError, structuredContent } = await server.client.callTool({
      name: "install_package",
      arguments: { package_name: name, timeout: PATIENCE_MS / 1000, ...session },
    }, { timeout: 2 * PATIENCE_MS });
    const structured = structuredContent as Record<string, unknown>;
    if (isError) {
      const { error_code, message } = structured["error"] as { error_code: string; message: string };
      return { name, version: "", works: false, reason: `${error_code}: ${oneLine(message)}` };
    }
    const packages = [structured["installed"], structured["already_satisfied"]].flat() as {
      name: string;
      version: string;
    }[];
    const version = packages.find((item) => normalized(item.name) === name)?.version ?? "?";
    const bundled = (structured["installed"] as unknown[]).length === 0;
    const run = await server.python(`import ${module}`, session);
    const reason = run.success
      ? bundled ? "bundled" : ""
      : `import: ${oneLine(run.error?.message ?? run.status)}`;
    return { name, version, works: run.success, reason };
  } finally {
    await server.call("destroy_session", session);
  }
}

const normalized = (name: string) => name.toLowerCase().replaceAll(/[-_.]+/g, "-");
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").slice(0, 160);

async function main(): Promise<void> {
  const command = [
    "run",
    "--quiet",
    "--no-prompt",
    `--config=${fileURLToPath(new URL("../deno.json", import.meta.url))}`,
    ...["read", "write", "net", "env", "run", "sys"].map((name) => `--allow-${name}`),
    fileURLToPath(new URL("../main.ts", import.meta.url)),
    "serve",
    "--stdio",
  ];
  await using server = await TestServer.start({ command: Deno.execPath(), args: command });
  const rows: Row[] = [];
  for (const { name, module } of PACKAGES) {
    const row = await tryPackage(server, name, module);
    rows.push(row);
    console.error(
      `${rows.length}/${PACKAGES.length} ${
        row.works ? "works" : "FAILS"
      } ${name} ${row.version} ${row.reason}`,
    );
  }
  const works = rows.filter((row) => row.works).length;
  const table = [
    `${works} of ${rows.length} can be installed and imported.`,
    "",
    "| package | version | works | |",
    "| --- | --- | --- | --- |",
    ...rows.map((row) =>
      `| ${row.name} | ${row.version} | ${row.works ? "yes" : "**no**"} | ${row.reason} |`
    ),
  ].join("\n");
  await writeMeasured("PYTHON_PACKAGES", "scripts/packages_table.ts", table);
}

await main();
