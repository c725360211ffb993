// Ten thousand hints in one response: what may be read of them is read, what may be asked for is asked for, and the
// page loads as it would without them.

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { response } from '../../support/raw-server.ts';
import { fresh, loaderWith, prefetches, startSite } from './site.ts';

const paths = Array.from({ length: 10_000 }, (_, index) => `/${index}`);
const first16 = paths.slice(0, 16);
/** Asking for the rules counts. */
const first15 = paths.slice(0, 15);
const toRules = { 'Speculation-Rules': '"/rules.json"' };
const rulesType = { 'Content-Type': 'application/speculationrules+json' };
const rules = Buffer.from(JSON.stringify({ prefetch: [{ urls: paths }] }));

/** Loads a page with these fields, and an image. @returns what was prefetched behind it. */
async function prefetchedBehind(
  fields: Record<string, string>,
  rulesDocument = response(rules, rulesType),
  prefetch = {},
) {
  await using server = await startSite({}, ({ path }) => {
    if (path === '/') return response('<img src=/a.gif><p>home', { ...fresh, ...fields });
    return path === '/rules.json' ? rulesDocument : undefined;
  });
  const loader = loaderWith({ prefetch });
  const load = await loader.load(`${server.origin}/`);
  expect(load.resources.map(({ status, error }) => [status, error])).toEqual([
    [200, null],
    [200, null],
  ]);
  expect(load.resources[0]?.bodyBytes).toBe('<img src=/a.gif><p>home'.length);
  await loader.idle();
  return prefetches(server);
}

test('in Link: of 64 KiB the first hundred are read, sixteen of them fetched', async () => {
  const Link = paths.map((path) => `<${path}>; rel=prefetch`).join(', ');
  expect(Link.length).toBeGreaterThan(64 * 1024);
  expect(await prefetchedBehind({ Link })).toEqual(first16);
});

test('in a rules document: over 64 KiB nothing of it is read', async () => {
  expect(await prefetchedBehind(toRules)).toEqual([]);
  // Nor where the rest of the way would let more pass.
  const large = { maxResourceBytes: 1024 * 1024 };
  expect(await prefetchedBehind(toRules, undefined, large)).toEqual([]);
  const coded = response(gzipSync(rules), { ...rulesType, 'Content-Encoding': 'gzip' });
  expect(await prefetchedBehind(toRules, coded)).toEqual([]);
});

test('64 KiB of rules are read, plain or coded, and not a byte more', async () => {
  const text = JSON.stringify({ prefetch: [{ urls: paths.slice(0, 4_000) }] });
  const full = Buffer.from(text.padEnd(64 * 1024));
  const gzip = { ...rulesType, 'Content-Encoding': 'gzip' };
  expect(await prefetchedBehind(toRules, response(full, rulesType))).toEqual(first15);
  expect(await prefetchedBehind(toRules, response(gzipSync(full), gzip))).toEqual(first15);
  const over = Buffer.concat([full, Buffer.from(' ')]);
  expect(await prefetchedBehind(toRules, response(over, rulesType))).toEqual([]);
  expect(await prefetchedBehind(toRules, response(gzipSync(over), gzip))).toEqual([]);
});
