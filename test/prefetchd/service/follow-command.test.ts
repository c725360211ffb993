// `prefetchd serve --follow`: a site whose server writes a log and knows nothing of prefetchd has hints, by HTTP
// and by file.

import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runToEnd } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { servingPrefetchd, startPrefetchd } from '../../support/prefetchd-command.ts';
import { ask, hintedUrls } from './ask.ts';

let folder: string;
let log: string;
beforeEach(() => {
  folder = folderOfTest();
  log = join(folder, 'access.log');
});

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
let secondOfDay = 0;
/** Three of them are surely distinct, whatever the salt (prefetchd/model/graph/client-sets.ts). */
const visitors = [1, 2, 3, 4, 5];

function visit(address: string, urls: string[], agent = browser): string {
  return urls
    .map((url) => {
      const time = new Date(Date.UTC(2025, 9, 10) + ++secondOfDay * 1000);
      const clock = time.toISOString().slice(11, 19);
      return `${address} - - [10/Oct/2025:${clock} +0000] "GET ${url} HTTP/1.1" 200 23 "-" "${agent}"\n`;
    })
    .join('');
}

it('visitors in the log, and another one is hinted; bots teach nothing, and are counted', async () => {
  await writeFile(log, visit('192.0.2.9', ['/a', '/old']));
  const args = ['serve', '--port', '0', '--follow', log, '--hints-file', 'h.json'];
  await using service = await servingPrefetchd(folder, [...args, '--hints-file', 'h.map']);
  for (const host of visitors) {
    const bot = 'Googlebot/2.1 (+http://www.google.com/bot.html)';
    await appendFile(log, visit(`192.0.2.${host}`, ['/a', '/b']));
    await appendFile(log, visit(`198.51.100.${host}`, ['/b', '/bots-like-this'], bot));
  }
  await appendFile(log, 'no line of a log\n');
  await eventually(async () => (await hintedUrls(service.url, '/a')).includes('/b'));
  expect(await hintedUrls(service.url, '/b')).toEqual([]);
  const counted = async () => (await ask(service.url, '/metrics')).text;
  await eventually(async () => /_dropped_total{reason="malformed"} 1\n/.test(await counted()));
  expect(await counted()).toMatch(/prefetchd_accesses_dropped_total{reason="bot"} 10\n/);
  const map = () => readFile(join(folder, 'h.map'), 'utf8');
  await eventually(async () => (await map()).includes('"/a" "</b>; rel=prefetch; probability=1";'));
  const { pages } = JSON.parse(await readFile(join(folder, 'h.json'), 'utf8'));
  expect(pages['/a'].hints).toEqual([{ url: '/b', probability: 1, kind: 'document' }]);
  expect(service.log.join('')).not.toMatch(/192\.0\.2|Firefox|no line of a log/);
});

it('two logs, one of them rotated; what was there before does not count', async () => {
  const other = join(folder, 'other.log');
  await writeFile(log, visit('192.0.2.1', ['/a', '/b']));
  await writeFile(other, visit('192.0.2.2', ['/a', '/old']));
  const args = ['serve', '--port', '0', '--follow', log, '--follow', other];
  await using service = await servingPrefetchd(folder, args);
  await appendFile(other, visit('192.0.2.2', ['/a', '/b']));
  expect(await hintedUrls(service.url, '/a')).toEqual([]);
  await rename(log, `${log}.1`);
  await writeFile(log, [3, 4, 5].map((host) => visit(`192.0.2.${host}`, ['/a', '/b'])).join(''));
  await eventually(async () => (await hintedUrls(service.url, '/a')).includes('/b'));
});

it('a log in a format of its own is followed by the names of its fields', async () => {
  const event = (host: number, path: string) => {
    const ts = Date.UTC(2025, 9, 10) + ++secondOfDay * 1000;
    return `${JSON.stringify({ ts, ip: `192.0.2.${host}`, req: { path }, ua: browser })}\n`;
  };
  await writeFile(log, event(9, '/old'));
  const fields = 'client=ip,time=ts,url=req.path,agent=ua';
  const args = ['serve', '--port', '0', '--follow', log, '--format', fields];
  await using service = await servingPrefetchd(folder, args);
  for (const host of visitors) await appendFile(log, event(host, '/a') + event(host, '/b'));
  await eventually(async () => (await hintedUrls(service.url, '/a')).includes('/b'));
});

it('with the origin of the site, lines of other hosts are left out', async () => {
  const line = (host: string, address: string) =>
    visit(address, ['/a', '/b']).replace(/^/gm, `${host}:443 `).replace(/\S+ $/, '');
  await writeFile(log, '');
  const args = ['serve', '--port', '0', '--follow', log, '--origin', 'https://a.example'];
  await using service = await servingPrefetchd(folder, args);
  for (const host of visitors) {
    await appendFile(log, line('a.example', `192.0.2.${host}`));
    await appendFile(log, line('b.example', `192.0.3.${host}`));
  }
  await eventually(async () => (await hintedUrls(service.url, '/a')).includes('/b'));
  const { text } = await ask(service.url, '/metrics');
  expect(text).toMatch(/prefetchd_accesses_dropped_total{reason="cross-origin"} ([5-9]|10)\n/);
});

it.each([
  [['--follow', '.'], 1, /^prefetchd: log \. cannot be followed: it is not a regular file\n$/],
  [['--follow', 'a', '--format', 'morse'], 2, /^prefetchd: --format must be auto, .*, not "morse"/],
  [['--hints-file', 'no/h.json'], 1, /^prefetchd: hints cannot be written to no\/h\.json: ENOENT/],
])('%s ends with %i and one reason', async (args, exitCode, message) => {
  const child = startPrefetchd(folder, ['serve', '--port', '0', ...args]);
  const { code, stdout, stderr } = await runToEnd(child);
  const told = stderr.split('\n').filter((line) => !line.startsWith('{'));
  expect([code, stdout, told.join('\n')]).toEqual([exitCode, '', expect.stringMatching(message)]);
});
