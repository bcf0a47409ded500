from lxml import etree

orders = etree.fromstring(b"""<?xml version="1.0" encoding="UTF-8"?>
<orders xmlns="urn:shop"><order id="1"><item sku="a" qty="2">3.50</item><item sku="b" qty="1">10</item></order>
<order id="2"><item sku="a" qty="5">3.50</item></order></orders>""")
ns = {"s": "urn:shop"}
for order in orders.xpath("//s:order", namespaces=ns):
    total = sum(float(item.text) * int(item.get("qty")) for item in order.iterfind("s:item", ns))
    print(order.get("id"), f"{total:.2f}")
print(orders.xpath("sum(//s:item[@sku='a']/@qty)", namespaces=ns))
xslt = etree.XSLT(etree.XML("""<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:s="urn:shop">
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/"><skus><xsl:for-each select="//s:item"><xsl:sort select="@sku"/><sku><xsl:value-of select="@sku"/></sku></xsl:for-each></skus></xsl:template>
</xsl:stylesheet>"""))
print(xslt(orders))
root = etree.Element("root")
etree.SubElement(root, "child", name="é").text = "text & more"
print(etree.tostring(root, pretty_print=True, encoding="unicode"), end="")
