import pandas as pd

orders = pd.DataFrame({"customer": ["A", "B", "A", "C"], "amount": [120.5, 80, 45.25, 300]})
summary = orders.groupby("customer", as_index=False)["amount"].sum().sort_values("amount", ascending=False)
with pd.ExcelWriter("report.xlsx") as writer:
    orders.to_excel(writer, sheet_name="Orders", index=False)
    summary.to_excel(writer, sheet_name="Summary", index=False)
sheets = pd.read_excel("report.xlsx", sheet_name=None)
print(list(sheets))
print(sheets["Summary"])
