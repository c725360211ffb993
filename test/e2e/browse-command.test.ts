// `loadahead browse` as a user meets it: real processes against a real server, exit codes, what goes to
// which stream.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runToEnd } from '../support/command.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { type Environment, startLoadahead } from '../support/loadahead-command.ts';
import { type RawServer, response, startRawServer } from '../support/raw-server.ts';

const fresh = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=600' };
const folder = folderOfTests();
let site: RawServer;

beforeAll(async () => {
  // `/1` hints at `/2` and so on; `/9` is not there.
  site = await startRawServer({
    onRequest({ path }, connection) {
      const Link = `</${Number(path.slice(1)) + 1}>; rel=prefetch; probability=0.9`;
      const status = path === '/9' ? '404 Not Found' : '200 OK';
      connection.write(response(`<p>${path}`, { ...fresh, Link }, status));
    },
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
});

const start = (args: string[], env?: Environment) =>
  startLoadahead(folder, ['browse', ...args], env);
const browse = (args: string[], env?: Environment) => runToEnd(start(args, env));

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return name;
}

/** Who asks for what, a second apart. */
const accessLog = '1 /1, 2 /5, 1 /1.gif, 1 /2, 3 /4, 1 /3, 3 /7'
  .split(', ')
  .map((access, seconds) => {
    const [host, path] = access.split(' ');
    return `192.0.2.${host} - - [22/Nov/2026:01:00:0${seconds} +0000] "GET ${path} HTTP/1.1" 200 100 "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"`;
  })
  .join('\n');

const urlsOf = ({ pages }: { pages: Array<{ url: string }> }) =>
  pages.map(({ url }) => new URL(url).pathname);

describe('what is walked', () => {
  test('a list with stays: both walks, compared, no wider than COLUMNS', async () => {
    const list = await file('list.txt', '# a visit\n/1 200 # home\n\n/2 200ms\n/3 0.2s\n');
    const args = [list, '--origin', site.origin];
    const { code, stdout, stderr } = await browse(args, { COLUMNS: '80' });
    expect([code, stderr]).toEqual([0, '']);
    for (const each of stdout.split('\n')) expect(each.length).toBeLessThanOrEqual(80);
    for (const word of ['with', 'network', 'hits', 'wasted', 'added', 'connections', '/3'])
      expect(stdout).toContain(word);
    expect(stdout).not.toContain('\x1b');
  });

  test('--json prints both records and nothing else; a fresh cache for each walk', async () => {
    const list = await file('list.json', '[{"url":"/1","thinkMs":1500},{"url":"/2"}]');
    const before = site.requests.length;
    const { code, stdout } = await browse([list, '--origin', site.origin, '--json']);
    const { walks, saved } = JSON.parse(stdout);
    expect(code).toBe(0);
    const [{ without, with: with_ }] = walks;
    for (const walk of [without, with_]) expect(urlsOf(walk)).toEqual(['/1', '/2']);
    expect(without.totals).toMatchObject({ hits: 0, prefetchRequests: 0 });
    expect(with_.totals).toMatchObject({ hits: 1, usedBytes: 5 });
    expect(saved).toEqual({ time: expect.any(Number), traffic: expect.any(Number) });
    const sent = site.requests.slice(before);
    expect(sent.filter(({ path }) => path === '/1').length).toBe(3); // warm-up and two walks
    // What calls itself by a name alone is a robot for many servers.
    const agents = new Set(sent.map(({ headers }) => headers['user-agent']));
    expect([...agents]).toEqual(['Mozilla/5.0 loadahead/0.1']);
  });

  test('--prefetch and --no-prefetch walk once', async () => {
    const urls = [`${site.origin}/1`, `${site.origin}/2`];
    const { stdout } = await browse([...urls, '--no-prefetch', '--think', 'none', '--json']);
    expect(JSON.parse(stdout).walks[0]).toMatchObject({ with: null, without: { pages: [{}, {}] } });
    const only = await browse([...urls, '--prefetch', '--think', '200', '--json']);
    expect(JSON.parse(only.stdout).walks[0]).toMatchObject({ without: null });
    const table = await browse([...urls, '--prefetch', '--think', '1']);
    expect(table.stdout).not.toContain('instead of');
  });

  test('a client of a log: its documents in order, with the stays between them', async () => {
    const log = await file('access.log', accessLog);
    const args = ['--log', log, '--client', '192.0.2.1', '--origin', site.origin];
    const { code, stdout } = await browse([...args, '--think', 'x0.05', '--no-prefetch', '--json']);
    expect(code).toBe(0);
    const [{ without, name }] = JSON.parse(stdout).walks;
    expect(urlsOf(without)).toEqual(['/1', '/2', '/3']);
    expect(name).toContain('192.0.2.1');
    const [first, second] = without.pages;
    expect(first.thinkMs).toBeGreaterThanOrEqual(149);
    expect(second.thinkMs).toBeGreaterThanOrEqual(99);
  });

  test('a stay is as long as the list tells', async () => {
    const list = await file('stays.txt', '/1 60\n/2 60\n');
    const { stdout } = await browse([list, '--origin', site.origin, '--no-prefetch', '--json']);
    const [{ thinkMs }] = JSON.parse(stdout).walks[0].without.pages;
    // A timer may be early by the fraction of a millisecond; where nothing is told a stay is a second.
    expect(thinkMs).toBeGreaterThanOrEqual(59);
    expect(thinkMs).toBeLessThan(1_000);
  });

  test('stays that --max-think cut are told first, and how many', async () => {
    const list = await file('long.txt', '/1 60s\n/2 60s\n/3 20\n');
    const args = [list, '--origin', site.origin, '--no-prefetch', '--max-think', '30'];
    const { stdout } = await browse(args);
    const told = '2 of 3 stays were to be longer and are cut to 30.0 ms (--max-think).\n\n';
    expect(stdout.startsWith(told)).toBe(true);
    const json = JSON.parse((await browse([...args, '--json'])).stdout);
    expect(json.stays).toEqual({ cut: 2, of: 3, mostMs: 30 });
    const whole = await browse([list, '--origin', site.origin, '--no-prefetch', '--think', '30']);
    expect(whole.stdout).not.toContain('--max-think');
    const first = await browse([...args, '--max-pages', '1']);
    expect(first.stdout).toMatch(/^1 of 1 stay was to be longer and is cut to 30\.0 ms/);
    expect(first.stdout).toContain('1 walk ended early: no more pages were allowed.');
  });

  test('several clients of a log with two pages or more, and all that the site saw of them', async () => {
    const log = await file('access.log', accessLog);
    const [requests, connections] = [site.requests.length, site.connections.length];
    const args = ['--log', log, '--clients', '5', '--origin', site.origin, '--think', '100'];
    const { stdout } = await browse([...args, '--json']);
    const { walks, totals } = JSON.parse(stdout);
    const walked = walks.map((walk: { without: never }) => urlsOf(walk.without).join());
    expect(walked).toEqual(['/1,/2,/3', '/4,/7']);
    const sums = [totals.without, totals.with];
    const sum = (field: string) => sums.reduce((all, each) => all + each[field], 0);
    // One request on one connection warms up.
    expect(sum('connections')).toBe(site.connections.length - connections - 1);
    expect(sum('requests') + sum('prefetchRequests')).toBe(site.requests.length - requests - 1);
    expect(totals.without.connections).toBe(2);
    const clients = walks.map((walk: { with: { totals: never } }) => walk.with.totals);
    for (const field of ['connections', 'hits', 'prefetchBytes', 'wastedBytes', 'trafficBytes']) {
      expect(totals.with[field]).toBe(clients[0][field] + clients[1][field]);
    }
  });
});

describe('exit codes', () => {
  test('1 when a page did not load at all; the others are walked', async () => {
    const urls = ['/1', '/9', '/2'].map((path) => `${site.origin}${path}`);
    const { code, stdout, stderr } = await browse([...urls, '--think', 'none']);
    expect(code).toBe(1);
    expect(stderr).toBe(`loadahead: ${site.origin}/9 did not load: 404 Not Found [http-status]\n`);
    expect(stdout).toContain('failed');
    expect(stdout).toContain('/2');
  });

  test('130 when interrupted, however long the visitor would stay', async () => {
    const before = site.requests.length;
    const urls = [`${site.origin}/1`, `${site.origin}/2`];
    const child = start([...urls, '--no-prefetch', '--think', '60s', '--max-think', '60s']);
    while (site.requests.length === before) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGINT');
    const { code, stderr } = await runToEnd(child);
    expect([code, stderr]).toEqual([130, 'loadahead: interrupted\n']);
  });
});

describe('bad usage exits with 2 and says where the fault is', () => {
  const cases: Array<[string, string, string]> = [
    ['a time that is none', '/1 500\n/2 soon\n', 'bad.txt:2: after the URL comes a time'],
    ['a path without a site', '/1\n', 'bad.txt:1: /1 is a path; say of which site with --origin'],
    ['no web page', '# x\nftp://a.example/\n', 'bad.txt:2: "ftp://a.example/" is no http'],
    ['nothing in it', '# nothing\n', 'bad.txt names no page'],
    ['broken JSON', '[1,', 'bad.txt: '],
    ['JSON of something else', '["http://a.example/", 5]', 'bad.txt, entry 2: it must be a URL'],
  ];
  test.each(cases)('a list with %s', async (_, text, message) => {
    const { code, stderr } = await browse([await file('bad.txt', text)]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`loadahead: ${message}`)]);
  });

  test.each<[string, string[], string]>([
    ['nothing to walk', [], 'what is to be browsed?'],
    ['a file that is not there', ['nofile.txt'], 'nofile.txt: there is no such file'],
    ['a path that is not there', ['./pages/of-today'], 'there is no such file'],
    ['a path of no site', ['/path'], '/path is a path; say of which site with --origin'],
    ['a log without a site', ['--log', 'access.log'], '--origin'],
    ['a log that is not there', ['--log', 'gone.log', '--origin', 'http://a.example'], 'gone.log'],
    ['a client without a log', ['http://a.example/', '--client', 'x'], '--client: of which log?'],
    ['--think', ['http://a.example/', '--think', 'long'], '--think must be'],
    ['--max-think', ['http://a.example/', '--max-think', 'long'], 'It must be a time from'],
    ['--threshold', ['http://a.example/', '--threshold', '3'], 'from 0 to 1'],
    ['--max-pages', ['http://a.example/', '--max-pages', '0'], 'a whole number of at least 1'],
  ])('%s', async (_, args, message) => {
    const { code, stderr } = await browse(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('a client that the log does not have, with those it has', async () => {
    const log = await file('access.log', accessLog);
    const args = ['--log', log, '--client', '203.0.113.9', '--origin', site.origin];
    const { code, stderr } = await browse(args);
    const told = 'no page opened by "203.0.113.9"; most were opened by 192.0.2.1';
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
  });
});

test('a reader that goes away ends it quietly', async () => {
  const child = start([`${site.origin}/1`, '--think', 'none']);
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
});
