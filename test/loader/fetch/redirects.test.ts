// Redirects (Fetch Standard, 4.4 "HTTP-redirect fetch"; RFC 9110 15.4).

import { describe, expect, it } from 'vitest';
import { createFetch } from '../../../loader/fetch/fetch.ts';
import { failure } from './failure.ts';
import { type HttpSite, startHttpSite } from './http-site.ts';

/** /STATUS leads to /end; everything else answers with its method. */
function redirectingSite(to = '/end'): Promise<HttpSite> {
  return startHttpSite(({ method, path }, answer) => {
    const status = Number(path.slice(1));
    if (status >= 300) answer.writeHead(status, { location: to }).end('moved');
    else answer.end(`${method} was asked`);
  });
}

/** What the request behind a redirect was. */
async function followed(site: HttpSite, status: number, method: string, init: RequestInit = {}) {
  await using fetch = createFetch();
  const headers = { 'content-type': 'text/x', 'content-language': 'en', 'x-own': 'a' };
  const body = method === 'GET' || method === 'HEAD' ? null : 'content';
  const answer = await fetch(`${site.origin}/${status}`, { method, body, headers, ...init });
  expect(answer).toMatchObject({ status: 200, redirected: true, url: `${site.origin}/end` });
  return site.asked[1];
}

describe('the method behind a redirect', () => {
  it.each([
    [301, 'POST'],
    [302, 'POST'],
    [303, 'POST'],
    [303, 'PUT'],
    [303, 'DELETE'],
  ])('%i makes a GET of %s, without the body and its fields', async (status, method) => {
    const site = await redirectingSite();
    const next = await followed(site, status, method);
    expect(next).toMatchObject({ method: 'GET', body: '', headers: { 'x-own': 'a' } });
    expect(next?.headers['content-type']).toBeUndefined();
    expect(next?.headers['content-language']).toBeUndefined();
    expect(next?.headers['content-length']).toBeUndefined();
  });

  it.each([
    [301, 'PUT'],
    [302, 'PATCH'],
    [307, 'POST'],
    [308, 'POST'],
    [307, 'PUT'],
    [308, 'DELETE'],
  ])('%i keeps %s and its body', async (status, method) => {
    const site = await redirectingSite();
    const next = await followed(site, status, method);
    expect(next).toMatchObject({ method, body: 'content', headers: { 'content-type': 'text/x' } });
  });

  it.each([301, 302, 303, 307, 308])('%i keeps GET and HEAD', async (status) => {
    for (const method of ['GET', 'HEAD']) {
      const site = await redirectingSite();
      expect(await followed(site, status, method)).toMatchObject({ method });
    }
  });

  it('a stream is sent again by 307: it was gathered', async () => {
    const site = await redirectingSite();
    const body = new Blob(['streamed']).stream();
    expect(await followed(site, 307, 'POST', { body, duplex: 'half' })).toMatchObject({
      body: 'streamed',
    });
  });
});

describe('what goes to another origin', () => {
  const secrets = { authorization: 'Basic x', cookie: 'a=1', 'proxy-authorization': 'Basic y' };

  it.each([302, 307])(
    '%i: no credentials, no extraHeaders, not even back again',
    async (status) => {
      let back = '';
      const third = await startHttpSite((_asked, answer) =>
        answer.writeHead(status, { location: back }).end(),
      );
      const second = await redirectingSite(`${third.origin}/x`);
      const first = await redirectingSite(`${second.origin}/${status}`);
      back = `${first.origin}/end`;
      await using fetch = createFetch({ extraHeaders: { 'x-key': 'secret' } });
      const headers = { ...secrets, 'x-own': 'a' };
      await fetch(`${first.origin}/${status}`, { headers });
      const [begin, end] = first.asked;
      expect(begin?.headers).toMatchObject({ ...headers, 'x-key': 'secret' });
      expect([second, third].map(({ asked }) => asked.length)).toEqual([1, 1]);
      for (const asked of [second.asked[0], third.asked[0], end]) {
        expect(asked?.headers['x-own']).toBe('a');
        for (const name of [...Object.keys(secrets), 'x-key']) {
          expect(asked?.headers[name], name).toBeUndefined();
        }
      }
    },
  );

  it('within the origin they stay', async () => {
    const site = await redirectingSite();
    await using fetch = createFetch({ extraHeaders: { 'x-key': 'secret' } });
    await fetch(`${site.origin}/302`, { headers: secrets });
    expect(site.asked[1]?.headers).toMatchObject({ ...secrets, 'x-key': 'secret' });
  });

  it('a Location’s own credentials are dropped', async () => {
    const site = await startHttpSite(({ path, headers }, answer) => {
      const to = `http://user:secret@${headers.host}/end`;
      if (path === '/') answer.writeHead(302, { location: to }).end();
      else answer.end(headers.authorization ?? 'none');
    });
    await using fetch = createFetch();
    expect(await (await fetch(site.origin)).text()).toBe('none');
  });
});

