// `loadahead audit` and `--runs` as a user meets them: exit codes, what goes to which stream, files.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { createOrigin } from '../../server/index.ts';
import { startApache, whyNoApache } from '../support/apache.ts';
import { runToEnd, withoutPackage } from '../support/command.ts';
import { folderOfTest, folderOfTests } from '../support/folder-of-tests.ts';
import { loadaheadIn, startLoadahead } from '../support/loadahead-command.ts';
import { response, startRawServer } from '../support/raw-server.ts';

const folder = folderOfTests();
const origin = createOrigin(microscapeDir);
const { url } = await origin.listen();
afterAll(() => origin.close());

beforeAll(async () => {
  await writeFile(join(folder, 'budget.json'), budget(200));
  await writeFile(join(folder, 'tight.json'), budget(10));
  await writeFile(join(folder, 'other.json'), '[{"path": "/shop"}]');
  await writeFile(join(folder, 'bad.json'), '[{"timings": [{"metric": "speed", "budget": 1}]}]');
});

function budget(totalKiB: number): string {
  const timings = Object.entries({ completeMs: 60_000, 'speed-index': 1 });
  return JSON.stringify([
    {
      path: '/*',
      timings: timings.map(([metric, limit]) => ({ metric, budget: limit })),
      resourceSizes: [{ resourceType: 'total', budget: totalKiB }],
    },
  ]);
}

const loadahead = loadaheadIn(folder);

describe('loadahead audit', () => {
  it('prints advice no wider than COLUMNS, without colour where there is no terminal', async () => {
    const args = ['audit', `${url}/modern/`];
    const { code, stdout, stderr } = await loadahead(args, { COLUMNS: '80' });
    expect([code, stderr]).toEqual([0, '']);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).not.toContain('\x1b');
    expect(stdout).toContain('Images have no width and height');
  });

  it('--json has the advice, its sum, and the load', async () => {
    const { stdout } = await loadahead(['audit', `${url}/modern/`, '--json', '--runs', '3']);
    const record = JSON.parse(stdout);
    const fields = 'url saves findings untried uncounted budget load runs median spread';
    expect(Object.keys(record)).toEqual(fields.split(' '));
    expect(record.load.resources).toHaveLength(21);
    const kinds = record.findings.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(['image-dimensions', 'no-lifetime']);
    expect(record.runs).toHaveLength(3);
    expect(record.median.totals.requests).toBe(21);
  });

  it('without sharp says what is not measured, and how to get it', async () => {
    const { code, stdout } = await loadahead(['audit', url], withoutPackage('sharp'));
    expect(code).toBe(0);
    expect(stdout).toContain(
      'First visit: savings not known\n  Not counted: 42 images not checked: sharp is not installed (npm install sharp)\n',
    );
    expect(stdout).not.toContain('CSS could draw');
  });

  it('a budget that is kept ends with 0, one that is not with 1, and says which', async () => {
    const kept = await loadahead(['audit', `${url}/modern/`, '--budget', 'budget.json']);
    const leftOut = 'loadahead: only a browser measures speed-index: left out\n';
    expect([kept.code, kept.stderr]).toEqual([0, leftOut]);
    const tight = ['audit', `${url}/modern/`, '--budget', 'tight.json'];
    const { code, stdout, stderr } = await loadahead(tight);
    expect(code).toBe(1);
    expect(stdout).toMatch(/Budget\n {2}(?:within {2}completeMs.*\n|over {4}size of total)/);
    expect(stderr).toMatch(/over budget: size of total: 6\d\.\d kB, budget 10\.2 kB \(10 KiB\)\n$/);
  });

  it('says that no budget is for the path', async () => {
    const { code, stderr } = await loadahead(['audit', `${url}/modern/`, '--budget', 'other.json']);
    const said = 'loadahead: other.json has no budget for the path of this page\n';
    expect([code, stderr]).toEqual([0, said]);
  });

  it('a page that does not load ends with 1', async () => {
    const args = ['audit', `${url}/nowhere`, '--budget', 'tight.json'];
    const { code, stdout, stderr } = await loadahead(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^loadahead: \S+\/nowhere did not load: .*404.*\n$/);
  });

  it('names broken resources in the report and the runs, and ends with 0 as load does', async () => {
    await using site = await startRawServer({
      onRequest({ path }, connection) {
        const found = path === '/';
        const body = found ? '<img src=missing.png width=1 height=1>' : 'none';
        const headers = { 'Content-Type': 'text/html' };
        connection.write(response(body, headers, found ? '200 OK' : '404 Not Found'));
      },
    });
    const { code, stdout } = await loadahead(['audit', site.origin, '--runs', '2']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n1 failed .*\n {2}404 Not Found {2}missing\.png\n/);
    expect(stdout).toMatch(/\nerrors +1 +1 +1\n/);
  });

  it('interrupted, it says so and ends by the signal, which shells report as 130', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    await using site = await startRawServer({ onRequest: () => resolve() });
    const child = startLoadahead(folder, ['audit', site.origin]);
    const ended = runToEnd(child);
    await asked;
    child.kill('SIGINT');
    expect((await ended).stderr).toBe('loadahead: interrupted\n');
    expect(child.signalCode).toBe('SIGINT');
  });

  it.each([
    [['--budget', 'bad.json'], /bad\.json: \[0\]\.timings\[0\]\.metric must be .*not "speed"/],
    [['--budget', 'none.json'], /--budget: none\.json cannot be read/],
    [['--runs', '0'], /--runs.* '0' is invalid. It must be a whole number from 1 to 1000./],
  ])('%j is bad usage: 2, said before anything is sent', async (flags, message) => {
    const { code, stdout, stderr } = await loadahead(['audit', 'http://127.0.0.1:1/', ...flags]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it.skipIf(whyNoApache)(
    `of Apache at its defaults has no advice on what is right ${whyNoApache}`,
    async () => {
      const page = '<p>words '.repeat(300);
      const site = folderOfTest();
      await writeFile(join(site, 'index.html'), page);
      await using apache = await startApache(site);
      const { stdout } = await loadahead(['audit', apache.url, '--json']);
      const kinds = JSON.parse(stdout).findings.map(({ kind }: { kind: string }) => kind);
      expect(kinds).toEqual(['uncompressed-text', 'no-lifetime']);
    },
  );
});

describe('loadahead load --runs', () => {
  it('prints a table of median, smallest and largest behind the median run', async () => {
    const { code, stdout } = await loadahead(['load', url, '--runs', '3'], { COLUMNS: '80' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n3 runs +median +smallest +largest\nrequests +43 +43 +43\n/);
  });

  it('--json has the median run, and runs, median and spread; each is a first visit', async () => {
    const { stdout } = await loadahead(['load', url, '--runs', '3', '--json']);
    const record = JSON.parse(stdout);
    type Run = { timing: { completeMs: number } };
    const times = record.runs.map(({ timing }: Run) => timing.completeMs);
    expect(record.timing.completeMs).toBe(record.median.timing.completeMs);
    const spread = { min: Math.min(...times), max: Math.max(...times) };
    expect(record.spread.timing.completeMs).toEqual(spread);
    for (const { totals } of record.runs)
      expect([totals.requests, totals.fromCache]).toEqual([43, 0]);
  });

  it('with a cache, later runs are later visits', async () => {
    const { stdout } = await loadahead(['load', url, '--runs', '2', '--json', '--cache', 'cache']);
    const { runs } = JSON.parse(stdout);
    expect(runs).toMatchObject([{ totals: { fromCache: 0 } }, { totals: { fromCache: 43 } }]);
  });
});
