/** What programs set beside their names, and put into libraries, which a session takes along to numpy's interpreter. */

import assert from "node:assert/strict";
import { errorOf, Session } from "../../../support/python_harness.ts";
import { MOVE, moved } from "./moving.ts";

Deno.test("directory, environment, path, seed, precision, umask and loggers come along", async () => {
  const before = [
    "import os, sys, random, decimal, logging\nos.mkdir('work')\nos.chdir('work')\nos.environ['KEY'] = 'v'\nos.umask(0o027)\n" +
    "sys.path.append('/app/lib')\ndecimal.getcontext().prec = 7\nrandom.seed(1)\nlogging.basicConfig(level='INFO', format='>%(message)s')\n" +
    "expected = random.Random(1).random()",
  ];
  const after = "logging.getLogger('a').info('said')\n" +
    "(os.getcwd(), os.environ['KEY'], oct(os.umask(0)), '/app/lib' in sys.path, decimal.Decimal(1) / 3, random.random() == expected)";
  const session = new Session({ moves: true });
  for (const program of before) await session.value(program);
  const outcome = await session.run(`${MOVE}${after}`);
  assert.equal(outcome.moved, true);
  assert.equal(
    "result" in outcome && outcome.result,
    "('/app/work', 'v', '0o27', True, Decimal('0.3333333'), True)",
    JSON.stringify(outcome),
  );
  assert.equal(outcome.stderr, ">said\n");
});

Deno.test("so do time zone, dialects of CSV, handlers of signals, and what a program has put into libraries", async () => {
  const before = [
    "import csv, gc, io, json, os, random, signal, socket, time\nos.environ['TZ'] = 'Asia/Tokyo'; time.tzset()\n" +
    "csv.register_dialect('own', delimiter=';'); csv.field_size_limit(99); gc.disable(); socket.setdefaulttimeout(5)\n" +
    "heard = []\nsignal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))\n" +
    "json.JSONEncoder.default = lambda self, value: str(value)\nrandom.random = lambda: 0.5",
  ];
  const after = "os.kill(os.getpid(), signal.SIGUSR1)\n" +
    "(time.strftime('%H', time.localtime(0)), next(csv.reader(io.StringIO('a;b'), 'own')), csv.field_size_limit(), " +
    "gc.isenabled(), socket.getdefaulttimeout(), heard, json.dumps({'a': {1}}), random.random())";
  assert.equal(await moved(before, after), `('09', ['a', 'b'], 99, False, 5.0, [10], '{"a": "{1}"}', 0.5)`);
});

Deno.test("so does what a program has told libraries: classes for abstract ones, entries of tables, values in the place of others", async () => {
  const told: readonly (readonly [before: string, after: string, value: string])[] = [
    [
      "import decimal, numbers\nfrom collections.abc import Sequence\nclass Own: pass\nSequence.register(Own); numbers.Real.register(decimal.Decimal)",
      "isinstance(Own(), Sequence), isinstance(decimal.Decimal(1), numbers.Real), isinstance({}, Sequence)",
      "(True, True, False)",
    ],
    [
      "import copyreg\nclass Own: x = 1\ndef reduce(own): return str, ('made',)\ncopyreg.pickle(Own, reduce)",
      "copyreg.dispatch_table[Own] is reduce",
      "True",
    ],
    [
      "import json, pathlib\nclass Own(json.JSONEncoder):\n    def default(self, value): return 'own'\n" +
      "json._default_encoder = Own(); json.JSONEncoder = Own\npathlib.Path.own = property(lambda path: 7)",
      "json.dumps({1}), json.JSONEncoder is Own, pathlib.Path().own",
      "('\"own\"', True, 7)",
    ],
    [
      "import json\nfrom functools import partial\njson.dumps = partial(json.dumps, default=str)",
      "json.dumps({1})",
      "'\"{1}\"'",
    ],
    [
      "import calendar, logging, mimetypes, sys, xml.etree.ElementTree as ET\ncalendar.setfirstweekday(6); sys.set_int_max_str_digits(0)\n" +
      "ET.register_namespace('own', 'http://own'); mimetypes.add_type('a/b', '.own')\nlogging.addLevelName(5, 'OWN'); logging.disable(10)",
      "calendar.firstweekday(), sys.get_int_max_str_digits(), ET.tostring(ET.Element('{http://own}a')), mimetypes.guess_type('x.own')[0], " +
      "mimetypes.types_map['.own'], logging.getLevelName(5), logging.root.manager.disable",
      `(6, 0, b'<own:a xmlns:own="http://own" />', 'a/b', 'a/b', 'OWN', 10)`,
    ],
  ];
  for (const [before, after, value] of told) assert.equal(await moved([before], after), value, before);
});

