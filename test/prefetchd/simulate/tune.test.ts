import { describe, expect, it } from 'vitest';
import type { Simulation, SimulationPoint } from '../../../prefetchd/simulate/simulate.ts';
import { pick, tune } from '../../../prefetchd/simulate/tune.ts';
import { handLog } from './hand-log.ts';

/** Points by (time, traffic, precision); without prefetching the time is 1,000 ms. */
function simulationOf(
  ...points: Array<[timeMs: number, traffic: number, precision: number]>
): Simulation {
  return {
    baseline: { averageAccessTimeMs: 1000 } as Simulation['baseline'],
    points: points.map(
      ([averageAccessTimeMs, trafficIncrease, precision]) =>
        ({ averageAccessTimeMs, trafficIncrease, precision }) as SimulationPoint,
    ),
  };
}

describe('picking a setting', () => {
  const simulation = simulationOf(
    [500, 0.5, 0.3],
    [600, 0.2, 0.5],
    [750, 0.1, 0.7],
    [950, 0.01, 0.9],
  );

  it('latency: the least time within the traffic', () => {
    expect(pick(simulation, 1.2, 'latency')).toBe(simulation.points[1]);
    expect(pick(simulation, 2, 'latency')).toBe(simulation.points[0]);
  });

  it('precision: the most precise that saves half as much as the fastest', () => {
    // Within 20 % the fastest saves 400 ms; half of it are 200 ms: 750 ms is enough, 950 ms is not.
    expect(pick(simulation, 1.2, 'precision')).toBe(simulation.points[2]);
  });

  it('of equals the one of less traffic, then the first', () => {
    const equals = simulationOf([700, 0.2, 0.5], [700, 0.1, 0.5], [700, 0.1, 0.5]);
    expect(pick(equals, 1.2, 'latency')).toBe(equals.points[1]);
  });

  it('nothing, where nothing saves within the traffic', () => {
    expect(pick(simulationOf([1000, 0, 0], [400, 0.3, 0.5]), 1.2, 'latency')).toBeNull();
  });
});

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
      predictor: 'dependency-graph',
      window: 4,
      threshold: 0.5,
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
      Array.from({ length: lines }, (_, at) => `w ${9000 + at} /${name}${at % 7}.html 100`).join(
        '\n',
      );
    const options = { workers: 0, heldOut: 0.5, windows: [2, 4], predictors: ['markov'] } as const;
    const [first, second] = await Promise.all(
      ['x', 'y'].map((name) => tune(handLog(`${earlier}\n${other(name)}`), options)),
    );
    expect(first?.picked).toEqual(second?.picked);
  });

  it('advises nothing where nothing is to be had', async () => {
    const lonely = Array.from({ length: 100 }, (_, at) => `c${at} ${at} /${at}.html 100`).join(
      '\n',
    );
    const report = await tune(handLog(lonely), { workers: 0 });
    expect(report).toMatchObject({ picked: null, beatsDefault: false });
    expect(report.heldOut.picked).toBeNull();
  });

  it.each([[{ maxTraffic: 0.9 }], [{ heldOut: 1 }], [{ train: 0 }]])(
    '%j is refused',
    async (wrong) => {
      await expect(tune(handLog('a 0 /x.html 1'), wrong)).rejects.toThrow(/must be/);
    },
  );
});
