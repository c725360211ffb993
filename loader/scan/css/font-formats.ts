// What format() and tech() may name in @font-face (CSS Fonts 4, 4.3) for Chromium 156 to take a source.

export const chromiumFormat: ReadonlySet<string> = new Set([
  ...['woff2', 'woff', 'truetype', 'opentype', 'collection'],
  ...['woff2', 'woff', 'truetype', 'opentype'].map((name) => `${name}-variations`),
]);

export const chromiumTech: ReadonlySet<string> = new Set([
  ...['variations', 'palettes', 'features-opentype', 'features-aat'],
  ...['color-colrv0', 'color-colrv1', 'color-sbix', 'color-cbdt'],
]);
