import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

picture = Image.new("L", (120, 80))
draw = ImageDraw.Draw(picture)
draw.ellipse((10, 10, 40, 40), fill=255)
draw.rectangle((60, 20, 100, 60), fill=180)
draw.ellipse((20, 55, 30, 65), fill=120)
pixels = np.asarray(picture, dtype=float)
blurred = ndimage.gaussian_filter(pixels, 2)
print(blurred.mean().round(4), blurred[25, 10].round(4))
edges = np.hypot(ndimage.sobel(pixels, 0), ndimage.sobel(pixels, 1))
print((edges > 100).sum())
labels, count = ndimage.label(pixels > 50)
print(count, ndimage.sum_labels(pixels > 0, labels, [1, 2, 3]))
print([tuple(round(float(value), 2) for value in centre) for centre in ndimage.center_of_mass(pixels, labels, [1, 2, 3])])
print(ndimage.find_objects(labels)[0])
print(ndimage.binary_erosion(pixels > 0, iterations=3).sum(), ndimage.binary_dilation(pixels > 0).sum())
print(ndimage.distance_transform_edt(pixels > 0).max().round(4))
print(ndimage.median_filter(pixels, 5).sum(), ndimage.uniform_filter(pixels, 3).sum().round(3))
print(ndimage.rotate(pixels, 30, reshape=False).shape, ndimage.zoom(pixels, 0.5).shape, ndimage.shift(pixels, (3, -2))[30, 20])
print(ndimage.convolve(np.eye(3), np.ones((3, 3))).tolist())
