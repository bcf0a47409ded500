from PIL import Image, ImageDraw, ImageFilter
import io

image = Image.new("RGB", (640, 480), "white")
draw = ImageDraw.Draw(image)
draw.rectangle([50, 50, 300, 200], fill="navy")
draw.ellipse([320, 100, 600, 400], fill=(200, 30, 30))
draw.text((60, 300), "Hello", fill="black")
image.save("picture.jpg", quality=85)
small = Image.open("picture.jpg")
small.thumbnail((128, 128))
print(small.size, small.mode, small.format)
grey = image.convert("L").filter(ImageFilter.GaussianBlur(2))
print(grey.size, grey.getextrema())
for kind in ("PNG", "WEBP", "GIF", "BMP", "TIFF"):
    buffer = io.BytesIO()
    small.save(buffer, kind)
    print(kind, Image.open(io.BytesIO(buffer.getvalue())).size)
