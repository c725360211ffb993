import { describe, expect, it } from 'vitest';
import { traceOf } from '../../../prefetchd/simulate/trace.ts';
import { accessesOf, handLog } from './hand-log.ts';

describe('trace', () => {
  it('an access that sent no file has the size that was seen last, or is seen next', () => {
    const trace = handLog(`
      a 0 /x.html    0 304
      a 1 /x.html 5000 200
      a 2 /x.html  300 206
      a 3 /x.html 7000 200
      a 4 /x.html    0 304
      a 5 /y.html    0 304`);
    expect([...trace.bytes]).toEqual([5000, 5000, 5000, 7000, 7000, 0]);
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
    expect([...trace.timeMs]).toEqual([2000, 2000, 5000]);
    expect([...trace.url].map((url) => trace.urls[url])).toEqual([
      '/first.html',
      '/second.html',
      '/late.html',
    ]);
    expect([...trace.bytes]).toEqual([2, 3, 1]);
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
});
