%matplotlib inline
import os
from pathlib import Path

!pip install -q tabulate
from tabulate import tabulate

Path("/mnt/data/out.txt").write_text("kept")
print(Path("out.txt").read_text(), os.path.isdir(Path.home()))
print(tabulate([["a", 1], ["b", 22]], headers=["k", "v"]))
