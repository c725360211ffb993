// The response directives that apply to a cache: Cache-Control or, in a shared cache, CDN-Cache-Control, which
// replaces Cache-Control and Expires if it is valid (RFC 9213 2.2). It is a Dictionary (RFC 9651), so one syntax error
// invalidates the whole field.

import { createRequire } from 'node:module';
import { CacheDirectives, cacheDirectives } from '../../../http/cache-directives.ts';
import { fieldValue, type HeaderPair, hasField } from '../../../http/header-pairs.ts';

const targetedField = 'cdn-cache-control';

/** Directives whose argument is in seconds. */
const inSeconds = new Set(['max-age', 's-maxage', 'stale-while-revalidate', 'stale-if-error']);

export function responseDirectives(
  headers: readonly HeaderPair[],
  shared: boolean,
): CacheDirectives {
  return targetedDirectives(headers, shared) ?? cacheDirectives(headers);
}

/** The directives of CDN-Cache-Control; null: they do not apply to this cache, or are malformed or empty. */
export function targetedDirectives(
  headers: readonly HeaderPair[],
  shared: boolean,
): CacheDirectives | null {
  if (!shared || !hasField(headers, targetedField)) return null;
  const text = asCacheControl(fieldValue(headers, targetedField));
  return text === null || text === '' ? null : new CacheDirectives(text);
}

/** Translates the Dictionary into Cache-Control syntax, without parameters; null: it is malformed. */
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

/** One directive; '' if it is off (`?0`); null if its seconds are not a whole number. */
function directive(name: string, value: unknown): string | null {
  if (inSeconds.has(name)) {
    return Number.isInteger(value) && (value as number) >= 0 ? `${name}=${value}` : null;
  }
  if (value === true) return name;
  if (value === false) return '';
  return typeof value === 'string' ? `${name}=${JSON.stringify(value)}` : name;
}
