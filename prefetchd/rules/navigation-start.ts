// Finds where a navigation began: on a page of this site, or elsewhere (another site, a bookmark, the address bar).
// Another site may link to any page here, so a page opened from there follows nothing.
//
// Over HTTPS, browsers report this by Sec-Fetch-Site (Fetch Metadata 2.3). Without it, the host of the Referer decides;
// it also decides for `none`, which Chromium 156 sends with prefetches by speculation rules of a page here. Without
// either, the result is undefined, and the engine checks whether the client's browser sent a Referer of the site before
// (engine/visitors.ts). Another site cannot make a browser send a Referer of this site.

export type NavigationStart = 'here' | 'elsewhere';

/** Returns whether a navigation began on a page of this site; undefined: it is not known. @param site value of
 *  Sec-Fetch-Site, or '' @param host host of this site, with its port if unusual, or '' */
export function navigationStart(
  site: string,
  referer: string,
  host: string,
): NavigationStart | undefined {
  const said = site.trim().toLowerCase();
  if (said === 'same-origin' || said === 'same-site') return 'here';
  if (said === 'cross-site') return 'elsewhere';
  if (referer === '' || host === '') return said === 'none' ? 'elsewhere' : undefined;
  return refererStart(URL.parse(referer), host);
}

/** Returns whether a navigation began on this site, by the Referer alone. @param page Referer; null: it is no URL */
export function refererStart(page: URL | null, host: string): NavigationStart {
  return page !== null && bareName(page.host) === bareName(host) ? 'here' : 'elsewhere';
}

/** Returns the name of a host without `www.`, because many sites respond to both names. */
const bareName = (host: string) => siteName(host).replace(/^www\./, '');

/** Returns the normal form of a host: in lower case, and without a port that is empty or a default one. */
export function siteName(host: string): string {
  const lower = /[A-Z]/.test(host) ? host.toLowerCase() : host;
  if (lower.endsWith(':443')) return lower.slice(0, -4);
  if (lower.endsWith(':')) return lower.slice(0, -1);
  return lower.endsWith(':80') ? lower.slice(0, -3) : lower;
}
