// What may be sent without harm, and what may be sent twice (RFC 9110 9.2): the safe methods of the IANA registry, and
// of the idempotent ones those of HTTP itself. Any other, or one in other letters, may change anything, each time anew.

const safe = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'PRI',
  'PROPFIND',
  'QUERY',
  'REPORT',
  'SEARCH',
  'TRACE',
]);

/** It only asks (RFC 9110 9.2.1). */
export function isSafe(method: string): boolean {
  return safe.has(method);
}

/** Sent twice it does no more than once (RFC 9110 9.2.2). */
export function isIdempotent(method: string): boolean {
  return safe.has(method) || method === 'PUT' || method === 'DELETE';
}
