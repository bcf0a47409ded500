import pandas as pd
from bs4 import BeautifulSoup
from io import StringIO

html = """
<html><body><h1>Cities</h1>
<table id="cities"><thead><tr><th>City</th><th>Population</th><th>Country</th></tr></thead>
<tbody><tr><td>Paris</td><td>2,102,650</td><td>France</td></tr>
<tr><td>Lyon</td><td>522,250</td><td>France</td></tr>
<tr><td>Rome</td><td>2,755,309</td><td>Italy</td></tr></tbody></table>
<a href="/next?page=2">Next</a></body></html>"""

soup = BeautifulSoup(html, "lxml")
rows = [[td.get_text(strip=True) for td in tr.find_all("td")] for tr in soup.select("#cities tbody tr")]
df = pd.DataFrame(rows, columns=[th.text for th in soup.select("th")])
df["Population"] = df["Population"].str.replace(",", "").astype(int)
print(df.groupby("Country")["Population"].sum().to_dict())
print(soup.find("a")["href"], soup.h1.string)
tables = pd.read_html(StringIO(html), thousands=",")
print(tables[0].equals(df), tables[0].dtypes["Population"])
