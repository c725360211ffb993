// `prefetchd serve` as an operator meets it: real processes, signals, exit codes, where settings come from.

import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listening } from '../../server/listening.ts';
import { freePort, runToEnd } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import {
  servingPrefetchd,
  startPrefetchd,
  untilListening,
} from '../../support/prefetchd-command.ts';
import { access, ask, begun } from './ask.ts';

const folder = folderOfTests();

const serving = (args: string[], env: Record<string, string> = {}) =>
  servingPrefetchd(folder, ['serve', ...args], env);

/** Starts, asks for the tuning, ends. */
async function tuningOf(args: string[], env: Record<string, string> = {}) {
  await using service = await serving(['--port', '0', ...args], env);
  return (await ask(service.url, '/v1/config')).json;
}

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends it with 0; stdout has one line',
  async (signal) => {
    const { child, url, ended } = await serving(['--port', '0']);
    expect((await ask(url, '/healthz')).json.status).toBe('ok');
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, stdout: `listening on ${url}\n` });
  },
);

it('a second signal ends it at once', async () => {
  const { child, url, logged, ended } = await serving(['--port', '0']);
  await begun(url, '/v1/accesses', 9);
  child.kill('SIGTERM');
  await logged(/"ending"/);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(128 + 15);
});

/** What speculation rules say by default. */
const rules = { otherLinks: 'off', prerender: 'off' };

it('flag is stronger than variable, variable than file, file than default', async () => {
  const config = join(folder, 'order.json');
  await writeFile(config, JSON.stringify({ threshold: 0.1, window: 5, limit: null }));
  const env = { PREFETCHD_CONFIG: config, PREFETCHD_THRESHOLD: '0.2', PREFETCHD_WINDOW: '6' };
  const tuning = (threshold: number, window: number, limit: number | null) => {
    return { threshold, window, limit, ...rules };
  };
  expect(await tuningOf([])).toEqual(tuning(0.2, 4, 3));
  expect(await tuningOf(['--config', config])).toEqual(tuning(0.1, 5, null));
  expect(await tuningOf([], env)).toEqual(tuning(0.2, 6, null));
  expect(await tuningOf(['--threshold', '0.3', '--limit', '7'], env)).toEqual(tuning(0.3, 6, 7));
  expect(await tuningOf(['--limit', 'inf'])).toMatchObject({ limit: null });
});

