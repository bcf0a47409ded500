/**
 * The command line of sqlite3, as a program for Python's own SQLite.
 *
 * It writes what SQLite 3.40's writes; what it has not, it refuses.
 */

import { OUTPUT } from "./sqlite3_output.ts";
import { SERIES } from "./sqlite3_series.ts";

const SHELL = String.raw`
import os, re, sqlite3, sys

UNKNOWN = 'Error: unknown command or invalid arguments:  "%s". Enter ".help" for help'

PLAN = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*explain\s+query\s+plan\b", re.I | re.S)


class Shell(Output):
    def __init__(self):
        super().__init__()
        self.bail, self.echo, self.failed, self.changes = False, False, False, False
        self.once, self.name, self.flags = False, ":memory:", ""
        self.db, self.eqp = None, False

    def open(self):
        if self.db is None:
            try:
                self.db = sqlite3.connect(self.name if not self.flags else "file:" + self.name + self.flags, isolation_level=None, uri=bool(self.flags))
                self.db.text_factory = lambda data: data.decode(errors="surrogateescape")
                self.db.execute("PRAGMA schema_version")
            except sqlite3.DatabaseError as error:
                if "unable to open" in str(error):
                    print('Error: unable to open database "%s": %s' % (self.name, error), file=sys.stderr)
                    raise SystemExit(1)
        return self.db

    def execute(self, sql):
        try:
            return self.open().execute(sql)
        except sqlite3.OperationalError as error:
            if str(error) != "no such table: generate_series":
                raise
            return self.db.execute(with_series(sql))

    def statement(self, sql, where):
        if self.echo:
            self.out.write(sql.strip() + "\n")
        try:
            if PLAN.match(sql):
                self.show_plan(self.execute(sql))
            else:
                if self.eqp:
                    self.show_plan(self.execute("EXPLAIN QUERY PLAN " + sql))
                self.show(self.execute(sql))
            if self.changes:
                self.out.write("changes: %d   total_changes: %d\n" % (self.db.execute("select changes()").fetchone()[0], self.db.total_changes))
            return True
        except (sqlite3.Error, sqlite3.Warning, Stop, OverflowError, ValueError) as error:
            self.complain(error, sql, where)
            return False
        finally:
            self.restore()

    def complain(self, error, sql, where):
        code = getattr(error, "sqlite_errorcode", 1) or 1
        text = str(error)
        at_run = code != 1 or text.startswith(("abort", "constraint"))
        self.out.flush()
        if where is None:
            said = "Error: stepping, %s (%d)" % (text, code & 255) if at_run else "Error: in prepare, " + text
            print(said, file=sys.stderr)
        else:
            kind = "Runtime" if at_run else "Parse"
            said = "%s error near line %d: %s%s" % (kind, where, text, " (%d)" % (code & 255) if at_run else "")
            print(said, file=sys.stderr)
        self.failed = True
        if self.bail or where is None:
            self.end(code & 255 if where is None and at_run else 1)

    def restore(self):
        if self.once:
            self.out.close()
            self.out, self.once = sys.stdout, False

    def end(self, code):
        self.out.flush()
        if self.db is not None:
            self.db.close()
        raise SystemExit(code)

    def run(self, text, where):
        """Statements of a text one after the other."""
        line, pending, begun = 1, "", 1
        for piece in re.split(r"(?<=;)", text):
            if not pending.strip():
                begun = line + len(piece) - len(piece.lstrip()) and line + piece[: len(piece) - len(piece.lstrip())].count("\n")
            pending += piece
            line += piece.count("\n")
            if sqlite3.complete_statement(pending):
                self.statement(pending, begun if where is not None else None)
                pending = ""
        if re.sub(r"--[^\n]*|/\*.*?\*/", "", pending, flags=re.S).strip():
            self.statement(pending, begun if where is not None else None)

    def script(self, lines):
        pending, begun = "", 0
        for at, line in enumerate(lines, 1):
            if not pending.strip():
                if line.startswith("."):
                    if self.echo:
                        self.out.write(line.rstrip("\n") + "\n")
                    self.command(line.strip(), at)
                    continue
                if not line.strip():
                    continue
                pending, begun = "", at
            if line.strip() in ("go", "/") and pending.strip():
                line = ";\n"
            pending += line
            if ";" in line and sqlite3.complete_statement(pending):
                whole, pending = pending, ""
                self.several(whole, begun)
        if re.sub(r"--[^\n]*|/\*.*?\*/", "", pending, flags=re.S).strip():
            self.several(pending, begun)

    def several(self, text, begun):
        rest = ""
        for piece in re.split(r"(?<=;)", text):
            rest += piece
            if sqlite3.complete_statement(rest):
                if not self.statement(rest, begun):
                    return
                rest = ""
        if rest.strip() and re.sub(r"--[^\n]*|/\*.*?\*/", "", rest, flags=re.S).strip():
            self.statement(rest, begun)

    def command(self, line, at):
        import shlex

        try:
            name, *args = shlex.split(line[1:]) or [""]
        except ValueError:
            name, args = line[1:], []
        found = [c for c in COMMANDS if c == name] or [c for c in COMMANDS if c.startswith(name)]
        try:
            if not name or not found:
                raise Stop(UNKNOWN % name)
            COMMANDS[found[0]](self, *args)
        except TypeError as error:
            if "positional argument" not in str(error):
                raise
            print("Usage: ." + found[0], file=sys.stderr)
            self.failed = True
        except (Stop, sqlite3.Error, OSError) as error:
            self.out.flush()
            said = str(error)
            print(said if said.startswith("Error") else "Error: " + said, file=sys.stderr)
            self.failed = True
            if self.bail:
                self.end(1)

    def set_mode(self, mode="", *rest):
        words = [word for word in (mode, *rest) if not word.startswith("-")]
        if not words:
            return self.out.write("current output mode: %s\n" % self.mode)
        mode = words[0].rstrip("s") if words[0] in ("columns", "lines") else words[0]
        if mode not in MODES:
            raise Stop("mode should be one of: " + " ".join(sorted(MODES)))
        self.mode = mode
        if len(words) > 1:
            self.table = words[1]
        if mode == "column" and self.headers is None:
            self.headers = True
        self.separators()
        if mode == "csv":  # as RFC 4180 has it, which the option -csv does not
            self.row_separator = "\r\n"

    def set_headers(self, value):
        self.headers = switch(value)

    def set_separator(self, column, row=None):
        self.column_separator = unescaped(column)
        if row is not None:
            self.row_separator = unescaped(row)

    def tables(self, pattern="%"):
        sql = "SELECT name FROM sqlite_schema WHERE type IN ('table','view') AND name NOT LIKE 'sqlite_%' AND name LIKE ? ORDER BY 1"
        self.listed([name for name, in self.open().execute(sql, (pattern,))])

    def indexes(self, table="%"):
        sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name LIKE ? ORDER BY 1"
        self.listed([name for name, in self.open().execute(sql, (table,))])

    def listed(self, names):
        longest = max(map(len, names), default=0)
        columns = max(1, 80 // (longest + 2))
        rows = -(-len(names) // columns)
        for row in range(rows):
            self.out.write("  ".join(name.ljust(longest) for name in names[row::rows]) + "\n")

    def schema(self, pattern="%"):
        sql = "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND tbl_name LIKE ? AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        for text, in self.open().execute(sql, (pattern,)):
            self.out.write(created(text) + ";\n")

    def dump(self, table="%"):
        self.out.write("PRAGMA foreign_keys=OFF;\n")
        for statement in self.open().iterdump(filter=table):
            self.out.write(created(re.sub(r'^(INSERT INTO )"([a-z_]\w*)"', r"\1\2", statement)) + "\n")

    def read(self, path):
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            self.script(file)

    def output(self, path="stdout", once=False):
        self.restore()
        if self.out is not sys.stdout:
            self.out.close()
        self.out = sys.stdout if path == "stdout" else open(path, "w", newline="", encoding="utf-8", errors="surrogateescape")
        self.once = once and self.out is not sys.stdout

    def import_file(self, *args):
        import csv

        skip, names, kind = 0, [], self.mode
        args = list(args)
        while args:
            arg = args.pop(0)
            if arg in ("-csv", "--csv"):
                kind = "csv"
            elif arg in ("-ascii", "--ascii"):
                raise Stop(".import --ascii is not there")
            elif arg in ("-skip", "--skip"):
                skip = int(args.pop(0))
            elif arg in ("-v", "--v"):
                pass
            else:
                names.append(arg)
        path, table = names
        separator = "," if kind == "csv" else self.column_separator
        with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
            rows = list(csv.reader(file, delimiter=separator))[skip:]
        db, quoted = self.open(), '"' + table.replace('"', '""') + '"'
        there = db.execute("SELECT count(*) FROM pragma_table_info(?)", (table,)).fetchone()[0]
        if not there and rows:
            columns = rows.pop(0)
            declared = ['"' + c.replace('"', '""') + '" TEXT' for c in columns]
            lines = [", ".join(declared[at:at + 4]) for at in range(0, len(declared), 4)]
            db.execute("CREATE TABLE %s(\n%s)" % (quoted, ",\n ".join(lines)))
            there = len(columns)
        db.execute("BEGIN")
        for at, row in enumerate(rows, skip + 2):
            if not row:
                continue
            if len(row) != there:
                more = "filling the rest with NULL" if len(row) < there else "extras ignored"
                print("%s:%d: expected %d columns but found %d - %s" % (path, at, there, len(row), more), file=sys.stderr)
            row = (row + [None] * there)[:there]
            db.execute("INSERT INTO %s VALUES(%s)" % (quoted, ",".join("?" * there)), row)
        db.execute("COMMIT")

    def reopen(self, name=":memory:"):
        if self.db is not None:
            self.db.close()
        self.db, self.name = None, name

    def backup(self, name):
        target = sqlite3.connect(name)
        self.open().backup(target)
        target.close()

    def restore_from(self, name):
        source = sqlite3.connect(name)
        source.backup(self.open())
        source.close()

    def state(self):
        words = lambda on: "on" if on else "off"
        quoted = lambda text: '"' + text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'
        rows = [
            ("echo", words(self.echo)), ("eqp", words(self.eqp)), ("explain", "auto"), ("headers", words(self.headers)),
            ("mode", self.mode), ("nullvalue", quoted(self.null)), ("output", getattr(self.out, "name", "") if self.out is not sys.stdout else "stdout"),
            ("colseparator", quoted(self.column_separator)), ("rowseparator", quoted(self.row_separator)), ("stats", "off"),
            ("width", "".join("%d " % width for width in self.widths)), ("filename", self.name),
        ]
        self.out.write("".join("%12s: %s\n" % row for row in rows))

    def databases(self):
        for _, name, path in self.open().execute("PRAGMA database_list"):
            self.out.write('%s: %s r/w\n' % (name, path or '""'))


def switch(value):
    if value.lower() in ("on", "yes", "1", "true"):
        return True
    if value.lower() in ("off", "no", "0", "false"):
        return False
    raise Stop('ERROR: Not a boolean value: "%s". Assuming "no".' % value)


def created(statement):
    """As .schema and .dump show it: a table of a quoted name may be there already."""
    return re.sub(r"""^CREATE TABLE (?=["'])""", "CREATE TABLE IF NOT EXISTS ", statement)


def unescaped(text):
    return text.encode().decode("unicode_escape") if "\\" in text else text


def ignored(shell, *args):
    pass


def attribute(name, turn=str):
    return lambda shell, value: setattr(shell, name, turn(value))


COMMANDS = {
    "quit": lambda shell: shell.end(1 if shell.failed else 0), "exit": lambda shell, code="0": shell.end(int(code)),
    "mode": Shell.set_mode, "headers": Shell.set_headers, "header": Shell.set_headers, "separator": Shell.set_separator,
    "nullvalue": attribute("null"), "tables": Shell.tables, "schema": Shell.schema, "indexes": Shell.indexes,
    "indices": Shell.indexes, "dump": Shell.dump, "read": Shell.read, "output": Shell.output,
    "once": lambda shell, path: shell.output(path, True), "import": Shell.import_file, "open": Shell.reopen,
    "backup": Shell.backup, "save": Shell.backup, "restore": Shell.restore_from, "databases": Shell.databases,
    "bail": attribute("bail", switch), "echo": attribute("echo", switch), "eqp": attribute("eqp", switch), "show": Shell.state, "changes": attribute("changes", switch),
    "width": lambda shell, *widths: setattr(shell, "widths", [int(w) for w in widths]),
    "print": lambda shell, *words: shell.out.write(" ".join(words) + "\n"),
    "cd": lambda shell, path: os.chdir(path), "timeout": ignored, "timer": ignored,
}


def main(args):
    shell, operands, first = Shell(), [], []
    # Options count wherever they stand.
    while args:
        option = args.pop(0)
        if not option.startswith("-") or option == "-":
            operands.append(option)
            continue
        name = option.lstrip("-")
        if name in ("version",):
            print(sqlite3.sqlite_version)
            return 0
        if name in MODES and name != "insert":
            shell.mode = name
            shell.separators()
        elif name in ("header", "headers"):
            shell.headers = True
        elif name == "noheader":
            shell.headers = False
        elif name in ("batch", "interactive", "noinit"):
            pass
        elif name == "bail":
            shell.bail = True
        elif name == "echo":
            shell.echo = True
        elif name == "readonly":
            shell.flags = "?mode=ro"
        elif name in ("separator", "nullvalue", "newline", "cmd", "init") and args:
            value = args.pop(0)
            if name == "separator":
                shell.column_separator = unescaped(value)
            elif name == "newline":
                shell.row_separator = unescaped(value)
            elif name == "nullvalue":
                shell.null = value
            else:
                first.append(value if name == "cmd" else ".read " + value)
        else:
            print("sqlite3: Error: unknown option: %s\nUse -help for a list of options." % option, file=sys.stderr)
            return 1
    if operands:
        shell.name = operands.pop(0) or ":memory:"
    for text in first:
        shell.command(text, 0) if text.startswith(".") else shell.run(text, None)
    for text in operands:
        if text.startswith("."):
            shell.command(text, 0)
            if shell.failed:
                shell.end(1)
        else:
            shell.run(text, None)
    if not operands:
        shell.script(sys.stdin)
    shell.end(1 if shell.failed else 0)


sys.stdout.reconfigure(errors="surrogateescape", newline="")
sys.stdin.reconfigure(errors="surrogateescape")
sys.exit(main(sys.argv[1:]))
`;

export const SQLITE3 = OUTPUT + SERIES + SHELL;
