// RFC 9110 9.2: which methods only ask, and which may be sent twice.

import { expect, it } from 'vitest';
import { isIdempotent, isSafe } from '../../http/methods.ts';

it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])('%s is safe, and so idempotent', (method) => {
  expect(isSafe(method)).toBe(true);
  expect(isIdempotent(method)).toBe(true);
});

it.each(['PUT', 'DELETE'])('%s is idempotent, not safe', (method) => {
  expect(isSafe(method)).toBe(false);
  expect(isIdempotent(method)).toBe(true);
});

it.each(['POST', 'PATCH', 'CONNECT', 'get', 'put', 'toString', ''])(
  '%s may change anything each time',
  (method) => {
    expect(isSafe(method)).toBe(false);
    expect(isIdempotent(method)).toBe(false);
  },
);
