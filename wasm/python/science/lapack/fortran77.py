"""Makes of LAPACK's Fortran what f2c, which knows Fortran 77, can read: `fortran77.py FILES…`, in place."""

import pathlib
import re
import sys

TYPES = r"(?:REAL|INTEGER|LOGICAL|COMPLEX(?:\*16)?|DOUBLE +PRECISION|CHARACTER(?:\*\d+)?)"


def statements(text):
    """The lines of each statement: continued ones belong to the first, comments stand alone."""
    found = []
    for line in text.splitlines():
        if line[:1] not in ("*", "c", "C", "!", "") and line[:5].strip() == "" and line[5:6] not in ("", " ", "0"):
            # A continuation; comments between it and its statement are dropped.
            while found and found[-1][0][:1] in ("*", "c", "C", "!", ""):
                found.pop()
            found[-1].append(line)
        else:
            found.append([line])
    return found


def joined(lines):
    return lines[0].rstrip() + "".join(line[6:72].rstrip() for line in lines[1:])


def folded(statement):
    """A statement as lines of the fixed form."""
    label, rest = statement[:6], statement[6:]
    parts = [rest[i : i + 60] for i in range(0, len(rest), 60)]
    return "\n".join([label + parts[0], *("     $" + part for part in parts[1:])])


def convert(name, text):
    """A file's text in Fortran 77. Loops are left by labels; comments are gone."""
    double = name[:1] in "dz"
    text = re.sub(r"(?im)^( +)RECURSIVE +", r"\1", text)
    output, loops, label = [], [], 90000
    for lines in statements(text):
        first = lines[0]
        if first[:1] in ("*", "c", "C", "!", "#") or not first.strip():
            continue
        # Remarks at ends of lines hide what would be continued.
        lines = [re.sub(r"!.*", "", line) if "'" not in line else line for line in lines]
        statement = joined(lines).rstrip()
        changed = statement
        code = statement[6:].strip()
        upper = code.upper()
        number = statement[:5].strip()
        changed = re.sub(rf"(?i)\b({TYPES}) *, *INTENT *\( *\w+ *\) *:: *", r"\1 ", changed)
        changed = re.sub(rf"(?i)^( +{TYPES}) *:: *", r"\1 ", changed)
        if upper.startswith("INTRINSIC"):
            names = [one.strip() for one in code[9:].split(",")]
            kept = [one for one in names if one.upper() not in ("MAXLOC", "HUGE", "EPSILON", "TINY", "CEILING", "EXPONENT")]
            if len(kept) < len(names):
                changed = "      INTRINSIC " + ", ".join(kept) if kept else ""
        if upper.startswith("EXTERNAL") and name[1:] in ("pstf2", "pstrf"):
            changed += f", {'D' if double else 'S'}MAXLOC"
            output.append(f"      INTEGER {'D' if double else 'S'}MAXLOC")
        changed = re.sub(
            r"(?i)\bMAXLOC *\( *(\w+) *\( *(\([^()]*\)|\w+) *: *(\([^()]*\)|\w+) *\) *, *1 *\)",
            lambda m: f"{'D' if double else 'S'}MAXLOC(({m[3]})-({m[2]})+1, {m[1]}({m[2]}))",
            changed,
        )
        changed = re.sub(r"(?i)\bHUGE *\( *\w+ *\)", "1.7976931348623157D+308" if double else "3.40282347E+38", changed)
        if name[:1] == "z":
            changed = re.sub(r"(?i)\bAIMAG\b", "DIMAG", changed)
        if "::" not in changed and (slice := re.fullmatch(r"(?i) +(\w+) *\( *(\d+) *: *(\d+) *\) *= *([\w.]+)", changed)):
            for index in range(int(slice[2]), int(slice[3]) + 1):
                output.append(f"      {slice[1]}({index}) = {slice[4]}")
            continue
        # EXIT and CYCLE, by the labels of their loops.
        if re.match(r"(?:\w+ *: *)?DO\b(?! *\d+ *=)", upper) or re.match(r"DO *\d+", upper):
            to = re.match(r"DO +(\d+)\b", upper)
            label += 2
            loops.append({"label": to and to[1], "exit": label, "cycle": label + 1, "exits": False, "cycles": False})
            output.append(folded(changed))
            continue
        if re.search(r"(?:^|\))\s*(EXIT|CYCLE)$", upper):
            loop = loops[-1]
            if upper.endswith("EXIT"):
                loop["exits"] = True
                changed = re.sub(r"(?i)EXIT$", f"GO TO {loop['exit']}", changed)
            else:
                loop["cycles"] = True
                changed = re.sub(r"(?i)CYCLE$", f"GO TO {loop['label'] or loop['cycle']}", changed)
        if upper in ("END DO", "ENDDO"):
            loop = loops.pop()
            if loop["cycles"]:
                output.append(f"{loop['cycle']:5d} CONTINUE")
            output.append(folded(changed))
            if loop["exits"]:
                output.append(f"{loop['exit']:5d} CONTINUE")
            continue
        if changed:
            output.append(folded(changed) if changed != statement else "\n".join(line[:72].rstrip() for line in lines))
        while number and loops and loops[-1]["label"] == number:
            loop = loops.pop()
            if loop["exits"]:
                output.append(f"{loop['exit']:5d} CONTINUE")
    return "\n".join(output) + "\n"


for path in map(pathlib.Path, sys.argv[1:]):
    path.write_text(convert(path.stem, path.read_text()))
