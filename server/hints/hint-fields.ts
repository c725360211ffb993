// Hints as header fields of one response: Link, Speculation-Rules, Prefetch-Hints; and as the links of a
// 103. The formats themselves, their caps, and that nothing but paths of the site goes out, are
// prefetchd/wire's.
//
// A page without lifetime that both Link and speculation rules name is fetched twice by a browser that knows
// both (Chromium 156; with one, the second takes it from the HTTP cache of the first). Chromium alone knows rules, and says who it is in Sec-CH-UA; where it gets rules,
// its Link names embedded objects only. All others get both, and use what they know.

import {
  appendLinkHints,
  type Hint,
  hintHeaderName,
  hintHeaderOf,
  linkHeaderOf,
  speculationRulesHeaderOf,
} from '../../prefetchd/wire/index.ts';
import type { Request } from '../listen/handler.ts';
import type { Field, Head } from './head-hook.ts';
import type { CheckedHintsOptions } from './hint-options.ts';
import type { HintLinks } from './links.ts';

type FieldOptions = Pick<
  CheckedHintsOptions,
  'link' | 'speculationRules' | 'hintHeader' | 'origin'
>;

/** Longer targets get no rules: theirs is the same target once more, escaped, in a header field. */
const longestTarget = 1024;

export function hintFields(
  hints: readonly Hint[],
  head: Head,
  req: Request,
  page: { readonly url: string; readonly mount: string },
  options: FieldOptions,
  links: HintLinks,
): Field[] {
  const fields: Field[] = [];
  const { url, mount } = page;
  const { origin, speculationRules, hintHeader } = options;
  const hasRules =
    speculationRules !== null &&
    url.length <= longestTarget &&
    hints.some(({ kind }) => kind === 'document');
  if (hasRules) {
    const target = `${mount}${speculationRules.path}?url=${encodeURIComponent(url.toWellFormed())}`;
    const ours = speculationRulesHeaderOf([target]);
    const own = head.text('speculation-rules');
    fields.push({ name: 'Speculation-Rules', value: own === '' ? ours : `${own}, ${ours}` });
  }
  if (options.link) {
    const knowsRules = hasRules && req.headers['sec-ch-ua'] !== undefined;
    const linked = knowsRules ? hints.filter(({ kind }) => kind === 'object') : hints;
    const own = head.field('link');
    const value =
      own === undefined
        ? links.valueOf(linked)
        : appendLinkHints(own, pageUrl(req, url, origin), linked, { origin });
    if (value !== '' && (own === undefined || value !== head.text('link'))) {
      fields.push({ name: 'Link', value, isNew: own === undefined });
    }
  }
  if (hintHeader === true || (hintHeader === 'on request' && asksForField(req))) {
    const value = hintHeaderOf(hints, { origin });
    if (value !== '') fields.push({ name: hintHeaderName, value });
  }
  return fields;
}

/** Preloads for a 103: of this page alone, whose own parts it hastens; each in a string of its own, as
 *  writeEarlyHints checks them. */
export function earlyLinks(hints: readonly Hint[], origin: string | null): string[] {
  const objects = hints.filter(
    ({ kind, navigation }) => kind === 'object' && navigation !== 'next',
  );
  const value = objects.length === 0 ? '' : linkHeaderOf(objects, { origin });
  // No URL that went through a parser has a space.
  return value === '' ? [] : value.split(', ');
}

/** Where Express mounted the middleware; '' elsewhere. It holds only while the middleware runs. */
export function mountOf(req: Request): string {
  const { baseUrl } = req as { baseUrl?: unknown };
  return typeof baseUrl === 'string' ? baseUrl : '';
}

/** A structured boolean is how a client asks (RFC 9651 3.3.6); whatever else it says is no `no`. */
function asksForField(req: Request): boolean {
  const asked = req.headers['prefetch-hints'];
  return asked !== undefined && asked !== '?0';
}

/** What relative links of the site's own Link field are read against. */
function pageUrl(req: Request, url: string, origin: string | null): string {
  if (origin !== null) return URL.parse(url, origin)?.href ?? '';
  const host = req.headers[':authority'] ?? req.headers.host ?? '';
  const scheme = (req.socket as { encrypted?: boolean } | null)?.encrypted ? 'https' : 'http';
  return URL.parse(url, `${scheme}://${String(host)}`)?.href ?? '';
}
