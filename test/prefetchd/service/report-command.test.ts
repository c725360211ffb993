// `prefetchd report` beside `prefetchd serve --holdback`: text, JSON; and what it says where nothing is measured.

import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runToEnd } from '../../support/command.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { servingPrefetchd, startPrefetchd } from '../../support/prefetchd-command.ts';
import { access, ask } from './ask.ts';

let folder: string;
beforeEach(() => {
  folder = folderOfTest();
});

const serve = (...args: string[]) =>
  servingPrefetchd(folder, ['serve', '--port', '0', '--store', 'memory', ...args]);
const run = (...args: string[]) => runToEnd(startPrefetchd(folder, args));

/** Visitors walk from /a to /b; those with hints wait 20 ms, the others 300. */
async function walk(url: string): Promise<void> {
  const learned = Array.from({ length: 4 }, (_, at) => `192.0.2.${at} x`);
  const post = (body: unknown) => ask(url, '/v1/accesses', { method: 'POST', body });
  await post(learned.flatMap((client) => [access(client, '/a'), access(client, '/b')]));
  for (let at = 0; at < 400; at++) {
    const client = `10.0.${at % 200}.${at} Chrome`;
    const asked = `/v1/hints?url=/a&client=${encodeURIComponent(client)}`;
    const { heldBack = false } = (await ask(url, asked)).json;
    const ms = (heldBack ? 300 : 20) + (at % 20);
    await post([
      access(client, '/a', { shown: true, tellsShown: true }),
      access(client, '/b', { shown: true, tellsShown: true, page: '/a' }),
      access(client, '/b', { page: '/a', vitals: { ttfbMs: ms, fcpMs: ms, lcpMs: ms } }),
    ]);
  }
}

it('says what hints are worth, and goes on after a restart', async () => {
  const flags = ['--holdback', '50', '--store', 'sqlite:kept.db'];
  let before: unknown;
  {
    await using service = await serve(...flags);
    expect((await run('report', '--url', service.url)).stdout).toMatch(/^Too early to say\n/);
    await walk(service.url);
    const { stdout, code } = await run('report', '--url', service.url);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Pages that prefetchd expects are shown 2[78]\d ms faster on average\n/,
    );
    expect(stdout).toMatch(/instant \(TTFB up to 100 ms\) +100\.0 % +0\.0 % \+100\.0 points/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    before = JSON.parse((await run('report', '--url', service.url, '--json')).stdout);
    expect(before).toMatchObject({ percent: 50, verdict: 'faster', isUneven: false });
  }
  await using service = await serve(...flags);
  const after = JSON.parse((await run('report', '--url', service.url, '--json')).stdout);
  expect(after).toEqual(before);
});

it('a file of another share, or damaged, is set aside and told of', async () => {
  await writeFile(join(folder, 'kept.db.holdback.json'), 'damaged');
  await using service = await serve('--holdback', '10', '--store', 'sqlite:kept.db');
  expect(JSON.parse(await service.logged(/is damaged: counting begins anew/)).level).toBe(40);
  expect(await readdir(folder)).toContainEqual(
    expect.stringMatching(/^kept\.db\.holdback\.json\.\d+\.old$/),
  );
});

it('with a store in memory, counts end with the process, and the log says so', async () => {
  await using service = await serve('--holdback', '10');
  expect(
    JSON.parse(await service.logged(/kept over restarts only with --store sqlite/)).level,
  ).toBe(40);
});

it('where nobody is held back, or nothing runs, it says what to do', async () => {
  await using service = await serve();
  const without = await run('report', '--url', service.url);
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringContaining('no visitor is held back: start the service with --holdback 10'),
  ]);
  const nothing = await run('report', '--url', 'http://127.0.0.1:1');
  expect([nothing.code, nothing.stderr]).toEqual([
    1,
    expect.stringMatching(
      /no service answers at http:\/\/127\.0\.0\.1:1: .*; start prefetchd serve/,
    ),
  ]);
  expect((await run('report', '--url', 'nonsense')).code).toBe(2);
});
