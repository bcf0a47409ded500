"""Text: strings, formatting, encodings, regular expressions, templates, differences, HTML and XML."""

import base64
import difflib
import html
import html.parser
import io
import re
import shlex
import string
import textwrap
import unicodedata
import urllib.parse
import xml.etree.ElementTree as ElementTree

PARAGRAPH = (
    "Sandboxes keep what a program does apart from its host; on 2026-11-23 at 08:35:24 one cost $1,299.99, "
    "write to anna.smith@mail.example.org or see https://example.com/a/b?q=1&r=two#part (v3.13.5).\n"
)
ACCENTED = "Ça coûte 12 €: naïve façade, Straße, 東京, привет, 🙂. "
LOG = "".join(
    f"2026-11-{i % 28 + 1:02d}T{i % 24:02d}:00:{i % 60:02d}Z {('INFO', 'WARN', 'ERROR')[i % 3]} "
    f"[worker-{i % 7}] request={i} path=/api/v{i % 3}/items/{i * 37 % 1000} status={200 + i % 5 * 100} "
    f"took={i * 13 % 997 / 10}ms\n"
    for i in range(600)
)


def strings():
    lines = (PARAGRAPH * 40).splitlines()
    out = []
    for number, line in enumerate(lines):
        words = line.strip().split()
        out.append(" ".join(word.capitalize() for word in reversed(words)))
        out.append(line.replace("program", "guest").lower().title().swapcase())
        out.append(line[5:40] + line[::-1][:10] + line[-1] + str(number) * 2)
        line.find("example") + line.count("o") + line.index("host") + ("zebra" in line) + line.rfind(";")
        line.startswith("Sand") and line.endswith(".\n") or line.isdigit() or line.isalpha()
        line.partition(":")[2].rpartition(".")[0].ljust(90, ".").center(110).zfill(120)
        out.append("%s|%5d|%-8s|%06.2f|%x" % (words[0], number, words[1], number / 7, number))
        out.append("{:>10}|{:<8}|{:^9}|{!r}".format(number, words[2], words[3], words[4]))
        out.append(f"{number:,}|{number / 3:.3e}|{number / 3:8.2f}|{number:#x}|{words[0]!r:>14}|{0.25:.1%}")
    joined = "\n".join(out)
    table = str.maketrans("aeiou", "*****", "xyz")
    return len(joined.translate(table)), joined.encode().decode("utf-8")[:9], sorted(set(joined))


def unicodes():
    text = ACCENTED * 50
    parts = text.split(", ")
    joined = "–".join(parts).upper().lower().casefold()
    stripped = "".join(c for c in unicodedata.normalize("NFD", joined) if not unicodedata.combining(c))
    for encoding in ("utf-8", "utf-16", "utf-32", "latin-1"):
        text.encode(encoding, "replace").decode(encoding)
    text.encode("ascii", "xmlcharrefreplace")
    return stripped, [ord(c) for c in text], "".join(map(chr, range(200, 900))), text.find("東京"), ascii(text)


def characters():
    counts, word, words = {}, [], []
    for c in PARAGRAPH * 12:
        counts[c] = counts.get(c, 0) + 1
        if c.isalnum():
            word.append(c)
        elif word:
            words.append("".join(word))
            word = []
    vowels = sum(1 for c in PARAGRAPH * 12 if c in "aeiou")
    shifted = "".join(chr((ord(c) - 97 + 3) % 26 + 97) if "a" <= c <= "z" else c for c in PARAGRAPH * 6)
    result = ""
    for word in words:
        result += word + ","
    return vowels, shifted, [w for w in words if w == w[::-1]], result


def expressions():
    pattern = re.compile(
        r"^(?P<time>\S+) (?P<level>INFO|WARN|ERROR) \[(?P<worker>[\w-]+)\] .*?status=(?P<status>\d{3}) took=([\d.]+)ms$",
        re.MULTILINE,
    )
    slow = [match.groupdict() for match in pattern.finditer(LOG) if float(match[5]) > 50]
    text = PARAGRAPH * 40
    return (
        len(slow),
        re.findall(r"[\w.+-]+@[\w-]+\.[\w.-]+", text),
        re.findall(r"https?://[^\s/]+(?:/[^\s?#]*)?(?:\?[^\s#]*)?", text),
        re.sub(r"(\d{4})-(\d\d)-(\d\d)", r"\3.\2.\1", text),
        re.sub(r"\s+", " ", text, flags=re.ASCII),
        re.sub(r"\b(\w)(\w*)\b", lambda match: match[1].upper() + match[2], text),
        re.split(r"[;,.]\s*", text),
        [bool(re.match(r"[A-Z][a-z]+(es)?\b", word)) for word in text.split()],
        re.findall(r"(?i)sand(?=box)|(?<!\d)\d{2}(?!\d)|\$[\d,]+\.\d\d", text),
        re.search(r"(a|b|ab)*c$", "ab" * 12 + "d"),
        re.fullmatch(r"(?:[^()]|\([^()]*\))*", "f(x) + g(y) * (z)" * 20) is not None,
        re.findall(rb"\w+=\w+", LOG.encode()),
        re.escape(text[:200]),
    )


