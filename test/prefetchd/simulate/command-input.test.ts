// Bad input to `prefetchd simulate`, `tune` and `train`: each says what is wrong and where, and ends with
// 2 for usage, 1 for what cannot be done, 0 when there was something to work on.

import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { isInstalled, runToEnd } from '../../support/command.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { startPrefetchd } from '../../support/prefetchd-command.ts';

const command = fileURLToPath(new URL('../../../cli/prefetchd.ts', import.meta.url));
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';
const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const folder = folderOfTests();
const path = (name: string) => join(folder, name);

function line(visit: number, seconds: number, url: string, agent = firefox, status = 200): string {
  const clock = new Date(seconds * 1000).toISOString().slice(11, 19);
  return `10.0.0.${visit % 250} - - [01/Jan/2024:${clock} +0000] "GET ${url} HTTP/1.1" ${status} 9000 "-" "${agent}"\n`;
}

const visits = (first: string, second: string) =>
  Array.from(Array(60), (_, n) => line(n, n * 60, first) + line(n, n * 60 + 10, second));
const good = visits('/a.html', '/b.html').join('');
// Distinct lines, so that a half of the compressed file holds many of them.
const many = Array.from({ length: 4000 }, (_, at) => line(at, at * 9, `/${(at * 7919) % 5003}`));
const half = (bytes: Uint8Array) => bytes.subarray(0, bytes.length >> 1);

const files: Record<string, string | Uint8Array> = {
  good,
  lighttpd: good.replaceAll(' - - [', ' www.example.com - ['),
  proxied: good.replaceAll(/^\S+/gm, '198.51.100.1'),
  empty: '',
  binary: Uint8Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256),
  prose: 'Dear log,\ntoday I rested.\n',
  'long-line': `${good}${'x'.repeat(10_000_000)}\n${good}`,
  mixed: `${good}1706695200.000 1 192.0.2.1 TCP_HIT/200 1 GET http://h/x - N/- -\n{"x":1}\n`,
  backwards: visits('/a.html', '/b.html').reverse().join(''),
  names: visits('/__proto__', '/constructor').join(''),
  'cut.gz': half(gzipSync(many.join(''))),
  'cut.zst': half(zstdCompressSync(many.join(''))),
  bots: Array.from({ length: 30 }, (_, at) => line(at, at, '/', bot)).join(''),
  errors: Array.from({ length: 30 }, (_, at) => line(at, at, '/', firefox, 404)).join(''),
};

beforeAll(async () => {
  for (const [name, content] of Object.entries(files)) await writeFile(path(name), content);
  await mkdir(path('folder'));
});

function prefetchd(args: string[], input?: string | Uint8Array) {
  const child = startPrefetchd(folder, args, { COLUMNS: '80', PREFETCHD_STORE: undefined });
  child.stdin?.on('error', () => {}); // It may have ended before it read.
  child.stdin?.end(input);
  return runToEnd(child);
}

const small = ['--window', '2', '--threshold', '0.5', '--limit', '1'];
let stores = 0;
const intoStore = () => ['--store', `sqlite:${path(`store-${++stores}`)}`];

it.each([
  ['empty', 1, /^prefetchd: no access in .*empty: it is empty; the store is as it was\n$/],
  ['binary', 1, /^prefetchd: log .*binary has no known format: it is binary, not text/],
  ['prose', 1, /none of vhost-.* first 2 lines; name its fields, as --format .*: Dear log,\n$/],
  ['absent', 1, /^prefetchd: log .*absent cannot be read: there is no such file\n$/],
  ['folder', 1, /^prefetchd: log .*folder cannot be read: it is a directory\n$/],
  ['bots', 1, /bot 30; --no-filter .*\n.* client 10\.0\.0\.0, GET \/, status 200, agent "Moz/s],
  ['errors', 1, /30 lines, status 30; an access is a GET that was answered with 2xx or 304/],
  ['long-line', 0, /a line cannot be read:\n {2}.*:121: longer than 1048576 bytes\n$/],
  ['mixed', 0, /2 lines cannot be read; .*:\n {2}.*:121: no \[time\]\n.*:122: no \[time\]\n$/],
  ['backwards', 0, /59 lines are earlier than the line above, by up to 1 min 10 s/],
  ['names', 0, /^$/],
  ['proxied', 0, /nearly all accesses are of one client, 198.51.100.1: a proxy.* Log X-Forwar/],
  ['cut.gz', 0, /cut\.gz: gzip data: unexpected end of file; what came before is used/],
  ['cut.zst', 0, /cut\.zst: zstd data: .*; what came before is used/],
])('a log that is: %s: exit code %i, and says why', async (file, exitCode, message) => {
  const { code, stdout, stderr } = await prefetchd(['train', path(file), ...intoStore()]);
  expect({ stderr, code }).toEqual({ stderr: expect.stringMatching(message), code: exitCode });
  expect(stderr).not.toMatch(/^ +at /m);
  if (exitCode === 0) expect(stdout).not.toBe('');
  else expect(stdout).toBe('');
});

describe.each([
  ['simulate', () => small],
  ['tune', () => [...small, '--predictor', 'dependency-graph', '--min-clients', '1']],
  ['train', intoStore],
])('prefetchd %s', (name, flags) => {
  const run = (logs: string[], input?: string | Uint8Array) =>
    prefetchd([name, ...logs, ...flags()], input);

  it('refuses a log that is empty', async () => {
    const { code, stdout, stderr } = await run([path('empty')]);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/empty: it is empty/)]);
  });

  it('prints the layout that it found, with a line as it read it', async () => {
    const { stdout } = await run([path('lighttpd')]);
    const said = stdout.replaceAll(/\n(?! *\S+:)/g, ' ');
    expect(said).toContain('read as combined, client in word 1, site in word 2; the first line:');
    expect(said).toContain('client 10.0.0.0, GET /a.html of www.example.com, status 200, agent "');
  });
});

