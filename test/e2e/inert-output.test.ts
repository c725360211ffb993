// What a page, a server or a log says never becomes an order to what reads our output: CI systems execute lines such as
// `::error::` (GitHub: at the start of a line, behind white space), `##[...]`, `##vso[...]` (GitHub, Azure) and
// `##teamcity[...]` anywhere in a line; terminals execute control characters (ECMA-48).

import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runToEnd } from '../support/command.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { type RawServer, response, startRawServer } from '../support/raw-server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = folderOfTests();
let server: RawServer;

const azure = '##vso[task.setvariable variable=x]y';
const orders = ['::error::x', '::stop-commands::x', '##[add-mask]x', azure, '##teamcity[x]'];
/** CSI as one character (C1), which a field value may have (RFC 9110 5.5: obs-text). */
const csi = '\x9b2J';
const page = `<title>::error::x</title>
  <link rel=stylesheet href="/::error::${'a'.repeat(90)}.css">
  <script src="::error::script"></script><script src="/##vso[x]y.js"></script>
  ${orders.map((order) => `<img src="${order}"><img src="/${order}.gif"><img src="/p?${order}">`).join('')}
  <img src="http://[::error::]/"><img src="data:${azure}"><img loading=lazy src="/::lazy::x">`;

function answer(path: string): Buffer {
  if (path === '/') return response(page, { 'Content-Type': 'text/html' });
  if (path === '/coding') return response('x', { 'Transfer-Encoding': `${csi} ${azure}` });
  if (path === '/moved') return response('', { Location: `/::error::x?${azure}` }, '302 Found');
  const isStyle = path.endsWith('.css');
  const type = isStyle ? 'text/css' : `image/gif; a="${azure}"`;
  return isStyle
    ? response(`@import "::error::y"; p { background: url(::notice::z) }`, { 'Content-Type': type })
    : response('', { 'Content-Type': type, Note: azure }, `404 ${azure} ::error::${csi}`);
}

const url = (path: string) => `${server.origin}${path}`;

beforeAll(async () => {
  server = await startRawServer({
    onRequest: ({ path }, connection) => void connection.write(answer(path)),
  });
  const agent = `\u001b[2J\r::error::${azure}`;
  const lines = Array.from({ length: 40 }, (_, index) =>
    JSON.stringify({
      time_iso8601: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
      ...{ remote_addr: `192.0.2.${index % 3}`, request_method: 'GET', status: 200 },
      ...{ request_uri: index % 2 === 0 ? '/' : `/::error::x${azure}`, body_bytes_sent: 10 },
      http_user_agent: `Mozilla/5.0 ${agent} ${index % 2}`,
    }),
  );
  const hostile = [`::error::${azure}`, `{"a": "\u001b[2J`, `${csi}::stop-commands::x`];
  await writeFile(join(folder, 'access.log'), [...lines, ...hostile, ''].join('\n'));
  await writeFile(join(folder, '##vso[x]y.log'), hostile.join('\n'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function run(program: string, args: string[], columns: string) {
  const env = { ...process.env, COLUMNS: columns, NO_COLOR: '', FORCE_COLOR: '' };
  const script = join(root, `cli/${program}.ts`);
  const { stdout, stderr, code } = await runToEnd(
    spawn(process.execPath, [script, ...args], { cwd: folder, env }),
  );
  expect(code, stderr).not.toBeNull();
  const file = args.find((arg) => /^out\./.test(arg));
  const written = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
  return { stdout, stderr, all: `${stdout}\n${stderr}\n${written}` };
}

/** As the runners of GitHub and Azure read a log: lines end at CR, too, and are trimmed. */
function obeyed(text: string): string[] {
  const lines = text.split(/\r\n|[\r\n]/).map((line) => line.trim());
  return lines.filter((line) => line.startsWith('::') || /##\w*\[/.test(line));
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

function expectInert(text: string): void {
  expect(obeyed(text)).toEqual([]);
  expect(text.match(controls)).toBeNull();
}

it('the reader of this file does obey', () => {
  for (const order of orders) expect(obeyed(`a\n  ${order}`)).toHaveLength(1);
  expect(obeyed('a\r::error::x')).toHaveLength(1);
});

const commands: [string, string, string[]][] = [
  ['a page whose parts fail', 'loadahead', ['load', '/']],
  ['what was found and why', 'loadahead', ['load', '/', '--explain']],
  ['the record', 'loadahead', ['load', '/', '--json']],
  ['of several runs', 'loadahead', ['load', '/', '--runs', '2']],
  ['a HAR', 'loadahead', ['load', '/', '--har', 'out.har']],
  ['a waterfall', 'loadahead', ['load', '/', '--waterfall', 'out.svg']],
  ['a page that fails', 'loadahead', ['load', '/x']],
  ['a page with a broken response', 'loadahead', ['load', '/coding']],
  ['a page behind a redirect', 'loadahead', ['load', '/moved']],
  ['a URL', 'loadahead', ['load', `http://[${azure}`]],
  ['advice', 'loadahead', ['audit', '/']],
  ['advice as JSON', 'loadahead', ['audit', '/', '--json']],
  ['a walk', 'loadahead', ['browse', '/', '/x', '/coding', '/moved']],
  ['a walk as JSON', 'loadahead', ['browse', '/', '/x', '--json']],
  [
    'clients',
    'loadahead',
    ['browse', '--log', 'access.log', '--client', '192.0.2.1', '--think', 'none', '--origin', '/'],
  ],
  ['no client', 'loadahead', ['browse', '--log', 'access.log', '--client', 'x', '--origin', '/']],
  ['a simulation', 'prefetchd', ['simulate', 'access.log', '--no-charts']],
  ['training', 'prefetchd', ['train', 'access.log', '--store', 'sqlite:out.db']],
  ['a log that is none', 'prefetchd', ['train', '##vso[x]y.log', '--store', 'sqlite:out.db']],
  ['a flag', 'prefetchd', ['simulate', `--${azure}`]],
];

describe('is inert in', () => {
  it.each(commands)('%s', async (_what, program, args) => {
    const given = args.map((arg) => (arg.startsWith('/') ? url(arg) : arg));
    for (const columns of ['24', '120']) {
      const { stdout, stderr, all } = await run(program, given, columns);
      expect(stdout + stderr).not.toBe('');
      expectInert(all);
      if (args.includes('--json')) JSON.parse(stdout);
    }
  });
});
