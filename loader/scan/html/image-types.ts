/** Image types that Chromium decodes. */
const types = new Set(
  [
    'apng',
    'avif',
    'bmp',
    'gif',
    'jpeg',
    'jpg',
    'pjpeg',
    'png',
    'svg+xml',
    'vnd.microsoft.icon',
    'webp',
  ].map((name) => `image/${name}`),
);

/** @param essence in lower case */
export const isImageType = (essence: string): boolean =>
  types.has(essence) || essence === 'image/x-icon' || essence === 'image/x-png';
