// Maps elements to the rules for their references, and lists the attributes that the rules need.

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

/** link, source and img depend on the open elements around them (html-scanner.ts). */
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

/** Attributes that refer to a resource, say how to fetch it, or are used by selectors. No others are kept. */
export const wantedAttributes: ReadonlySet<string> = new Set([
  ...imgAttributes,
  ...linkAttributes,
  ...scriptAttributes,
  ...trackAttributes,
  ...sourceAttributes,
  ...mediaAttributes,
  ...`background charset class content data encoding http-equiv id name shadowrootmode srcdoc
    style xlink:href`.split(/\s+/),
  // These attributes of font end foreign content (HTML 13.2.6.5).
  'color',
  'face',
  'size',
]);
