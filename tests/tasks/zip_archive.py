"""Packs a folder, looks into the archive and unpacks it elsewhere."""
import os
import shutil
import tarfile
import zipfile
from pathlib import Path

for name in ("docs/a.txt", "docs/sub/b.txt", "run.sh"):
    path = Path("project") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(name * 3)
os.chmod("project/run.sh", 0o755)
shutil.make_archive("backup", "zip", "project")
with zipfile.ZipFile("backup.zip") as z:
    print(sorted(z.namelist()), z.testzip())
with tarfile.open("backup.tar.gz", "w:gz") as t:
    t.add("project")
with tarfile.open("backup.tar.gz") as t:
    t.extractall("restored", filter="data")
print(sorted(str(p.relative_to("restored")) for p in Path("restored").rglob("*") if p.is_file()))
print(oct(os.stat("restored/project/run.sh").st_mode & 0o777), shutil.disk_usage(".").total > 0)
