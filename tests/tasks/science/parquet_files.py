import os

import numpy as np
import pandas as pd

rng = np.random.default_rng(7)
n = 5000
df = pd.DataFrame(
    {
        "id": np.arange(n),
        "city": rng.choice(["Berlin", "Paris", "Tokyo", "Lima"], n),
        "amount": rng.normal(100, 15, n).round(2),
        "when": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 90 * 24, n), unit="h"),
        "ok": rng.random(n) > 0.2,
    }
)
df.loc[::50, "amount"] = np.nan

for codec in ["snappy", "gzip", "zstd", None]:
    path = f"sales-{codec}.parquet"
    df.to_parquet(path, compression=codec, index=False)
    back = pd.read_parquet(path)
    print(codec, back.shape, back.equals(df), os.path.getsize(path) > 10_000)

part = pd.read_parquet("sales-snappy.parquet", columns=["city", "amount"])
print(part.groupby("city")["amount"].agg(["count", "mean"]).round(3))
late = pd.read_parquet("sales-snappy.parquet", filters=[("when", ">=", pd.Timestamp("2026-03-25"))])
print(len(late) == (df["when"] >= "2026-03-25").sum(), late["when"].min() >= pd.Timestamp("2026-03-25"), list(late.index[:3]))
some = pd.read_parquet("sales-zstd.parquet", columns=["id"], filters=[[("city", "==", "Lima"), ("id", "<", 20)], [("id", "in", [7, 8])]])
print(some.columns.tolist(), sorted(some["id"]) == sorted(df["id"][(df["city"] == "Lima") & (df["id"] < 20) | df["id"].isin([7, 8])]))
both = pd.read_parquet("sales-gzip.parquet", filters=[("city", "!=", "Lima"), ("id", "<", 50), ("amount", ">", 0)])
print(both["id"].tolist() == df["id"][(df["city"] != "Lima") & (df["id"] < 50) & (df["amount"] > 0)].tolist())
df.head(100).to_parquet("by-city", partition_cols=["city"])
parts = pd.read_parquet("by-city", columns=["id"], filters=[[("city", "==", "Paris"), ("id", ">", 50)], [("city", "==", "Tokyo")]])
head = df.head(100)
print(parts.columns.tolist(), sorted(parts["id"]) == head["id"][(head["city"] == "Paris") & (head["id"] > 50) | (head["city"] == "Tokyo")].tolist())
try:
    pd.read_parquet("sales-gzip.parquet", filters=[("id", "~", 1)])
except ValueError as error:
    print(error)
print(list(back.dtypes.astype(str)))
back["month"] = back["when"].dt.strftime("%Y-%m")
print(back.pivot_table(index="month", columns="city", values="amount", aggfunc="sum").round(1))
