// Safe and idempotent methods (RFC 9110 9.2): every safe method of the IANA registry, and the idempotent methods of
// HTTP itself. Method names are case-sensitive. An unknown method is neither safe nor idempotent.

const safe = /^(?:GET|HEAD|OPTIONS|PRI|PROPFIND|QUERY|REPORT|SEARCH|TRACE)$/;

/** Returns whether the method is safe (RFC 9110 9.2.1). */
export function isSafe(method: string): boolean {
  return safe.test(method);
}

/** Returns whether the method is idempotent (RFC 9110 9.2.2). */
export function isIdempotent(method: string): boolean {
  return isSafe(method) || method === 'PUT' || method === 'DELETE';
}
