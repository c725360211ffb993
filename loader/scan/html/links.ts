// Reads link (HTML 4.2.4, 4.6.7): style sheets, preloads, icons, the manifest; and meta refresh.

import { isImageType, selectImage } from '../images/selection.ts';
import type { Priority, ReferenceKind } from '../reference.ts';
import type { StartTag } from '../tokenizer.ts';
import {
  type ElementRule,
  essenceOf,
  type Found,
  found,
  nothing,
  type PageState,
  prioritised,
  wordsOf,
} from './found.ts';
import { another, lostCandidates } from './images.ts';
import { moduleCrossOrigin } from './scripts.ts';

export const link: ElementRule = (tag, page) => {
  const relations = new Set(wordsOf(tag.attributes.get('rel')));
  if (relations.has('stylesheet')) return sheet(tag, page, relations.has('alternate'));
  if (relations.has('preload')) return preload(tag, page);
  if (relations.has('modulepreload')) return modulePreload(tag);
  if (relations.has('preconnect')) return preconnect(tag);
  if (relations.has('icon')) return icon(tag, page);
  const isForHomeScreen = [...relations].some((name) => name.startsWith('apple-touch-icon'));
  if (isForHomeScreen || relations.has('manifest')) return appearance(tag, page, isForHomeScreen);
  return nothing;
};

function hrefOf({ attributes }: StartTag): string | null {
  const href = attributes.get('href');
  return href === undefined || href.trim() === '' ? null : href;
}

function sheet(tag: StartTag, page: PageState, isAlternate: boolean): readonly Found[] {
  const { attributes } = tag;
  const href = hrefOf(tag);
  if (href === null) return nothing;
  const one = (more: Partial<Found>) => [found('stylesheet', 'href', href, tag, more)];
  const type = essenceOf(attributes.get('type'));
  if (type !== '' && type !== 'text/css') return one({ skipped: `type ${type} is no style sheet` });
  if (attributes.has('disabled')) return one({ skipped: 'disabled' });
  // A sheet that does not apply, such as any alternate one, is fetched, but rendering does not wait for it (HTML
  // 4.6.7.20).
  const applies = isOfSet(tag, page, isAlternate) && page.matches(attributes.get('media') ?? '');
  const priority = sheetPriority(tag, applies);
  return one(applies ? { priority, isBlocking: true } : { priority, isLate: true });
}

/** Whether a style sheet's title leaves it on: no title, or that of the first sheet with a title (CSSOM 1, 6.2). */
export function isOfSet({ attributes }: StartTag, page: PageState, isAlternate = false): boolean {
  const title = attributes.get('title') ?? '';
  if (!isAlternate) page.sheetSet ||= title;
  return title === '' ? !isAlternate : title === page.sheetSet;
}

/** Returns the priority of a style sheet, with the effect that fetchpriority has in Chromium 156 (HTML 2.5.8). */
function sheetPriority({ attributes }: StartTag, applies: boolean): Priority {
  const wanted = attributes.get('fetchpriority')?.toLowerCase();
  if (applies) return wanted === 'low' ? 'high' : 'highest';
  return wanted === 'high' ? 'high' : 'lowest';
}

/** Kind of reference for each value of `as` (HTML 4.6.7.19) that Chromium fetches. */
const preloads: Record<string, ReferenceKind> = {
  fetch: 'fetch',
  font: 'font',
  image: 'image',
  script: 'script',
  style: 'stylesheet',
  track: 'track',
};

const priorities = { fetch: 'high', font: 'high', image: 'low', script: 'high' } as const;

function preload(tag: StartTag, page: PageState): readonly Found[] {
  const { attributes } = tag;
  const as = attributes.get('as')?.trim().toLowerCase() ?? '';
  const kind = Object.hasOwn(preloads, as) ? preloads[as] : undefined;
  const attribute = as === 'image' && attributes.has('imagesrcset') ? 'imagesrcset' : 'href';
  const source = {
    srcset: attribute === 'href' ? null : (attributes.get('imagesrcset') ?? null),
    sizes: attributes.get('imagesizes') ?? null,
    isLazy: false,
  };
  const written = selectImage(source, hrefOf(tag), page.settings.screen);
  if (written === null) return nothing;
  const one = (more: Partial<Found>) => [
    found(kind ?? 'fetch', attribute, written, tag, more),
    ...lostCandidates(source.srcset, [written, hrefOf(tag)], another, tag),
  ];
  if (kind === undefined) return one({ skipped: `as ${as || 'nothing'} is not preloaded` });
  const media = attributes.get('media') ?? '';
  if (!page.matches(media)) return one({ skipped: `media ${media} does not match` });
  if (!isSupported(as, essenceOf(attributes.get('type')))) {
    return one({ skipped: `type ${essenceOf(attributes.get('type'))} is not supported` });
  }
  if (kind === 'stylesheet') return one({ priority: sheetPriority(tag, true) });
  const usual = priorities[as as 'font'] ?? 'low';
  return one({ priority: prioritised(usual, tag) });
}

/** Whether Chromium fetches a preload of this type in markup, where it ignores the type of scripts and tracks. */
function isSupported(as: string, type: string): boolean {
  if (type === '') return true;
  switch (as) {
    case 'image':
      return isImageType(type);
    case 'style':
      return type === 'text/css';
    case 'font':
      return /^(?:font\/|application\/(?:x-)?font|application\/vnd\.ms-opentype$)/.test(type);
    default:
      return true;
  }
}

