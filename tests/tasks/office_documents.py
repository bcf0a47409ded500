"""A spreadsheet with formulas and a PDF's text."""
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font

book = Workbook()
sheet = book.active
sheet.title = "Costs"
sheet.append(["item", "price"])
for row in [("pen", 1.5), ("paper", 4)]:
    sheet.append(row)
sheet["B4"] = "=SUM(B2:B3)"
sheet["A1"].font = Font(bold=True)
book.save("costs.xlsx")
again = load_workbook("costs.xlsx")["Costs"]
print([[cell.value for cell in row] for row in again.iter_rows()])

from pypdf import PdfWriter, PdfReader

writer = PdfWriter()
writer.add_blank_page(width=200, height=100)
writer.add_metadata({"/Title": "Blank"})
writer.write("blank.pdf")
reader = PdfReader("blank.pdf")
print(len(reader.pages), reader.metadata.title, reader.pages[0].mediabox.width)
