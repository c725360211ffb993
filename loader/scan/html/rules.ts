// Which elements refer to resources, and in which attributes.

import { frame, media, mediaAttributes, track, trackAttributes } from './embedded.ts';
import type { ElementRule } from './found.ts';
import { background, imgAttributes, input, sourceAttributes, svgImage } from './images.ts';
import { linkAttributes } from './links.ts';
import { script, scriptAttributes, svgScript } from './scripts.ts';

const mediaElements = ['video', 'audio'];
const frames = ['iframe', 'frame', 'embed', 'object'];
const inTables = ['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'];
const withBackground = ['body', ...inTables];
const svgElements = ['image', 'feimage', 'use'];

const allOf = <Value>(names: readonly string[], value: Value): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, value]));

/** link, source and img depend on what is open around them (html-scanner.ts). */
export const htmlRules: Readonly<Record<string, ElementRule>> = {
  script,
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

/** Attributes that refer to something, say how, or are named by selectors. Those of any other name are not kept. */
export const wantedAttributes: ReadonlySet<string> = new Set([
  ...imgAttributes,
  ...linkAttributes,
  ...scriptAttributes,
  ...trackAttributes,
  ...sourceAttributes,
  ...mediaAttributes,
  ...`background charset class content data encoding http-equiv id name shadowrootmode srcdoc
    style xlink:href`.split(/\s+/),
  // Those of font, which ends foreign content by them (HTML 13.2.6.5).
  'color',
  'face',
  'size',
]);
