import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from pptx import Presentation
from pptx.util import Inches, Pt
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

plt.figure(figsize=(4, 3))
plt.pie([40, 35, 25], labels=["A", "B", "C"], autopct="%1.0f%%")
plt.savefig("pie.png")
plt.close()

prs = Presentation()
slide = prs.slides.add_slide(prs.slide_layouts[0])
slide.shapes.title.text = "Quarterly review"
slide.placeholders[1].text = "Q3"
slide = prs.slides.add_slide(prs.slide_layouts[5])
slide.shapes.title.text = "Shares"
slide.shapes.add_picture("pie.png", Inches(1), Inches(2), height=Inches(3))
chart_data = CategoryChartData()
chart_data.categories = ["East", "West"]
chart_data.add_series("Sales", (19.2, 21.4))
slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(5), Inches(2), Inches(4), Inches(3), chart_data)
box = slide.shapes.add_textbox(Inches(1), Inches(6), Inches(4), Inches(0.5))
box.text_frame.text = "Source: internal"
box.text_frame.paragraphs[0].font.size = Pt(10)
prs.save("review.pptx")

for number, slide in enumerate(Presentation("review.pptx").slides, 1):
    print(number, [(shape.shape_type.name if shape.shape_type else None, shape.has_text_frame and shape.text_frame.text) for shape in slide.shapes])
