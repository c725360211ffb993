/** Host names are case-insensitive and equal with and without the default port, or an empty one. */
export function siteName(host: string): string {
  const lower = /[A-Z]/.test(host) ? host.toLowerCase() : host;
  if (lower.endsWith(':443')) return lower.slice(0, -4);
  if (lower.endsWith(':')) return lower.slice(0, -1);
  return lower.endsWith(':80') ? lower.slice(0, -3) : lower;
}
