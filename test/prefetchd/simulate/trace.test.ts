import { describe, expect, it } from 'vitest';
import { traceOf } from '../../../prefetchd/simulate/trace.ts';
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
    expect(traceOf([access, { ...access, prefetch: true }]).accesses).toHaveLength(1);
  });

  it('takes names that are properties of every object', () => {
    const trace = handLog(`
      __proto__   0 /__proto__   10
      constructor 1 /constructor 10`);
    expect(trace.clients).toHaveLength(2);
    expect(trace.files.map(({ url }) => url)).toEqual(['/__proto__', '/constructor']);
  });

  it('of nothing is empty', () => {
    expect(traceOf([])).toEqual({ accesses: [], clients: [], files: [] });
  });

  it('is the log sorted by time, whatever the order of its lines; equals stay as they were', () => {
    const times = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(times, (seconds) => {
        const lines = seconds.map((second, at) => `a ${second} /${at} ${at + 1}`);
        const expected = seconds
          .map((second, at) => [second * 1000, at + 1])
          .sort(([left = 0], [right = 0]) => left - right);
        const trace = handLog(lines.join('\n'));
        expect(trace.accesses.map(({ timeMs, bytes }) => [timeMs, bytes])).toEqual(expected);
      }),
    );
  });
});
