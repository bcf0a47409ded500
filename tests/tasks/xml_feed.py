"""Reads a feed and writes HTML."""
import html
import xml.etree.ElementTree as ET
from xml.dom import minidom

feed = """<rss><channel><title>News</title>
<item><title>A &amp; B</title><pubDate>Mon, 06 Jan 2025 10:00:00 GMT</pubDate></item>
<item><title>C</title><pubDate>Tue, 07 Jan 2025 11:30:00 GMT</pubDate></item></channel></rss>"""
from email.utils import parsedate_to_datetime

page = ET.Element("ul")
for item in ET.fromstring(feed).iter("item"):
    li = ET.SubElement(page, "li", {"data-date": parsedate_to_datetime(item.findtext("pubDate")).date().isoformat()})
    li.text = item.findtext("title")
print(minidom.parseString(ET.tostring(page)).toprettyxml(indent=" ").strip())
print(html.unescape("caf&eacute;"))
