// `prefetchd simulate` and `prefetchd tune` as a user meets them.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runToEnd } from '../../support/command.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { startPrefetchd } from '../../support/prefetchd-command.ts';

const folder = folderOfTests();
const log = join(folder, 'access.log');
beforeAll(() => writeFile(log, visits(60)));

/** CLF: /a.html, ten seconds later /b.html. */
function visits(count: number): string {
  const line = (visit: number, seconds: number, path: string) => {
    const time = new Date(Date.UTC(2024, 0, 1) + (visit * 60 + seconds) * 1000);
    const clock = time.toISOString().slice(11, 19);
    return `10.0.0.${visit % 250} - - [01/Jan/2024:${clock} +0000] "GET ${path} HTTP/1.1" 200 9000\n`;
  };
  return Array.from(
    { length: count },
    (_, visit) => line(visit, 0, '/a.html') + line(visit, 10, '/b.html'),
  ).join('');
}

const prefetchd = (...args: string[]) =>
  runToEnd(startPrefetchd(folder, args, { COLUMNS: '80', PREFETCHD_STORE: undefined }));

const point = ['--window', '2', '--threshold', '0.5', '--limit', '1'];

describe('prefetchd simulate', () => {
  it('prints JSON with the fields that scripts rely on', async () => {
    const json = (...flags: string[]) => prefetchd('simulate', log, ...flags, ...point, '--json');
    const { code, stdout, stderr } = await json('--as-paper');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { baseline, points } = JSON.parse(stdout);
    const figures = [
      'missRate',
      'averageAccessTimeMs',
      'trafficIncrease',
      'requestIncrease',
      'prefetches',
      'precision',
      'recall',
    ];
    const settings = ['predictor', 'model', 'window', 'threshold', 'limit'];
    expect(points).toHaveLength(1);
    expect(Object.keys(points[0])).toEqual([...settings, ...figures, 'documents', 'objects']);
    expect(Object.keys(points[0].documents)).toEqual(figures);
    expect(points[0]).toMatchObject({ predictor: 'dependency-graph', model: 'simple', limit: 1 });
    expect(baseline.missRate).toBe(1);
    // Of each visit's two files the second is there.
    expect(points[0]).toMatchObject({ missRate: 0.5, precision: 1, trafficIncrease: 0 });
    // With the rules of the service: clicks, too.
    const service = JSON.parse((await json()).stdout).points[0];
    expect(Object.keys(service)).toEqual([
      ...[...settings, ...figures],
      ...['documents', 'objects', 'pages'],
    ]);
    const rates = { clicks: 24, hintedClicks: 24, hints: 24, unusedHints: 0, byteIncrease: 0 };
    expect(service.pages).toEqual({ ...rates, bytes: 48 * 9000 });
  });

  it('says no limit as null', async () => {
    const flags = ['--limit', 'inf', '--window', '2', '--json'];
    const { stdout } = await prefetchd('simulate', log, ...flags);
    expect(JSON.parse(stdout).points[0].limit).toBeNull();
  });

  it('takes the time of a fetch from measured ones', async () => {
    const samples = join(folder, 'samples.txt');
    await writeFile(samples, '1000 60\n2000 70\n3000 80\n');
    const { stdout } = await prefetchd('simulate', log, ...point, '--fit', samples, '--json');
    // 50 ms + 0.01 ms a byte, for 9,000 bytes.
    expect(JSON.parse(stdout).baseline.averageAccessTimeMs).toBeCloseTo(140, 6);
  });
});

describe('prefetchd tune', () => {
  it('prints what it picked, what that gives on lines not seen, and how to serve it', async () => {
    const { code, stdout } = await prefetchd('tune', log, '--limit', '1,3', '--min-clients', '1');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^picked +[a-z-]+, w \d+, p [\d.]+, i \d+$/m);
    expect(stdout).toMatch(/^default +double-graph, w 4, p 0\.2, i 3$/m);
    // Both hint each click: there is nothing to set.
    expect(stdout).toMatch(
      /^the pick does not beat the default: serve the default\n\nnpm run -s prefetchd -- serve$/m,
    );
  });

  it('prints JSON', async () => {
    const { stdout } = await prefetchd('tune', log, '--json');
    const report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual([
      'objective',
      'maxTraffic',
      'parts',
      'considered',
      'picked',
      'heldOut',
      'beatsDefault',
      'isChance',
      'withinTraffic',
      'fetchTime',
      'serve',
    ]);
  });
});
