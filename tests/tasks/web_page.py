"""Scrapes a page that is there as text, and renders a template."""
from bs4 import BeautifulSoup
from jinja2 import Template

page = BeautifulSoup("<html><body><h1>Shop</h1><ul><li class=p>Tea <b>3</b><li class=p>Jam <b>4</b></ul>", "html.parser")
items = [(li.find(string=True).strip(), int(li.b.text)) for li in page.select("li.p")]
print(page.h1.text, items)
print(Template("{% for n, p in items %}{{ n }}={{ '%.2f' % p }};{% endfor %}").render(items=items))
