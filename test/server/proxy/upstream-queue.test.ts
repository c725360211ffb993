// The line in front of the upstream: who goes, who waits, and that a place is given up once.

import { expect, test } from 'vitest';
import type { Asker } from '../../../server/listen/turns.ts';
import { UpstreamQueue } from '../../../server/proxy/upstream-queue.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const connection = {};
const one: Asker = { address: '192.0.2.1', isShared: false, connection };
const other: Asker = { ...one, address: '192.0.2.2' };
const another: Asker = { ...one, connection: {} };
const third: Asker = { ...one, address: '192.0.2.3' };

test('as many as there are places go at once, the others in their order', async () => {
  const went: number[] = [];
  let full = 0;
  const line = new UpstreamQueue({ most: 2, mostPerAddress: 2, onFull: () => full++ });
  const places = [0, 1, 2, 3].map((n) => line.enter(one, () => went.push(n)));
  expect([went, full]).toEqual([[0, 1], 2]);
  places[1]?.leave();
  places[1]?.leave();
  await nextTurn();
  expect(went).toEqual([0, 1, 2]);
  places[0]?.leave();
  await nextTurn();
  expect(went).toEqual([0, 1, 2, 3]);
});

test('those that wait go address by address, and of one address connection by connection', async () => {
  const went: string[] = [];
  const line = new UpstreamQueue({ most: 1, mostPerAddress: 1 });
  const places: { leave(): void }[] = [];
  const ask = (asker: Asker, name: string) => places.push(line.enter(asker, () => went.push(name)));
  ask(one, 'first');
  for (let n = 0; n < 3; n++) ask(one, `one ${n}`);
  for (let n = 0; n < 2; n++) ask(another, `one, another connection ${n}`);
  for (let n = 0; n < 2; n++) ask(other, `other ${n}`);
  ask(third, 'third');
  for (let n = 0; n < places.length; n++) {
    for (const name of went) places[names.indexOf(name)]?.leave();
    await nextTurn();
  }
  expect(went).toEqual([
    'first',
    'one 0',
    'other 0',
    'third',
    'one, another connection 0',
    'other 1',
    'one 1',
    'one, another connection 1',
    'one 2',
  ]);
});

/** In the order in which they ask. */
const names = [
  'first',
  'one 0',
  'one 1',
  'one 2',
  'one, another connection 0',
  'one, another connection 1',
  'other 0',
  'other 1',
  'third',
];

test('so many begin in one turn of the event loop, so many are opened at once', async () => {
  let went = 0;
  let full = 0;
  const most = 10_000;
  const line = new UpstreamQueue({ most, mostPerAddress: most, onFull: () => full++ });
  const places = Array.from({ length: 1000 }, () => line.enter(one, () => went++));
  expect(went).toBe(64);
  // It joins the end of its own turns, and is the next of all.
  const late: number[] = [];
  line.enter(other, () => late.push(went));
  await nextTurn();
  expect(late).toEqual([65]);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(went + late.length).toBe(256);
  for (const place of places.slice(0, 50)) place.connected();
  await nextTurn();
  expect(went + late.length).toBe(306);
  for (const place of places.slice(50, 100)) place.leave();
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(went + late.length).toBe(356);
  for (let turn = 0; turn < 40; turn++) {
    for (const place of places) place.connected();
    await nextTurn();
  }
  expect([went, full]).toEqual([1000, 0]);
});

test('a websocket waits like a request while requests have all places', async () => {
  let went = 0;
  const line = new UpstreamQueue({ most: 2, mostPerAddress: 2 });
  const places = [1, 2].map(() => line.enter(one, () => {}));
  line.enterTunnel(other, () => went++);
  expect(went).toBe(0);
  places[0]?.leave();
  await nextTurn();
  expect(went).toBe(1);
});
