// Audio and video with their subtitles, and documents in frames.

import { type ElementRule, type Found, found, nothing } from './found.ts';

export const mediaAttributes = [
  'src',
  'preload',
  'autoplay',
  'poster',
  'crossorigin',
  'type',
  'kind',
  'default',
];

/** video and audio (HTML 4.8.11.5). */
export const media: ElementRule = (tag, { settings }) => {
  const { attributes } = tag;
  const results: Found[] = [];
  const poster = attributes.get('poster');
  if (tag.name === 'video' && poster !== undefined && poster.trim() !== '') {
    results.push(found('image', 'poster', poster, tag, { priority: 'low' }));
  }
  const src = attributes.get('src');
  if (src !== undefined && src.trim() !== '') {
    const why = !settings.media
      ? 'media are not asked for'
      : preloadsNothing(attributes)
        ? 'preload=none'
        : null;
    results.push(
      found('media', 'src', src, tag, why === null ? { priority: 'low' } : { skipped: why }),
    );
  }
  return results;
};

export const preloadsNothing = (attributes: ReadonlyMap<string, string>): boolean =>
  attributes.get('preload')?.toLowerCase() === 'none' && !attributes.has('autoplay');

export const frame: ElementRule = (tag, { settings }) => {
  const attribute = tag.name === 'object' ? 'data' : 'src';
  const written = tag.attributes.get(attribute);
  if (written === undefined || written.trim() === '') return nothing;
  if (tag.name === 'iframe' && tag.attributes.has('srcdoc')) {
    return [found('document', attribute, written, tag, { skipped: 'srcdoc is taken' })];
  }
  const skipped = settings.frames ? {} : { skipped: 'frames are not asked for' };
  return [found('document', attribute, written, tag, { ...skipped, priority: 'low' })];
};
