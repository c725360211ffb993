/** The normal form of a host: names are case-insensitive and equal with and without the default or an empty port. */
export function siteName(host: string): string {
  const lower = /[A-Z]/.test(host) ? host.toLowerCase() : host;
  if (lower.endsWith(':443')) return lower.slice(0, -4);
  if (lower.endsWith(':')) return lower.slice(0, -1);
  return lower.endsWith(':80') ? lower.slice(0, -3) : lower;
}
