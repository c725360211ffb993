// Where a request began: on a page of this site, or elsewhere (another site, a bookmark, the address bar). Another site
// may send its visitors anywhere here, so what it opens follows nothing.
//
// Browsers say it by Sec-Fetch-Site over HTTPS (Fetch Metadata 2.3). Without that the host of the Referer tells, and so
// it does with `none`, which Chromium 156 sends with what speculation rules of a page here prefetch. Where neither is
// sent, nothing is said here; the engine asks whether the client's browser sent a Referer of this site before
// (engine/browser-signs.ts). A Referer of the site's own is the one thing that another site cannot make a browser send.

import { siteName } from './site-name.ts';

export type NavigationStart = 'here' | 'elsewhere';

/** @param site value of Sec-Fetch-Site @param host of this site, with its port if that is unusual; each may be empty */
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

/** @param page the Referer; null: it is no URL */
export function refererStart(page: URL | null, host: string): NavigationStart {
  return page !== null && bareName(page.host) === bareName(host) ? 'here' : 'elsewhere';
}

/** Many sites answer to both names. */
const bareName = (host: string) => siteName(host).replace(/^www\./, '');
