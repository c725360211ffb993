// Maps the properties that matter to the longhands that they set, so that the last declaration of a shorthand or its
// longhand overrides the others. These are the properties whose URLs Chromium fetches, and those that decide which
// boxes and fonts there are.

const longhands = new Map(
  Object.entries({
    'background background-image': 'background-image',
    'border-image border-image-source -webkit-border-image': 'border-image-source',
    content: 'content',
    cursor: 'cursor',
    'list-style list-style-image': 'list-style-image',
    'mask mask-image -webkit-mask -webkit-mask-image': 'mask-image',
    '-webkit-mask-box-image -webkit-mask-box-image-source': '-webkit-mask-box-image-source',
    '-webkit-box-reflect': '-webkit-box-reflect',
    'shape-outside -webkit-shape-outside': 'shape-outside',
    // The URLs of the following properties refer to an element of an SVG document.
    'filter -webkit-filter': 'filter',
    'backdrop-filter': 'backdrop-filter',
    'clip-path -webkit-clip-path': 'clip-path',
    fill: 'fill',
    stroke: 'stroke',
    'marker marker-start': 'marker-start',
    'marker-mid': 'marker-mid',
    'marker-end': 'marker-end',
    display: 'display',
    'content-visibility': 'content-visibility',
    'font-family': 'font-family',
    'font-weight': 'font-weight',
    'font-style': 'font-style',
    font: 'font-family font-weight font-style',
  }).flatMap(([names, set]) => names.split(' ').map((name) => [name, set.split(' ')] as const)),
);

/** Returns the longhands that a property sets, as far as they matter for URLs, boxes or fonts. */
export const longhandsOf = (name: string): readonly string[] =>
  name.startsWith('--') ? [name] : (longhands.get(name) ?? []);

export const hasImages = (longhand: string): boolean =>
  !/^(?:display|content-v|font-)/.test(longhand);
