// Requests under way on one connection, and from when each response's clock runs: without sockets, on a clock
// that is moved by hand.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { resolveOptions } from '../../../../loader/options.ts';
import { InFlight, ResponseSync } from '../../../../loader/transport/connection/in-flight.ts';
import type { Batch, Exchange } from '../../../../loader/transport/exchange.ts';
import { exchangeOf } from '../pool/sample-exchange.ts';

const defaults = resolveOptions();

const timeouts = { ...defaults.timeouts, responseMs: 1_000, minRateBytes: null };
const pipeline = { ...defaults.pipeline, stallMs: 100 };

/** @returns a line with these requests written, and the paths of those that were given up. */
function lineWith(httpVersion: 'http/1.1' | 'h2', ...exchanges: Exchange[]) {
  const overdue: string[] = [];
  const abort = ({ path }: Exchange) => void overdue.push(path);
  const line = new InFlight({ httpVersion, abort }, { timeouts, pipeline });
  write(line, exchanges);
  return { line, overdue };
}

function write(line: InFlight, exchanges: Exchange[], isTrial = false): void {
  for (const exchange of exchanges) line.join(exchange, { isTrial });
  for (const exchange of exchanges) line.started(exchange);
  line.wrote({ exchanges, bytes: 0, sentAt: 0 } as unknown as Batch);
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('one that was sent when nothing was under policy has all of `responseMs`, a trial has not', () => {
  const [a, b] = [exchangeOf('a'), exchangeOf('b')];
  const { line, overdue } = lineWith('http/1.1', a);
  line.ended(a);
  write(line, [b]);
  vi.advanceTimersByTime(999);
  expect(overdue).toEqual([]);
  vi.advanceTimersByTime(1);
  expect([overdue, line.hasStalled(b)]).toEqual([['/b'], false]);
  const c = exchangeOf('c');
  line.leave(b);
  write(line, [c], true);
  vi.advanceTimersByTime(100);
  expect([overdue, line.hasStalled(c)]).toEqual([['/b', '/c'], true]);
});

it.each([
  ['a server that was slow before may be twice as slow', 'abc', 160],
  ['a long pipeline on a distant line has half a round trip for each request', 'abcde', 300],
])('%s', (_, paths, ms) => {
  const exchanges = [...paths].map((path) => exchangeOf(path));
  const { line, overdue } = lineWith('http/1.1', ...exchanges);
  const [a, b] = exchanges as [Exchange, Exchange];
  if (ms === 160) {
    a.attempt.startedAt = (a.attempt.dueAt ?? 0) + 80;
    line.answers(a);
  } else line.roundTripMs = 150;
  line.ended(a);
  vi.advanceTimersByTime(ms - 1);
  expect(overdue).toEqual([]);
  vi.advanceTimersByTime(1);
  expect([overdue, line.hasStalled(b)]).toEqual([['/b'], true]);
});

it('one that is still in the write buffer is not waited for', () => {
  const a = exchangeOf('a');
  const { line, overdue } = lineWith('http/1.1', a);
  const b = exchangeOf('b');
  line.join(b, { isTrial: false });
  line.started(b);
  line.ended(a);
  vi.advanceTimersByTime(5_000);
  expect(overdue).toEqual([]);
});

it('what the end of a connection made a suspect, no proof that comes late makes certain', () => {
  const step = new ResponseSync();
  const exchange = exchangeOf('/a');
  exchange.attempt.pipelineIndex = 1;
  step.sent(0);
  step.sent(1);
  step.ended(exchange);
  expect(step.suspects(1)).toEqual([exchange]);
  step.proven();
  expect(exchange.attempt.inStep).toBe(false);
});
