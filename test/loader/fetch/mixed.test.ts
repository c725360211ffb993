// Everything at once, in random order: a server that redirects, cuts, closes and compresses, callers that abort,
// cancel and forget. Whatever a body is read to its end is that of its URL, and nothing stays open.

import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Fetch } from '../../../loader/fetch/fetch.ts';
import { eventually } from '../../support/eventually.ts';
import { randomFrom } from '../../support/random.ts';
import { answering, type RawConnection, response } from '../../support/raw-server.ts';
import { cachedFetch } from './cached-fetch.ts';

const urls = 60;
const bodyOf = (n: number): string => `${n}:`.repeat(1 + ((n * 3_701) % 9_000));

/** What a URL does depends on its number alone. */
function answer(n: number, etag: string | undefined, connection: RawConnection): void {
  const lifetime = ['max-age=60', 'max-age=0, stale-while-revalidate=60', 'no-store'][n % 3] ?? '';
  const fields = { 'Cache-Control': lifetime, ETag: `"${n}"` };
  const whole = response(bodyOf(n), fields);
  if (etag === `"${n}"`) connection.write(`HTTP/1.1 304 Not Modified\r\nETag: ${etag}\r\n\r\n`);
  else if (n % 7 === 0) connection.write(response('', { Location: `/${n + 1}` }, '302 Found'));
  else if (n % 7 === 1) connection.reset();
  else if (n % 7 === 2) connection.end(whole.subarray(0, -3));
  else if (n % 7 === 3) connection.end(response(bodyOf(n), { ...fields, Connection: 'close' }));
  else if (n % 7 === 4) {
    connection.write(response(gzipSync(bodyOf(n)), { ...fields, 'Content-Encoding': 'gzip' }));
  } else connection.write(whole);
}

/** @returns what went wrong in a way it must not. */
async function call(fetch: Fetch, origin: string, random: () => number): Promise<string | null> {
  const [url, what] = [`${origin}/${Math.floor(random() * urls)}`, random()];
  const aborter = new AbortController();
  if (what < 0.1) wait(random() * 5).then(() => aborter.abort());
  const method = random() < 0.1 ? 'POST' : 'GET';
  try {
    const got = await fetch(url, { method, signal: aborter.signal });
    if (what > 0.9) return null; // forgotten
    if (what > 0.8) {
      await got.body?.cancel();
      return null;
    }
    const text = await got.text();
    const own = text === bodyOf(Number(new URL(got.url).pathname.slice(1)));
    return own ? null : `${got.url} got ${got.status} ${text.slice(0, 20)}`;
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: Error & { code?: string } };
    const codes = ['connection-lost', 'length-mismatch', 'out-of-step'];
    const expected = name === 'AbortError' || codes.includes(cause?.code ?? '');
    return expected ? null : `${name} ${message} ${cause?.code}`;
  }
}

it.each(['persistent', 'pipelined', 'http1.0'] as const)('%s', async (protocol) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  await using server = await answering(({ path, headers }, connection) =>
    answer(Number(path.slice(1)), headers['if-none-match'], connection),
  );
  await using cached = cachedFetch({ protocol });
  const random = randomFrom(seed);
  let left = 600;
  const wrong: string[] = [];
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const fault = await call(cached.fetch, server.origin, random);
      if (fault !== null) wrong.push(fault);
    }
  };
  await Promise.all(Array.from({ length: 20 }, caller));
  expect(wrong, `seed ${seed}`).toEqual([]);
  await cached.fetch.close();
  await eventually(() => server.connections.every(({ socket }) => socket.destroyed));
});
