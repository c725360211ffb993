// The cache against every case of cases/: the responses given are exchanged as a client would, then the
// question is asked.

import { describe, expect, it } from 'vitest';
import { createHttpCache } from '../../../loader/cache/cache.ts';
import type { HttpCache, Lookup } from '../../../loader/cache/http-cache.ts';
import { createMemoryStore } from '../../../loader/cache/memory-cache-store.ts';
import { type Case, type Exchange, type Expected, startMs } from './cases/case.ts';
import { requestDirectiveCases, responseDirectiveCases } from './cases/directives.ts';
import { freshnessCases } from './cases/freshness.ts';
import { rangeCases } from './cases/ranges.ts';
import { storingCases } from './cases/storing.ts';
import { validationCases } from './cases/validation.ts';
import { invalidationCases, varyCases } from './cases/variants-and-invalidation.ts';

const cases = [
  ...freshnessCases,
  ...storingCases,
  ...responseDirectiveCases,
  ...requestDirectiveCases,
  ...varyCases,
  ...validationCases,
  ...rangeCases,
  ...invalidationCases,
];

function answerTo({ given, asked }: Case): Lookup {
  let nowMs = startMs;
  const cache = createHttpCache(createMemoryStore(), { now: () => nowMs });
  for (const one of given) {
    nowMs = one.response.receivedAtMs;
    exchange(cache, one);
  }
  nowMs = startMs + asked.at * 1000;
  return cache.lookup(asked.request, asked.mode);
}

/** As a client does: asks the cache, then tells it what came. */
function exchange(cache: HttpCache, { request, response, body, mode }: Exchange): void {
  const found = cache.lookup(request, mode);
  if (found.kind === 'validate' && response.status === 304) {
    cache.freshen(request, found.validation, response);
    return;
  }
  const mayStore = cache.mayStore(request, response, mode);
  cache.observe(request, response);
  const entry = { request, response, body: Buffer.from(body), mode };
  if (mayStore) cache.store([entry]);
}

/** Of what came back, what the case speaks of. */
function seen(found: Lookup, expected: Expected): Expected {
  if (found.kind === 'validate') {
    const { conditions, staleIfError } = found.validation;
    return {
      kind: found.kind,
      ...(expected.usableOnError !== undefined && { usableOnError: staleIfError !== null }),
      ...(expected.conditions !== undefined && { conditions: Object.fromEntries(conditions) }),
    };
  }
  if (found.kind !== 'hit') return { kind: found.kind };
  const { status, body, headers } = found.response;
  const lines = (name: string): string | string[] | null => {
    const values = headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
    return values.length > 1 ? values : (values[0] ?? null);
  };
  return {
    kind: found.kind,
    ...(expected.refresh !== undefined && { refresh: found.refresh !== null }),
    ...(expected.status !== undefined && { status }),
    ...(expected.body !== undefined && { body: body.toString() }),
    ...(expected.fields !== undefined && {
      fields: Object.fromEntries(Object.keys(expected.fields).map((name) => [name, lines(name)])),
    }),
  };
}

describe.each(Object.entries(Object.groupBy(cases, ({ section }) => section)))('%s', (_, rows) => {
  it.each(rows ?? [])('$name', (row) => {
    expect(seen(answerTo(row), row.expected)).toEqual(row.expected);
  });
});

it('no case stands there twice', () => {
  const names = cases.map(({ section, name }) => `${section}: ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
