// A prefetch that a page took over: what waits to be taken is void when the response begins anew, or ends
// for the page. Told event by event, because no socket lets these moments be chosen.

import { expect, test } from 'vitest';
import { LoaderError } from '../../../loader/errors.ts';
import { type JobHost, PrefetchJob } from '../../../loader/prefetch/prefetch-job.ts';
import type { PrefetchTarget } from '../../../loader/prefetch/targets.ts';

const url = 'http://one.example/next';
const source = {
  url: 'http://one.example/',
  askedOrigin: 'http://one.example',
};
const target: PrefetchTarget = { url, kind: 'document', probability: 1, document: url, source };
const head = {
  status: 200,
  statusText: 'OK',
  headers: [] as [string, string][],
  httpVersion: 'http/1.1' as const,
  startedAt: 0,
};
const lost = new LoaderError('connection-lost', 'gone');

/** A job that a page takes over, which is busy with the first bytes until `goOn`. */
function prefetch() {
  const told: string[] = [];
  const host: JobHost = {
    headersCame: () => null,
    bytesCame: () => null,
    sent() {},
    gaveUp: () => told.push('gave up'),
    ended: () => told.push('over'),
  };
  const job = new PrefetchJob(host, target, { method: 'GET', url, headers: [] }, null);
  let goOn = (): void => {};
  const busy = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const resource = {
    exchange: null,
    onHeaders: () => told.push('headers'),
    onData: (chunk: Buffer) => {
      told.push(chunk.toString());
      return busy;
    },
    onEnd: () => told.push('end'),
    onRestart: () => told.push('restart'),
    onError: () => told.push('error'),
  };
  job.onHeaders(head);
  job.onData(Buffer.from('one'));
  job.onData(Buffer.from('two'));
  const adopt = () => job.adopt(resource, () => told.push('unfit'));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { job, told, goOn, turn, adopt };
}

function takenOver() {
  const job = prefetch();
  job.adopt();
  return job;
}

test.each([
  ['after', ['end', 'adopt', 'over']],
  ['before', ['adopt', 'end', 'over']],
])('adopted %s its last byte: the page gets all of it, however long it takes', async (_, steps) => {
  const { job, told, goOn, turn, adopt } = prefetch();
  for (const step of steps) {
    if (step === 'adopt') adopt();
    else if (step === 'end') job.onEnd(0);
    else job.over();
  }
  job.onRestart(); // a doubt that comes too late
  goOn();
  await turn();
  expect(told.filter((each) => each !== 'over')).toEqual(['headers', 'one', 'two', 'end']);
});

test('a page that was stopped gets nothing more', async () => {
  const { job, told, goOn, turn, adopt } = prefetch();
  job.onEnd(0);
  adopt();
  job.over();
  job.release();
  goOn();
  await turn();
  expect(told.filter((each) => each !== 'over')).toEqual(['headers']);
});

test('in order, each when the one before was taken', async () => {
  const { job, told, goOn, turn } = takenOver();
  job.onData(Buffer.from('three'));
  job.onEnd(1);
  await turn();
  expect(told).toEqual(['headers', 'over', 'one']);
  goOn();
  await turn();
  expect(told).toEqual(['headers', 'over', 'one', 'two', 'three', 'end']);
});

test.each<[string, (job: PrefetchJob) => void, string[]]>([
  [
    'begun anew: nothing of before comes after it',
    (job) => {
      job.onRestart();
      job.onHeaders(head);
      job.onData(Buffer.from('again'));
    },
    ['restart', 'headers', 'again'],
  ],
  [
    'failed: the page asks for itself, and gets nothing of before',
    (job) => job.onError(lost, 1),
    ['gave up', 'restart', 'unfit', 'over'],
  ],
  [
    'given up: nothing more is told, but that it is over',
    (job) => {
      job.giveUp('the page was stopped');
      job.onData(Buffer.from('late'));
      job.onError(lost, 1);
      job.onError(lost, 2);
    },
    ['gave up', 'over'],
  ],
])('%s', async (_, step, news) => {
  const { job, told, goOn, turn } = takenOver();
  await turn();
  step(job);
  goOn();
  await turn();
  expect(told).toEqual(['headers', 'one', ...news]);
});

test('whole, and then in doubt: the page asks for itself', async () => {
  const { job, told, goOn, turn } = takenOver();
  goOn();
  job.onEnd(1);
  await turn();
  job.onRestart();
  await turn();
  expect(told.slice(-2)).toEqual(['restart', 'unfit']);
  expect(job.isRefused).toBe(true); // never to be stored
});

test('over: what the transport doubts later changes nothing', async () => {
  const { job, told, goOn, turn } = takenOver();
  goOn();
  job.onEnd(1);
  await turn();
  job.over();
  await job.proven;
  job.onRestart();
  job.onHeaders(head);
  job.onEnd(2);
  job.onError(lost, 2);
  await turn();
  expect(told.filter((each) => each === 'over' || each === 'restart')).toEqual(['over']);
  expect(job.isRefused).toBe(true); // never to be stored
});