it('reads standard input, compressed or not, and only once', async () => {
  const run = (logs: string[], input: string | Uint8Array) =>
    prefetchd(['simulate', ...logs, ...small], input);
  expect(await run(['-'], good)).toMatchObject({ code: 0, stderr: '' });
  expect(await run(['-'], gzipSync(good))).toMatchObject({ code: 0, stderr: '' });
  const { code, stderr } = await run(['-', '-'], good);
  const told = 'standard input (-) can be read only once';
  expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
});

it('a file that is named twice counts twice, and that is said', async () => {
  const args = ['simulate', path('good'), path('good'), ...small];
  const { code, stdout, stderr } = await prefetchd(args);
  expect(code).toBe(0);
  expect(stderr).toMatch(/good is named twice: all its lines count twice/);
  expect(stdout).toContain('240 accesses');
});

it('--format reads a log in a format of its own', async () => {
  const args = ['--format', 'client=ip,time=at,url=page'];
  const table = Array.from({ length: 60 }, (_, at) => `10.0.0.${at},${1e9 + at},/${at % 2}\n`);
  const text = `ip,at,page\n${table.join('')}`;
  const { stdout } = await prefetchd(['simulate', '-', ...args, ...small], text);
  expect(stdout).toMatch(/\n-: 60 accesses in 61 lines; 60 clients, 2 URLs\n/);
});