it('SIGHUP reads p, w and i from the file again; a flag stays, a broken file changes nothing', async () => {
  const config = join(folder, 'again.json');
  await writeFile(config, '{"threshold": 0.1, "limit": 5}');
  const args = ['--port', '0', '--config', config, '--limit', '2'];
  const { child, url, logged, ended } = await serving(args);
  await writeFile(config, '{"threshold": 0.2, "limit": 6, "window": 7, "otherLinks": "moderate"}');
  child.kill('SIGHUP');
  await logged(/"tuned by the file"/);
  const tuned = { threshold: 0.2, window: 7, limit: 2, ...rules, otherLinks: 'moderate' };
  expect((await ask(url, '/v1/config')).json).toEqual(tuned);
  await writeFile(config, '{"threshold": ');
  child.kill('SIGHUP');
  const line = JSON.parse(await logged(/"the file was not taken/));
  expect(line.msg).toMatch(
    /^the file was not taken: \S+ is not JSON: .*; its settings stay as they were$/,
  );
  expect(line.code).toBe('config-unreadable');
  expect(line).not.toHaveProperty('err');
  expect((await ask(url, '/v1/config')).json.threshold).toBe(0.2);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

const site = 'proxy --upstream http://127.0.0.1:1 --port 0';

it('SIGHUP before the store was read: the file is read again once it serves', async () => {
  const config = join(folder, 'early.json');
  await writeFile(config, '{"threshold": 0.2}');
  const redis = createServer((socket) => {
    writeFileSync(config, '{"threshold": 0.7}');
    child.kill('SIGHUP');
    socket.destroy();
  });
  const store = `redis://127.0.0.1:${await listening(redis)}`;
  const args = ['serve', '--port', '0', '--config', 'early.json', '--store', store];
  const child = startPrefetchd(folder, args);
  await using serves = await untilListening(child);
  redis.close();
  await eventually(async () => (await ask(serves.url, '/v1/config')).json.threshold === 0.7);
});

it.each([
  [
    'serve --port 70000',
    /--port <n>' argument '70000' is invalid. It must be a whole number from 0 to/,
  ],
  ['serve --limit 0', /'0' is invalid. It must be a whole number from 1 to 10000, or inf./],
  ['serve --threshold 7', /'7' is invalid. It must be a number from 0 to 2./],
  ['PREFETCHD_THRESHOLD=7', /PREFETCHD_THRESHOLD' is invalid. It must be a number from 0 to 2./],
  ['serve --flush-interval 1ms', /'1ms' is invalid. It must be a time from 10ms to 1h, such as/],
  ['serve --half-life 0s', /'0s' is invalid. It must be a time of at least 1ms, .*, or inf./],
  ['serve --sites one --origin http://a', /^prefetchd: --sites is for a prefetchd without origin/],
  ['serve --store redis://u@h:x', /^prefetchd: --store must be redis:.*: it is not a URL/],
  ['serve --format client=x', /^prefetchd: --format must say where time and url is/],
  ['serve --host 0.0.0.0', /^prefetchd: --token must be set to listen on 0.0.0.0/],
  ['serve --token short', /^prefetchd: --token must be 16 .* without a space\n$/],
  [
    'serve --token @/nowhere',
    /^prefetchd: --token: \/nowhere cannot be read: there is no such file\n/,
  ],
  ['serve --host unix:/a --port 1', /^prefetchd: --port must not be given with a unix socket/],
  ['serve --follow http://a/access.log', /is invalid. It must be the path of a file./],
  ['serve --store mysql://a', /^prefetchd: --store must be memory, sqlite:FILE/],
  ['serve --predictor oracle', /'oracle' is invalid. It must be double-graph or dependency-graph./],
  ['serve --origin example.org', /is invalid. It must be an http or https origin./],
  ['serve --trust nobody', /^prefetchd: --trust must be a list/],
  [
    'serve --deny a:b',
    /'a:b' is invalid. It must be a word of letters, or a path that begins with \//,
  ],
  [
    'serve --config /nowhere.json',
    /^prefetchd: \/nowhere.json cannot be read: there is no such file\n/,
  ],
  ['serve --holdback 10 --hints-file a.map', /--hints-file gives hints to all/],
  ['serve --holdback 60', /from 1 to 50/],
  ['serve extra', /too many arguments/],
  ['proxy', /^prefetchd: --upstream is required: .*prefetchd -- proxy --upstream http:/],
  [
    'proxy localhost:3000',
    /^prefetchd: --upstream must be http:\/\/host:port, .*"localhost:3000"\n$/,
  ],
  ['proxy --upstream ftp://a', /--upstream.*'ftp:\/\/a'.*It must be http:\/\/host:port, /],
  [`${site} --trust nobody`, /^prefetchd: --trust must be/],
  [`${site} --token a`, /unknown option '--token'/],
  [`${site} --max-connections 0`, /'0' is invalid. It must be a whole number from 1 to 1000000./],
  [`${site} --response-timeout 1ms`, /'1ms' is invalid. It must be a time from 10ms to 24d, /],
  [`${site} --request-timeout 1ms`, /'1ms' is invalid. It must be a time from 10ms .*, or inf./],
  [`${site} --max-request-body-bytes 9999G`, /'9999G' is .* a number of bytes of at most 1024G, /],
  [`${site} --tls-key key.pem`, /^prefetchd: --tls-key and --tls-cert go together/],
  [`${site} --ca none.pem`, /^prefetchd: --ca: .*none.pem/],
  [`${site} --early-hints h3`, /It must be h2, on or off./],
  [`${site} --speculation-rules rules`, /It must be on, off or a path that begins with \/./],
  [`${site} --speculation-rules /a?b`, /^prefetchd: --speculation-rules must be .*without query/],
])('%s is bad usage: exit code 2 and one reason', async (typed, message) => {
  const [name = '', value] = typed.startsWith('PREFETCHD_') ? typed.split('=') : [];
  const args = value === undefined ? typed.split(' ') : ['serve'];
  const run = startPrefetchd(folder, args, value === undefined ? {} : { [name]: value });
  const { code, stdout, stderr } = await runToEnd(run);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  expect(stderr).not.toContain('    at ');
});

it('a store that is away is told in one line without a stack, and hints go on', async () => {
  const redis = `redis://127.0.0.1:${await freePort()}`;
  await using service = await serving(['--port', '0', '--store', redis]);
  const line = await service.logged(/hints continue from memory/);
  expect(JSON.parse(line)).toMatchObject({
    level: 50,
    msg: expect.stringMatching(/^redis:.*ECONNREFUSED.*; hints continue from memory$/),
    code: 'store-unwritable',
  });
  expect(line).not.toMatch(/"err"|"stack"/);
});

it.each([
  ['serve', '7733'],
  ['proxy', '8080'],
])('%s --help has its own defaults alone: port %s', async (name, port) => {
  const { code, stdout } = await runToEnd(startPrefetchd(folder, [name, '--help']));
  const said = stdout.replace(/\s+/g, ' ');
  expect([code, said]).toEqual([0, expect.stringContaining(`any free port (${port})`)]);
  expect(said).toContain('as the store was made, else double-graph)');
  expect(said).toContain('Learning and hints: --store');
  expect(said).not.toMatch(/serve: |proxy: |env: /);
});

it.each([
  ['--port', 'serve'],
  ['--port', site],
  ['--admin-port', site],
])('a %s that is taken is told by its name, exit code 2: %s', async (flag, command) => {
  const port = String(await listening(createServer()));
  const args = [...command.split(' '), flag, port];
  const { code, stderr } = await runToEnd(startPrefetchd(folder, args));
  const advice = `choose another with ${flag}, 0 takes a free one\n`;
  const told = `prefetchd: 127.0.0.1 port ${port} is in use by another server; ${advice}`;
  expect([code, stderr]).toEqual([2, told]);
});

it('logs JSON to stderr, and at info no client, user agent, token or query of anybody', async () => {
  const token = 'a-token-of-the-tests';
  const { child, url, log, ended } = await serving(['--port', '0'], { PREFETCHD_TOKEN: token });
  const secret = access('198.51.100.7 SecretAgent', '/a?q=SecretQuery');
  const Authorization = `Bearer ${token}`;
  for (const headers of [{ Authorization }, { Authorization: 'Bearer SecretGuess' }]) {
    await ask(url, '/v1/hints?SecretParameter=1', { method: 'POST', body: secret, headers });
    await ask(url, '/v1/hints', { method: 'POST', body: secret, headers });
    await ask(url, '/v1/hints', { method: 'POST', body: '{"SecretBody', headers });
    await ask(url, '/v1/mirror', { headers: { 'X-Original-URI': '/a?SecretQuery', ...headers } });
  }
  child.kill('SIGTERM');
  await ended;
  for (const line of log) expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) });
  expect(log.join('\n')).not.toMatch(/Secret|198\.51|a-token/);
  expect(log.some((line) => line.includes('unauthorized'))).toBe(true);
});

it('serves over a unix socket, also where a process that died has left one', async () => {
  const socket = join(folder, 'serve.sock');
  const { child, url, ended } = await serving(['--host', `unix:${socket}`]);
  expect(url).toBe(`unix:${socket}`);
  const { status } = await ask(url, '/v1/hints', { method: 'POST', body: access('a x', '/a') });
  expect(status).toBe(200);
  child.kill('SIGKILL');
  await ended;
  await using second = await serving(['--host', `unix:${socket}`]); // the file is stale now
  expect((await ask(second.url, '/healthz')).status).toBe(200);
});

it('names a variable that is no setting, and the one that is meant; not those of Kubernetes', async () => {
  const env = {
    ...{ PREFETCHD_TRESHOLD: '0.2', PREFETCHD_ORCHARD_KEEPER: '1' },
    ...{ PREFETCHD_SERVICE_HOST: '10.0.0.1', PREFETCHD_PORT_7733_TCP: 'tcp://10.0.0.1:7733' },
  };
  const { child, log, ended } = await serving(['--port', '0'], env);
  child.kill();
  await ended;
  expect(log.filter((line) => line.includes('variable'))).toEqual([
    'prefetchd: the variable PREFETCHD_TRESHOLD is no setting here and ignored; is it PREFETCHD_THRESHOLD?',
    'prefetchd: the variable PREFETCHD_ORCHARD_KEEPER is no setting here and ignored; --help has all settings',
  ]);
});

it('--trial hints what one visitor of this machine did, says so, and keeps it in memory', async () => {
  const env = { PREFETCHD_STORE: undefined };
  await using it = await servingPrefetchd(folder, ['serve', '--port', '0', '--trial'], env);
  const { url, log, logged } = it;
  const learn = (client: string, path: string) =>
    ask(url, '/v1/accesses', { method: 'POST', body: access(client, path) });
  for (const path of ['/a', '/b']) await learn('127.0.0.1 x', path);
  for (const path of ['/a', '/c']) await learn('192.0.2.1 x', path);
  const { json } = await ask(url, '/v1/hints?url=/a&client=127.0.0.1');
  expect(json).toMatchObject({ hints: [{ url: '/b' }] });
  expect((await ask(url, '/v1/hints?url=/a&client=192.0.2.1')).json).toMatchObject({ hints: [] });
  expect((await ask(url, '/v1/overview')).json.trial).toBe(true);
  await logged(/a request from elsewhere/);
  expect(log.filter((line) => line.includes('this is a trial'))).toHaveLength(1);
  expect(log.join('\n')).toContain('"store":"memory"');
});
