// Links of a header section (RFC 8288) that a browser fetches for the page: they mean the same as a link element with
// the same parameters (HTML 4.6.7.19).

import { type Reference, resolveReference } from '../reference.ts';
import type { Screen } from '../style/environment.ts';
import { matchesMedia } from '../style/media-query.ts';
import { type PageState, referenceTo } from './found.ts';
import { link } from './links.ts';
import { isJavaScript } from './scripts.ts';

/** A parsed link of a Link header. */
export interface HeaderLink {
  /** Absolute URL of the linked resource. */
  url: string;
  rels: readonly string[];
  params: ReadonlyMap<string, string>;
}

const acted = new Set(['preload', 'modulepreload', 'preconnect']);

const pageOf = (screen: Screen): PageState => ({
  settings: { screen, mobile: false, also: [] },
  images: 0,
  sheetSet: '',
  matches: (media) => matchesMedia(media, screen),
});

/**
 * Whether Chromium 156 supports the type of a link. In a header it checks scripts and tracks, too, unlike in markup.
 */
function isSupported(params: HeaderLink['params']): boolean {
  const type = params.get('type')?.trim().toLowerCase() ?? '';
  if (type === '') return true;
  const as = params.get('as')?.trim().toLowerCase();
  if (as === 'script') return isJavaScript(type);
  return as !== 'track' || type === 'text/vtt';
}

/** A resource that a header section names, as by a Link field. */
export interface HeaderReference extends Reference {
  /** The nonce by which the page's Content Security Policy may allow the resource. */
  nonce?: string;
}

/**
 * Returns the resource that a link of a header asks for; null: it asks for none, or for none on this screen.
 * @param base URL of the response
 */
export function preloadOf(
  { url, rels, params }: HeaderLink,
  base: URL,
  screen: Screen,
): HeaderReference | null {
  const rel = rels.find((each) => acted.has(each));
  if (rel === undefined || (rel === 'preload' && !isSupported(params))) return null;
  const attributes = new Map([...params, ['rel', rel], ['href', url]]);
  const tag = { name: 'link', attributes, isSelfClosing: false, offset: 0 };
  const [found] = link(tag, pageOf(screen));
  if (found === undefined || found.skipped !== undefined) return null;
  const target = resolveReference(found.written, base, 'utf-8');
  if (target === null) return null;
  const from = `Link ${found.named}`;
  const reference = referenceTo(target, found, { initiator: base.href, from, offset: 0 });
  return found.nonce === undefined ? reference : { ...reference, nonce: found.nonce };
}
