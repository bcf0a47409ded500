from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Pt, RGBColor

employees = [("Ann", "Engineering", 5200), ("Bob", "Sales", 4100), ("Cleo", "Engineering", 6100)]

doc = Document()
title = doc.add_heading("Salary report", level=0)
title.alignment = WD_ALIGN_PARAGRAPH.CENTER
p = doc.add_paragraph("Prepared for ")
run = p.add_run("the board")
run.bold = True
run.font.size = Pt(14)
run.font.color.rgb = RGBColor(0x42, 0x24, 0xE9)
table = doc.add_table(rows=1, cols=3)
table.style = "Light Grid Accent 1"
for cell, text in zip(table.rows[0].cells, ("Name", "Department", "Salary")):
    cell.text = text
for name, department, salary in employees:
    row = table.add_row().cells
    row[0].text, row[1].text, row[2].text = name, department, f"{salary:,}"
doc.add_page_break()
doc.add_paragraph("First", style="List Number")
doc.add_paragraph("Second", style="List Number")
doc.core_properties.author = "Agent"
doc.save("report.docx")

again = Document("report.docx")
print(again.core_properties.author, len(again.paragraphs), again.tables[0].style.name)
for row in again.tables[0].rows:
    print(" | ".join(cell.text for cell in row.cells))
