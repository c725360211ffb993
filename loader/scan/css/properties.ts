// Maps each property whose URLs Chromium fetches to the longhand that it sets, so that the last declaration of a
// shorthand or its longhand overrides the others.

/** Each longhand, and before it what else sets it. The URLs of the last line refer to an element of an SVG document. */
const imageProperties = new Map(
  `background background-image, border-image -webkit-border-image border-image-source, content, cursor,
  list-style list-style-image, mask -webkit-mask -webkit-mask-image mask-image,
  -webkit-mask-box-image -webkit-mask-box-image-source, -webkit-box-reflect, -webkit-shape-outside shape-outside,
  -webkit-filter filter, backdrop-filter, -webkit-clip-path clip-path, fill, stroke, marker marker-start, marker-mid, marker-end`
    .split(/,\s+/)
    .map((names) => names.split(' '))
    .flatMap((names) => names.map((name): [string, string] => [name, names.at(-1) ?? name])),
);

/** Properties that decide which boxes and fonts there are, besides the shorthand `font`. */
const decidingProperties = new Set('display font-family font-weight font-style'.split(' '));

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
