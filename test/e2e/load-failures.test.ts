// `loadahead load` of a page that does not come: why is said once, on the error stream, in one line. The report has
// what was measured, and nothing where nothing was.

import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { createOrigin, type Origin } from '../../server/index.ts';
import { freePort } from '../support/command.ts';
import { loadaheadIn } from '../support/loadahead-command.ts';
import { type RawServer, response, startRawServer } from '../support/raw-server.ts';

let server: RawServer;
/** Speaks HTTP, where it is asked for TLS, too. */
let plain: Origin;
let dead: string;
let plainHost: string;

beforeAll(async () => {
  plain = createOrigin(microscapeDir);
  plainHost = new URL((await plain.listen()).url).host;
  dead = `127.0.0.1:${await freePort()}`;
  server = await startRawServer({
    onRequest({ path }, connection) {
      if (path === '/silent') return;
      if (path === '/gone') connection.write(response('gone', {}, '404 Not Found'));
      else if (path === '/bad')
        connection.write(response('plain HTTP to HTTPS port', {}, '400 Bad Request'));
      else if (path === '/cut') connection.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut');
      else connection.write(response('', { Location: `http://${dead}/` }, '302 Found'));
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await plain.close();
});

const load = (args: string[]) => loadaheadIn(tmpdir())(['load', ...args], { COLUMNS: '80' });

/** The one line on the error stream, in its parts. */
function toldBy(stderr: string): { url: string; reason: string; code: string } {
  const line = /^loadahead: (?<url>\S+) did not load: (?<reason>.+) \[(?<code>[\w-]+)\]\n$/;
  const { url = '', reason = '', code = '' } = line.exec(stderr)?.groups ?? {};
  expect(reason, stderr).not.toBe('');
  return { url, reason, code };
}

it('a 400 over http may be a port for TLS: says what to load then', async () => {
  const url = `${server.origin}/bad`;
  const { code, stderr } = await load([url]);
  const [failure, advice] = stderr.split(/(?<=\n)/);
  const secure = url.replace('http:', 'https:');
  expect([code, advice]).toEqual([1, `loadahead: if that port is for TLS, load ${secure}\n`]);
  expect(toldBy(failure ?? '')).toMatchObject({ url, reason: expect.stringContaining('400') });
});

it.each<[code: string, url: () => string]>([
  ['connection-refused', () => `http://${dead}/`],
  ['name-not-resolved', () => 'http://no-such-host.invalid/'],
  ['tls-failed', () => `https://${plainHost}/`],
])('%s: a line, and no report of nothing', async (code, url) => {
  const { code: exitCode, stdout, stderr } = await load([url()]);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(toldBy(stderr)).toMatchObject({ url: url(), code });
});

it.each<[code: string, path: string, args: string[]]>([
  ['page-timeout', '/silent', ['--timeout', '2000']],
  ['length-mismatch', '/cut', []],
  ['connection-refused', '/', []],
])('%s, after something was asked: the report has all but the reason', async (...given) => {
  const [code, path, args] = given;
  const { code: exitCode, stdout, stderr } = await load([server.origin + path, ...args]);
  expect(exitCode).toBe(1);
  const told = toldBy(stderr);
  expect(told.code).toBe(code);
  expect(stdout).toMatch(/^requests +1/m);
  expect(stdout.replaceAll(/\s+/g, ' ')).not.toContain(told.reason);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

it('a status: once in the report, as any page has one', async () => {
  const { code, stdout, stderr } = await load([`${server.origin}/gone`]);
  expect([code, toldBy(stderr).reason]).toEqual([1, '404 Not Found']);
  expect(stdout.match(/404 Not Found/g)).toHaveLength(1);
});

it('--json: the record has it as data, the error stream as a line', async () => {
  const { code, stdout, stderr } = await load([`http://${dead}/`, '--json']);
  const { error } = JSON.parse(stdout).resources[0];
  expect([code, toldBy(stderr)]).toMatchObject([1, { reason: error.message, code: error.code }]);
});