describe('redirect: manual and error', () => {
  it('manual gives the redirect itself', async () => {
    const site = await redirectingSite();
    await using fetch = createFetch();
    const answer = await fetch(`${site.origin}/302`, { redirect: 'manual' });
    expect(answer).toMatchObject({ status: 302, redirected: false, url: `${site.origin}/302` });
    expect(answer.headers.get('location')).toBe('/end');
    expect(await answer.text()).toBe('moved');
    expect(site.asked).toHaveLength(1);
  });

  it('error fails', async () => {
    const site = await redirectingSite();
    await using fetch = createFetch();
    const init = { redirect: 'error' } as const;
    expect(await failure(fetch(`${site.origin}/302`, init))).toBe('invalid-redirect');
    expect((await fetch(`${site.origin}/end`, init)).status).toBe(200);
  });
});

describe('where redirects end', () => {
  it('a redirect without Location is the answer', async () => {
    const site = await startHttpSite((_asked, answer) => answer.writeHead(302).end('here'));
    await using fetch = createFetch();
    const answer = await fetch(site.origin);
    expect([answer.status, await answer.text()]).toEqual([302, 'here']);
  });

  it('a loop ends after twenty redirects (Fetch Standard)', async () => {
    const site = await redirectingSite('/302');
    await using fetch = createFetch();
    expect(await failure(fetch(`${site.origin}/302`))).toBe('too-many-redirects');
    expect(site.asked).toHaveLength(21);
  });

  it.each([
    ['ftp://127.0.0.1/', 'unsupported-scheme'],
    ['data:,x', 'unsupported-scheme'],
    ['http://[', 'invalid-redirect'],
  ])('to %s it is not followed', async (to, code) => {
    const site = await redirectingSite(to);
    await using fetch = createFetch();
    expect(await failure(fetch(`${site.origin}/302`))).toBe(code);
  });

  it.each([
    ['it leads to', ['location', '/end'], 'followed'],
    ['does not: two places at once (RFC 9110 5.3)', ['location', '/end', 'location', '/other'], ''],
  ])('a large body frees its connection for what %s', async (_, fields, isFollowed) => {
    const site = await startHttpSite(({ path }, answer) => {
      if (path === '/end') answer.end('end');
      else answer.writeHead(302, fields).end(Buffer.alloc(10_000_000));
    });
    await using fetch = createFetch({ connections: 1 });
    if (!isFollowed) expect(await failure(fetch(site.origin))).toBe('invalid-redirect');
    expect(await (await fetch(`${site.origin}${isFollowed ? '' : '/end'}`)).text()).toBe('end');
  });

  it('POST, 303 to the same URL is no loop', async () => {
    const site = await startHttpSite(({ method }, answer) => {
      if (method === 'POST') answer.writeHead(303, { location: '/' }).end();
      else answer.end('done');
    });
    await using fetch = createFetch();
    const answer = await fetch(site.origin, { method: 'POST', body: 'x' });
    expect(await answer.text()).toBe('done');
  });
});
