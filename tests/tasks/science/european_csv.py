import io
import pandas as pd

text = """Datum;Kunde;Betrag;Menge
01.02.2024;Müller;1.234,56;3
15.02.2024;Özil;-99,10;
28.02.2024;Ångström;10.000,00;7
03.03.2024;Müller;250,5;1
"""
df = pd.read_csv(
    io.StringIO(text), sep=";", decimal=",", thousands=".", parse_dates=["Datum"], dayfirst=True, dtype={"Menge": "Int64"}
)
print(df)
print(df.dtypes.to_dict())
print(df.groupby("Kunde", sort=False)["Betrag"].agg(["sum", "count"]))
print(df.set_index("Datum").resample("MS")["Betrag"].sum())

df.to_csv("out.csv", index=False, encoding="utf-8-sig", sep=";", decimal=",", date_format="%d.%m.%Y")
raw = open("out.csv", "rb").read()
print(raw[:3], raw.decode("utf-8-sig").splitlines()[1])
for suffix in ("gz", "zip", "bz2", "xz"):
    df.to_csv(f"out.csv.{suffix}", index=False)
    print(suffix, pd.read_csv(f"out.csv.{suffix}", parse_dates=["Datum"], dtype={"Menge": "Int64"}).equals(df))
print([chunk.shape for chunk in pd.read_csv("out.csv", sep=None, engine="python", chunksize=3, encoding="utf-8-sig")])

try:
    pd.read_csv(io.StringIO("a,b\n1,2\n3,4,5\n6,7\n"))
except pd.errors.ParserError as error:
    print(error)
print(pd.read_csv(io.StringIO("a,b\n1,2\n3,4,5\n6,7\n"), on_bad_lines="skip").sum().to_dict())