def compiled():
    for n in range(25):
        re.compile(rf"(?P<a{n}>[a-f0-9]{{{n + 1}}})|(x|y{n})*?z+|^\s*(?:\d+|[^\W\d_]+){n}$")


def tokens():
    scanner = re.compile(r"\s*(?:(\d+\.?\d*)|([A-Za-z_]\w*)|(.))")

    def evaluate(source):
        items = [(m.lastindex, m[m.lastindex]) for m in scanner.finditer(source)]
        place = 0

        def factor():
            nonlocal place
            kind, value = items[place]
            place += 1
            if value == "(":
                result = expression()
                place += 1
                return result
            return float(value) if kind == 1 else len(value)

        def term():
            nonlocal place
            result = factor()
            while place < len(items) and items[place][1] in "*/":
                operator = items[place][1]
                place += 1
                result = result * factor() if operator == "*" else result / factor()
            return result

        def expression():
            nonlocal place
            result = term()
            while place < len(items) and items[place][1] in "+-":
                operator = items[place][1]
                place += 1
                result = result + term() if operator == "+" else result - term()
            return result

        return expression()

    return sum(evaluate("(1.5 + alpha * 3) / (beta - 2) - 4 * (5 + x1)") for _ in range(120))


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.extend(value for name, value in attrs if name == "href")


def markup():
    rows = "".join(f'<tr class="r{i}"><td>{i}</td><td><a href="/i/{i}">n&amp;{i}</a></td></tr>' for i in range(150))
    page = f"<html><body><table>{rows}</table></body></html>"
    links = Links()
    links.feed(page)
    root = ElementTree.fromstring(page)
    for cell in root.iter("td"):
        cell.set("n", str(len(cell.text or "")))
    text = ElementTree.tostring(root, encoding="unicode")
    return len(links.found), [a.get("href") for a in root.findall(".//a")], html.unescape(html.escape(text))


def tools():
    text = PARAGRAPH * 6
    wrapped = textwrap.fill(text, 60)
    changed = wrapped.replace("program", "guest").splitlines()
    difference = list(difflib.unified_diff(wrapped.splitlines(), changed, lineterm=""))
    url = urllib.parse.urlsplit("https://user@example.com:81/a%20b/c?q=1&r=%C3%A9&s=a+b#f")
    stream = io.StringIO(text)
    lines = [line.rstrip() for line in stream]
    return (
        difference,
        difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]),
        textwrap.dedent("    a\n      b\n"),
        urllib.parse.parse_qs(url.query),
        urllib.parse.urlencode({"a": 1, "b": "x y"}) + urllib.parse.quote("ä/ö"),
        string.Template("$name is $age").substitute(name="Ann", age=3),
        shlex.split("grep -n 'a b' \"c d\" e"),
        base64.b64decode(base64.b64encode(text.encode() * 20)),
        bytes.fromhex(text.encode().hex()),
        lines,
    )


def binary():
    data = bytearray(range(256)) * 20
    for i in range(0, len(data), 3):
        data[i] ^= 0x5A
    view = memoryview(data)
    return (
        bytes(view[10:200]).find(b"\x20"),
        bytes(data).split(b"\x00"),
        bytes(data).replace(b"\x01", b"xx").count(b"x"),
        b"".join(bytes([b]) for b in data[:500]),
        data.startswith(b"Z") or data.endswith(b"a"),
        b"%d-%s" % (3, b"x"),
        int.from_bytes(data[:40], "big").to_bytes(40, "little"),
        sum(data),
    )


for _ in range(4):
    for part in (strings, unicodes, characters, expressions, compiled, tokens, markup, tools, binary):
        part()
    re.purge()
