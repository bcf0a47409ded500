"""Sums sales per region and quarter."""
import csv
import io
from collections import defaultdict
from decimal import Decimal

data = """date,region,amount
2025-01-15,north,100.50
2025-02-01,south,20.25
2025-04-03,north,79.50
2025-05-09,south,0.75
"""
table = defaultdict(lambda: defaultdict(Decimal))
for row in csv.DictReader(io.StringIO(data)):
    quarter = "Q%d" % ((int(row["date"][5:7]) - 1) // 3 + 1)
    table[row["region"]][quarter] += Decimal(row["amount"])
with open("pivot.csv", "w", newline="") as f:
    writer = csv.writer(f)
    writer.writerow(["region", "Q1", "Q2"])
    for region in sorted(table):
        writer.writerow([region, table[region]["Q1"], table[region]["Q2"]])
print(open("pivot.csv").read())
