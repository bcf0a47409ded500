from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps

photo = Image.linear_gradient("L").resize((320, 240)).convert("RGB")
draw = ImageDraw.Draw(photo, "RGBA")
font = ImageFont.load_default(size=24)
draw.rectangle((10, 10, 150, 60), fill=(255, 0, 0, 128), outline="white")
draw.text((160, 120), "© Example", font=font, fill=(255, 255, 255, 200), anchor="mm")
draw.ellipse((250, 150, 300, 200), fill="blue")
photo.save("photo.jpg", quality=90)
photo.save("photo.webp")
photo.save("photo.png", optimize=True)
for name in ("photo.jpg", "photo.webp", "photo.png"):
    with Image.open(name) as image:
        print(image.format, image.size, image.mode)
blurred = photo.filter(ImageFilter.GaussianBlur(4))
print(ImageChops.difference(photo, blurred).getbbox() is not None)
grey = ImageOps.autocontrast(ImageOps.grayscale(ImageEnhance.Contrast(photo).enhance(1.5)))
print(grey.getextrema(), photo.getpixel((275, 175)))
print(photo.rotate(90, expand=True).size, photo.crop((0, 0, 50, 50)).resize((5, 5)).size)
