// The command line as a user meets it: real processes, exit codes, what goes to which stream.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { createOrigin } from '../../server/index.ts';
import { runToEnd, withoutPackage } from '../support/command.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import {
  loadaheadIn,
  loadaheadProgram,
  servingLoadahead,
  startLoadahead,
} from '../support/loadahead-command.ts';
import { makeTestCertificate } from '../support/tls.ts';
import { startApp } from './nginx-set-up.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = folderOfTests();
const origin = createOrigin(microscapeDir);
const { url } = await origin.listen();
afterAll(() => origin.close());

beforeAll(async () => {
  await mkdir(join(folder, 'site'));
  await writeFile(join(folder, 'page.html'), '<p>a page');
  const junk = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  await writeFile(join(folder, 'junk.pem'), junk);
});

const helpOf = (program = '', name = '', columns: string) =>
  runToEnd(
    spawn(process.execPath, [join(root, `cli/${program}.ts`), ...(name ? [name] : []), '--help'], {
      env: { ...process.env, COLUMNS: columns },
    }),
  );
const loadahead = loadaheadIn(folder);

/** A page with these fields; `seen` gets each request's field of that name. */
async function startSite(seen: string, fields: Record<string, string>, body: string) {
  const values: (string | undefined)[] = [];
  const site = await startApp((request, response) => {
    values.push(request.headers[seen] as string | undefined);
    response.writeHead(200, { 'Content-Type': 'text/html', ...fields }).end(body);
  });
  onTestFinished(() => site[Symbol.asyncDispose]());
  return { values, page: `http://${site.address}/` };
}

/** `loadahead serve` on the sample page. */
const serving = (...flags: string[]) => servingLoadahead(folder, [microscapeDir, ...flags]);

