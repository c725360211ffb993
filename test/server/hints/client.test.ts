// Who asked last on a connection is kept with it; it must not be taken for somebody else.

import { expect, test } from 'vitest';
import { hintsOptions } from '../../../server/hints/hint-options.ts';
import { clientFinder, visitedOf } from '../../../server/hints/visited.ts';
import type { Request } from '../../../server/listen/handler.ts';

type Headers = Record<string, string>;

function connection(remoteAddress: string | undefined, trustProxy: false | string = false) {
  const options = hintsOptions({ trustProxy });
  const find = clientFinder(options);
  const socket = { remoteAddress };
  return (headers: Headers) => {
    const req = { socket, headers } as unknown as Request;
    return find(req, visitedOf(req, options));
  };
}

test('a connection whose user agent changes is another client', () => {
  const ask = connection('192.0.2.1');
  expect(ask({ 'user-agent': 'A' })).toBe('192.0.2.1 A');
  expect(ask({ 'user-agent': 'A' })).toBe('192.0.2.1 A');
  expect(ask({ 'user-agent': 'B' })).toBe('192.0.2.1 B');
  expect(ask({})).toBe('192.0.2.1');
  expect(ask({ 'user-agent': '' })).toBe('192.0.2.1');
  expect(ask({ 'user-agent': 'A' })).toBe('192.0.2.1 A');
});

test('a connection of a proxy brings many clients', () => {
  const ask = connection('127.0.0.1', 'loopback');
  const from = (address: string) => ask({ 'user-agent': 'A', 'x-forwarded-for': address });
  expect(from('192.0.2.1')).toBe('192.0.2.1 A');
  expect(from('192.0.2.2')).toBe('192.0.2.2 A');
  expect(from('192.0.2.3, 127.0.0.1')).toBe('192.0.2.3 A');
  expect(from('192.0.2.4, 192.0.2.5')).toBe('192.0.2.5 A');
  expect(from('nobody')).toBeNull();
  expect(from('192.0.2.1')).toBe('192.0.2.1 A');
});

test('a client is cut at 512 characters, and one without address is nobody', () => {
  expect(connection('192.0.2.1')({ 'user-agent': 'x'.repeat(600) })).toHaveLength(512);
  expect(connection(undefined)({ 'user-agent': 'A' })).toBeNull();
});
