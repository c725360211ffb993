// `record`, and `serve` and `audit` on what it kept, as a user meets them; and pages that Chromium kept.

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { loadPage } from '../../loader/index.ts';
import { createOrigin } from '../../server/index.ts';
import { readRecording } from '../../server/recorded/read-recording.ts';
import { replay } from '../../server/recorded/replay.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { loadaheadIn, servingLoadahead } from '../support/loadahead-command.ts';

const folder = folderOfTests();
const origin = createOrigin(microscapeDir);
const { url } = await origin.listen();
afterAll(() => origin.close());

const loadahead = loadaheadIn(folder);

it('a page is kept for its owner alone, served again whole, and audited under its own URL', async () => {
  const kept = await loadahead(['record', url, '--out', 'page.har', '--header', 'X-Token: abc']);
  expect([kept.code, kept.stdout]).toEqual([0, 'page.har: 43 responses, 171 kB\n']);
  const file = join(folder, 'page.har');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).not.toMatch(/x-token/i);

  await using serving = await servingLoadahead(folder, ['page.har']);
  const load = await loadPage(serving.url);
  expect(load.totals).toMatchObject({ requests: 43, errors: 0, bodyBytes: 171_295 });

  const audited = await loadahead(['audit', 'page.har', '--json', '--convert-time', '0']);
  expect(audited.code).toBe(0);
  const report = JSON.parse(audited.stdout);
  expect(report.url).toBe(`${url}/`);
  const origins = report.load.resources.map((row: { url: string }) => new URL(row.url).origin);
  expect([...new Set(origins)]).toEqual([url]);
});

it('a recording with holes is served, and they are told', async () => {
  const whole = JSON.parse(await readFile(join(folder, 'page.har'), 'utf8'));
  delete whole.log.entries[3].response.content.text;
  await writeFile(join(folder, 'holes.har'), JSON.stringify(whole));
  const { code, stderr } = await loadahead(['audit', 'holes.har', '--convert-time', '0']);
  const told = 'loadahead: left out of holes.har: 1 response without body (answered 404)\n';
  expect([code, stderr]).toEqual([0, told]);
});

it.each([
  [['record', 'http://127.0.0.1:1/', '--out', 'a.har'], 1, /did not load: .*connection-refused/],
  [['record', 'http://127.0.0.1:1/'], 2, /--out <file>/],
  [['record', 'http://127.0.0.1:1/', '--out', 'no/a.har'], 2, /--out: the folder no does not /],
  [['serve', 'junk.har'], 2, /^loadahead: junk\.har is not JSON/],
  [['audit', 'junk.har'], 2, /^loadahead: junk\.har is not JSON/],
  [['serve', 'nothing.har'], 2, /nothing\.har/],
])('%j ends with %i and says why', async (args, exitCode, says) => {
  await writeFile(join(folder, 'junk.har'), 'junk');
  const { code, stdout, stderr } = await loadahead(args);
  expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringMatching(says)]);
  expect(stderr).not.toMatch(/\n\s+at /);
});

it.skipIf(!hasChromium)('what Chromium kept is what Chromium sees again', async () => {
  const path = join(folder, 'chromium.har');
  const browser = await launchChromium();
  const seen = async (address: string, recordHar?: { path: string; content: 'embed' }) => {
    const context = await browser.newContext(recordHar === undefined ? {} : { recordHar });
    const page = await context.newPage();
    const asked: [path: string, status: number][] = [];
    page.on('response', (response) => {
      asked.push([new URL(response.url()).pathname, response.status()]);
    });
    await page.goto(`${address}`, { waitUntil: 'networkidle' });
    await context.close();
    return asked.sort();
  };
  const first = await seen(`${url}/modern/`, { path, content: 'embed' });
  await using site = await replay(await readRecording(path), { port: 0, host: '127.0.0.1' });
  expect(await seen(site.url)).toEqual(first);
  await browser.close();
});
