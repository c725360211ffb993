// Which elements refer to resources, and in which attributes.

import { rawTextTags } from '../tokens/content-model.ts';
import { Wanted, type WantedTags } from '../tokens/wanted.ts';
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

const svgAttributes = ['href', 'xlink:href', 'crossorigin'];

const tags: WantedTags = {
  ...rawTextTags,
  body: ['background'],
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
  track: trackAttributes,
  ...allOf(mediaElements, mediaAttributes),
  ...allOf(frames, ['src', 'data', 'srcdoc', 'type', 'loading']),
};

const foreignTags: WantedTags = {
  ...tags,
  ...allOf(withBackground, ['background']),
  '*': [],
  script: [...scriptAttributes, ...svgAttributes],
  use: svgAttributes,
  feimage: svgAttributes,
  font: ['color', 'face', 'size'],
  'annotation-xml': ['encoding'],
};

/** What is wanted of a page. */
export interface WantedOfPage {
  readonly inHtml: Wanted;
  /** Each tag may end foreign content. */
  readonly inForeign: Wanted;
}

/** Where style does not matter. Hardly a cell of a table has a background. */
export const wantedWithoutStyle: WantedOfPage = {
  inHtml: new Wanted(tags, allOf(inTables, ['background'])),
  inForeign: new Wanted(foreignTags),
};

/** Of each tag what selectors name, and its style attribute. */
const withStyle = (wanted: WantedTags): WantedTags =>
  Object.fromEntries(
    Object.entries({ '*': [], ...wanted, style: ['type', 'media'] }).map(([name, attributes]) => [
      name,
      [...attributes, 'class', 'id', 'style'],
    ]),
  );

const tagsWithAttributes: WantedTags = Object.fromEntries(
  Object.entries({
    ...tags,
    style: ['type', 'media'],
    html: ['class', 'id'],
    body: ['class', 'id', 'background'],
  }).map(([name, attributes]) => [name, [...attributes, 'style']]),
);
const othersWithAttributes: WantedTags = {
  ...allOf(inTables, ['background', 'style']),
  '*': ['style'],
};
const foreignWithStyle = new Wanted(withStyle(foreignTags));

/**
 * Until the page has a style sheet: style attributes alone refer to something. Sheets may select by the root and body.
 */
export const wantedWithAttributes: WantedOfPage = {
  inHtml: new Wanted(tagsWithAttributes, othersWithAttributes),
  inForeign: foreignWithStyle,
};

/** Each tag may begin the body. */
export const wantedInHead: WantedOfPage = {
  inHtml: new Wanted({ ...tagsWithAttributes, ...othersWithAttributes }),
  inForeign: foreignWithStyle,
};

/** With style sheets: each element may match one of their selectors. */
export const wantedWithStyle: WantedOfPage = {
  inHtml: new Wanted(withStyle({ ...tags, ...allOf(withBackground, ['background']) })),
  inForeign: foreignWithStyle,
};
