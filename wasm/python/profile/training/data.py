"""Data in and out: JSON, CSV, pickles, structures, files, SQLite, compression, digests, logs."""

import array
import configparser
import csv
import hashlib
import hmac
import io
import json
import logging
import marshal
import os
import pathlib
import pickle
import sqlite3
import struct
import tarfile
import tempfile
import tomllib
import uuid
import zipfile
import zlib

RECORDS = [
    {
        "id": i,
        "user": {"name": f"user {i}", "email": f"u{i}@example.org", "roles": ["admin", "dev"][: i % 3]},
        "score": i * 1.37 % 100,
        "ratio": i / 7,
        "active": i % 4 != 0,
        "note": None if i % 5 else 'ein "Zitat" – naïf\n\t\\',
        "points": [[x, -x, x * 0.5] for x in range(i % 6)],
        "big": 10 ** (i % 25),
    }
    for i in range(200)
]


def jsons():
    compact = json.dumps(RECORDS, separators=(",", ":"))
    pretty = json.dumps(RECORDS, indent=2, sort_keys=True, ensure_ascii=False)
    parsed = json.loads(compact)
    json.loads(pretty.encode())
    numbers = json.dumps([i * 0.1 for i in range(1_500)] + list(range(-700, 700)))
    strings = json.dumps([f"key {i} ü" for i in range(700)] + ["x" * 300] * 20)
    lines = "\n".join(json.dumps(record) for record in RECORDS)
    by_line = [json.loads(line) for line in lines.splitlines()]
    try:
        json.loads(compact[:-40])
    except json.JSONDecodeError as error:
        str(error)

    class Encoder(json.JSONEncoder):
        def default(self, value):
            return sorted(value)

    json.dumps({"set": {3, 1, 2}, "tuple": (1, 2)}, cls=Encoder)
    json.loads(pretty, object_hook=lambda value: value, parse_float=str)
    sums = {}
    for record in parsed:
        for role in record["user"]["roles"] or ["none"]:
            sums[role] = sums.get(role, 0) + record["score"]
    return len(json.loads(numbers)) + len(json.loads(strings)), sums, by_line


def tables():
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["id", "name", "amount", "city", "note"])
    writer.writerows([i, f"name {i}", i * 1.25, ("Bern", "Oslo", "Rome")[i % 3], 'a "b", c'] for i in range(1_000))
    text.seek(0)
    totals = {}
    for row in csv.DictReader(text):
        city = totals.setdefault(row["city"], [0, 0.0])
        city[0] += int(row["id"])
        city[1] += float(row["amount"])
    text.seek(0)
    rows = [row for row in csv.reader(text, delimiter=",")]
    columns = list(zip(*rows))
    out = io.StringIO()
    dict_writer = csv.DictWriter(out, ["a", "b"], quoting=csv.QUOTE_ALL)
    dict_writer.writeheader()
    dict_writer.writerows({"a": i, "b": str(i)} for i in range(300))
    width = [max(map(len, column)) for column in columns]
    printed = "\n".join(" | ".join(cell.ljust(w) for cell, w in zip(row, width)) for row in rows[:200])
    print(printed[:500], *totals.items(), sep="\n", file=io.StringIO())
    return totals


def pickles():
    for protocol in (2, 4, 5):
        pickle.loads(pickle.dumps(RECORDS, protocol))
    marshal.loads(marshal.dumps(RECORDS))


def structures():
    packed = b"".join(struct.pack("<IhBd8s", i, i % 3000, i % 256, i / 3, b"name") for i in range(800))
    total = sum(fields[0] + fields[3] for fields in struct.iter_unpack("<IhBd8s", packed))
    numbers = array.array("d", range(3_000))
    numbers.extend(x * 0.5 for x in range(300))
    return total + sum(numbers), struct.unpack(">4H", b"\0\1\0\2\0\3\0\4"), memoryview(numbers)[10]


