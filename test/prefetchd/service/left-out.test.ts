// POST /v1/accesses with what a site left out, which GET /v1/left-out lists.

import { expect, expectTypeOf, it } from 'vitest';
import { maskedUrl } from '../../../prefetchd/engine/left-out.ts';
import type { DenyReason } from '../../../prefetchd/rules/deny-list.ts';
import type { LeftOutAccess } from '../../../prefetchd/wire/left-out-json.ts';
import { running } from './ask.ts';

const document = { kind: 'document' } as const;

it('is listed and counted, and teaches nothing', async () => {
  await using service = await running();
  const leftOut = [
    { reason: 'denied', because: 'one-time', url: '/magic-link/…', ...document },
    { reason: 'denied', because: 'one-time', url: '/magic-link/…', ...document },
    { reason: 'set-cookie', url: '/family/…', ...document },
  ];
  const { status, json } = await service.post('/v1/accesses', { accesses: [], leftOut });
  expect([status, json]).toEqual([200, { learned: 0, notLearned: {}, errors: [] }]);
  expect((await service.get('/v1/left-out')).json.leftOut).toEqual([
    { ...leftOut[0], count: 2 },
    { ...leftOut[2], count: 1 },
  ]);
  const { learned, notLearned } = service.prefetchd.stats();
  expect([learned.document, notLearned]).toEqual([0, { denied: 2, 'set-cookie': 1 }]);
});

it('what its caller did not mask is masked, and what is masked stays as it is', async () => {
  await using service = await running();
  const leftOut = [{ reason: 'private', url: '/plan/7?for=jane', ...document }];
  await service.post('/v1/accesses', { accesses: [], leftOut });
  const [entry] = (await service.get('/v1/left-out')).json.leftOut;
  expect(entry.url).toBe('/plan/…?…');
  for (const url of [entry.url, '/magic-link/…', 'https://example.org/plan/…?…']) {
    expect(maskedUrl(url, true)).toBe(url);
  }
});

it('a wrong entry is told, and does not spoil the others or the accesses', async () => {
  await using service = await running();
  const accesses = [{ client: 'one', url: '/a' }];
  const [bot, vary] = [
    { reason: 'bot', url: '/a' },
    { reason: 'vary', url: '/v' },
  ];
  const leftOut = [{ ...bot, ...document }, 7, { ...vary, ...document }];
  const { json } = await service.post('/v1/accesses', { accesses, leftOut });
  expect(json.learned).toBe(1);
  expect(json.errors).toMatchObject([{ place: 'leftOut[0].reason' }, { place: 'leftOut[1]' }]);
  expect(service.prefetchd.leftOut()).toMatchObject([{ reason: 'vary', url: '/v' }]);
  const more = await service.post('/v1/accesses', { accesses: [], leftOut: 'none' });
  expect([more.status, more.json.errors[0].place]).toEqual([200, 'leftOut']);
});

it('each rule of the deny list has its name on the wire', () => {
  expectTypeOf<NonNullable<LeftOutAccess['because']>>().toEqualTypeOf<DenyReason>();
});
