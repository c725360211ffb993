// What `prefetchd proxy` says in its log of a site that is broken: that it is, and nothing of what it sent.

import { expect, it } from 'vitest';
import { loggedError } from '../../cli/prefetchd/log.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { startRawServer } from '../support/raw-server.ts';
import { proxying } from './proxying.ts';

const folder = folderOfTests();

it.each([
  ['no HTTP at all', 'jane.doe@example.org signed in\r\n\r\n'],
  ['a field that is none', 'HTTP/1.1 200 OK\r\nSet-Cookie: id=jane.doe\r\nno\r\n\r\njane.doe'],
  ['a wrong chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\njane.doe\r\n'],
])('at debug, of an answer with %s: its code, and no byte of it', async (_, answer) => {
  await using site = await startRawServer({
    onRequest: (_request, connection) => connection.end(answer),
  });
  await using proxy = await proxying(folder, site.origin, ['--log-level', 'debug']);
  const page = await fetch(`${proxy.url}/reset?token=jane.doe`, {
    headers: { 'User-Agent': 'jane.doe', Cookie: 'jane.doe' },
  });
  await page.text().catch(() => {});
  const line = await proxy.logged(/the site failed a request/);
  expect(JSON.parse(line).err).toEqual({
    type: 'Error',
    message: expect.stringContaining('Parse Error'),
    code: expect.stringMatching(/^HPE_/),
    stack: expect.any(String),
  });
  const bytes = [...Buffer.from('jane.doe')].join(',');
  expect(proxy.log.join('\n')).not.toMatch(
    new RegExp(`jane\\.doe|${bytes}|127\\.0\\.0\\.1:\\d+\\D*reset`),
  );
});

it('of an error: name, message, code, stack and cause, without queries', () => {
  const cause = Object.assign(new TypeError('bad'), { code: 'E_BAD', headers: { cookie: 'jane' } });
  const error = Object.assign(new Error('GET http://site/a?token=jane failed', { cause }), {
    rawPacket: Buffer.from('jane'),
    input: '/a?jane',
  });
  const logged = loggedError(error);
  expect(logged).toEqual({
    type: 'Error',
    message: 'GET http://site/a?... failed',
    stack: expect.stringContaining('GET http://site/a?... failed'),
    cause: { type: 'TypeError', message: 'bad', code: 'E_BAD', stack: expect.any(String) },
  });
  expect(JSON.stringify(logged)).not.toContain('jane');
});

it('of what is thrown and no error: only that; of causes in a ring five', () => {
  expect(loggedError('jane')).toEqual({ type: 'string', message: 'no error was thrown' });
  const ring = new Error('ring');
  ring.cause = ring;
  expect(JSON.stringify(loggedError(ring)).match(/"cause":/g)).toHaveLength(5);
});
