import sqlite3
import pandas as pd

connection = sqlite3.connect("shop.db")
pd.DataFrame({"id": [1, 2, 3], "name": ["pen", "book", "lamp"], "price": [1.2, 15.0, 42.5]}).to_sql("items", connection, index=False)
pd.DataFrame({"item": [1, 1, 3], "quantity": [10, 5, 1]}).to_sql("orders", connection, index=False)
query = "select name, sum(quantity) as sold, sum(quantity * price) as total from orders join items on items.id = orders.item group by name order by total desc"
print(pd.read_sql(query, connection))
