// What createOrigin takes, what it refuses and how it says so; what the package shows of the server.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOrigin } from '../../../server/index.ts';
import { makeTestCertificate } from '../../support/tls.ts';
import { ask } from '../raw-client.ts';
import { makeSite, serveSite } from '../site.ts';

test('a wrong option is refused with its name, the rule and the value', async () => {
  await using site = await makeSite();
  const cases: [options: Record<string, unknown>, message: string][] = [
    [{ maxConnections: 0 }, 'maxConnections must be a whole number from 1 to 1000000, not 0'],
    [
      { maxRequestBodyBytes: '5' },
      'maxRequestBodyBytes must be a whole number from 0 to 1099511627776, not the string "5"',
    ],
    [{ maxConnections: Infinity }, 'not Infinity'],
    [
      { maxRequestsPerConnection: 0 },
      'maxRequestsPerConnection must be a whole number of at least 1, or Infinity, not 0',
    ],
    [{ maxAgeSeconds: -1 }, 'maxAgeSeconds must be a whole number from 0'],
    [{ maxConnection: 5 }, 'option maxConnection is unknown; did you mean maxConnections?'],
    [{ tls: { key: '' } }, 'tls must be an object with key and cert in PEM'],
    [{ ipv6Prefix: 56 }, 'option ipv6Prefix is unknown'],
    [{ handlers: [5] }, 'handlers[0] must be a function, not 5'],
  ];
  for (const [options, message] of cases) {
    const make = () => createOrigin(site.folder, options);
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ name: 'ServerError', code: 'invalid-option' }));
  }
});

test('a folder that is none is refused', async () => {
  await using site = await makeSite({ 'a.txt': '' });
  for (const [name, says] of [
    ['none', 'none does not exist'],
    ['a.txt', 'a.txt is not a folder'],
    ['a.txt/b', 'a.txt/b does not exist'],
  ] as const) {
    const make = () => createOrigin(join(site.folder, name));
    expect(make).toThrow(expect.objectContaining({ code: 'folder-not-found' }));
    expect(make).toThrow(says);
  }
});

test('a key or certificate that is none, or of another pair, is refused when the origin is made', async () => {
  await using site = await makeSite();
  const [{ key, cert }, other] = await Promise.all([makeTestCertificate(), makeTestCertificate()]);
  for (const tls of [
    { key: 'junk', cert },
    { key, cert: 'junk' },
    { key: other.key, cert },
  ]) {
    const make = () => createOrigin(site.folder, { tls });
    expect(make).toThrow(/^tls must be .* in PEM that belong together/);
    expect(make).toThrow(expect.objectContaining({ name: 'ServerError', code: 'invalid-option' }));
  }
  await createOrigin(site.folder, { tls: { key, cert } }).close();
});

test('a port in use, a second listen and an unknown host are told apart', async () => {
  await using served = await serveSite({});
  expect(() => served.origin.listen()).toThrow(
    expect.objectContaining({ code: 'already-listening' }),
  );
  await using other = createOrigin(served.site.folder);
  await expect(other.listen({ port: served.port })).rejects.toMatchObject({
    code: 'address-in-use',
    message: `127.0.0.1 port ${served.port} is in use by another server`,
  });
  await expect(other.listen({ host: '192.0.2.1' })).rejects.toMatchObject({
    code: 'listen-failed',
  });
  const { port, url } = await other.listen();
  expect(url).toBe(`http://127.0.0.1:${port}`);
});

test('routes of one own stand behind the files', async () => {
  await using served = await serveSite({ 'a.txt': 'file' });
  const { app } = served.origin;
  app.get('/a.txt', (_req, res) => void res.send('route'));
  app.get('/b.txt', (_req, res) => void res.send('route'));
  app.post('/a.txt', (_req, res) => void res.send('posted'));
  app.get('/of/:name', (_req, res) => void res.send('named'));
  expect((await ask(served.port, '/of/%E0%A4%A')).status).toBe(400);
  expect((await ask(served.port, '/a.txt')).body.toString()).toBe('file');
  const routed = await ask(served.port, '/b.txt');
  expect([routed.body.toString(), routed.headers['x-powered-by']]).toEqual(['route', undefined]);
  expect((await ask(served.port, '/a.txt', {}, 'POST')).body.toString()).toBe('posted');
});
