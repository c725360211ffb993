// RFC 9110 9.2: which methods only ask, and which may be sent twice.

import { expect, it } from 'vitest';
import { isIdempotent, isSafe } from '../../http/methods.ts';

it.each([
  ...['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'].map((method) => [method, true, true] as const),
  ...['PUT', 'DELETE'].map((method) => [method, false, true] as const),
  ...['POST', 'CONNECT', 'get', 'toString', ''].map((method) => [method, false, false] as const),
])('%s: safe %s, idempotent %s', (method, safe, idempotent) => {
  expect([isSafe(method), isIdempotent(method)]).toEqual([safe, idempotent]);
});