describe('loadahead load', () => {
  it('prints a waterfall and a summary, no wider than COLUMNS, without colour where there is no terminal', async () => {
    const { code, stdout, stderr } = await loadahead(['load', url], { COLUMNS: '80' });
    expect([code, stderr]).toEqual([0, '']);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).not.toContain('\x1b');
    for (const word of ['logo.gif', 'requests', 'batches', 'complete'])
      expect(stdout).toContain(word);
  });

  it('--get-all sends the field, --no-get-all does not, and browse has both', async () => {
    const { values, page } = await startSite('get-all', { 'Get-All': '?1' }, '<p>a page');
    const browse = ['browse', page, `${page}b`, '--think', '0', '--no-prefetch'];
    const loads: [string[], (string | undefined)[]][] = [
      [['load', page], [undefined]],
      [['load', page, '--get-all'], ['?1']],
      [['load', page, '--no-get-all'], [undefined]],
      // The origin said so on the first page.
      [browse, [undefined, '?1']],
      [
        [...browse, '--no-get-all'],
        [undefined, undefined],
      ],
    ];
    for (const [args, expected] of loads) {
      values.length = 0;
      const { code, stderr } = await loadahead(args);
      expect([args, code, stderr, values]).toEqual([args, 0, '', expected]);
    }
  });

  it('a page in the cache is the dictionary of the next command, unless --no-dictionaries', async () => {
    const fields = { 'Cache-Control': 'max-age=60', 'Use-As-Dictionary': 'match="/*"' };
    const text = `<p>a page${' of many words'.repeat(50)}`;
    const { values, page } = await startSite('available-dictionary', fields, text);
    const cache = ['--cache', join(folder, 'dictionaries')];
    for (const args of [[page], [`${page}b`, '--no-dictionaries'], [`${page}c`]]) {
      const { code, stderr } = await loadahead(['load', ...args, ...cache]);
      expect([args, code, stderr]).toEqual([args, 0, '']);
    }
    expect(values.map((value) => value !== undefined)).toEqual([false, false, true]);
  });

  it('colours when FORCE_COLOR asks for it, and NO_COLOR is stronger (no-color.org)', async () => {
    const forced = await loadahead(['load', url], { FORCE_COLOR: '1' });
    expect(forced.stdout).toContain('\x1b[');
    const refused = await loadahead(['load', url], { FORCE_COLOR: '1', NO_COLOR: '1' });
    expect(refused.stdout).not.toContain('\x1b[');
  });

  it('--json prints the record, and nothing else', async () => {
    const { code, stdout } = await loadahead(['load', url, '--protocol', 'pipelined', '--json']);
    const record = JSON.parse(stdout);
    expect([code, record.protocol, record.resources.length]).toEqual([0, 'pipelined', 43]);
    expect(record.totals).toMatchObject({ requests: 43, responses: 43, connections: 1, errors: 0 });
    expect(record.totals.batches).toBeLessThanOrEqual(7);
    const { firstByteMs, htmlEndMs, sizesKnownMs, completeMs } = record.timing;
    expect(firstByteMs).toBeGreaterThan(0);
    expect(htmlEndMs).toBeGreaterThan(firstByteMs);
    expect(completeMs).toBeGreaterThanOrEqual(sizesKnownMs);
  });

  it('--explain says why each resource is fetched or not, for the screen that is asked for', async () => {
    const page = `<img srcset="s.png 360w, l.png 900w">${'<img src=y.png>'.repeat(7)}<img loading=lazy src=z.png><p class=a>text`;
    const site = join(folder, 'explained');
    await mkdir(site, { recursive: true });
    await writeFile(join(site, 'index.html'), `<link rel=stylesheet href=a.css>${page}`);
    await writeFile(join(site, 'a.css'), '.a{background:url(a.png)}.b{background:url(b.png)}');
    const served = createOrigin(site);
    onTestFinished(() => served.close());
    const { url: address } = await served.listen();
    const screen = ['--viewport', '360x640', '--dpr', '2'];
    const narrow = { COLUMNS: '80' };
    const { stdout } = await loadahead(['load', address, '--explain', ...screen], narrow);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/l\.png +img srcset/);
    expect(stdout).toMatch(/in a\.css \(1\)\n {2}image {7}a\.png +background, for \.a/);
    expect(stdout).toMatch(/not fetched: no element is known to match \.b \(1\)/);
    expect(stdout).toMatch(/not fetched: [^\n]+ \(1\)\n {2}image +s\.png +img srcset/);
    expect(stdout).toMatch(/not fetched: loading=lazy, below the first view \(1\)/);
    const { stdout: json } = await loadahead(['load', address, '--explain', '--json', ...screen]);
    const { skipped } = JSON.parse(json);
    const sources = skipped.map((each: { from: string }) => each.from);
    expect(sources.sort()).toEqual(['background', 'img src', 'img srcset']);
    const refused = await loadahead(['load', address, '--viewport', 'wide']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('1280x800')]);
  });

  it('--batch-bytes off and --batch-flush off: what is buffered waits for nothing but the end of the document', async () => {
    const pipelined = ['load', url, '--protocol', 'pipelined', '--json', '--batch-flush', 'off'];
    const off = await loadahead([...pipelined, '--batch-bytes', 'off']);
    expect([off.code, off.stderr]).toEqual([0, '']);
    // The page by itself, and all that it names in one write.
    expect(JSON.parse(off.stdout).totals).toMatchObject({ requests: 43, batches: 2 });
    const small = await loadahead([...pipelined, '--batch-bytes', '512']);
    expect(JSON.parse(small.stdout).totals.batches).toBeGreaterThan(2);
  });

  it('--har, --waterfall and --fetch-times write what they say, whoever reads the report', async () => {
    const [har, svg, times] = ['page.har', 'page.svg', 'times'].map((name) => join(folder, name));
    const files = ['--har', `${har}`, '--waterfall', `${svg}`, '--fetch-times', `${times}`];
    const started = startLoadahead(folder, ['load', url, ...files]);
    started.stdout?.destroy(); // as `| true` does
    expect((await runToEnd(started)).code).toBe(0);
    expect(await readFile(`${times}`, 'utf8')).toMatch(/^(\d+ \d+\.\d+\n){43}$/);
    expect(JSON.parse(await readFile(`${har}`, 'utf8')).log.entries).toHaveLength(43);
    expect(await readFile(`${svg}`, 'utf8')).toMatch(/<svg .*logo\.gif.*<\/svg>\s*$/s);
  });

  it.each(['localhost', '127.0.0.1'])('takes %s:port for http', async (host) => {
    const { code, stdout } = await loadahead(['load', `${host}:${new URL(url).port}`, '--json']);
    expect([code, JSON.parse(stdout).url]).toEqual([0, `http://${host}:${new URL(url).port}/`]);
  });

  it('prints the report though a file cannot be written, so that a bad path loses nothing', async () => {
    const { code, stdout, stderr } = await loadahead(['load', url, '--har', '/dev/full']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^loadahead: --har: .*\n$/)]);
    expect(stdout).toContain('complete');
  });

  it('says in one line that its report cannot be written, and exits with 1', async () => {
    await using full = await open('/dev/full', 'w');
    const stdio = ['ignore', full.fd, 'pipe'] as const;
    const child = spawn(process.execPath, [loadaheadProgram, 'load', url], { stdio: [...stdio] });
    const { code, stderr } = await runToEnd(child as ChildProcess);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^loadahead: .*ENOSPC.*\n$/)]);
  });

  it('names the flag that refused an address', async () => {
    const { code, stderr } = await loadahead(['load', url, '--public-only']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('(--public-only) is on')]);
  });

  it('a resource that fails is in the report, and the exit code stays 0', async () => {
    const site = await mkdtemp(join(folder, 'site-'));
    await writeFile(join(site, 'index.html'), '<img src="gone.gif">');
    await using broken = createOrigin(site);
    const { code, stdout } = await loadahead(['load', (await broken.listen()).url, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).resources[1].error.code).toBe('http-status');
  });

  it('does not trust an unknown authority; --ca does, --insecure says so', async () => {
    const { key, cert } = await makeTestCertificate();
    const ca = join(folder, 'ca.pem');
    await writeFile(ca, cert);
    await using secure = createOrigin(microscapeDir, { tls: { key, cert } });
    const address = `https://localhost:${(await secure.listen({ host: '127.0.0.1' })).port}/`;
    const distrusted = await loadahead(['load', address]);
    expect(distrusted.code).toBe(1);
    expect(distrusted.stderr).toContain('tls-failed');
    expect((await loadahead(['load', address, '--ca', ca])).code).toBe(0);
    const insecure = await loadahead(['load', address, '--insecure']);
    expect(insecure.code).toBe(0);
    expect(insecure.stderr).toContain('not verified');
  });

  it.each<[string[], RegExp]>([
    [['load'], /missing required argument 'url'/],
    [['load', 'http://localhost/', '--protocl', 'h2'], /--protocl'\n\(Did you mean --protocol\?\)/],
    [['load', 'http://localhost/', '--protocol', 'http3'], /Allowed choices are auto, http1\.0/],
    [['load', 'http://localhost/', '--timeout', 'soon'], /--timeout .*'soon'.*a time from 1ms/],
    [
      ['load', 'http://localhost/', '--timeout', '0'],
      /--timeout .*'0'.*must be milliseconds from 1/,
    ],
    [
      ['load', 'http://localhost/', '--connections', '0'],
      /--connections .*'0'.*must be a whole number/,
    ],
    [['load', 'http://localhost/', '--dpr', '0'], /--dpr.*'0'.*number above 0/],
    [
      ['load', 'http://localhost/', '--batch-bytes', '0'],
      /--batch-bytes .*'0'.*must be a whole number/,
    ],
    [['load', 'http://localhost/', '--timeout', '0s'], /--timeout .*a time from 1ms to 24d/],
    [['load', '--hold-line', 'http://localhost/'], /--hold-line .*put the flag behind the URL/],
    [['load', 'http://localhost/', '--header', 'no colon'], /Name: value/],
    [['load', 'http://localhost/', '--header', 'x: a\r\ny: b'], /: --header x must be .*visible/],
    [['load', 'ftp://localhost/'], /only http and https/],
    [['load', ''], /the URL is empty/],
    [['load', 'http://127.0.0.1:99999/'], /99999 is no port/],
    [['load', 'user:pass@localhost'], /no credentials in URLs.*--header/],
    [
      ['load', 'page.html'],
      /page\.html is a file; serve its folder with npm run -s loadahead -- serve/,
    ],
    [['load', './site'], /\.\/site is a folder; serve it with npm run -s loadahead -- serve/],
    [['load', 'http://localhost/', '--har', 'none/page.har'], /--har: .*none does not exist/],
    [['load', 'http://localhost/', '--waterfall', '.'], /--waterfall: \. is a folder/],
    [['load', 'http://localhost/', '--har', '-'], /--har: .*name a file/],
    [['load', 'http://a/', '--ca', 'none'], /--ca: none cannot be read: there is no such file\n/],
    [['load', 'http://localhost/', '--ca', 'page.html'], /--ca: page\.html holds no certificate/],
    [['load', 'http://a/', '--ca', 'junk.pem'], /--ca: junk\.pem holds a .* that cannot be read/],
    [['load', 'http://localhost/', '--cache', 'page.html'], /--cache: .*page\.html/],
    [['load', 'http://localhost/', '--cache-mode', 'no-cache'], /--cache-mode: .*--cache/],
    [['laod'], /Did you mean load\?/],
    [['serve', '/no/such/folder'], /\/no\/such\/folder does not exist/],
    [['serve', 'page.html'], /page\.html is not a folder/],
    [['serve', '.', '--port', '99999'], /port/i],
    [['serve', '.', '--max-age', '9999999999'], /--max-age .*must be a whole number from 0/],
    [['serve', '.', '--tls-key', 'page.html', '--tls-cert', 'junk.pem'], /-cert must be .*PEM/],
    [['demo', '--out', 'none/out'], /--out: .*none does not exist/],
    [['demo', '--out', '/proc/loadahead'], /--out: /],
    [['demo', '--out', 'page.html'], /--out: page\.html is no folder/],
  ])('%j exits with 2 and says what to do', async (args, says) => {
    const { code, stdout, stderr } = await loadahead(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/\n\s+at /); // no stack trace
  });

  it('--help shows examples and exits with 0', async () => {
    const { code, stdout } = await loadahead(['load', '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples:\n {2}loadahead load https/);
    expect(stdout).not.toContain('default: []');
  });

  it('no help is wider than 80 columns, nor than COLUMNS where that is less than its examples', async () => {
    const commands = [
      ...['', 'load', 'browse', 'packets', 'serve', 'demo'].map((name) => ['loadahead', name]),
      ...['', 'simulate', 'tune', 'train', 'forget', 'serve', 'proxy'].map((name) => [
        'prefetchd',
        name,
      ]),
    ];
    const wide = await Promise.all(
      commands.map(async ([program, name]) => {
        const { stdout } = await helpOf(program, name, '');
        expect(stdout).toContain('Options:');
        return stdout.split('\n').filter((line) => line.length > 80);
      }),
    );
    expect(wide.flat()).toEqual([]);
    const narrow = (await helpOf('loadahead', 'load', '72')).stdout.split('Exit code')[0];
    expect(Math.max(...(narrow ?? '').split('\n').map(({ length }) => length))).toBeLessThanOrEqual(
      72,
    );
    expect((await helpOf('loadahead', 'load', '120')).stdout).toMatch(/^.{81,120}$/m);
  });
});

describe('loadahead serve', () => {
  it('says when other machines can reach it', async () => {
    const { url, ended, ...server } = await serving('--host', '0.0.0.0');
    const port = /^http:\/\/localhost:(\d+)$/.exec(url)?.[1];
    await server[Symbol.asyncDispose]();
    const { stderr } = await ended;
    expect(stderr).toBe(`loadahead: reachable from other machines on port ${port}\n`);
  });

  it('a port that is taken is told, with what to do', async () => {
    const { port } = new URL(url);
    expect(await loadahead(['serve', '.', '--port', port])).toEqual({
      code: 2,
      stdout: '',
      stderr: `loadahead: 127.0.0.1 port ${port} is in use by another server; choose another with --port, 0 takes a free one\n`,
    });
  });

  it('prints "listening on URL" when ready, serves, and ends on SIGTERM with 0', async () => {
    const { url, ended, ...server } = await serving();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${url}/images/spacer.gif`)).headers.get('content-length')).toBe('70');
    await server[Symbol.asyncDispose]();
    expect(await ended).toEqual({ code: 0, stderr: '', stdout: `listening on ${url}\n` });
  });

  it.each([true, false])('it knows Get-All, unless --no-get-all: %s', async (knows) => {
    await using server = await serving(...(knows ? [] : ['--no-get-all']));
    const response = await fetch(server.url, { headers: { 'Get-All': '?1' } });
    await response.arrayBuffer();
    expect(response.headers.has('get-all')).toBe(knows);
  });

  it('holds the line for a client that asks for it, and not otherwise', async () => {
    await using server = await serving();
    const connections = [];
    for (const flags of [[], ['--hold-line', '5']]) {
      const args = ['load', server.url, '--json', '--protocol', 'http1.0', ...flags];
      const { stdout } = await loadahead(args);
      connections.push(JSON.parse(stdout).totals.connections);
    }
    expect(connections).toEqual([43, 4]);
    for (const [flags, row] of [
      [['--hold-line', '5'], /^held +1 {2}of these the server holds idle for 5 s \(Hold-Line\)$/m],
      [[], /^(?!held)connections +1/m],
    ] as const) {
      const { stdout } = await loadahead(['load', server.url, '--protocol', 'pipelined', ...flags]);
      expect(stdout).toMatch(row);
      expect(/^held/m.test(stdout)).toBe(flags.length > 0);
    }
  });
});

describe('loadahead load --cache', () => {
  it('a second process finds what the first one stored, and says how much', async () => {
    const args = ['load', url, '--cache', 'kept'];
    const first = await loadahead([...args, '--json']);
    expect(JSON.parse(first.stdout).totals).toMatchObject({ requests: 43, fromCache: 0 });
    const second = await loadahead(args, { COLUMNS: '100' });
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/^requests +0 /m);
    expect(second.stdout).toMatch(/^from cache +43 /m);
    const asked = await loadahead([...args, '--cache-mode', 'no-cache'], { COLUMNS: '100' });
    expect(asked.stdout).toMatch(/^not modified +43 /m);
    expect(asked.stdout).toMatch(/^batches +1 /m);
    expect([first.stderr, second.stderr, asked.stderr]).toEqual(['', '', '']);
  });

  it('two processes at once share the folder', async () => {
    const args = ['load', url, '--cache', 'shared', '--json'];
    const both = await Promise.all([loadahead(args), loadahead(args)]);
    for (const { code, stdout } of [...both, await loadahead(args)]) {
      expect([code, JSON.parse(stdout).totals.errors]).toEqual([0, 0]);
    }
  });
});

describe('loadahead demo', () => {
  it('--keep leaves the site and its dashboard running until interrupted', async () => {
    const child = startLoadahead(folder, ['demo', '--out', join(folder, 'kept'), '--keep']);
    onTestFinished(() => void child.kill());
    const ended = runToEnd(child);
    let said = '';
    for await (const piece of child.stdout) {
      said += piece;
      if (said.includes('Ctrl-C')) break;
    }
    const address = /^what it learned.*(http:\/\/\S+)$/m.exec(said)?.[1] ?? '';
    const overview = await fetch(new URL('/v1/overview', address));
    expect(overview.status).toBe(200);
    // The line that it gives for the figures works as it stands; npx finds this command.
    const [line = ''] = /^npm run -s loadahead -- browse .+$/m.exec(said) ?? [];
    const typed = line.replace(
      'npm run -s loadahead --',
      `'${process.execPath}' '${loadaheadProgram}'`,
    );
    const walking = spawn('sh', ['-c', `${typed} --json`], { cwd: folder });
    const { code, stdout } = await runToEnd(walking);
    expect(code).toBe(0);
    const { without, with: with_ } = JSON.parse(stdout).totals;
    expect(with_).toMatchObject({ pages: 12, failed: 0 });
    expect(with_.usedBytes).toBeGreaterThan(without.trafficBytes / 4);
    expect(with_.hits).toBeGreaterThan(without.hits);
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  });

  it.each([
    ['', {}, /^knows it\. .* in (?:Chromium \d+|loadahead's loader\n\(no Chromium, .*\)):$/m],
    [
      ', without playwright-core',
      withoutPackage('playwright-core'),
      /^knows it\. .*loader\n\(no Chromium, because (?:playwright-core is not installed|this .*)\):$/m,
    ],
  ])(
    'shows what hints save, loads Microscape, writes HAR and waterfall, and ends by itself%s',
    async (_, env, where) => {
      const out = join(folder, 'out');
      const { code, stdout } = await loadahead(['demo', '--out', out], env);
      expect([code, stdout]).toEqual([0, expect.stringMatching(where)]);
      const clicks = [...stdout.matchAll(/^(?:\/\S+|all) +([\d.]+) (m?s) +([\d.]+) (m?s)$/gm)];
      expect(clicks).toHaveLength(9);
      const msOf = (amount = '', unit = '') => Number(amount) * (unit === 's' ? 1000 : 1);
      const [, without, unit, with_, unitWith] = clicks.at(-1) as RegExpMatchArray;
      expect(msOf(with_, unitWith)).toBeLessThan(msOf(without, unit) * 0.75);
      for (const way of ['persistent', 'pipelined', 'h2', 'auto']) {
        expect(stdout).toMatch(new RegExp(`^${way} .* 43 +\\d+ +\\d+ kB$`, 'm'));
      }
      // Nothing listens any more: an address would lead nowhere, how to look at it does.
      expect(stdout).not.toContain('http://');
      expect(stdout).toContain('npm run -s loadahead -- demo --keep');
      for (const line of stdout.split('\n').filter((each) => !each.includes(out))) {
        expect(line.length).toBeLessThanOrEqual(80);
      }
      const { log } = JSON.parse(await readFile(join(out, 'microscape.har'), 'utf8'));
      expect(log.entries).toHaveLength(43);
      expect(await readFile(join(out, 'microscape.svg'), 'utf8')).toContain('</svg>');
    },
  );
});
