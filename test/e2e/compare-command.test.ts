// `compare` as a user meets it: over emulated links where there is root, on loopback elsewhere; and nothing is left behind.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLink, whyNoLink } from '../../cli/compare/emulated-link.ts';
import { LineProcess, nodeCommand } from '../../cli/compare/line-process.ts';
import { type LinkSettings, parseLinks } from '../../cli/compare/links.ts';
import { microscapeDir } from '../../fixtures/index.ts';
import { hasChromium } from '../support/chromium.ts';
import { runToEnd } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { loadaheadIn, loadaheadProgram, startLoadahead } from '../support/loadahead-command.ts';

const folder = folderOfTests();

const wide = { COLUMNS: '120', TMPDIR: folder };
const loadahead = (args: string[]) => loadaheadIn(folder)(args, wide);
const compare = (args: string[]) => loadahead(['compare', ...args]);
const inOneRun = ['microscape', '--runs', '1', '--json'];

type Row = Record<'requests' | 'bytesDown', { median: number }>;

/** Namespaces of a process that compares. */
const namespacesOf = (id: number | undefined) =>
  existsSync('/run/netns')
    ? readdirSync('/run/netns').filter((name) => name.startsWith(`la${id}`))
    : [];

it.each([
  [
    ['nowhere'],
    2,
    /nowhere: there is no such folder, no such recorded page .* and no such fixture/,
  ],
  [['.', '--links', '5g'], 2, /--links: 5g: a network is lan, /],
  [['.', '--server', 'iis'], 2, /--server: there is no "iis"; there are own, nginx, apache/],
  [['.', '--browser', 'lynx'], 2, /--browser: there is no "lynx"; there are chromium/],
  [['.', '--ways', 'h3'], 2, /--ways: there is no "h3"; there are http1\.0, /],
  [
    ['.', '--ways', 'h2:gzop'],
    2,
    /--ways: there is no "gzop"; there are plain, .*gzip, .*without=/,
  ],
  [['.', '--ways', 'h2:gzip:plain'], 2, /--ways: there is no "plain"; there are without=PART/],
  [
    ['.', '--server', 'nginx', '--ways', 'auto:zstd'],
    2,
    /--ways with --server nginx: there is no "zstd"/,
  ],
  [['.', '--visits', 'third'], 2, /--visits: there is no "third"; there are first, revalidate/],
  [['.', '--runs', '0'], 2, /a whole number from 1 to 1000/],
  [
    ['junk.har', '--server', 'apache'],
    2,
    /--server apache serves a folder; a recorded page needs own/,
  ],
  [['junk.har'], 2, /junk\.har is not JSON/],
  [['.', '--svg', 'no/a.svg'], 2, /--svg: the folder no does not exist/],
])('%j ends with %i and says why', async (args, exitCode, says) => {
  await writeFile(join(folder, 'junk.har'), 'junk');
  const { code, stdout, stderr } = await compare(args);
  expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringMatching(says)]);
});

it('a recorded page is loaded with other codings and without its images, side by side', async () => {
  const entry = (name: string, mimeType: string, text: string) => ({
    request: { method: 'GET', url: name },
    response: {
      ...{ status: 200, headers: [{ name: 'Content-Type', value: mimeType }], content: { text } },
    },
  });
  const page = '<link rel=stylesheet href=https://b.example/1.css><img src=1.gif>';
  const entries = [
    entry('https://a.example/', 'text/html', page),
    entry('https://b.example/1.css', 'text/css', 'p { margin: 0 }\n'.repeat(9_000)),
    entry('https://a.example/1.gif', 'image/gif', 'GIF89a'.repeat(9_000)),
  ];
  await writeFile(join(folder, 'plain.har'), JSON.stringify({ log: { entries } }));
  const changes = ['', ':gzip', ':without=all-images', ':gzip:without=all-images'];
  const ways = changes.map((each) => `pipelined${each}`).join();
  const args = ['plain.har', '--links', 'lan', '--runs', '1', '--json', '--ways', ways];
  const { code, stdout } = await compare(args);
  expect(code).toBe(0);
  const { rows } = JSON.parse(stdout);
  expect(rows.map((row: Row) => row.requests.median)).toEqual([3, 3, 2, 2]);
  if (whyNoLink() !== null) return;
  const bytes = rows.map((row: Row) => Math.round(row.bytesDown.median / 54_000));
  expect(bytes).toEqual([4, 1, 3, 0]);
});