Deno.test("so do finders and hooks of the program's own, and modules that are in no file", async () => {
  const finder = "import importlib.machinery, sys, types\n" +
    "class Finder:\n    def find_spec(self, name, path=None, target=None):\n" +
    "        return importlib.machinery.ModuleSpec(name, Loader()) if name.startswith('virtual') else None\n" +
    "class Loader:\n    def create_module(self, spec): pass\n    def exec_module(self, module): module.name = module.__name__\n" +
    "sys.meta_path.insert(0, Finder())\nimport virtual_one\n" +
    "sys.modules['made'] = types.ModuleType('made'); sys.modules['made'].value = 5\n" +
    "class Stand: value = 6\nsys.modules['stand'] = Stand()";
  const loader = "import importlib.machinery, sys\nclass Own(importlib.machinery.SourceFileLoader):\n" +
    "    def get_data(self, path): return super().get_data(path).replace(b'SEVEN', b'7')\n" +
    "sys.path_hooks.insert(0, importlib.machinery.FileFinder.path_hook((Own, ['.own'])))\n" +
    "sys.path_importer_cache.clear()\nopen('first.own', 'w').write('x = SEVEN'); import first";
  assert.equal(
    await moved(
      [finder],
      "import made, stand, virtual_two\nvirtual_one.name, virtual_two.name, made.value, stand.value",
    ),
    "('virtual_one', 'virtual_two', 5, 6)",
  );
  assert.equal(
    await moved([loader], "open('second.own', 'w').write('x = SEVEN + 1'); import second\nfirst.x, second.x"),
    "(7, 8)",
  );
});

Deno.test("so does what stands in the place of a library's functions and classes, and what stood there before", async () => {
  const before =
    "import builtins, datetime, json, os, pathlib, random, time\nsaid = []\nreal_print, real_sleep = builtins.print, time.sleep\n" +
    "def wrapper(*values): said.append(values)\nbuiltins.print = wrapper; time.sleep = wrapper; builtins.level = 3\n" +
    "real_dumps = json.dumps; json.dumps = lambda value: 'own ' + real_dumps(value)\nReal = datetime.datetime\n" +
    "class Fake(datetime.datetime):\n    @classmethod\n    def now(cls): return cls(2020, 1, 1)\ndatetime.datetime = Fake\n" +
    "real_read = pathlib.Path.read_text; pathlib.Path.read_text = lambda path: 'own'";
  const after =
    "print(1); time.sleep(2); kept = json.dumps([1]), str(datetime.datetime.now()), pathlib.Path('x').read_text(), level, said\n" +
    "builtins.print, time.sleep, json.dumps, datetime.datetime, pathlib.Path.read_text = real_print, real_sleep, real_dumps, Real, real_read\n" +
    "print('real'); kept, json.dumps([1]), datetime.datetime.now().year > 2020, pathlib.Path.read_text.__module__";
  assert.equal(
    await moved([before], after),
    "(('own [1]', '2020-01-01 00:00:00', 'own', 3, [(1,), (2,)]), '[1]', True, 'pathlib._local')",
  );
});

Deno.test("so do patches of unittest.mock that were started, and can be stopped; mocks are left behind, which is told", async () => {
  const session = new Session({ moves: true });
  await session.value(
    "import os, random, string, time\nfrom unittest.mock import MagicMock, patch\nclock = patch('time.time', lambda: 5.0); clock.start()\n" +
      "patch.object(string, 'digits', '01').start(); patch.dict(os.environ, A='1').start(); patch('os.getcwd').start(); None",
  );
  const outcome = await session.run(
    `${MOVE}seen = time.time(), string.digits, os.environ['A']\nclock.stop(); patch.stopall()\n` +
      "seen, time.time() > 5, string.digits, 'A' in os.environ, os.getcwd()",
  );
  assert.equal(
    "result" in outcome && outcome.result,
    "((5.0, '01', '1'), True, '0123456789', False, '/app')",
    errorOf(outcome)?.traceback,
  );
  assert.equal(outcome.stderr, "os.getcwd (MagicMock) did not come along: to be made anew before use\n");
  const using = new Session({ moves: true });
  await using.value("from unittest.mock import patch\n_ = patch('os.getcwd').start()");
  const failed = await using.run(`${MOVE}import os; os.getcwd()`);
  assert.match(errorOf(failed)?.message ?? "", /this MagicMock did not come along/);
});

