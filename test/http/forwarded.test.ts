// The client that proxies tell of, in every spelling that they use, and what a stranger cannot make of it.

import { describe, expect, test } from 'vitest';
import { forwardedClient, forwardedHost, forwardedPrefix } from '../../http/forwarded.ts';

const proxies = ['127.0.0.1', '10.0.0.1'];
const ask = (headers: Record<string, string>, connection = '127.0.0.1') =>
  forwardedClient(headers, connection, (address) => proxies.includes(String(address)));

describe('the address of the client', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['198.51.100.9, 203.0.113.7:4711, 10.0.0.1:80', '203.0.113.7'],
    ['203.0.113.7,,', '203.0.113.7'],
    ['"never closed, 203.0.113.7', '203.0.113.7'],
  ])('X-Forwarded-For: %s', (value, address) => {
    expect(ask({ 'x-forwarded-for': value })).toEqual({
      address,
      isProxy: false,
      isUnnamed: false,
    });
  });

  test.each([
    ['for=203.0.113.7', '203.0.113.7'],
    ['proto=https;For="203.0.113.7:4711";by=10.0.0.1', '203.0.113.7'],
    ['for="[2001:db8::1]:4711"', '2001:db8::1'],
    ['for=198.51.100.9, for=203.0.113.7, for=10.0.0.1', '203.0.113.7'],
    ['for="never closed, for="[2001:db8::1]"', '2001:db8::1'],
  ])('Forwarded: %s (RFC 7239 4, 6)', (value, address) => {
    expect(ask({ forwarded: value })).toEqual({ address, isProxy: false, isUnnamed: false });
  });

  test('X-Forwarded-For comes first, as a proxy that sends it may pass on a Forwarded of strangers', () => {
    const both = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=192.0.2.1' };
    expect(ask(both).address).toBe('203.0.113.7');
  });

  test.each(['unknown', '_hidden', '1.2.3', '203.0.113.7:', '[203.0.113.7', 'by=203.0.113.7'])(
    'nobody is behind %s',
    (node) => {
      const nobody = { address: '127.0.0.1', isProxy: true, isUnnamed: true };
      expect(ask({ 'x-forwarded-for': node })).toEqual(nobody);
      expect(ask({ forwarded: node.includes('=') ? node : `for="${node}"` })).toEqual(nobody);
    },
  );

  test('a stranger is not believed', () => {
    const stranger = { address: '198.51.100.1', isProxy: false, isUnnamed: false };
    expect(ask({ 'x-forwarded-for': '203.0.113.7' }, '198.51.100.1')).toEqual(stranger);
  });
});

test('the host that was asked for', () => {
  expect(forwardedHost({ 'x-forwarded-host': 'shop.example, inner' })).toBe('shop.example');
  expect(forwardedHost({ forwarded: 'for=1.2.3.4;host="shop.example:8443", for=10.0.0.1' })).toBe(
    'shop.example:8443',
  );
  for (const host of ['a b', 'user@a', '', 'a/b']) {
    expect(forwardedHost({ 'x-forwarded-host': host })).toBeUndefined();
  }
});

test('the path that was taken away; one that is more than a path is none', () => {
  expect(forwardedPrefix({ 'x-forwarded-prefix': '/shop/' })).toBe('/shop');
  expect(forwardedPrefix({ 'x-forwarded-prefix': '/a/b, /c' })).toBe('/a/b');
  for (const prefix of ['/', '//evil.example', 'shop', '/a/../b', '/a"', '/a?b', '/a//b', '/%2e']) {
    expect(forwardedPrefix({ 'x-forwarded-prefix': prefix })).toBe('');
  }
});
