import { describe, expect, it } from 'vitest';
import type { SimulationPoint } from '../../../prefetchd/simulate/simulate.ts';
import { tune } from '../../../prefetchd/simulate/tune.ts';
import { handLog } from './hand-log.ts';

/** `visits` clients that read /a.html, and ten seconds later /b.html; every other one /c.html in between. */
function visits(count: number): string {
  return Array.from({ length: count }, (_, visit) => {
    const start = visit * 100;
    return [
      `v${visit} ${start} /a.html 10000`,
      ...(visit % 2 === 0 ? [`v${visit} ${start + 10} /c.html 5000`] : []),
      `v${visit} ${start + 20} /b.html 20000`,
    ].join('\n');
  }).join('\n');
}

describe('tune', () => {
  it('picks on the earlier part and reports on the later one, beside the default', async () => {
    const trace = handLog(visits(80));
    const report = await tune(trace, { workers: 0, maxTraffic: 1.3, limits: [1, 2] });
    expect(report.parts).toEqual({ taught: 48, pickedOn: 72, heldOut: 80 });
    expect(report.heldOut.baseline.accesses).toBe(80);
    expect(report.picked?.trafficIncrease).toBeLessThanOrEqual(0.3);
    expect(report.heldOut.default).toMatchObject({
      predictor: 'double-graph',
      window: 4,
      threshold: 0.2,
      limit: 3,
    });
    const { predictor, window, threshold, limit } = report.picked as SimulationPoint;
    expect(report.heldOut.picked).toMatchObject({ predictor, window, threshold, limit });
    // /b.html follows always: it is worth a hint, and nobody fetches it in vain.
    expect(report.heldOut.picked?.averageAccessTimeMs).toBeLessThan(
      report.heldOut.baseline.averageAccessTimeMs * 0.7,
    );
  });

  it('does not look at the part held out while picking', async () => {
    const earlier = visits(80);
    const lines = earlier.split('\n').length;
    // As many accesses again, of another kind: they are all held out.
    const other = (name: string) =>
      Array.from(Array(lines), (_, at) => `w ${9000 + at} /${name}${at % 7}.html 100\n`).join('');
    const half = { workers: 0, heldOut: 0.5 };
    const options = { ...half, windows: [2, 4], predictors: ['dependency-graph'] } as const;
    const [first, second] = await Promise.all(
      ['x', 'y'].map((name) => tune(handLog(`${earlier}\n${other(name)}`), options)),
    );
    expect(first?.picked).toEqual(second?.picked);
  });

  it('counts all bytes that people are sent, so that images make hints of pages cheap', async () => {
    // Half of the hints of /c.html are in vain: 5,000 bytes, as much as the pages, but little beside the images.
    const withImages = visits(80).replaceAll(
      /^(v\d+) (\d+) \/a\.html 10000$/gm,
      (line, visitor, seconds) => `${line}\n${visitor} ${seconds} /photo.jpg 2000000`,
    );
    const options = { workers: 0, maxTraffic: 1.01, limits: [2] };
    const [bare, rich] = await Promise.all(
      [visits(80), withImages].map((log) => tune(handLog(log), options)),
    );
    const clicks = (report: typeof bare) => report?.heldOut.picked?.pages?.hintedClicks ?? 0;
    expect(clicks(rich)).toBeGreaterThan(clicks(bare));
    expect(rich?.heldOut.picked?.pages?.byteIncrease).toBeLessThan(0.01);
  });

  it('calls a difference that chance makes by its name', async () => {
    // At first one visitor in four goes on to /c.html, which the default hints; on the part held out one in eight.
    const next = (visit: number) =>
      visit % 2 === 0 ? 'b' : visit % (visit < 72 ? 4 : 8) === 1 ? 'c' : `d${visit}`;
    const log = Array.from(
      { length: 120 },
      (_, visit) =>
        `v${visit} ${visit * 100} /a.html 100\nv${visit} ${visit * 100 + 10} /${next(visit)}.html 100`,
    ).join('\n');
    const report = await tune(handLog(log), { workers: 0, thresholds: [0.4], maxTraffic: 10 });
    const [one, other] = [report.heldOut.picked?.pages, report.heldOut.default.pages];
    expect(one?.unusedHints).toBeLessThan(other?.unusedHints ?? 0);
    expect(report).toMatchObject({ isChance: true, beatsDefault: false });
  });

  it('advises nothing where nothing is to be had', async () => {
    const lonely = Array.from({ length: 100 }, (_, at) => `c${at} ${at} /${at}.html 100`).join(
      '\n',
    );
    const report = await tune(handLog(lonely), { workers: 0 });
    expect(report).toMatchObject({ picked: null, beatsDefault: false });
    expect(report.heldOut.picked).toBeNull();
  });
});
