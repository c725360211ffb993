import { describe, expect, it } from 'vitest';
import { sliceTrace, traceOf } from '../../../prefetchd/simulate/trace.ts';
import { rowsOf } from '../../../prefetchd/simulate/trace-reader.ts';
import fc from '../../support/property.ts';
import { accessesOf, handLog, sizesOf } from './hand-log.ts';

describe('trace', () => {
  it('an access that sent no file has the size that was seen last, or is seen next; a part its own', () => {
    const trace = handLog(`
      a 0 /x.html    0 304
      a 1 /x.html 5000 200
      a 2 /x.html  300 206
      a 3 /x.html 7000 200
      a 4 /x.html    0 304
      a 5 /y.html    0 304`);
    expect(sizesOf(trace)).toEqual([5000, 5000, 300, 7000, 7000, 0]);
  });

  it('leaves prefetches out', () => {
    const [access] = accessesOf('a 0 /x.html 100');
    if (access === undefined) throw new Error('no access');
    expect(traceOf([access, { ...access, prefetch: true }]).count).toBe(1);
  });

  it('is in order of time; what came at the same time stays as it was', () => {
    const trace = handLog(`
      a 5 /late.html   1
      b 2 /first.html  2
      c 2 /second.html 3`);
    expect(Array.from(rowsOf(trace), ({ timeMs }) => timeMs)).toEqual([2000, 2000, 5000]);
    expect(Array.from(rowsOf(trace), ({ url }) => trace.urls[url])).toEqual([
      '/first.html',
      '/second.html',
      '/late.html',
    ]);
    expect(sizesOf(trace)).toEqual([2, 3, 1]);
  });

  it('takes names that are properties of every object', () => {
    const trace = handLog(`
      __proto__   0 /__proto__   10
      constructor 1 /constructor 10`);
    expect([trace.clients, trace.urls]).toEqual([2, ['/__proto__', '/constructor']]);
  });

  it('of nothing is empty', () => {
    expect(traceOf([])).toMatchObject({ count: 0, clients: 0, urls: [] });
  });

  describe('of many accesses', () => {
    const count = 20_000;
    /** Whose size says where it came. */
    const cameAs = (timesMs: readonly number[]) =>
      timesMs.map((timeMs, at) => {
        const own = { client: `c${at % 7}`, url: `/${at % 5}`, status: 200 } as const;
        return { ...own, timeMs, bytes: at + 1, kind: 'document' as const, prefetch: false };
      });
    const orders: Record<string, (at: number) => number> = {
      'in order': (at) => 1000 * at,
      'nearly in order': (at) => 1000 * at - 3000 * (at % 5),
      'two logs, the later one first': (at) => 1000 * ((at + count / 2) % count),
      'all at the same time': () => 7,
      backwards: (at) => 1000 * (count - at),
      mixed: (at) => (at * 7919) % 10_007,
    };
    it.each(Object.keys(orders))('is in order of time: %s', (name) => {
      const times = Array.from({ length: count }, (_, at) => orders[name]?.(at) ?? 0);
      const sorted = times
        .map((timeMs, at) => ({ timeMs, bytes: at + 1 }))
        .sort((left, right) => left.timeMs - right.timeMs);
      const trace = traceOf(cameAs(times));
      const rows = Array.from(rowsOf(trace), ({ timeMs, bytes }) => ({ timeMs, bytes }));
      expect(rows).toEqual(sorted);
      const [from, to] = [5000, 12_000];
      const part = sliceTrace(sliceTrace(trace, 10, count), from - 10, to - 10);
      expect(sizesOf(part)).toEqual(sorted.slice(from, to).map(({ bytes }) => bytes));
    });
  });

  it('is the log sorted by time, whatever the order of its lines', () => {
    const times = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(times, (seconds) => {
        const lines = seconds.map((second, at) => `a ${second} /${at} ${at + 1}`);
        const expected = seconds
          .map((second, at) => [second * 1000, at + 1])
          .sort(([left = 0], [right = 0]) => left - right);
        const trace = handLog(lines.join('\n'));
        expect(Array.from(rowsOf(trace), ({ timeMs, bytes }) => [timeMs, bytes])).toEqual(expected);
      }),
    );
  });
});