/** Implements rel=preconnect (HTML 4.6.7.18). */
function preconnect(tag: StartTag): readonly Found[] {
  const href = hrefOf(tag);
  return href === null ? nothing : [found('connection', 'href', href, tag, { priority: 'high' })];
}

/** Implements rel=modulepreload (HTML 4.6.7.11). */
function modulePreload(tag: StartTag): readonly Found[] {
  const href = hrefOf(tag);
  if (href === null) return nothing;
  const as = tag.attributes.get('as')?.trim().toLowerCase() ?? '';
  const one = (more: Partial<Found>) => [found('script', 'href', href, tag, more)];
  const isScript = /^(?:script|audioworklet|paintworklet|serviceworker|sharedworker|worker|)$/.test(
    as,
  );
  if (!isScript) return one({ skipped: `as ${as} is no module` });
  const crossOrigin = moduleCrossOrigin(tag);
  return one({ crossOrigin, isModule: true, priority: prioritised('high', tag) });
}

const notAskedFor = 'icons are not asked for';

/** Reads the link to an icon. If there are several icons, the scanner chooses one. */
function icon(tag: StartTag, { settings, matches }: PageState): readonly Found[] {
  const href = hrefOf(tag);
  if (href === null) return nothing;
  const media = tag.attributes.get('media') ?? '';
  const unfit = matches(media) ? null : `media ${media} does not match`;
  const skipped = settings.also.includes('icons') ? unfit : notAskedFor;
  return [found('icon', 'href', href, tag, skipped === null ? {} : { skipped })];
}

/** Reads links to the manifest and to icons for home screens (apple-touch-icon), of which a page shows nothing. */
function appearance(tag: StartTag, { settings }: PageState, isIcon: boolean): readonly Found[] {
  const href = hrefOf(tag);
  if (href === null) return nothing;
  const unfit = isIcon ? 'for home screens alone' : null;
  const skipped = settings.also.includes('icons') ? unfit : notAskedFor;
  const order = { priority: 'lowest', isLate: true } as const;
  const more = skipped === null ? order : { ...order, skipped };
  return [found(isIcon ? 'icon' : 'manifest', 'href', href, tag, more)];
}

const refreshContent =
  /^[\t\n\f\r ]*[\d.]*[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(?:url[\t\n\f\r ]*=)?[\t\n\f\r ]*(["']?)(.+?)\1[\t\n\f\r ]*$/is;

/**
 * Reads <meta http-equiv=refresh> (HTML 4.2.5.3). Its target is reported but not fetched, because it leaves the page.
 */
export function refresh(content: string, tag: StartTag): readonly Found[] {
  const target = /^[\t\n\f\r ]*[\d.]/.test(content)
    ? refreshContent.exec(content.slice(0, 4096))?.[2]
    : '';
  if (!target || /^[\d.]+$/.test(target)) return nothing;
  const more = { named: 'refresh', skipped: 'a refresh is not followed' };
  return [found('document', 'content', target, tag, more)];
}

export interface IconLink {
  found: Found;
  /** Name and offset of the link element. */
  place: Pick<StartTag, 'name' | 'offset'>;
  /** Value of the link's `sizes` attribute, as written. */
  sizes: string;
  /** Whether the icon is scalable to any size. */
  isVector: boolean;
}

/** Wanted width of an icon: icons are shown at 16 or 32 pixels, and a larger one is scaled down. */
const wantedPx = 32;
/** Limit on the icons of a page among which one is chosen; later ones are ignored. */
const most = 1_000;

/** The icon of a page that names no icon: /favicon.ico (HTML 4.6.7.8). */
const usual: IconLink = {
  found: { kind: 'icon', written: '/favicon.ico', named: 'default' },
  place: { name: 'icon', offset: 0 },
  sizes: '',
  isVector: false,
};

/**
 * Chooses from several icons the one that a browser shows in its tab (HTML 4.6.7.8). The standard leaves the choice
 * open; this is the choice of Chromium on a desktop, as far as it can be predicted before an icon is loaded.
 */
export class Icons {
  readonly #links: IconLink[] = [];

  add(link: IconLink): void {
    if (this.#links.length < most) this.#links.push(link);
  }

  /** Returns all icons: the one that is fetched comes first, the others have the reason why they are not. */
  choose(): IconLink[] {
    const [chosen = usual, ...others] = this.#links.toSorted((a, b) => rankOf(a) - rankOf(b));
    const skipped = 'another icon is taken';
    return [
      { ...chosen, found: { ...chosen.found, priority: 'lowest', isLate: true } },
      ...others.map((link) => ({ ...link, found: { ...link.found, skipped } })),
    ];
  }
}

/**
 * Returns the rank of an icon, lowest first: a scalable one, the smallest that is large enough, one without sizes, the
 * largest of the others.
 */
function rankOf({ sizes, isVector }: IconLink): number {
  if (isVector || /\bany\b/i.test(sizes)) return 0;
  const widths = [...sizes.matchAll(/(\d{1,5})x\d/gi)].map(([, width]) => Number(width));
  const enough = widths.filter((width) => width >= wantedPx);
  if (enough.length > 0) return Math.min(...enough);
  return widths.length === 0 ? 1e6 : 1e6 + wantedPx - Math.max(...widths);
}
