// `robots: true`: a prefetch asks the site's robots.txt first; what the user asked for asks nobody.

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { response, type SeenRequest, startRawServer } from '../../support/raw-server.ts';
import { type Answer, link, loaderWith, prefetches, startSite, untilAsked, visit } from './site.ts';

const plain = { 'Content-Type': 'text/plain' };
const robots = (
  text: string | Buffer,
  status = '200 OK',
  fields: Record<string, string> = plain,
): Answer => {
  return ({ path }) => (path === '/robots.txt' ? response(text, fields, status) : undefined);
};

describe('what it says is obeyed', () => {
  test('only what is allowed is prefetched, and it is asked once', async () => {
    const rules = 'User-agent: *\nDisallow: /\n\nUser-agent: loadahead\nDisallow: /no\n';
    await using server = await startSite(link('/no', '/yes'), robots(rules));
    const loader = await visit(server, { robots: true });
    await loader.load(`${server.origin}/no`);
    await loader.load(`${server.origin}/`, { cacheMode: 'reload' });
    await loader.idle();
    expect(prefetches(server)).toEqual(['/yes']);
    const asked = server.requests.filter(({ path }) => path === '/robots.txt');
    expect(asked.length).toBe(1);
    expect(asked[0]?.headers).toMatchObject({ 'user-agent': 'loadahead/0.1' });
    expect(asked[0]?.headers['sec-purpose']).toBeUndefined();
    expect(loader.stats().prefetch.requests).toBe(1);
  });

  test('it is not asked without the option, nor for a page that hints at nothing', async () => {
    await using server = await startSite(link('/next'), robots('User-agent: *\nDisallow: /'));
    await visit(server);
    expect(prefetches(server)).toEqual(['/next']);
    const loader = loaderWith({ robots: true });
    await loader.load(`${server.origin}/next`);
    await loader.idle();
    expect(server.requests.map(({ path }) => path)).not.toContain('/robots.txt');
  });

  test('what a prefetched page needs asks, too', async () => {
    await using server = await startSite(link('/next'), (request, connection) =>
      request.path === '/next'
        ? response('<img src=/no/a.gif><img src=/a.gif>', {
            'Content-Type': 'text/html',
            'Cache-Control': 'max-age=60',
          })
        : robots('User-agent: *\nDisallow: /no')(request, connection),
    );
    await visit(server, { robots: true, subresources: true });
    expect(prefetches(server)).toEqual(['/next', '/a.gif']);
  });

  test('a rules document asks first, too, and what it may not say is never asked for', async () => {
    const home = { 'Speculation-Rules': '"/rules/no.json", "/rules.json"' };
    const rules = ({ path }: SeenRequest) =>
      path.endsWith('.json')
        ? response(JSON.stringify({ prefetch: [{ urls: [path.replace('.json', '/next')] }] }), {
            'Content-Type': 'application/speculationrules+json',
          })
        : undefined;
    await using server = await startSite(
      home,
      (request, connection) =>
        rules(request) ?? robots('User-agent: *\nDisallow: /rules/no')(request, connection),
    );
    await visit(server, { robots: true });
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/',
      '/robots.txt',
      '/rules.json',
      '/rules/next',
    ]);
  });

  test.each<[string, Answer, string[]]>([
    ['404: everything', robots('gone', '404 Not Found'), ['/next']],
    ['401: everything', robots('who?', '401 Unauthorized'), ['/next']],
    ['429: nothing', robots('slow down', '429 Too Many Requests'), []],
    ['503: nothing', robots('later', '503 Service Unavailable'), []],
    ['304, unasked: nothing', robots('', '304 Not Modified'), []],
    [
      'a cut connection: nothing',
      ({ path }, connection) => {
        if (path !== '/robots.txt') return undefined;
        connection.end(response('User-a', { ...plain, 'Content-Length': '1000' }));
        return null;
      },
      [],
    ],
    [
      'coded: read',
      robots(gzipSync('User-agent: *\nDisallow: /'), '200 OK', {
        ...plain,
        'Content-Encoding': 'gzip',
      }),
      [],
    ],
    ['a coding nobody knows: nothing', robots('x', '200 OK', { 'Content-Encoding': 'rot13' }), []],
  ])('%s', async (_, answer, wanted) => {
    await using server = await startSite(link('/next'), answer);
    await visit(server, { robots: true });
    expect(prefetches(server)).toEqual(wanted);
    expect(server.requests.map(({ path }) => path)).toContain('/robots.txt');
  });

  test('of half a megabyte and more the beginning is read, whole lines of it', async () => {
    const first = 'User-agent: *\nDisallow: /no\n';
    const filler = `# ${'x'.repeat(1021)}\n`.repeat(512);
    // What is read ends after `/y`, of a rule about something longer.
    const cut = '\nDisallow: /y';
    const text = first + filler.slice(0, 512 * 1024 - first.length - cut.length) + cut;
    await using server = await startSite(link('/no', '/yes'), ({ path }, connection) => {
      if (path !== '/robots.txt') return undefined;
      connection.write(response('', { ...plain, 'Content-Length': String(1 << 30) }));
      connection.write(`${text}ellow\n`);
      connection.pour(Buffer.alloc(64 * 1024, 'z'));
      return null;
    });
    await visit(server, { robots: true });
    expect(prefetches(server)).toEqual(['/yes']);
  });
});

