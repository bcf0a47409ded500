/** Bytes that are no image, or one that contradicts itself or its bounds. */
export class ImageError extends Error {
  override name = "ImageError";
}