describe('bad usage is told before a log is read', () => {
  it.each([
    ['simulate', '--window', '8..2', /--window <list>' argument '8..2' is .* range must rise/],
    ['simulate', '--threshold', '-0.1', /--threshold.*It must be a number or a range/],
    ['simulate', '--limit', '1000000000', /--limit.*It must be from 1 to 10000/],
    ['simulate', '--predictor', 'oracle', /there is no "oracle"; there are double-graph, /],
    ['simulate', '--model', 'slow', /--model: there is no "slow"/],
    ['simulate', '--cache', '0', /--cache must be at least one block/],
    ['simulate', '--cache', 'big', /8192, 8k or 4M/],
    ['simulate', '--min-clients', '99', /--min-clients must be a whole number from 1 to 6/],
    ['simulate', '--train', '1.5', /a whole number, or a share below 1/],
    ['simulate', '--no-such', '', /unknown option/],
    ['tune', '--max-traffic', '0.5', /--max-traffic .*'0\.5'.*must be a number of at least 1/],
    ['tune', '--objective', 'fame', /--objective.*'fame'.*pages, all/],
    ['tune', '--held-out', '2', /--held-out .*'2'.*must be a share between 0 and 1/],
    ['tune', '--train', '1', /--train .*'1'.*must be a share between 0 and 1/],
    ['tune', '--window', 'NaN', /--window.*It must be a number or a range/],
    ['tune', '--predictor', 'oracle', /there is no "oracle"/],
    ['train', '--store', 'memory', /--store must be sqlite:FILE/],
  ])('%s %s %s', async (name, flag, value, message) => {
    const { code, stdout, stderr } = await prefetchd([name, path('absent'), flag, value]);
    expect({ stderr, code }).toEqual({ stderr: expect.stringMatching(message), code: 2 });
    expect(stdout).toBe('');
  });

  it.each([
    [['--format', 'oracle'], 2, /^prefetchd: --format must be auto, .*, not "oracle"\n$/],
    [['--format', 'time=1,url=4'], 2, /format must say where client is, .*\n$/],
    [['http://a.example/'], 1, /a\.example\/ is a URL, and a file is needed; a dash .*\n$/],
    [['--train', '50000'], 2, /120 accesses, 120 of them teach; give fewer with --train/],
  ])('simulate %j', async (args, exitCode, message) => {
    const { code, stderr } = await prefetchd(['simulate', path('good'), ...args]);
    expect({ stderr, code }).toEqual({ stderr: expect.stringMatching(message), code: exitCode });
  });

  it('a log too short to be cut in three', async () => {
    const { code, stderr } = await prefetchd(['tune', '-'], line(1, 1, '/'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('1 access is too few to tune on')]);
  });
});

it('what is written to a pipe that is closed ends quietly', async () => {
  const child = startPrefetchd(folder, ['simulate', path('good'), '--json']);
  child.stdout?.destroy();
  expect(await runToEnd(child)).toMatchObject({ code: 0, stderr: '' });
});

describe('progress', () => {
  // util-linux script(1) runs a command in a terminal of its own.
  const pseudoTerminal = 'script';
  const hasTerminal = process.platform === 'linux' && isInstalled(pseudoTerminal);
  /** What the terminal was sent, with <clear> for the sequence that clears to the end of the line. */
  const inTerminal = async (columns: number, shell: string) => {
    const args = ['-qec', `stty cols ${columns}; ${shell}`, '/dev/null'];
    const { stdout } = await runToEnd(spawn(pseudoTerminal, args));
    return stdout.replaceAll('\x1b[K', '<clear>');
  };
  const train = (log: string) =>
    `'${process.execPath}' '${command}' train ${log} --store 'sqlite:${path(`store-${++stores}`)}'`;

  it.runIf(hasTerminal).each([80, 120])(
    'is a line of at most %i columns on a terminal, and is gone in the end',
    async (columns) => {
      const sent = await inTerminal(columns, train(path('cut.gz')));
      const shown = [...sent.matchAll(/\r(reading[^\r]*)<clear>/g)].map(([, text = '']) => text);
      expect(shown.at(-1)).toMatch(/^reading: 100 %, [\d,]+ lines, 0 s left$/);
      for (const text of shown) expect(text.length).toBeLessThan(columns);
      expect(sent).toMatch(/0 s left<clear>\r<clear>(?!.*reading)/s);
    },
  );

  it.runIf(hasTerminal)('tells no time left of standard input', async () => {
    const sent = await inTerminal(80, `cat ${path('good')} | ${train('-')}`);
    expect(sent).toMatch(/\rreading: 120 lines<clear>\r<clear>/);
  });
});

describe('--fit', () => {
  /** nginx JSON: 20 ms and 0.001 ms a byte; every tenth request hangs. */
  const timed = Array.from({ length: 200 }, (_, at) => {
    const bytes = 1000 + (at % 40) * 1000;
    const seconds = at % 10 === 9 ? 30 : (20 + bytes * 0.001) / 1000;
    const request = `GET /${at % 40}.html HTTP/1.1`;
    const asked = { msec: 1_706_695_200 + at, remote_addr: '192.0.2.1', request, status: 200 };
    const took = { body_bytes_sent: bytes, request_time: seconds.toFixed(3) };
    return `${JSON.stringify({ ...asked, ...took })}\n`;
  }).join('');

  it.each([['--fit'], ['--fit', 'log']])(
    '%s %s fits latency and time a byte to the log',
    async (...flags) => {
      for (const name of ['simulate', 'tune']) {
        const paper = name === 'simulate' ? ['--as-paper'] : [];
        const args = [name, '-', ...small, ...paper, ...flags, '--json'];
        const { code, stdout } = await prefetchd(args, timed);
        expect(code).toBe(0);
        const { fetchTime } = JSON.parse(stdout);
        expect(fetchTime.latencyMs).toBeCloseTo(20, 6);
        expect(fetchTime.perByteMs).toBeCloseTo(0.001, 9);
        // Of the accesses that teach: 5/12 of 200, and 0.4 * 0.6 of them.
        const taught = name === 'simulate' ? 83 : 48;
        expect(fetchTime.fitted.samples + fetchTime.fitted.outliers).toBe(taught);
        expect(fetchTime.fitted.outliers).toBe(Math.floor(taught / 10));
      }
    },
  );

  it('is printed', async () => {
    const { stdout } = await prefetchd(['simulate', '-', ...small, '--as-paper', '--fit'], timed);
    const fitted =
      'a fetch takes 20 ms + 0.001 ms a byte (fitted to 75 requests, 8 outliers left out)';
    expect(stdout.replaceAll('\n', ' ')).toContain(fitted);
  });

  it.each([
    [['--fit', 'log'], /the log does not tell how long a request took/],
    [['--fit', 'absent'], /--fit: absent cannot be read: there is no such file\n$/],
  ])('%j of a log without durations: exit code 1', async (flags, message) => {
    const { code, stderr } = await prefetchd(['simulate', path('good'), ...small, ...flags]);
    expect({ stderr, code }).toEqual({ stderr: expect.stringMatching(message), code: 1 });
  });

  it('fetches of one size are refused, with what there is', async () => {
    const same = timed.replaceAll(/"body_bytes_sent":\d+/g, '"body_bytes_sent":1000');
    const { code, stderr } = await prefetchd(['simulate', '-', ...small, '--fit'], same);
    const told =
      /two sizes are needed; size and time are told of 120, all of one size, in the 120 /;
    expect([code, stderr]).toEqual([1, expect.stringMatching(told)]);
  });
});
