// Finds the page of speculation rules that are at the page's own URL with a parameter. Behind a web server with access
// rules, only visitors who may read the page then get its rules.

/**
 * The page whose rules are at this target, `/a?b=1&prefetchd-rules`; null: none. The web server judged the target by
 * its own reading, so a target that URL parsers read differently names no page (`/open\\..\\closed`).
 */
export function pageOfRulesTarget(target: string): string | null {
  const [, path, query] = /^(\/[^?]*)\?(?:(.*)&)?prefetchd-rules$/s.exec(target) ?? [];
  if (path === undefined || path.startsWith('//')) return null;
  const page = query === undefined ? path : `${path}?${query}`;
  const read = URL.parse(page, 'http://site.invalid');
  return read !== null && read.pathname + read.search === page ? page : null;
}
