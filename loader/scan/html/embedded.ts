// Reads audio and video with their sources and subtitles, and the frames that contain documents.

import type { StartTag } from '../tokenizer.ts';
import {
  type ElementRule,
  essenceOf,
  type Found,
  found,
  nothing,
  type PageState,
  type ScanSettings,
} from './found.ts';
import { whyDeferred } from './images.ts';

/** Reads a video or audio element (HTML 4.8.11.5). */
export const media: ElementRule = (tag, { settings }) => {
  const { name, attributes } = tag;
  const poster = name === 'video' ? (attributes.get('poster') ?? '') : '';
  return [
    found('image', 'poster', poster, tag, { priority: 'low' }),
    mediaFound('media', attributes.get('src') ?? '', tag, whyNoMedia(settings, tag)),
  ];
};

/** A video or audio without src whose content is being read; it uses its first suitable source (HTML 4.8.11.5). */
export class MediaSources {
  readonly #element: StartTag;
  #isTaken = false;

  constructor(element: StartTag) {
    this.#element = element;
  }

  source(tag: StartTag, { settings, matches }: PageState): readonly Found[] {
    const src = tag.attributes.get('src');
    if (src === undefined || src.trim() === '') return nothing;
    const unfit = this.#isTaken ? 'an earlier source is taken' : whyUnfit(tag, matches);
    if (unfit === null) this.#isTaken = true;
    return [mediaFound('media', src, tag, unfit ?? whyNoMedia(settings, this.#element))];
  }
}

function whyUnfit({ attributes }: StartTag, matches: PageState['matches']): string | null {
  const type = essenceOf(attributes.get('type'));
  if (type !== '' && !isMediaType(type)) return `type ${type} is not supported`;
  const media = attributes.get('media') ?? '';
  return matches(media) ? null : `media ${media} does not match`;
}

export const track: ElementRule = (tag, { settings }) => {
  const src = tag.attributes.get('src');
  // Only the default track is shown unless the user asks for one (HTML 4.8.11.11.3).
  if (src === undefined || !tag.attributes.has('default')) return nothing;
  return [mediaFound('track', src, tag, settings.also.includes('media') ? null : notAskedFor)];
};

const notAskedFor = 'media are not asked for';

/** Returns why a browser does not fetch the media of a video or audio element; null: it fetches them. */
function whyNoMedia(settings: ScanSettings, { attributes }: StartTag): string | null {
  if (!settings.also.includes('media')) return notAskedFor;
  const waits = attributes.get('preload')?.toLowerCase() === 'none' && !attributes.has('autoplay');
  return waits ? 'preload=none' : null;
}

const mediaFound = (
  kind: 'media' | 'track',
  src: string,
  tag: StartTag,
  skipped: string | null,
): Found => found(kind, 'src', src, tag, { priority: 'low', ...(skipped !== null && { skipped }) });

export const frame: ElementRule = (tag, page) => {
  const { settings } = page;
  const attribute = tag.name === 'object' ? 'data' : 'src';
  const written = tag.attributes.get(attribute) ?? '';
  if (tag.name === 'iframe' && tag.attributes.has('srcdoc')) {
    return [found('document', attribute, written, tag, { skipped: 'srcdoc is taken' })];
  }
  const skipped = settings.also.includes('frames')
    ? whyDeferred(tag, page)
    : 'frames are not asked for';
  return [
    found('document', attribute, written, tag, {
      ...(skipped !== null && { skipped }),
      ...(/^(?:object|embed)$/.test(tag.name) && { isObject: true }),
      priority: 'low',
    }),
  ];
};

/** Types of audio and video that Chromium 156 may play (`canPlayType`, test/browser/images-and-media.test.ts). */
const mediaTypes = new Set([
  ...['mp4', 'webm', 'ogg', 'x-matroska', 'x-m4v', '3gpp'].map((name) => `video/${name}`),
  ...['mpeg', 'mp3', 'x-mp3', 'ogg', 'wav', 'x-wav', 'webm', 'flac', 'aac', 'mp4', 'x-m4a'].map(
    (name) => `audio/${name}`,
  ),
  ...['ogg', 'x-mpegurl', 'vnd.apple.mpegurl'].map((name) => `application/${name}`),
]);

/** Whether Chromium 156 may play media of a type. @param essence Essence of a MIME type, in lower case. */
export const isMediaType = (essence: string): boolean => mediaTypes.has(essence);
