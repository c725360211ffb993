// Finds the origin of a URL: hints must have the same origin as their page.

/** The origin of a normalised URL (normalise-url.ts); '' for a path of the site. */
export function originOf(url: string): string {
  if (url.charCodeAt(0) === 47) return '';
  const end = url.indexOf('/', url.indexOf('//') + 2);
  return end === -1 ? url : url.slice(0, end);
}
