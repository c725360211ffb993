// What the rules of elements say about a tag: resources to fetch, and those that a browser leaves alone.

import type { SheetImport } from '../css/sheet-order.ts';
import type { Priority, Reference, ReferenceKind } from '../reference.ts';
import { referrerPolicyOf } from '../referrer-policy.ts';
import type { Screen } from '../style/environment.ts';
import type { StartTag } from '../tokens/tokenizer.ts';

/** Which references of a page count, beside those that every browser fetches. */
export interface ScanSettings {
  /** That the page is laid out for. */
  screen: Screen;
  /** The screen is a phone's: the page says how wide it is laid out. */
  mobile: boolean;
  /** noscript is then shown by nobody. */
  scripting: boolean;
  /** loading=lazy: those that the first view probably shows, or all, or none. */
  lazyImages: 'near' | 'all' | 'none';
  /** Icons and the manifest. */
  icons: boolean;
  /** Audio, video and subtitles. */
  media: boolean;
  /** Documents in frames, objects and embeds. */
  frames: boolean;
  /** Images and fonts of style: those that an element of the page surely uses, or all, or none. */
  styleResources: 'sure' | 'all' | 'none';
  /** Somebody asks what is not fetched, and why. */
  explains: boolean;
}

/** A reference as written. */
export interface Found
  extends Omit<
    Reference,
    'url' | 'initiator' | 'from' | 'offset' | 'isBlocking' | 'isLate' | 'priority'
  > {
  written: string;
  /** What names it in its element: an attribute, a property, a statement. */
  named: string;
  /** `written` is a module specifier. */
  isSpecifier?: true;
  /** Why a browser does not fetch it; absent: it does. */
  skipped?: string;
  nonce?: string;
  /** Of a sheet that another one imports. */
  imported?: SheetImport;
  /** Of a font: what a browser fetches instead, in this order, if it fails. */
  others?: readonly string[];
  /** Of object or embed. */
  isObject?: true;
  priority?: Priority;
  isBlocking?: boolean;
  isLate?: boolean;
}

/** What the imports of a module script have of it (HTML 8.1.4.1, "descendant script fetch options"). */
export type ModuleFetch = Pick<Found, 'nonce' | 'crossOrigin'>;

/** What the rules need to know of the page around a tag. */
export interface PageState {
  readonly settings: ScanSettings;
  /** Number of images that come before. */
  readonly images: number;
  /** Whether a media query list matches its screen. */
  matches(media: string): boolean;
}

export type ElementRule = (tag: StartTag, page: PageState) => readonly Found[];

export const nothing: readonly Found[] = [];

export function found(
  kind: ReferenceKind,
  attribute: string,
  written: string,
  { attributes }: StartTag,
  more: Partial<Found> = {},
): Found {
  const result: Found = { kind, written, named: attribute, attribute };
  const crossOrigin = crossOriginOf(attributes.get('crossorigin'));
  if (crossOrigin !== null) result.crossOrigin = crossOrigin;
  const policy = attributes.get('referrerpolicy');
  const referrerPolicy = policy === undefined ? null : referrerPolicyOf(policy);
  if (referrerPolicy !== null) result.referrerPolicy = referrerPolicy;
  const integrity = attributes.get('integrity');
  if (integrity !== undefined && integrity !== '') result.integrity = integrity;
  const nonce = attributes.get('nonce');
  if (nonce !== undefined) result.nonce = nonce;
  return Object.assign(result, more);
}

/** @param url that was found, absolute */
export function referenceTo(
  url: string,
  found: Found,
  place: Pick<Reference, 'initiator' | 'from' | 'offset'>,
): Reference {
  const { kind, priority = 'low', isBlocking = false, isLate = false } = found;
  const { initiator, from, offset } = place;
  const reference: Reference = { url, kind, initiator, from, offset, priority, isBlocking, isLate };
  const why = found.why ?? whyOf(reference);
  if (found.attribute !== undefined) reference.attribute = found.attribute;
  if (why !== undefined) reference.why = why;
  if (found.crossOrigin !== undefined) reference.crossOrigin = found.crossOrigin;
  if (found.referrerPolicy !== undefined) reference.referrerPolicy = found.referrerPolicy;
  if (found.integrity !== undefined) reference.integrity = found.integrity;
  if (found.shownSize !== undefined) reference.shownSize = found.shownSize;
  if (found.isModule !== undefined) reference.isModule = found.isModule;
  return reference;
}

function whyOf({ kind, isBlocking, isLate }: Reference): string | undefined {
  if (isBlocking) return kind === 'script' ? 'blocks parsing' : 'blocks rendering';
  return isLate ? 'fetched last' : undefined;
}

/** Words of a space-separated attribute, in lower case. */
export function wordsOf(text: string | undefined): string[] {
  return (text ?? '')
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter((word) => word !== '');
}

/** The essence of a MIME type, `image/png` of `Image/PNG; q=1`; '': none is said. */
export function essenceOf(type: string | undefined): string {
  return (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** An unknown value means anonymous (HTML 2.5.6). null: no CORS. */
export function crossOriginOf(value: string | undefined): 'anonymous' | 'use-credentials' | null {
  if (value === undefined) return null;
  return value.toLowerCase() === 'use-credentials' ? 'use-credentials' : 'anonymous';
}

/** With fetchpriority, one step up or down (HTML 2.5.8), as Chromium does. */
export function prioritised(usual: Priority, tag: StartTag): Priority {
  const wanted = tag.attributes.get('fetchpriority')?.toLowerCase();
  if (wanted === 'high') return 'high';
  return wanted === 'low' ? 'low' : usual;
}
