// Who may ask: tokens, host names, pages of other sites.

import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { createGraphStore } from '../../../prefetchd/index.ts';
import { listening } from '../../server/listening.ts';
import { ask, running } from './ask.ts';

const token = 'a-token-of-the-tests';

it('with a token, all but /healthz and the page without data demand it', async () => {
  await using service = await running({ service: { token } });
  const paths = ['/metrics', '/v1/config', '/v1/left-out', '/v1/hints?url=/a', '/nowhere'];
  const ofDashboard = ['/v1/overview', '/v1/pages?url=/a'];
  expect((await service.get('/')).status).toBe(200);
  for (const path of [...paths, ...ofDashboard]) {
    const without = await service.get(path);
    const { status, headers } = without;
    expect([path, status, headers['www-authenticate']]).toEqual([path, 401, 'Bearer']);
  }
  for (const wrong of ['Bearer wrong', `Basic ${token}`, `Bearer ${token}x`, 'Bearer ']) {
    expect((await service.get('/v1/config', { Authorization: wrong })).status).toBe(401);
  }
  for (const right of [`Bearer ${token}`, `bearer  ${token}`]) {
    expect((await service.get('/v1/config', { Authorization: right })).status).toBe(200);
  }
});

it('/healthz is open; the store is shown to who has the token', async () => {
  await using service = await running({ service: { token } });
  expect((await service.get('/healthz')).json).toEqual({ status: 'ok' });
  const Authorization = `Bearer ${token}`;
  expect((await service.get('/healthz', { Authorization })).json.store.isHealthy).toBe(true);
});

it('/readyz says when what was stored has been read', async () => {
  const silent = createServer();
  const port = await listening(silent);
  const store = await createGraphStore(`redis://127.0.0.1:${port}`);
  await using service = await running({ prefetchd: { store } });
  expect(await service.get('/readyz')).toMatchObject({ status: 503, json: { status: 'starting' } });
  await using other = await running({ service: { token } });
  expect(await other.get('/readyz')).toMatchObject({ status: 200, json: { status: 'ready' } });
});

it('without a token the Host must name this machine (DNS rebinding), or the site', async () => {
  await using service = await running({
    prefetchd: { origin: 'https://example.org' },
  });
  const { port } = new URL(service.url);
  for (const name of ['localhost', `127.0.0.1:${port}`, '[::1]:80', 'LOCALHOST:1', 'example.org']) {
    expect([name, (await service.get('/v1/config', { Host: name })).status]).toEqual([name, 200]);
  }
  const evil = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '127.evil'];
  for (const name of evil) {
    const { status, json } = await service.get('/v1/config', { Host: name });
    expect([name, status, json.code]).toEqual([name, 403, 'host-refused']);
  }
});

it('a page of another site changes nothing and asks nothing', async () => {
  await using service = await running();
  const Host = new URL(service.url).host;
  const patch = (headers: Record<string, string>) =>
    ask(service.url, '/v1/config', { method: 'PATCH', body: { limit: 1 }, headers });
  for (const headers of [
    { Origin: 'https://evil.example' },
    { Origin: 'http://localhost:1' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ]) {
    const { status, json } = await patch(headers as Record<string, string>);
    expect([headers, status, json.code]).toEqual([headers, 403, 'cross-site']);
  }
  const crossing = { 'Sec-Fetch-Site': 'cross-site' };
  expect((await service.get('/v1/hints?url=/a', crossing)).status).toBe(403);
  expect(service.prefetchd.tune({}).limit).toBe(3);
  const own = { Origin: `http://${Host}`, 'Sec-Fetch-Site': 'same-origin' };
  expect((await patch(own)).status).toBe(200);
});

it('no CORS: a preflight is refused, and nothing is allowed to other origins', async () => {
  await using service = await running();
  const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'PATCH' };
  const question = { method: 'OPTIONS', headers };
  const { status, headers: got } = await ask(service.url, '/v1/config', question);
  expect(status).toBe(405);
  expect(Object.keys(got).filter((name) => name.startsWith('access-control'))).toEqual([]);
});
