// Finds the page whose speculation rules are requested. The URL of the rules is that of the page with one more
// parameter, so a web server with access rules gives them only to those who may read the page.

/**
 * Returns the page whose speculation rules are at this target, such as `/a?b=1&prefetchd-rules`; null: they are not
 * those of a page. Also null if URL parsers read the target as another one (`/open\\..\\closed`), because a web server
 * in front has granted access to the target as written.
 */
export function pageOfRulesTarget(target: string): string | null {
  const [, path, query] = /^(\/[^?]*)\?(?:(.*)&)?prefetchd-rules$/s.exec(target) ?? [];
  if (path === undefined || path.startsWith('//')) return null;
  const page = query === undefined ? path : `${path}?${query}`;
  const read = URL.parse(page, 'http://site.invalid');
  return read !== null && read.pathname + read.search === page ? page : null;
}
