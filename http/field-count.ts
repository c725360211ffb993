// How many header fields a request may have: each costs a server far more memory than its bytes. Browsers send thirty;
// cookies, which HTTP/2 splits into fields (RFC 9113 8.2.3), may be about a hundred.

export const maxFields = 200;

/** Returns whether a request has too many fields. @param rawHeaders Names and values in turn; pseudo-fields do not
 *  count */
export function hasTooManyFields(rawHeaders: readonly string[]): boolean {
  let pseudoFields = 0;
  while (rawHeaders[2 * pseudoFields]?.startsWith(':')) pseudoFields++;
  return rawHeaders.length / 2 - pseudoFields > maxFields;
}
