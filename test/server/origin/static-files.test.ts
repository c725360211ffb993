// Which file a target names, and which it must not (RFC 9110, RFC 3986), asked over a socket.

import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { requestPath } from '../../../server/origin/request-path.ts';
import { ask, parseAnswers, RawClient } from '../raw-client.ts';
import { makeSite, serveSite } from '../site.ts';

const onWindows = process.platform === 'win32';
const secret = 'this was never to be served';

test('a file has its type, length, validators and protection from guessing', async () => {
  await using served = await serveSite({ 'a.gif': 'GIF89a' }, { maxAgeSeconds: 3600 });
  const { status, headers, body } = await ask(served.port, '/a.gif');
  expect([status, body.toString()]).toEqual([200, 'GIF89a']);
  expect(headers).toEqual({
    'cache-control': 'max-age=3600',
    etag: expect.stringMatching(/^"[\w-]{12}"$/),
    'content-type': 'image/gif',
    'content-length': '6',
    'last-modified': expect.any(String),
    'x-content-type-options': 'nosniff',
    date: expect.any(String),
    connection: 'close',
  });
});

test('the answer to a small image has at most 240 bytes of header', async () => {
  await using served = await serveSite({ 'a.gif': 'GIF89a' });
  const client = new RawClient(served.port);
  client.send('GET /a.gif HTTP/1.1\r\nHost: a\r\n\r\n');
  const [answer] = await client.answers(1);
  expect(answer?.headerBytes).toBeLessThanOrEqual(240);
  // Persistence is the default of HTTP/1.1 (RFC 9112 9.3).
  expect(answer?.headers.connection).toBeUndefined();
  client.socket.destroy();
});

test('UTF-8 is claimed for text that is UTF-8 and does not speak for itself', async () => {
  const latin1 = Buffer.from('<p>d\xe9j\xe0 vu', 'latin1');
  await using served = await serveSite({
    'utf8.html': '<p>déjà vu',
    'latin1.html': latin1,
    'meta.html': '<meta charset="iso-8859-1"><p>x',
    'a.json': '{}',
  });
  const types = [
    ['/utf8.html', 'text/html; charset=utf-8'],
    ['/latin1.html', 'text/html'],
    ['/meta.html', 'text/html'],
    ['/a.json', 'application/json'],
  ] as const;
  for (const [target, type] of types) {
    expect((await ask(served.port, target)).headers['content-type'], target).toBe(type);
  }
});

test('HEAD is GET without the content (RFC 9110 9.3.2)', async () => {
  const files = { 'a.html': 'x'.repeat(3000), 'b.bin': 'y'.repeat(3000) };
  await using served = await serveSite(files, withConstants({ maxCachedFileBytes: 2000 }));
  for (const target of ['/a.html', '/b.bin', '/none']) {
    const get = await ask(served.port, target, { 'Accept-Encoding': 'gzip' });
    const head = await ask(served.port, target, { 'Accept-Encoding': 'gzip' }, 'HEAD');
    expect(head.status).toBe(get.status);
    expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
    expect(head.body).toHaveLength(0);
  }
});

test('a folder is its index.html; without the slash the client is sent to it', async () => {
  const files = { 'index.html': 'root', 'a b/ü/index.html': 'deep', 'c/x': '' };
  await using served = await serveSite(files);
  expect((await ask(served.port, '/')).body.toString()).toBe('root');
  expect((await ask(served.port, '/?q')).body.toString()).toBe('root');
  expect((await ask(served.port, '/a%20b/%C3%BC/')).body.toString()).toBe('deep');
  const moved = await ask(served.port, '/a%20b/%c3%bc?x=1&y=%2F');
  expect([moved.status, moved.headers.location]).toEqual([301, '/a%20b/%C3%BC/?x=1&y=%2F']);
  expect((await ask(served.port, '/c/')).status).toBe(404);
  expect((await ask(served.port, '/c/x/')).status).toBe(404);
});

test('the absolute form of a target is accepted (RFC 9112 3.2.2)', async () => {
  await using served = await serveSite({ 'index.html': 'root', 'a.txt': 'a' });
  const textOf = async (path: string) =>
    (await ask(served.port, `http://b.example${path}`, { Host: 'b.example' })).body.toString();
  expect([await textOf('/a.txt?x'), await textOf('')]).toEqual(['a', 'root']);
});

const traversals = [
  ...['/../secret.txt', '/a/../../secret.txt', '/%2e%2e/secret.txt', '/%2E%2E%2Fsecret.txt'],
  ...['/..%2fsecret.txt', '/..%5csecret.txt', '/..\\secret.txt', '/a/..%2f..%2fsecret.txt'],
  ...['/%252e%252e/secret.txt', '/....//secret.txt', '/.//../secret.txt', '/./../secret.txt'],
  ...['//secret.txt', '/public/%2e%2e/%2e%2e/secret.txt', '/%00/../secret.txt', '/a.txt%00.gif'],
  ...['/a.txt%0a', '/%c0%ae%c0%ae/secret.txt', '/%uff0e%uff0e/secret.txt', '/..;/secret.txt'],
  ...['/.hidden', '/%2ehidden', '/.git/config', '/a/.hidden', '/out.txt', '/outside/secret.txt'],
  ...['/a.txt/', '/a.txt/../a.txt', '/%', '/%zz', `/${'x'.repeat(5000)}`],
];

