// The pure parts of load on a server: requests as HTTP/1.1 has them (RFC 9112), the same for the same seed, and
// what is read off an answer.

import { describe, expect, test } from 'vitest';
import { answerHead, percentilesOf } from './serve-answer.ts';
import { agentOf, requestsOf } from './serve-requests.ts';

const texts = (requests: Buffer[]) => requests.map((request) => request.toString('latin1'));

describe('requests', () => {
  test('are the same for the same seed, and others for another', () => {
    const first = texts(requestsOf('hints', 50, 1));
    expect(texts(requestsOf('hints', 50, 1))).toEqual(first);
    expect(texts(requestsOf('hints', 50, 2))).not.toEqual(first);
  });

  test('for hints have a body of the length they say (RFC 9112 6.2), from many visitors', () => {
    const bodies = texts(requestsOf('hints', 200, 1)).map((text) => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      expect(head).toMatch(/^POST \/v1\/hints HTTP\/1\.1\r\n/);
      expect(head).toContain(`Content-Length: ${body.length}`);
      return JSON.parse(body) as { client: string; url: string };
    });
    expect(new Set(bodies.map(({ client }) => client)).size).toBeGreaterThan(40);
    expect(bodies[0]?.client).toBe(agentOf(bodies[0]?.client.split(' ')[0] ?? ''));
  });

  test('for pages are documents alone, each with the address of its visitor', () => {
    for (const text of texts(requestsOf('pages', 100, 1))) {
      expect(text).toMatch(/^GET \/section-\d+\/page-\d+\.html HTTP\/1\.1\r\n/);
      expect(text).toMatch(/\r\nX-Forwarded-For: 10\.\d+\.\d+\.\d+\r\n/);
      expect(text.endsWith('\r\n\r\n')).toBe(true);
    }
  });
});

describe('an answer', () => {
  test('has as many bytes as its head and its length say, whatever of it came', () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length:  5\r\nX: y\r\n\r\n';
    const whole = { isOk: true, bytes: head.length + 5 };
    expect(answerHead(`${head}hello`)).toEqual(whole);
    expect(answerHead(head)).toEqual(whole);
    expect(answerHead('HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n').isOk).toBe(false);
  });

  test('without a length, or with half a head, cannot be counted', () => {
    expect(() => answerHead('HTTP/1.1 200 OK\r\n\r\n')).toThrow('no head with a length');
    expect(() => answerHead('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n')).toThrow();
  });
});

test('percentiles are values that were measured, in any order', () => {
  const values = Float64Array.from({ length: 1000 }, (_, n) => (n * 7) % 1000);
  expect(percentilesOf(values)).toEqual({ p50: 500, p99: 990, p999: 999, max: 999 });
  expect(percentilesOf(Float64Array.of(3))).toEqual({ p50: 3, p99: 3, p999: 3, max: 3 });
  expect(() => percentilesOf(new Float64Array(0))).toThrow(RangeError);
});
