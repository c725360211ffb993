// Properties whose URLs Chromium fetches, by name. The value is the property that a later declaration overrides, so
// that a shorthand resets its longhand.

export const imageProperties: ReadonlyMap<string, string> = new Map(
  Object.entries({
    background: 'background-image',
    'background-image': 'background-image',
    'border-image': 'border-image-source',
    'border-image-source': 'border-image-source',
    '-webkit-border-image': 'border-image-source',
    content: 'content',
    cursor: 'cursor',
    'list-style': 'list-style-image',
    'list-style-image': 'list-style-image',
    mask: 'mask-image',
    'mask-image': 'mask-image',
    '-webkit-mask': 'mask-image',
    '-webkit-mask-image': 'mask-image',
    '-webkit-mask-box-image': '-webkit-mask-box-image-source',
    '-webkit-mask-box-image-source': '-webkit-mask-box-image-source',
    '-webkit-box-reflect': '-webkit-box-reflect',
    'shape-outside': 'shape-outside',
    '-webkit-shape-outside': 'shape-outside',
    // Documents with the element that is meant.
    filter: 'filter',
    '-webkit-filter': 'filter',
    'backdrop-filter': 'backdrop-filter',
    'clip-path': 'clip-path',
    '-webkit-clip-path': 'clip-path',
    fill: 'fill',
    stroke: 'stroke',
    marker: 'marker-start',
    'marker-start': 'marker-start',
    'marker-mid': 'marker-mid',
    'marker-end': 'marker-end',
  }),
);

/** What decides about boxes and fonts, beside the shorthand `font`. */
export const decidingProperties: ReadonlySet<string> = new Set([
  'content-visibility',
  'display',
  'font-family',
  'font-weight',
  'font-style',
]);

/** What the shorthand sets (CSS Fonts 4, 2.7). */
export const setByFont = ['font-family', 'font-weight', 'font-style'];
