/** The token a client goes by (RFC 9309 2.2.1): the product its User-Agent begins with; '' when it has none. */
export function productToken(userAgent: string): string {
  return (/^[a-z_-]+/i.exec(userAgent)?.[0] ?? '').toLowerCase();
}
