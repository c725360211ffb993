/** Types of audio and video that Chromium 156 perhaps plays (`canPlayType`, test/browser/images-and-media.test.ts). */
const types = new Set([
  ...['mp4', 'webm', 'ogg', 'x-matroska', 'x-m4v', '3gpp'].map((name) => `video/${name}`),
  ...['mpeg', 'mp3', 'x-mp3', 'ogg', 'wav', 'x-wav', 'webm', 'flac', 'aac', 'mp4', 'x-m4a'].map(
    (name) => `audio/${name}`,
  ),
  ...['ogg', 'x-mpegurl', 'vnd.apple.mpegurl'].map((name) => `application/${name}`),
]);

/** @param essence in lower case */
export const isMediaType = (essence: string): boolean => types.has(essence);
