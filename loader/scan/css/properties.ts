// The properties whose URLs Chromium fetches, and those that decide which boxes and fonts there are. Of a shorthand the
// longhand with the image counts, so that the last declaration of either overrides the others.

const images = new Set(
  (
    'background-image border-image-source content cursor list-style-image mask-image mask-box-image-source box-reflect ' +
    // The URLs of the following properties, except shape-outside, refer to an element of an SVG document.
    'shape-outside filter backdrop-filter clip-path fill stroke marker-start marker-mid marker-end'
  ).split(' '),
);
const others = new Set('display content-visibility font-family font-weight font-style'.split(' '));
const longhands = new Map(
  Object.entries({
    background: 'background-image',
    'border-image': 'border-image-source',
    'list-style': 'list-style-image',
    marker: 'marker-start',
    mask: 'mask-image',
    'mask-box-image': 'mask-box-image-source',
    font: 'font-family font-weight font-style',
  }),
);

/** Returns the longhands that a property sets, as far as they matter for URLs, boxes or fonts. */
export function longhandsOf(written: string): readonly string[] {
  if (written.startsWith('--')) return [written];
  const name = written.replace(/^-webkit-/, '');
  return longhands.get(name)?.split(' ') ?? (images.has(name) || others.has(name) ? [name] : []);
}

export const hasImages = (longhand: string): boolean => !others.has(longhand);
