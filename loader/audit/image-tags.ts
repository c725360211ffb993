// Reads the img tags of a document and their attributes. Each byte is read as one character: positions are those of the
// record, and the relevant names are ASCII in every encoding except UTF-16.

import { contentModelOf } from '../scan/tokens/content-model.ts';
import { Tokenizer } from '../scan/tokens/tokenizer.ts';
import type { ImageTag, Loaded } from './subject.ts';

const wanted = new Set(['href', 'src', 'alt', 'width', 'height', 'style']);

/** Most tags that are read. */
const mostTags = 10_000;

export function imageTagsOf({ row, body }: Loaded, images: readonly Loaded[]): ImageTag[] {
  if (body === null) return [];
  const tags: ImageTag[] = [];
  const byOffset = new Map(
    images
      .filter((image) => image.row.initiator === row.url)
      .map((image) => [image.row.offset, image.row.url]),
  );
  let base = row.url;
  /** Number of open elements whose content is not shown. */
  let hidden = 0;
  const tokenizer = new Tokenizer(
    {
      onStartTag({ name, attributes, offset }) {
        if (name === 'noscript' || name === 'template') hidden++;
        else if (name === 'base')
          base = URL.parse(attributes.get('href') ?? '', base)?.href ?? base;
        else if (name === 'img' && hidden === 0 && tags.length < mostTags) {
          const src = attributes.get('src') ?? '';
          const named = src === '' ? null : (URL.parse(src, base)?.href ?? null);
          tags.push({
            url: byOffset.get(offset) ?? named,
            alt: attributes.get('alt') ?? '',
            hasSize: hasSize(attributes),
          });
        } else tokenizer.switchTo(contentModelOf(name));
      },
      onEndTag(name) {
        if (name === 'noscript' || name === 'template') hidden = Math.max(0, hidden - 1);
      },
    },
    { attributes: wanted },
  );
  tokenizer.write(body.toString('latin1'));
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