test('no target leaves the folder or shows a dotfile', async () => {
  await using parent = await makeSite({ 'secret.txt': secret });
  const folder = join(parent.folder, 'public');
  await parent.write('public/a.txt', 'a');
  await parent.write('public/a/b.txt', 'b');
  for (const name of ['.hidden', '.git/config', 'a/.hidden']) {
    await parent.write(`public/${name}`, secret);
  }
  if (!onWindows) {
    await symlink('../secret.txt', join(folder, 'out.txt'));
    await symlink('..', join(folder, 'outside'));
  }
  const { createOrigin } = await import('../../../server/index.ts');
  await using origin = createOrigin(folder);
  const { port } = await origin.listen();
  for (const target of traversals) {
    const { status, body } = await ask(port, target);
    expect([target, status >= 400 && status < 500]).toEqual([target, true]);
    expect(body.toString()).not.toContain(secret);
  }
  expect((await ask(port, '/a.txt')).body.toString()).toBe('a');
});

test('a symbolic link that stays inside is followed; one that turns outside is not', async () => {
  if (onWindows) return;
  await using parent = await makeSite({ 'secret.txt': secret, 'public/a.txt': 'a' });
  const folder = join(parent.folder, 'public');
  const { createOrigin } = await import('../../../server/index.ts');
  await using origin = createOrigin(folder);
  const { port } = await origin.listen();
  await symlink('a.txt', join(folder, 'link.txt'));
  expect((await ask(port, '/link.txt')).body.toString()).toBe('a');
  expect((await ask(port, '/link.txt')).body.toString()).toBe('a');
  execFileSync('ln', ['-sfn', '../secret.txt', join(folder, 'link.txt')]);
  expect((await ask(port, '/link.txt')).status).toBe(404);
});

test('what is no file is not waited for', async () => {
  if (onWindows) return;
  await using served = await serveSite({ 'a.txt': 'a' });
  execFileSync('mkfifo', [join(served.site.folder, 'fifo')]);
  expect((await ask(served.port, '/fifo')).status).toBe(404);
});

test('/.well-known/ is served (RFC 8615)', async () => {
  await using served = await serveSite({
    '.well-known/security.txt': 'here',
    'a/.well-known/x': '',
  });
  expect((await ask(served.port, '/.well-known/security.txt')).body.toString()).toBe('here');
  expect((await ask(served.port, '/a/.well-known/x')).status).toBe(404);
});

test('names that mean devices, drives and streams on Windows are refused there', () => {
  for (const target of ['/c:/x', '/a.txt::$DATA', '/con', '/NUL.txt', '/a.', '/a%20', '/lpt1/x']) {
    expect([target, requestPath(target, true)]).toEqual([target, 'refused']);
    expect(requestPath(target, false)).not.toBe('refused');
  }
});

test('no name can put a field into the header or markup into an error', async () => {
  await using served = await serveSite({});
  await mkdir(join(served.site.folder, 'é, <b>;"a"'));
  const moved = await ask(served.port, '/%C3%A9,%20%3Cb%3E;%22a%22');
  expect(moved.headers.location).toBe('/%C3%A9%2C%20%3Cb%3E%3B%22a%22/');
  for (const target of ['/a%0d%0aX-Evil:%201', '/<script>alert(1)</script>', '/a?%0d%0aX-Evil:1']) {
    const { status, headers, body } = await ask(served.port, target);
    expect([status, body.toString()]).toEqual([404, '404 Not Found\n']);
    expect(headers['x-evil']).toBeUndefined();
    expect(headers['content-type']).toBe('text/plain');
  }
});

test('methods that files do not have are refused with those they have (RFC 9110 15.5.6)', async () => {
  await using served = await serveSite({ 'a.txt': 'a' });
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    const { status, headers } = await ask(served.port, '/a.txt', {}, method);
    expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
  }
});

test.each([
  ['is cut', (path: string) => truncate(path, 1_000_000)],
  ['grows', (path: string) => appendFile(path, 'more')],
])('an answer whose file %s under way never looks whole (RFC 9112 8)', async (_, change) => {
  const sizeBytes = 40_000_000;
  await using served = await serveSite({ 'a.bin': Buffer.alloc(sizeBytes) });
  // Not reading: the kernel's buffers hold far less than the file.
  const client = new RawClient(served.port, { isPaused: true });
  client.send('GET /a.bin HTTP/1.1\r\nHost: a\r\n\r\n');
  await new Promise((resolve) => client.socket.once('readable', resolve));
  await change(join(served.site.folder, 'a.bin'));
  client.read();
  client.socket.resume();
  await client.closed;
  const [answer] = parseAnswers(client.bytes);
  expect(answer?.headers['content-length']).toBe(String(sizeBytes));
  expect(answer?.body.length).toBeLessThan(sizeBytes);
  expect((await ask(served.port, '/a.bin', {}, 'HEAD')).status).toBe(200);
});