it.each([
  [[], 0, /; comparing on loopback, without counts of packets\n$/],
  [['--packets', '.'], 2, /--packets: emulated links need /],
  [['--server', 'nginx'], 2, /--server nginx needs the program nginx on the PATH/],
])('without programs on the PATH, %j ends with %i and says why', async (args, exitCode, says) => {
  const all = ['compare', ...inOneRun, '--ways', 'h2', ...args];
  const { code, stdout, stderr } = await loadaheadIn(folder)(all, { ...wide, PATH: '' });
  expect([code, stderr]).toEqual([exitCode, expect.stringMatching(says)]);
  if (code !== 0) return;
  const [row, ...others] = JSON.parse(stdout).rows;
  expect(row).toMatchObject({ link: 'loopback', packetsUp: null, requests: { median: 43 } });
  expect(others).toEqual([]);
});

const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
it.skipIf(!mayMount)('where there is no Chromium, that is said', async () => {
  const script = 'mount -t tmpfs none /usr/bin && exec "$0" "$@"';
  const command = [process.execPath, loadaheadProgram, 'compare', '.', '--browser', 'chromium'];
  const run = spawn('unshare', ['--mount', 'sh', '-c', script, ...command]);
  const { code, stderr } = await runToEnd(run);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--browser: none of \/usr\/bin\/chr/)]);
});

