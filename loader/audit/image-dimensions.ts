// Finds images whose shape the markup does not give, so that the page is laid out anew when they come (HTML 4.8.4.3).

import { CharsetDecoder } from '../scan/charset.ts';
import { charsetParameter } from '../scan/text-decoder.ts';
import { Tokenizer } from '../scan/tokenizer.ts';
import { type Finding, findingOn, nothing } from './finding.ts';
import { answered, type ImageTag, type Loaded, type Subject } from './subject.ts';

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

/** Limit on the img tags of a document that are read. */
const mostTags = 10_000;

/** Reads the img tags of a document and their attributes. */
export function imageTagsOf({ row, body }: Loaded, images: readonly Loaded[]): ImageTag[] {
  if (body === null) return [];
  const tags: ImageTag[] = [];
  const byOffset = new Map(
    images
      .filter((image) => image.row.initiator === row.url)
      .map((image) => [image.row.offset, image.row.url]),
  );
  let base = row.url;
  /** Number of `template` elements around the current tag; what is in one is not shown. */
  let hidden = 0;
  const tokenizer = new Tokenizer({
    onStartTag({ name, attributes, offset }) {
      if (name === 'template') hidden++;
      else if (name === 'base') base = URL.parse(attributes.get('href') ?? '', base)?.href ?? base;
      else if (name === 'img' && hidden === 0 && tags.length < mostTags) {
        const src = attributes.get('src') ?? '';
        const named = src === '' ? null : (URL.parse(src, base)?.href ?? null);
        tags.push({
          url: byOffset.get(offset) ?? named,
          alt: attributes.get('alt') ?? '',
          hasSize: hasSize(attributes),
        });
      }
    },
    onEndTag(name) {
      if (name === 'template') hidden = Math.max(0, hidden - 1);
    },
  });
  const decoder = new CharsetDecoder(charsetParameter(answered(row, 'content-type')));
  tokenizer.write(decoder.write(body) + decoder.end());
  tokenizer.end();
  return tags;
}

/** Whether the tag has width and height, or a style that gives its shape (CSS Images 3, aspect-ratio). */
function hasSize(attributes: ReadonlyMap<string, string>): boolean {
  const style = attributes.get('style') ?? '';
  const has = (side: 'width' | 'height') =>
    /^\s*\d/.test(attributes.get(side) ?? '') || new RegExp(`(?:^|[;\\s])${side}\\s*:`).test(style);
  return (has('width') && has('height')) || /aspect-ratio\s*:/.test(style);
}
