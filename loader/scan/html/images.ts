// Reads images: img with its picture, input, the background attribute, and the images of SVG.

import { isImageType, selectImage } from '../images/selection.ts';
import { parseSrcset } from '../images/srcset.ts';
import type { StartTag } from '../tokenizer.ts';
import {
  type ElementRule,
  essenceOf,
  type Found,
  found,
  nothing,
  type PageState,
  prioritised,
} from './found.ts';
import { svgHref } from './scripts.ts';

export const another = 'another candidate is taken';

/** A picture element that is open: the img in it uses the first source before it that suits (HTML 4.8.4.3.7). */
export class OpenPicture {
  /** URL of the source that the img of the picture uses instead of its own; null: no source suits. */
  chosen: string | null = null;

  /** Reads a source element of the picture. */
  source(tag: StartTag, { settings, matches }: PageState): readonly Found[] {
    const { attributes } = tag;
    const srcset = attributes.get('srcset');
    if (srcset === undefined) return nothing;
    const sizes = attributes.get('sizes') ?? null;
    const source = { srcset, sizes, isLazy: false };
    const written = selectImage(source, null, settings.screen);
    if (written === null) return nothing;
    const skipped = this.#whyNot(attributes, matches);
    if (skipped !== null) return lostCandidates(srcset, [], skipped, tag);
    this.chosen = written;
    return lostCandidates(srcset, [written], another, tag);
  }

  /** Returns why a source element of the picture is not used for its image; null: it is used. */
  #whyNot(attributes: StartTag['attributes'], matches: PageState['matches']): string | null {
    if (this.chosen !== null) return 'an earlier source is taken';
    const media = attributes.get('media') ?? '';
    if (!matches(media)) return `media ${media} does not match`;
    const type = essenceOf(attributes.get('type'));
    if (type !== '' && !isImageType(type)) return `type ${type} is not supported`;
    return null;
  }
}

/** Reads an img element. @param picture The picture that contains it; null if none does. */
export function img(tag: StartTag, page: PageState, picture: OpenPicture | null): readonly Found[] {
  const { attributes } = tag;
  const src = attributes.get('src') ?? null;
  const srcset = attributes.get('srcset') ?? null;
  const isLazy = attributes.get('loading')?.toLowerCase() === 'lazy';
  const source = { srcset, sizes: attributes.get('sizes') ?? null, isLazy };
  const own = selectImage(source, src, page.settings.screen);
  const chosen = picture?.chosen ?? own;
  const ofSource = picture?.chosen != null;
  const taken = own === src && !ofSource ? 'src' : 'srcset';
  const others: Found[] = [];
  if (src !== null && src.trim() !== '' && src !== chosen) {
    const winner = ofSource ? 'a source of its picture' : 'srcset';
    others.push(found('image', 'src', src, tag, { skipped: `${winner} is taken` }));
  }
  const skipped = ofSource ? 'a source of its picture is taken' : another;
  others.push(...lostCandidates(srcset, [chosen, src], skipped, tag));
  if (chosen === null || chosen.trim() === '') return others;
  const deferred = whyDeferred(tag, page);
  const usual = page.images < mostMedium ? 'medium' : 'low';
  const [width, height] = [attributes.get('width') ?? '', attributes.get('height') ?? ''];
  const isSized = pixels.test(width) && pixels.test(height);
  return [
    ...others,
    found('image', taken, chosen, tag, {
      ...(ofSource && { named: 'source srcset' }),
      ...(deferred !== null && { skipped: deferred }),
      ...(isSized && { shownSize: { width: Number(width), height: Number(height) } }),
      priority: prioritised(usual, tag),
    }),
  ];
}

const pixels = /^\d{1,5}$/;

/** Number of images at the start of a page whose priority Chromium raises. */
const mostMedium = 5;

/**
 * Number of images at the start of a page that are fetched even if they are lazy. Chromium loads lazy images up to
 * 1,250 pixels below the view. Without a layout their positions are unknown, but on most pages at least this many are
 * within that distance.
 */
const mostNear = 8;

/** Returns why an image or a frame waits until it is near the view; null: it does not wait. */
export function whyDeferred({ attributes }: StartTag, page: PageState): string | null {
  const isLazy = attributes.get('loading')?.toLowerCase() === 'lazy';
  return !isLazy || page.images < mostNear ? null : 'loading=lazy, below the first view';
}

export const input: ElementRule = (tag) => {
  const src = tag.attributes.get('src') ?? '';
  if (tag.attributes.get('type')?.trim().toLowerCase() !== 'image') return nothing;
  return [found('image', 'src', src, tag, { priority: 'low' })];
};

/** Reads the background attribute of body and of the parts of tables (HTML 15.3.3). */
export const background: ElementRule = (tag) => {
  const written = tag.attributes.get('background') ?? '';
  return [found('image', 'background', written, tag, { priority: 'low' })];
};

/** Reads the elements image, feImage and use of SVG. */
export const svgImage: ElementRule = (tag) => {
  const attribute = svgHref(tag);
  const written = attribute === null ? '' : (tag.attributes.get(attribute) ?? '');
  if (attribute === null || written.trim().startsWith('#')) return nothing;
  return [found('image', attribute, written, tag, { priority: 'low' })];
};

/**
 * Returns the candidates of a srcset or imagesrcset as references that are not fetched, for the reason `skipped`.
 * @param but URLs to leave out, because they are reported elsewhere
 */
export function lostCandidates(
  srcset: string | null,
  but: ReadonlyArray<string | null>,
  skipped: string,
  tag: StartTag,
): readonly Found[] {
  if (srcset === null) return nothing;
  const urls = new Set(parseSrcset(srcset).map(({ url }) => url));
  const attribute = tag.name === 'link' ? 'imagesrcset' : 'srcset';
  return [...urls]
    .filter((url) => !but.includes(url))
    .map((url) => found('image', attribute, url, tag, { skipped }));
}
