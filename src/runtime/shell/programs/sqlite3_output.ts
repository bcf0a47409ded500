/** What the rows of `sqlite3` look like in its modes, in Python: `Output`, which its `Shell` is. */
export const OUTPUT = String.raw`
import json, re, sys

MODES = ("list", "csv", "column", "json", "line", "table", "markdown", "box", "html", "tabs", "quote", "insert", "ascii")


class Stop(Exception):
    pass


def number(value):
    text = "%.15g" % value
    if text in ("inf", "-inf"):
        return text.replace("inf", "Inf")
    if "e" in text:
        mantissa, exponent = text.split("e")
        return (mantissa if "." in mantissa else mantissa + ".0") + "e" + exponent
    return text if "." in text else text + ".0"


def plain(value, null):
    if value is None:
        return null
    if isinstance(value, bytes):
        return value.split(b"\0")[0].decode(errors="surrogateescape")
    return number(value) if isinstance(value, float) else str(value)


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return "X'" + value.hex() + "'"
    if isinstance(value, float):
        return number(value)
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def jsoned(value):
    if value is None:
        return "null"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int):
        return str(value)
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class Output:
    def __init__(self):
        self.mode, self.headers, self.null = "list", None, ""
        self.column_separator, self.row_separator = "|", "\n"
        self.widths, self.table, self.out = [], "table", sys.stdout

    def separators(self):
        if self.mode == "csv":
            self.column_separator, self.row_separator = ",", "\n"
        elif self.mode == "tabs":
            self.column_separator, self.row_separator = "\t", "\n"
        elif self.mode == "ascii":
            self.column_separator, self.row_separator = "\x1f", "\x1e"
        elif self.mode == "quote":
            self.column_separator, self.row_separator = ",", "\n"
        elif self.mode == "list":
            self.column_separator, self.row_separator = "|", "\n"

    def csv(self, value):
        if value is None:
            return self.null
        text = plain(value, self.null)
        special = text == "" or any(c in '"\'' or c <= " " or c == "\x7f" for c in text) or self.column_separator in text
        return '"' + text.replace('"', '""') + '"' if special else text

    def show_plan(self, cursor):
        """The steps of a plan as a tree, in every mode."""
        below = {}
        for step, parent, _, detail in cursor:
            below.setdefault(parent, []).append((step, detail))

        def write(parent, indent):
            steps = below.get(parent, ())
            for at, (step, detail) in enumerate(steps, 1):
                last = at == len(steps)
                self.out.write(indent + ("\x60--" if last else "|--") + detail + "\n")
                write(step, indent + ("   " if last else "|  "))

        self.out.write("QUERY PLAN\n")
        write(0, "")

    def show(self, cursor):
        names = [column[0] for column in cursor.description or ()]
        if not names:
            return
        mode = self.mode
        if mode in ("column", "table", "markdown", "box", "json", "line", "html", "insert"):
            rows = cursor.fetchall()
            if rows:
                getattr(self, "show_" + mode)(names, rows)
            return
        cell = {"csv": self.csv, "quote": literal}.get(mode, lambda value: plain(value, self.null))
        first = True
        for row in cursor:
            if first and self.headers:
                heads = [self.csv(n) if mode == "csv" else literal(n) if mode == "quote" else n for n in names]
                self.out.write(self.column_separator.join(heads) + self.row_separator)
            first = False
            self.out.write(self.column_separator.join(map(cell, row)) + self.row_separator)

    def show_line(self, names, rows):
        width = max(5, *map(len, names))
        for at, row in enumerate(rows):
            if at:
                self.out.write("\n")
            for name, value in zip(names, row):
                self.out.write("%*s = %s\n" % (width, name, plain(value, self.null)))

    def show_json(self, names, rows):
        made = ["{" + ",".join(jsoned(n) + ":" + jsoned(v) for n, v in zip(names, row)) + "}" for row in rows]
        self.out.write("[" + ",\n".join(made) + "]\n")

    def show_html(self, names, rows):
        from html import escape

        def write(tag, cells):
            self.out.write("<TR>" + "".join("<%s>%s</%s>\n" % (tag, escape(c), tag) for c in cells) + "</TR>\n")

        if self.headers:
            write("TH", names)
        for row in rows:
            write("TD", [plain(value, self.null) for value in row])

    def show_insert(self, names, rows):
        into = self.table if re.fullmatch(r"[A-Za-z_]\w*", self.table) else '"' + self.table.replace('"', '""') + '"'
        head = "(" + ",".join(names) + ")" if self.headers else ""
        for row in rows:
            self.out.write("INSERT INTO %s%s VALUES(%s);\n" % (into, head, ",".join(map(literal, row))))

    def grid(self, names, rows):
        cells = [[plain(value, self.null) for value in row] for row in rows]
        if any("\n" in cell or "\t" in cell for row in cells for cell in row):
            raise Stop("values of several lines are shown by .mode line, list or json")
        widths = []
        for at, name in enumerate(names):
            asked = self.widths[at] if at < len(self.widths) else 0
            widths.append(abs(asked) or max(len(name), *(len(row[at]) for row in cells)))
        if any(len(row[at]) > width for row in cells for at, width in enumerate(widths)):
            raise Stop("a value is wider than .width says: that is not wrapped here")
        return cells, widths

    def show_column(self, names, rows):
        cells, widths = self.grid(names, rows)
        right = [at < len(self.widths) and self.widths[at] < 0 for at in range(len(names))]

        def write(row):
            shown = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right)]
            self.out.write("  ".join(shown) + "\n")

        if self.headers:
            write(names)
            write(["-" * width for width in widths])
        for row in cells:
            write(row)

    def framed(self, names, rows, rule, bar, ends):
        cells, widths = self.grid(names, rows)
        top, middle, bottom = rule
        line = lambda mark: mark and mark[0] + mark[1].join(mark[3] * (width + 2) for width in widths) + mark[2] + "\n"
        write = lambda row: self.out.write(bar + " " + (" " + bar + " ").join(row) + " " + bar + "\n")
        self.out.write(line(top) or "")
        write([name.center(width) if (width - len(name)) % 2 == 0 else " " * ((width - len(name)) // 2) + name + " " * ((width - len(name) + 1) // 2) for name, width in zip(names, widths)])
        self.out.write(line(middle))
        for row in cells:
            write([cell.ljust(width) for cell, width in zip(row, widths)])
        self.out.write(line(bottom) or "")

    def show_table(self, names, rows):
        self.framed(names, rows, ("+++-",) * 3, "|", None)

    def show_markdown(self, names, rows):
        self.framed(names, rows, ("", "|||-", ""), "|", None)

    def show_box(self, names, rows):
        self.framed(names, rows, ("\u250c\u252c\u2510\u2500", "\u251c\u253c\u2524\u2500", "\u2514\u2534\u2518\u2500"), "\u2502", None)
`;