describe('redirects of robots.txt', () => {
  const chain =
    (hops: number): Answer =>
    ({ path }) => {
      const at = path === '/robots.txt' ? 0 : Number(/^\/r(\d+)$/.exec(path)?.[1] ?? -1);
      if (at < 0) return undefined;
      if (at < hops) return response('', { Location: `/r${at + 1}` }, '301 Moved Permanently');
      return response('User-agent: *\nDisallow: /no', plain);
    };

  test('five are followed', async () => {
    await using server = await startSite(link('/no', '/yes'), chain(5));
    await visit(server, { robots: true });
    expect(prefetches(server)).toEqual(['/yes']);
  });

  test('six are not: nothing is prefetched', async () => {
    await using server = await startSite(link('/no', '/yes'), chain(6));
    await visit(server, { robots: true });
    expect(prefetches(server)).toEqual([]);
    expect(server.requests.map(({ path }) => path)).not.toContain('/r6');
  });

  test('to another authority: its rules hold, and it gets none of the caller’s own fields', async () => {
    await using other = await startRawServer({
      onRequest: (_, connection) =>
        connection.write(response('User-agent: *\nDisallow: /no', plain)),
    });
    const there = { Location: `${other.origin}/theirs` };
    await using server = await startSite(link('/no', '/yes'), robots('', '302 Found', there));
    await visit(server, { robots: true }, { Authorization: 'Basic secret' });
    expect(prefetches(server)).toEqual(['/yes']);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test('to nowhere: nothing is prefetched', async () => {
    await using server = await startSite(
      link('/next'),
      robots('', '302 Found', { Location: 'file:///etc/passwd' }),
    );
    await visit(server, { robots: true });
    expect(prefetches(server)).toEqual([]);
  });
});

test('a page that begins does not end the asking, and idle waits for it', async () => {
  let answer = (): void => {};
  await using server = await startSite(link('/next'), ({ path }, connection) => {
    if (path !== '/robots.txt') return undefined;
    answer = () => connection.write(response('', plain));
    return null;
  });
  const loader = loaderWith({ robots: true });
  await loader.load(`${server.origin}/`);
  await untilAsked(server, '/robots.txt');
  await loader.load(`${server.origin}/`);
  const idle = loader.idle();
  answer();
  await idle;
  expect(prefetches(server)).toEqual(['/next']);
});

test('idle waits for the asking, though nothing is wanted any more', async () => {
  let answer = (): void => {};
  await using server = await startSite(link('/next'), ({ path }, connection) => {
    if (path !== '/robots.txt') return undefined;
    answer = () => connection.write(response('', plain));
    return null;
  });
  const loader = loaderWith({ robots: true });
  await loader.load(`${server.origin}/`);
  await untilAsked(server, '/robots.txt');
  await loader.load(`${server.origin}/other`);
  let isIdle = false;
  const idle = loader.idle().then(() => {
    isIdle = true;
  });
  await loader.load(`${server.origin}/another`);
  expect(isIdle).toBe(false);
  answer();
  await idle;
  expect(prefetches(server)).toEqual([]);
});

test('closed while it asks', async () => {
  await using server = await startSite(link('/next'), ({ path }) =>
    path === '/robots.txt' ? null : undefined,
  );
  const loader = loaderWith({ robots: true });
  await loader.load(`${server.origin}/`);
  await untilAsked(server, '/robots.txt');
  await loader.close();
  await loader.idle();
  await server.connections.at(-1)?.closed;
});
