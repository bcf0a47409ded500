"""A database with a join, a transaction that fails, and full-text search."""
import sqlite3

db = sqlite3.connect("shop.db")
db.executescript("""
create table customer(id integer primary key, name text not null);
create table orders(id integer primary key, customer int references customer(id), total real check(total >= 0));
""")
with db:
    db.executemany("insert into customer(name) values(?)", [("Ann",), ("Bob",)])
    db.executemany("insert into orders(customer, total) values(?, ?)", [(1, 10), (1, 5.5), (2, 7)])
try:
    with db:
        db.execute("insert into orders(customer, total) values(1, 100)")
        db.execute("insert into orders(customer, total) values(2, -1)")
except sqlite3.IntegrityError as e:
    print("rolled back:", e)
for row in db.execute("select name, sum(total), count(*) from orders join customer c on c.id = customer group by name"):
    print(row)
db.execute("create virtual table notes using fts5(body)")
db.execute("insert into notes values('the quick brown fox'), ('lazy dogs sleep')")
print(db.execute("select highlight(notes, 0, '[', ']') from notes where notes match 'dog*'").fetchone()[0])
db.close()