def databases():
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.executescript(
        "create table people (id integer primary key, name text, age integer, city text);"
        "create table orders (id integer primary key, person integer references people, amount real, day text);"
        "create index orders_of on orders (person);"
    )
    connection.executemany(
        "insert into people (name, age, city) values (?, ?, ?)",
        [(f"p{i}", 20 + i % 50, ("Bern", "Oslo", "Rome")[i % 3]) for i in range(600)],
    )
    connection.executemany(
        "insert into orders (person, amount, day) values (?, ?, ?)",
        [(i * 7 % 600 + 1, i * 1.1 % 90, f"2026-{i % 12 + 1:02d}-{i % 28 + 1:02d}") for i in range(2_500)],
    )
    connection.commit()
    connection.create_function("double", 1, lambda x: x * 2)
    queries = (
        "select city, count(*), avg(amount), sum(double(amount)) from people join orders on person = people.id "
        "group by city order by 3 desc",
        "select name, sum(amount) as total from people left join orders on person = people.id "
        "where age between 25 and 60 and name like 'p1%' group by people.id having total > 10 order by total limit 20",
        "select substr(day, 1, 7) as month, max(amount), rank() over (order by sum(amount)) from orders group by month",
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) select sum(i * i % 7) from n",
        "select distinct upper(city) || '-' || age from people order by random()",
    )
    found = [[dict(row) for row in connection.execute(query)] for query in queries]
    for i in range(400):
        connection.execute("select * from people where id = ?", (i,)).fetchone()
    with connection:
        connection.execute("update orders set amount = round(amount * 1.05, 2) where day < '2026-06-01'")
        connection.execute("delete from people where age > 65")
    connection.close()
    return found


def compressed():
    data = json.dumps(RECORDS).encode() * 3
    small = zlib.compress(data)
    zlib.decompress(small)
    fast = zlib.compressobj(1)
    fast.compress(data)
    fast.flush()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(12):
            archive.writestr(f"f{i}.json", data[i * 500 : i * 3000])
    with zipfile.ZipFile(stream) as archive:
        sum(len(archive.read(name)) for name in archive.namelist())
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as archive:
        entry = tarfile.TarInfo("data")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return zlib.crc32(data), zlib.adler32(data)


def digests():
    data = json.dumps(RECORDS).encode()
    for name in ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b", "blake2s"):
        hashlib.new(name, data).hexdigest()
        for i in range(60):
            hashlib.new(name, b"%d" % i).digest()
    hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 200) if hasattr(hashlib, "pbkdf2_hmac") else None
    return hmac.new(b"key", data, "sha256").hexdigest(), uuid.uuid5(uuid.NAMESPACE_URL, "x")


def files():
    with tempfile.TemporaryDirectory() as directory:
        base = pathlib.Path(directory)
        for i in range(40):
            folder = base / f"d{i % 5}"
            folder.mkdir(exist_ok=True)
            (folder / f"f{i}.txt").write_text("".join(f"line {n} of {i}\n" for n in range(80)), encoding="utf-8")
        lines = 0
        for path in sorted(base.rglob("*.txt")):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    lines += len(line.split())
            path.read_bytes()
            path.stat().st_size and path.suffix and path.stem and path.parent.name
        for folder, _, names in os.walk(directory):
            lines += sum(os.path.getsize(os.path.join(folder, name)) for name in names)
        with open(base / "binary", "wb+") as file:
            for i in range(500):
                file.write(i.to_bytes(4, "big"))
            file.seek(100)
            file.read(64)
    return lines


def settings():
    parser = configparser.ConfigParser()
    parser.read_string("".join(f"[s{i}]\na = {i}\nb = %(a)s/x\n" for i in range(30)))
    toml = "".join(f'[[item]]\nname = "n{i}"\nsizes = [{i}, {i + 1}]\nwhen = 2026-01-0{i % 9 + 1}\n' for i in range(40))
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("training")
    logger.propagate = False
    logger.addHandler(handler)
    for i in range(250):
        logger.warning("item %d of %s", i, "x")
        logger.debug("nothing")
    logger.removeHandler(handler)
    return parser["s3"]["b"], len(tomllib.loads(toml)["item"])


for _ in range(4):
    for part in (jsons, tables, pickles, structures, databases, compressed, digests, files, settings):
        part()
    for _ in range(3):
        jsons()
