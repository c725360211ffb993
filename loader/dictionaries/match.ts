// Which requests a dictionary is for: the URL pattern of Use-As-Dictionary (RFC 9842 2.1.1). Its host has to be the
// dictionary's own. Patterns become regular expressions, so those that a hostile server could make slow are refused.

/** Compiled, for URLs of the dictionary's origin. */
export interface Match {
  test(url: URL): boolean;
}

/** Node has patterns of URLs from 23.8 on; without them no dictionary is offered. */
export const hasPatterns =
  typeof (globalThis as { URLPattern?: unknown }).URLPattern === 'function';

const mostCharacters = 1024;
/** Each may start anywhere, so the time of a match grows with the length of the URL to this power. */
const mostWildcards = 2;

/** @returns null: it is invalid, for another origin, too slow, or this Node has no patterns. */
export function compileMatch(match: string, dictionary: URL): Match | null {
  // A group with a modifier repeats what is repeated already.
  if (!hasPatterns || match.length > mostCharacters || match.includes('{')) return null;
  if ((match.match(/[*:+]/g) ?? []).length > mostWildcards + (/^https?:/.test(match) ? 2 : 0)) {
    return null;
  }
  try {
    const pattern = new URLPattern(match, dictionary.href);
    const isOwn =
      pattern.protocol === dictionary.protocol.slice(0, -1) &&
      pattern.hostname === dictionary.hostname &&
      pattern.port === dictionary.port;
    if (!isOwn || pattern.hasRegExpGroups) return null;
    return { test: (url) => url.href.length <= mostCharacters && pattern.test(url.href) };
  } catch {
    return null;
  }
}