Deno.test("so do limits of tracebacks, and of libraries that have no function for that, and imported parts of packages", async () => {
  const before =
    "import logging, http.client, sys, tempfile, urllib.request, xml.dom.minidom\nsys.tracebacklimit = 1; sys.setswitchinterval(0.5)\n" +
    "http.client._MAXHEADERS = 999; logging.raiseExceptions = False; logging.captureWarnings(True); tempfile.tempdir = '/app'";
  const after =
    "sys.tracebacklimit, sys.getswitchinterval(), http.client._MAXHEADERS, logging.raiseExceptions, tempfile.gettempdir(), " +
    "logging._warnings_showwarning is not None, urllib.request.Request('http://a').host, xml.dom.minidom.parseString('<a/>').documentElement.tagName";
  assert.equal(await moved([before], after), "(1, 0.5, 999, False, '/app', True, 'a', 'a')");
});

Deno.test("so do an opener of URLs that was installed, under its name too, and a partial() of what C code does", async () => {
  const before = [
    "import builtins, functools, urllib.request as r\nopener = r.build_opener(r.ProxyHandler({'http': 'http://x'}))\n" +
    "opener.addheaders = [('User-agent', 'X')]\nr.install_opener(opener)\n" +
    "builtins.open = functools.partial(open, encoding='latin-1')",
  ];
  assert.equal(
    await moved(
      before,
      "(r._opener is opener, opener.addheaders, opener.open('data:,a').read(), open('/dev/null').encoding)",
    ),
    "(True, [('User-agent', 'X')], b'a', 'latin-1')",
  );
});

Deno.test("so do handlers of errors in texts, codecs, and kinds of archives that were registered", async () => {
  const before = "import codecs, shutil\ncodecs.register_error('stars', lambda error: ('*', error.end))\n" +
    "def search(name): return codecs.CodecInfo(codecs.ascii_encode, codecs.ascii_decode, name=name) if name == 'own' else None\n" +
    "codecs.register(search)\ndef pack(base, directory, **_): open(base + '.own', 'w').close(); return base + '.own'\n" +
    "shutil.register_archive_format('own', pack, description='of its own')";
  const after = "('é'.encode('ascii', 'stars'), 'a'.encode('own'), shutil.make_archive('x', 'own'))";
  assert.equal(await moved([before], after), "(b'*', b'a', 'x.own')");
});

Deno.test("what a program has assigned to attributes of libraries, put into their tables or deleted comes along", async () => {
  const before = [
    "import decimal, gc, http.server as web, logging, reprlib, string, unittest, urllib.parse\nfrom socketserver import TCPServer\n" +
    "unittest.TestCase.maxDiff = None; TCPServer.allow_reuse_address = True; reprlib.aRepr.maxlist = 2\n" +
    "web.SimpleHTTPRequestHandler.extensions_map['.own'] = 'a/b'; urllib.parse.uses_netloc.append('own')\n" +
    "decimal.BasicContext.prec = 4; logging.lastResort = None; setattr(string, 'vowels', 'aeiou'); del string.hexdigits\n" +
    "seen = []; gc.callbacks.append(lambda *_: None); gc.set_threshold(500, 5, 5)\n" +
    "def prepare():\n    import encodings.aliases as names\n    names.aliases['own_name'] = 'utf_8'\nprepare()",
    "import logging\nclass Own(logging.Logger):\n    def loud(self): return self.name.upper()\nlogging.setLoggerClass(Own)\n" +
    "mine = logging.getLogger('mine'); mine.extra = 5\nlogging.raiseExceptions = False\n" +
    "import json\njson.FOUND = json.JSONDecoder(strict=False)",
  ];
  const after =
    "(unittest.TestCase.maxDiff, TCPServer.allow_reuse_address, reprlib.repr([1, 2, 3]), web.SimpleHTTPRequestHandler.extensions_map['.own'], " +
    "urllib.parse.uses_netloc[-1], urllib.parse.uses_netloc.count('http'), decimal.BasicContext.prec, logging.lastResort, string.vowels, " +
    "hasattr(string, 'hexdigits'), len(gc.callbacks), gc.get_threshold(), 'x'.encode('own_name'), mine.loud(), mine.extra, logging.getLogger('b').loud(), " +
    "logging.raiseExceptions, json.FOUND.strict)";
  assert.equal(
    await moved(before, after),
    "(None, True, '[1, 2, ...]', 'a/b', 'own', 1, 4, None, 'aeiou', False, 1, (500, 5, 5), b'x', 'MINE', 5, 'B', False, False)",
  );
});
