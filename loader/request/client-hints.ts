// The low-entropy client hints that Chromium sends with each request to a trustworthy URL (User-Agent Client Hints 3):
// what the User-Agent says, in fields of its own. The made-up brand is Chromium's, made of its version, so that
// servers read the list and do not guess.

/** The Chromium whose fields `headers: 'browser'` copies, where the User-Agent names no other. */
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
