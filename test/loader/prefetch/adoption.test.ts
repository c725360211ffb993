// A page adopts a prefetch that has just ended: it gets all of it, however long it takes to process.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PrefetchJob } from '../../../loader/prefetch/prefetch-job.ts';

const url = 'http://site.example/page';
const head = {
  ...{ status: 200, statusText: 'OK', headers: [], startedAt: 0 },
  httpVersion: 'http/1.1',
} as const;

/** What a page gets, each chunk processed in a later turn, as one that is decoded is. */
function slowPage() {
  const got: string[] = [];
  const resource = {
    exchange: null,
    onSent() {},
    onHeaders: () => void got.push('head'),
    onData: async (chunk: Buffer) => {
      await turn();
      got.push(chunk.toString());
    },
    onEnd: () => void got.push('end'),
    onRestart: () => void got.push('restart'),
    onError: () => void got.push('error'),
  };
  return { got, resource };
}

function prefetch(): PrefetchJob {
  const host = {
    ...{ headersCame: () => null, bytesCame: () => null },
    ...{ sent() {}, gaveUp() {}, ended() {} },
  };
  const target = { url, isRules: false, document: null } as never;
  const job = new PrefetchJob(host, target, { method: 'GET', url, headers: [] }, null);
  job.onHeaders({ ...head, headers: [] });
  void job.onData(Buffer.from('one'));
  return job;
}

it.each([
  ['after its last byte', ['end', 'adopt', 'over']],
  ['before its last byte', ['adopt', 'end', 'over']],
])('adopted %s', async (_, steps) => {
  const { got, resource } = slowPage();
  const job = prefetch();
  for (const step of steps) {
    if (step === 'adopt') job.adopt(resource, () => got.push('unfit'));
    else if (step === 'end') job.onEnd(0);
    else job.over();
  }
  job.onRestart(); // a doubt that comes too late
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(got).toEqual(['head', 'one', 'end']);
});

it('a page that was stopped gets nothing more', async () => {
  const { got, resource } = slowPage();
  const job = prefetch();
  job.onEnd(0);
  job.adopt(resource, () => got.push('unfit'));
  job.over();
  job.release();
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(got).toEqual(['head']);
});
