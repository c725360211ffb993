// Maps each property whose URLs Chromium fetches to the longhand that it sets, so that the last declaration of a
// shorthand or its longhand overrides the others.

const imageProperties = new Map(
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
const decidingProperties = new Set(
  'content-visibility display font-family font-weight font-style'.split(' '),
);

/** Longhands that the shorthand `font` sets (CSS Fonts 4, 2.7), as far as they are read. */
const setByFont = ['font-family', 'font-weight', 'font-style'];

/** The longhand whose URLs are fetched; undefined: the property has no such URLs. */
export const imageLonghandOf = (name: string): string | undefined =>
  name.startsWith('--') ? name : imageProperties.get(name);

/** The longhands of a property that matter. */
export function longhandsOf(name: string): readonly string[] {
  const image = imageLonghandOf(name);
  if (image !== undefined) return [image];
  if (name === 'font') return setByFont;
  return decidingProperties.has(name) ? [name] : [];
}
