/** Types of image sources that Chromium 156 supports (test/browser/images-and-media.test.ts). */
const types = new Set(
  `apng avif bmp gif jpeg jpg jxl pjpeg png svg+xml vnd.microsoft.icon webp
    x-icon x-png x-xbitmap`
    .split(/\s+/)
    .map((name) => `image/${name}`),
);

/** @param essence Essence of a MIME type, in lower case. */
export const isImageType = (essence: string): boolean => types.has(essence);
