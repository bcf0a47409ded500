# A stack of microscope images, compressed without loss, with what is known of them; then measured.
import numpy as np
from PIL import Image, ImageSequence
from PIL.TiffTags import TAGS

rng = np.random.default_rng(12)
y, x = np.mgrid[0:96, 0:128]
frames = []
for t in range(4):
    cell = 3000 * np.exp(-((x - 30 - 15 * t) ** 2 + (y - 48) ** 2) / 120)
    frames.append((cell + rng.poisson(200, cell.shape)).astype(np.uint16))

images = [Image.fromarray(frame) for frame in frames]
images[0].save(
    "stack.tif", save_all=True, append_images=images[1:], compression="tiff_lzw",
    tiffinfo={270: "cell, 4 frames", 305: "everyday program"}, resolution=300,
)

with Image.open("stack.tif") as stack:
    print(stack.n_frames, stack.mode, stack.size, stack.info["compression"], stack.info["dpi"])
    print({TAGS[tag].name if hasattr(TAGS[tag], "name") else TAGS[tag]: stack.tag_v2[tag] for tag in (256, 257, 270, 305)})
    for number, (page, frame) in enumerate(zip(ImageSequence.Iterator(stack), frames)):
        data = np.asarray(page)
        mask = data > 1000
        rows, columns = np.nonzero(mask)
        print(number, data.dtype, np.array_equal(data, frame), mask.sum(), f"{rows.mean():.1f} {columns.mean():.1f}")

projection = np.max([np.asarray(page) for page in ImageSequence.Iterator(Image.open("stack.tif"))], axis=0)
for name, picture, options in [
    ("float.tif", Image.fromarray(projection.astype(np.float32) / 65535), {"compression": "tiff_adobe_deflate"}),
    ("lines.tif", Image.fromarray(projection > 1000), {"compression": "group4"}),
    ("view.jp2", Image.fromarray((projection >> 4).clip(0, 255).astype(np.uint8)), {}),
]:
    picture.save(name, **options)
    back = Image.open(name)
    print(name, back.mode, back.size, np.array_equal(np.asarray(back), np.asarray(picture)))
