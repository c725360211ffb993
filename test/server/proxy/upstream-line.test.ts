// The line in front of the upstream: who goes, who waits, and that a place is given up once.

import { expect, test } from 'vitest';
import { UpstreamLine } from '../../../server/proxy/upstream-line.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('as many as there are places go at once, the others in their order', async () => {
  const went: number[] = [];
  let full = 0;
  const line = new UpstreamLine(2, () => full++);
  const places = [0, 1, 2, 3].map((n) => line.enter(() => went.push(n)));
  expect([went, full]).toEqual([[0, 1], 2]);
  places[1]?.leave();
  places[1]?.leave();
  await nextTurn();
  expect(went).toEqual([0, 1, 2]);
  places[0]?.leave();
  await nextTurn();
  expect(went).toEqual([0, 1, 2, 3]);
});

test('who leaves before it is its turn never goes, and takes no place from anybody', async () => {
  const went: number[] = [];
  const line = new UpstreamLine(1);
  const places = [0, 1, 2].map((n) => line.enter(() => went.push(n)));
  places[1]?.leave();
  places[0]?.leave();
  await nextTurn();
  expect(went).toEqual([0, 2]);
});

test('so many are opened at once; each that is connected, or fails, lets the next one', async () => {
  let went = 0;
  let full = 0;
  const line = new UpstreamLine(10_000, () => full++);
  const places = Array.from({ length: 1000 }, () => line.enter(() => went++));
  expect(went).toBe(256);
  for (const place of places.slice(0, 100)) place.connected();
  expect(went).toBe(356);
  for (const place of places.slice(100, 200)) place.leave();
  await nextTurn();
  expect(went).toBe(456);
  for (const place of places) place.connected();
  // Each connected place let another go, which `places` had, too.
  expect([went, full]).toEqual([1000, 0]);
});

test('websockets take of the places, but leave a quarter', async () => {
  let went = 0;
  const line = new UpstreamLine(8);
  const gone = Array.from({ length: 20 }, () => line.addTunnel());
  for (let n = 0; n < 5; n++) line.enter(() => went++);
  expect(went).toBe(2);
  for (const close of gone) close();
  expect(went).toBe(5);
});
