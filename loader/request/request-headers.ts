// Makes the request fields other than Host and Connection. `minimal` sends about 120 bytes for an image, because
// requests share segments (Nielsen, Gettys et al. 1997: "very careful not to generate unnecessary headers"; theirs
// averaged 190). `browser` sends the fields of Chromium in its order, for servers that answer browsers differently.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { ResolvedOptions } from '../options.ts';
import type { ResourceKind } from '../page-load.ts';
import { acceptEncoding } from '../response/content-coding.ts';
import type { Reference } from '../scan/index.ts';
import { isTrustworthy, type ReferrerPolicy, refererFor, requestSite } from './referrer.ts';

export interface RequestContext {
  url: URL;
  kind: ResourceKind;
  /** Origin of the URL that the caller asked to load. */
  askedOrigin: string;
  /** The page; null if the request is for the page itself. */
  page: URL | null;
  /** URL of the page, style sheet or module that refers to `url`; null if none does. */
  referrer: URL | null;
  referrerPolicy: ReferrerPolicy;
  /** The CORS mode; absent: the request is not a CORS request. */
  crossOrigin?: Reference['crossOrigin'];
  /** Value of the Cookie header; '' for none. */
  cookie: string;
}

/** Accept fields as sent by Chromium 156. */
const accept: Record<ResourceKind, string> = {
  document:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  image: 'image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  stylesheet: 'text/css,*/*;q=0.1',
  script: '*/*',
  font: '*/*',
  media: '*/*',
  track: '*/*',
  fetch: '*/*',
  icon: 'image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  manifest: '*/*',
  other: '*/*',
};

/** Request destinations of the Fetch Standard. */
export const destination: Record<ResourceKind, string> = {
  document: 'document',
  image: 'image',
  stylesheet: 'style',
  script: 'script',
  font: 'font',
  media: 'video',
  track: 'track',
  fetch: 'empty',
  icon: 'image',
  manifest: 'manifest',
  other: 'empty',
};

export function requestHeaders(context: RequestContext, options: ResolvedOptions): HeaderPair[] {
  const headers: HeaderPair[] = [];
  // The user's fields may be secret, so they go only to the origin they are meant for.
  const own = context.url.origin === context.askedOrigin ? options.extraHeaders : [];
  const overridden = new Set(own.map(([name]) => name));
  const add = (name: string, value: string): void => {
    if (value !== '' && !overridden.has(name)) headers.push([name, value]);
  };
  if (options.headers === 'browser') {
    browserHeaders(context, options, add);
  } else {
    add('user-agent', options.userAgent);
    if (compressible(context)) add('accept-encoding', acceptEncoding);
  }
  add('cookie', context.cookie);
  headers.push(...own);
  return headers;
}

function browserHeaders(
  { url, kind, page, referrer, referrerPolicy, crossOrigin }: RequestContext,
  options: ResolvedOptions,
  add: (name: string, value: string) => void,
): void {
  const isPage = kind === 'document';
  // Fetch Metadata and client hints go to potentially trustworthy URLs only (Secure Contexts 3.1).
  const isTrusted = isTrustworthy(url);
  const { brands, mobile, platform } = clientHints(options.userAgent);
  const hint = (name: string, value: string) => isTrusted && add(name, value);
  const hintBrands = () => {
    hint('sec-ch-ua', brands);
    hint('sec-ch-ua-mobile', mobile);
  };
  if (crossOrigin && page !== null) add('origin', page.origin);
  if (isPage) hintBrands();
  hint('sec-ch-ua-platform', platform);
  if (isPage) add('upgrade-insecure-requests', '1');
  add('user-agent', options.userAgent);
  if (!isPage) hintBrands();
  add('accept', accept[kind]);
  if (isTrusted) {
    const site = page === null ? 'none' : requestSite(page, url);
    add('sec-fetch-site', site);
    add('sec-fetch-mode', isPage ? 'navigate' : crossOrigin ? 'cors' : 'no-cors');
    if (isPage && page === null) add('sec-fetch-user', '?1');
    add('sec-fetch-dest', isPage && page !== null ? 'iframe' : destination[kind]);
    // Sec-Fetch-Storage-Access says whether the subresource gets its site's cookies (Storage Access Headers).
    if (site === 'cross-site' && !isPage && crossOrigin !== 'anonymous') {
      add('sec-fetch-storage-access', options.cookies ? 'active' : 'none');
    }
  }
  if (referrer !== null) add('referer', refererFor(referrer, url, referrerPolicy));
  add('accept-encoding', acceptEncoding);
  add('accept-language', 'en-US,en;q=0.9');
}

/** Whether compression helps: all images except SVG are compressed already. */
function compressible({ url, kind }: RequestContext): boolean {
  return kind !== 'image' || url.pathname.endsWith('.svg');
}

/** The version of Chromium that `headers: 'browser'` states, unless the User-Agent states another. */
const usualVersion = 156;

const odd = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
const oddVersions = ['8', '99', '24'];

interface ClientHints {
  brands: string;
  mobile: string;
  platform: string;
}

/**
 * Returns the low-entropy client hints that Chromium sends with each request to a trustworthy URL (User-Agent Client
 * Hints 3). They repeat the User-Agent as separate fields. As in Chromium, the version determines the fake (GREASE)
 * brand in the list, which keeps servers from hard-coding the list.
 */
function clientHints(userAgent: string): ClientHints {
  const version = Number(/Chrom(?:e|ium)\/(\d{1,6})/.exec(userAgent)?.[1] ?? usualVersion);
  const character = (at: number) => odd[at % odd.length];
  const name = `Not${character(version)}A${character(version + 1)}Brand`;
  const brand = `"${name}";v="${oddVersions[version % oddVersions.length]}"`;
  const chromium = `"Chromium";v="${version}"`;
  const brands = version % 2 === 0 ? [brand, chromium] : [chromium, brand];
  return {
    brands: brands.join(', '),
    mobile: /\bMobile\b/.test(userAgent) ? '?1' : '?0',
    platform: `"${platformOf(userAgent)}"`,
  };
}

function platformOf(userAgent: string): string {
  if (/\bAndroid\b/.test(userAgent)) return 'Android';
  if (/\bCrOS\b/.test(userAgent)) return 'Chrome OS';
  if (/\bWindows\b/.test(userAgent)) return 'Windows';
  if (/\bMac OS X\b/.test(userAgent)) return 'macOS';
  return 'Linux';
}
