# Photos for print: to another colour space and back, with profiles embedded.
import io
from PIL import Image, ImageCms, ImageOps

srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
lab = ImageCms.createProfile("LAB", colorTemp=5000)
photo = Image.new("RGB", (90, 60))
for column, colour in enumerate(("red", "lime", "blue")):
    photo.paste(colour, (30 * column, 0, 30 * (column + 1), 60))
photo.save("photo.jpg", quality=95, subsampling=0, icc_profile=srgb.tobytes(), dpi=(300, 300))

opened = Image.open("photo.jpg")
embedded = ImageCms.ImageCmsProfile(io.BytesIO(opened.info["icc_profile"]))
print(ImageCms.getProfileDescription(embedded).strip(), embedded.profile.xcolor_space.strip(), opened.info["dpi"])
print(ImageCms.isIntentSupported(embedded, ImageCms.Intent.PERCEPTUAL, ImageCms.Direction.INPUT))

to_lab = ImageCms.buildTransform(embedded, lab, "RGB", "LAB", ImageCms.Intent.RELATIVE_COLORIMETRIC)
measured = ImageCms.applyTransform(photo, to_lab)
print([measured.getpixel((15 + 30 * column, 30)) for column in range(3)])
back = ImageCms.profileToProfile(measured, lab, srgb, outputMode="RGB")
print([back.getpixel((15 + 30 * column, 30)) for column in range(3)])

proof = ImageOps.mirror(photo.convert("CMYK"))
proof.save("proof.tif", compression="tiff_lzw", icc_profile=srgb.tobytes())
proof = Image.open("proof.tif")
print(proof.mode, proof.getpixel((15, 30)), len(proof.info["icc_profile"]) == len(srgb.tobytes()))
try:
    ImageCms.ImageCmsProfile(io.BytesIO(b"no profile"))
except (OSError, ImageCms.PyCMSError) as error:
    print(type(error).__name__, error)
