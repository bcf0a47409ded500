import regex
import pandas as pd
from collections import Counter

text = """Les élèves étudient; they've read «Ça va?» twice. Zürich is near — 北京 isn't.
Email: ann@example.org, BOB@EXAMPLE.ORG. Colour or color? Prices: $1,299.00 and €45,50."""
words = regex.findall(r"\p{L}+(?:'\p{L}+)?", text)
print(Counter(word.lower() for word in words).most_common(3), len(words))
print(regex.findall(r"[\w.]+@[\w.]+\b", text), regex.findall(r"(?b)(?:colour){e<=1}", text))
print(regex.findall(r"\p{Sc}\s?[\d.,]*\d", text), regex.findall(r"\p{Han}+", text))
s = pd.Series(text.splitlines())
print(s.str.len().tolist(), s.str.extract(r"(?P<user>\w+)@(?P<host>[\w.]+)").dropna().to_dict("records"))
print(regex.sub(r"(\w+) or (\w+)", r"\2 or \1", "tea or coffee"))
