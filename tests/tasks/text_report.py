"""Counts words of a text and writes a report in columns."""
import re
import textwrap
from collections import Counter
from pathlib import Path

Path("speech.txt").write_text(textwrap.dedent("""
    It was the best of times, it was the worst of times,
    it was the age of wisdom, it was the age of foolishness.
"""))
words = re.findall(r"[a-z']+", Path("speech.txt").read_text().lower())
for word, count in Counter(words).most_common(4):
    print(f"{word:<8}|{count:>3}|{'#' * count}")
print(len(words), "words")
