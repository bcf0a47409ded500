/** Bytes that are not an image, or an image that contradicts itself or exceeds its bounds. */
export class ImageError extends Error {
  override name = "ImageError";
}
