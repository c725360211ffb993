// The directives of a response that count for a cache: those of Cache-Control, or in a shared cache those of
// CDN-Cache-Control, which takes the place of Cache-Control and Expires where it is sound (RFC 9213 2.2). It is a
// Dictionary of structured fields (RFC 9651): one mistake in it, and all of it counts for nothing.

import { createRequire } from 'node:module';
import { CacheDirectives, cacheDirectives } from '../../../http/cache-directives.ts';
import { fieldValue, type HeaderPair, hasField } from '../../../http/header-pairs.ts';

const targetedField = 'cdn-cache-control';

/** Directives whose argument is a number of seconds. */
const inSeconds = new Set(['max-age', 's-maxage', 'stale-while-revalidate', 'stale-if-error']);

export function responseDirectives(
  headers: readonly HeaderPair[],
  shared: boolean,
): CacheDirectives {
  return targetedDirectives(headers, shared) ?? cacheDirectives(headers);
}

/** null: there are none for this cache, or they are malformed or empty. */
export function targetedDirectives(
  headers: readonly HeaderPair[],
  shared: boolean,
): CacheDirectives | null {
  if (!shared || !hasField(headers, targetedField)) return null;
  const text = asCacheControl(fieldValue(headers, targetedField));
  return text === null || text === '' ? null : new CacheDirectives(text);
}

/** As Cache-Control writes it, without parameters; null: malformed. */
function asCacheControl(field: string): string | null {
  const { parseDictionary } = createRequire(import.meta.url)(
    'structured-headers',
  ) as typeof import('structured-headers');
  try {
    const members = [...parseDictionary(field)].map(([name, [value]]) => directive(name, value));
    return members.includes(null) ? null : members.filter((text) => text !== '').join(', ');
  } catch {
    return null;
  }
}

/** '' for one that is switched off (`?0`); null for seconds that are no whole number of them. */
function directive(name: string, value: unknown): string | null {
  if (inSeconds.has(name)) {
    return Number.isInteger(value) && (value as number) >= 0 ? `${name}=${value}` : null;
  }
  if (value === true) return name;
  if (value === false) return '';
  return typeof value === 'string' ? `${name}=${JSON.stringify(value)}` : name;
}
