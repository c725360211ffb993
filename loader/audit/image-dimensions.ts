// Finds images whose shape the markup does not give, so that the page is laid out again on arrival (HTML 4.8.4.3).

import { type Finding, findingOn, nothing } from './finding.ts';
import type { Subject } from './subject.ts';

export function imageDimensions({ load, loaded, imageTags }: Subject): Finding[] {
  const sizes = new Map(loaded.map(({ row }) => [row.url, row]));
  const without = imageTags.filter(({ hasSize }) => !hasSize);
  const items = [...new Set(without.map(({ url }) => url))].flatMap((url) => {
    const row = url === null ? undefined : sizes.get(url);
    if (url === null || row?.kind !== 'image' || row.mimeType === 'image/svg+xml') return [];
    const known =
      row.width === null ? 'size not known' : `add width=${row.width} height=${row.height}`;
    return [{ url, note: known, saves: nothing }];
  });
  const { htmlEndMs, sizesKnownMs } = load.timing;
  const waitMs = htmlEndMs === null || sizesKnownMs === null ? null : sizesKnownMs - htmlEndMs;
  const waited = waitMs === null ? '' : `; sizes were known ${waitMs.toFixed(0)} ms after the HTML`;
  return findingOn(items, {
    kind: 'image-dimensions',
    title: 'Images have no width and height',
    advice:
      'Give width and height in the tag, so that nothing moves when the image comes. CSS may still scale it.',
    how: `attributes and style of ${imageTags.length} img tags; CSS was not checked${waited}`,
    sure: 'likely',
    visit: 'first',
  });
}