const missing = whyNoLink();
describe.skipIf(missing !== null)(`over an emulated link (${missing ?? 'there is one'})`, () => {
  it('counts packets, as the paper did: one write and one connection against many', async () => {
    const args = ['--links', 'wan', '--ways', 'http1.0,pipelined', '--visits', 'first,revalidate'];
    const files = ['--svg', 'a.svg', '--markdown', 'a.md', '--packets', '.'];
    const { code, stdout, stderr } = await compare([...inOneRun, ...args, ...files]);
    expect([code, stderr]).toEqual([0, '']);
    const { rows } = JSON.parse(stdout);
    const of = (way: string, visit: string) =>
      rows.find((row: { way: string; visit: string }) => row.way === way && row.visit === visit);
    expect(of('http1.0', 'first').connections.median).toBe(43);
    const { connections: opened, requests } = of('pipelined', 'first');
    expect([opened.median, requests.median]).toEqual([1, 43]);
    const packets = (way: string, visit: string): number =>
      of(way, visit).packetsUp.median + of(way, visit).packetsDown.median;
    // Nielsen, Gettys et al. 1997, Tables 4 to 7: half the packets, and a tenth to validate.
    expect(packets('pipelined', 'first')).toBeLessThan(packets('http1.0', 'first') / 2);
    expect(packets('pipelined', 'revalidate')).toBeLessThan(packets('http1.0', 'revalidate') / 5);
    expect(of('pipelined', 'first').timesFloor.median).toBeGreaterThan(0.95);
    expect(await readFile(join(folder, 'a.svg'), 'utf8')).toContain('<svg ');
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toContain('## wan, revalidation');
    const listed = await loadahead(['packets', 'wan.pcap', '--list', '--json']);
    expect(listed.code).toBe(0);
    const connections = JSON.parse(listed.stdout).connections as { packets: { atMs: number }[] }[];
    for (const { packets } of connections) {
      const times = packets.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
    }
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('%s leaves no namespace behind', async (signal) => {
    const args = ['--links', 'ppp', '--ways', 'pipelined', '--runs', '1'];
    const running = startLoadahead(folder, ['compare', microscapeDir, ...args]);
    await eventually(async () => namespacesOf(running.pid).length === 2);
    running.kill(signal);
    const [code] = await once(running, 'exit');
    expect(code).toBe(signal === 'SIGINT' ? 130 : null);
    await eventually(async () => namespacesOf(running.pid).length === 0);
  });

  it.each([
    ['nginx', '/usr/sbin/nginx'],
    ['apache', '/usr/sbin/apache2'],
  ])('%s serves the folder, over both protocols', async (server, program) => {
    const args = ['--server', server, '--ways', 'pipelined,h2', '--links', 'lan', '--runs', '1'];
    const { code, stdout, stderr } = await compare([microscapeDir, ...args, '--json']);
    const isThere = existsSync(program);
    const missing = /^loadahead: --server \w+ needs the program \w+ on the PATH\n$/;
    expect([code, stderr]).toEqual(isThere ? [0, ''] : [2, expect.stringMatching(missing)]);
    if (!isThere) return;
    for (const row of JSON.parse(stdout).rows) expect(row.requests.median).toBe(43);
    expect(readdirSync(folder).filter((name) => name.startsWith('loadahead-'))).toEqual([]);
  });

  it.skipIf(!hasChromium)('Chromium loads it, too', async () => {
    const args = ['--browser', 'chromium', '--ways', 'auto', '--visits', 'first,revalidate'];
    const { code, stdout, stderr } = await compare([...inOneRun, ...args, '--links', 'lan']);
    expect([code, stderr]).toEqual([0, '']);
    const rows = JSON.parse(stdout).rows.filter(({ way }: { way: string }) => way === 'chromium');
    expect(rows[0]).toMatchObject({ requests: { median: 43 }, visit: 'first' });
    expect(rows[0].packetsDown.median).toBeGreaterThan(rows[1].packetsDown.median);
  });

  for (const [server, program] of Object.entries({ nginx: 'nginx', apache: 'apache2' })) {
    const how = `${server} ends with the process that started it, however that ends`;
    it.skipIf(!existsSync(`/usr/sbin/${program}`))(how, async () => {
      const starter = nodeCommand('serve-worker', microscapeDir, '127.0.0.1', server);
      await using worker = new LineProcess(['env', `TMPDIR=${folder}`, ...starter]);
      const { url } = JSON.parse(await worker.nextLine(30_000));
      expect((await fetch(url)).status).toBe(200);
      worker.kill();
      await eventually(async () => (await fetch(url).catch(() => null)) === null);
      expect(readdirSync(folder).join()).not.toContain(`loadahead-${server}`);
    });
  }

  it('the namespaces of a process that is gone are removed', async () => {
    const gone = spawn('true');
    await once(gone, 'exit');
    const name = `la${gone.pid}-1c`;
    spawnSync('ip', ['netns', 'add', name]);
    expect(namespacesOf(gone.pid)).toEqual([name]);
    const [settings] = parseLinks('lan');
    await using _link = await openLink(settings as LinkSettings);
    await eventually(async () => namespacesOf(gone.pid).length === 0);
  });

  it('a capture takes the ports of more connections than a pipe holds', async () => {
    await using capture = new LineProcess(nodeCommand('capture-process', join(folder, 'a.pcap')));
    await capture.nextLine(30_000);
    const ports = Array.from({ length: 20_000 }, (_, n) => `${n} 80`);
    expect(await capture.ask(ports, 30_000, 'the capture ended')).toEqual({});
  });

  it('two at once do not disturb each other', async () => {
    const args = [microscapeDir, '--links', 'lan', '--ways', 'h2', '--runs', '1'];
    const both = await Promise.all([compare(args), compare(args)]);
    for (const { code, stderr } of both) expect([code, stderr]).toEqual([0, '']);
  });
});
