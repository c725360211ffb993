// Maps each property whose URLs Chromium fetches to the longhand that it sets, so that the last declaration of a
// shorthand or its longhand overrides the others.

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
    // The URLs of the following properties refer to an element of an SVG document.
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

/** Properties that decide which boxes and fonts there are, besides the shorthand `font`. */
export const decidingProperties: ReadonlySet<string> = new Set([
  'content-visibility',
  'display',
  'font-family',
  'font-weight',
  'font-style',
]);

/** Longhands that the shorthand `font` sets (CSS Fonts 4, 2.7), as far as they are read. */
export const setByFont = ['font-family', 'font-weight', 'font-style'];
