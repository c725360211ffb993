// What the scanner finds in a tag: resources to fetch, and resources that a browser does not fetch.

import type { SheetPlace } from '../css/sheet-order.ts';
import type { Priority, Reference, ReferenceKind } from '../reference.ts';
import { referrerPolicyOf } from '../referrer-policy.ts';
import type { Screen } from '../style/environment.ts';
import type { StartTag } from '../tokenizer.ts';

/** Settings that decide which of the resources that a page refers to are fetched. */
export interface ScanSettings {
  /** The screen that the page is laid out for. */
  screen: Screen;
  /** Whether the screen is a phone's, so that `<meta name=viewport>` decides how wide the page is laid out. */
  mobile: boolean;
  /** The kinds of references to report besides those that every page needs. */
  also: readonly Extra[];
}

/**
 * What to report on request: icon of the tab and manifest; audio, video and subtitles; documents of frames and objects.
 */
export type Extra = 'icons' | 'media' | 'frames';

/** Returns the settings for the document of a frame, which has no icon and no viewport of its own. */
export const forFrame = (settings: ScanSettings): ScanSettings => ({
  ...settings,
  mobile: false,
  also: settings.also.filter((each) => each !== 'icons'),
});

/** A reference as it is written, before its URL is resolved. */
export interface Found
  extends Omit<
    Reference,
    'url' | 'initiator' | 'from' | 'offset' | 'isBlocking' | 'isLate' | 'priority'
  > {
  written: string;
  /** The place within the element that names the resource: an attribute, a property, or a statement. */
  named: string;
  /** Whether `written` is a module specifier, not a URL. */
  isSpecifier?: true;
  /** Reason why a browser does not fetch the resource; absent: it is fetched. */
  skipped?: string;
  nonce?: string;
  /** The place of the found style sheet in the cascade, if another sheet imports it. */
  imported?: SheetPlace;
  /** Further sources of a font, which a browser fetches in this order, each if the one before it fails. */
  others?: readonly string[];
  /** Whether an object or embed element names the resource. */
  isObject?: true;
  priority?: Priority;
  isBlocking?: boolean;
  isLate?: boolean;
}

/** What the imports of a module script inherit from it (HTML 8.1.4.1, "descendant script fetch options"). */
export type ModuleFetch = Pick<Found, 'nonce' | 'crossOrigin'>;

/** What the functions that read one element (`ElementRule`) need to know about its page. */
export interface PageState {
  readonly settings: ScanSettings;
  /** Number of images of the page before the tag that is read. */
  readonly images: number;
  /** Title of the style sheets that apply, besides sheets without a title; '': no sheet so far has a title. */
  sheetSet: string;
  /** Whether a media query list matches the page's screen. */
  matches(media: string): boolean;
}

export type ElementRule = (tag: StartTag, page: PageState) => readonly Found[];

export const nothing: readonly Found[] = [];

/** Makes a reference of a tag's attribute. @param written URL as written; a blank one refers to no resource (HTML
 *  4.8.4.3), and the scanner drops the reference */
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

/** Makes the reference to report of one found in a tag or sheet. @param url Its resolved, absolute URL. */
export function referenceTo(
  url: string,
  found: Found,
  place: Pick<Reference, 'initiator' | 'from' | 'offset'>,
): Reference {
  const reference: Reference = {
    url,
    kind: found.kind,
    initiator: place.initiator,
    from: place.from,
    offset: place.offset,
    priority: found.priority ?? 'low',
    isBlocking: found.isBlocking ?? false,
    isLate: found.isLate ?? false,
  };
  if (found.attribute !== undefined) reference.attribute = found.attribute;
  if (found.crossOrigin !== undefined) reference.crossOrigin = found.crossOrigin;
  if (found.referrerPolicy !== undefined) reference.referrerPolicy = found.referrerPolicy;
  if (found.integrity !== undefined) reference.integrity = found.integrity;
  if (found.shownSize !== undefined) reference.shownSize = found.shownSize;
  if (found.isModule !== undefined) reference.isModule = found.isModule;
  const why = found.why ?? whyOf(reference);
  if (why !== undefined) reference.why = why;
  return reference;
}

function whyOf({ kind, isBlocking, isLate }: Reference): string | undefined {
  if (isBlocking) return kind === 'script' ? 'blocks parsing' : 'blocks rendering';
  return isLate ? 'fetched last' : undefined;
}

/** Returns the words of a space-separated attribute, in lower case. */
export function wordsOf(text: string | undefined): string[] {
  return (text ?? '')
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter((word) => word !== '');
}

/** Returns the essence of a MIME type, `image/png` for `Image/PNG; q=1`; '': no type is given. */
export function essenceOf(type: string | undefined): string {
  return (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Returns the CORS mode of a crossorigin attribute: anonymous for an unknown value (HTML 2.5.6), null without one. */
export function crossOriginOf(value: string | undefined): 'anonymous' | 'use-credentials' | null {
  if (value === undefined) return null;
  return value.toLowerCase() === 'use-credentials' ? 'use-credentials' : 'anonymous';
}

/** Returns the usual priority unless fetchpriority raises or lowers it (HTML 2.5.8), as in Chromium. */
export function prioritised(usual: Priority, tag: StartTag): Priority {
  const wanted = tag.attributes.get('fetchpriority')?.toLowerCase();
  if (wanted === 'high') return 'high';
  return wanted === 'low' ? 'low' : usual;
}
