// Which elements refer to resources, and in which attributes.

import { rawTextTags } from '../tokens/content-model.ts';
import type { StartTag } from '../tokens/tokenizer.ts';
import { Wanted, type WantedTags } from '../tokens/wanted.ts';
import { frame, media, mediaAttributes, preloadsNothing } from './embedded.ts';
import { type ElementRule, type Found, found, nothing, type PageState } from './found.ts';
import { background, imgAttributes, input, sourceAttributes, svgImage } from './images.ts';
import { link, linkAttributes } from './links.ts';
import { script, scriptAttributes, svgScript } from './scripts.ts';

const mediaElements = ['video', 'audio'];
const frames = ['iframe', 'frame', 'embed', 'object'];
const withBackground = ['body', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'];
const svgElements = ['image', 'feimage', 'use'];

const allOf = <Value>(names: readonly string[], value: Value): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, value]));

/** source and img depend on what is open around them (html-scanner.ts). */
export const htmlRules: Readonly<Record<string, ElementRule>> = {
  script,
  link,
  input,
  track,
  ...allOf(mediaElements, media),
  ...allOf(frames, frame),
  ...allOf(withBackground, background),
};

export const svgRules: Readonly<Record<string, ElementRule>> = {
  script: svgScript,
  ...allOf(svgElements, svgImage),
};

function track(tag: StartTag, { settings }: PageState): readonly Found[] {
  const src = tag.attributes.get('src');
  // Only the default one is shown without being asked for (HTML 4.8.11.11.3).
  if (src === undefined || !tag.attributes.has('default')) return nothing;
  const skipped = settings.media ? {} : { skipped: 'media are not asked for' };
  return [found('track', 'src', src, tag, { ...skipped, priority: 'low' })];
}

/** The first source of a video or audio without src. */
export function mediaSource(
  tag: StartTag,
  around: StartTag,
  { settings }: PageState,
): readonly Found[] {
  const src = tag.attributes.get('src');
  if (src === undefined) return nothing;
  const why = !settings.media
    ? 'media are not asked for'
    : preloadsNothing(around.attributes)
      ? 'preload=none'
      : null;
  return [found('media', 'src', src, tag, why === null ? { priority: 'low' } : { skipped: why })];
}

const svgAttributes = ['href', 'xlink:href', 'crossorigin'];

const tags: WantedTags = {
  ...rawTextTags,
  base: ['href'],
  meta: ['name', 'content', 'http-equiv'],
  noscript: [],
  template: ['shadowrootmode'],
  svg: [],
  math: [],
  picture: [],
  source: [...sourceAttributes],
  img: imgAttributes,
  image: [...imgAttributes, ...svgAttributes],
  input: ['type', 'src'],
  link: linkAttributes,
  script: scriptAttributes,
  track: ['src', 'default'],
  ...allOf(mediaElements, mediaAttributes),
  ...allOf(frames, ['src', 'data', 'srcdoc', 'type', 'loading']),
  ...allOf(withBackground, ['background']),
};

/** What is wanted outside of foreign content, */
export const inHtml = new Wanted(tags);

/** and inside, where each tag may end it. */
export const inForeign = new Wanted({
  ...tags,
  '*': [],
  script: [...scriptAttributes, ...svgAttributes],
  use: svgAttributes,
  feimage: svgAttributes,
  font: ['color', 'face', 'size'],
  'annotation-xml': ['encoding'],
});
