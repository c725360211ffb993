// The low-entropy client hints that Chromium sends with each request to a trustworthy URL (User-Agent Client Hints
// 3). They repeat the User-Agent as separate fields. As in Chromium, the version determines the fake (GREASE) brand
// in the list, which keeps servers from hard-coding it.

/** The Chromium version of `headers: 'browser'`, unless the User-Agent names another. */
const usualVersion = 156;

const odd = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
const oddVersions = ['8', '99', '24'];

export interface ClientHints {
  brands: string;
  mobile: string;
  platform: string;
}

export function clientHints(userAgent: string): ClientHints {
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
