/** `generate_series` for `sqlite3`, in Python: `with_series`. */
export const SERIES = String.raw`
import re

QUOTED = r"'(?:[^']|'')*'" + r'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/'
SERIES = re.compile(QUOTED + r"|\bgenerate_series\s*\(", re.I | re.S)
NO_ALIAS = r"(?:join|where|order|group|limit|union|on|using|left|right|full|inner|cross|natural|having|window|except|intersect|returning)\b"


def with_series(sql):
    """A query whose generate_series(...) are subqueries: the table is an extension of SQLite's own command line."""
    made, at = "", 0
    while found := SERIES.search(sql, at):
        made += sql[at : found.start()]
        at = found.end()
        if not found.group().endswith("(") or found.group()[0] in "'\"-/":
            made += found.group()
            continue
        depth, args = 1, [""]
        for piece in re.finditer(QUOTED + "|.", sql[at:], re.S):
            text = piece.group()
            depth += (text == "(") - (text == ")")
            if depth == 0:
                at += piece.end()
                break
            if text == "," and depth == 1:
                args.append("")
            else:
                args[-1] += text
        start, stop, step = [with_series(arg) for arg in args + ["4294967295", "1"][len(args) - 1 :]][:3]
        step = "CASE (%s) WHEN 0 THEN 1 ELSE (%s) END" % (step, step)
        within = "CASE WHEN (%s) >= 0 THEN {0} <= (%s) ELSE {0} >= (%s) END" % (step, stop, stop)
        made += "(WITH RECURSIVE series(value) AS (SELECT (%s) WHERE %s UNION ALL SELECT value + (%s) FROM series WHERE %s) SELECT value FROM series)" % (
            start, within.format("(" + start + ")"), step, within.format("value + (" + step + ")"),
        )
        if not re.match(r"\s*(?:as\s|(?!" + NO_ALIAS + r")[A-Za-z_\"\[])", sql[at:], re.I):
            made += " AS generate_series"
    return made + sql[at:]
`;
