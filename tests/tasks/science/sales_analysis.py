import pandas as pd
from io import StringIO

data = """date,region,product,units,price
2024-01-05,North,Widget,10,2.50
2024-01-07,South,Gadget,3,10.00
2024-02-11,North,Gadget,5,9.50
2024-02-15,East,Widget,8,2.75
2024-03-02,South,Widget,12,2.40
2024-03-20,East,Gadget,1,11.00
"""
df = pd.read_csv(StringIO(data), parse_dates=["date"])
df["revenue"] = df["units"] * df["price"]
print(df.groupby("region")["revenue"].agg(["sum", "mean", "count"]).round(2))
print(df.pivot_table(index=df["date"].dt.to_period("M"), columns="product", values="revenue", aggfunc="sum", fill_value=0))
best = df.loc[df["revenue"].idxmax()]
print(f"Best sale: {best['product']} in {best['region']} for {best['revenue']:.2f}")
