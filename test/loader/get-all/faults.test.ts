// What goes wrong with a response of parts: nothing is lost, nothing is under another URL, nothing comes twice.

import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLoader } from '../../../loader/index.ts';
import type { PageLoad } from '../../../loader/page-load.ts';
import { withConstants } from '../../../options/options.ts';
import { expectOwnBytesOrError } from '../../support/image-page.ts';
import { type RawConnection, response } from '../../support/raw-server.ts';
import { type Site, type SiteOptions, usual, wrongBodies } from '../page-cache/site.ts';
import {
  asked,
  boundary,
  close,
  documentPart,
  envelope,
  envelopeFields,
  imagePart,
  part,
  startGetAllSite,
  wholeEnvelope,
} from './envelope-site.ts';

const all = {
  protocol: 'pipelined',
  getAll: true,
  ...withConstants({ pipeline: { stallMs: 1_000, settleMs: 50 } }),
} as const;

type Six = [string, string, string, string, string, string];
const paths = Array.from({ length: 6 }, (_, index) => `/image-${index}.gif`) as Six;

const imageParts = (self: Site, names: readonly string[] = paths) =>
  names.map((path) => imagePart(self, path));

interface Outcome {
  load: PageLoad;
  site: Site;
}

/** Loads the page with a cache, and checks that all bytes are in their places, there and here. */
async function loadWhole(
  answer: (site: Site, connection: RawConnection) => Buffer | null,
  { stallMs = 1_000, ...given }: SiteOptions & { stallMs?: number } = {},
): Promise<Outcome> {
  const headers = { 'Cache-Control': 'max-age=60' };
  const site = await startGetAllSite(answer, { headers, ...given });
  onTestFinished(() => site[Symbol.asyncDispose]());
  const patience = withConstants({ pipeline: { stallMs, settleMs: 50 } });
  const load = await site.load({ ...all, ...patience, ...given.options });
  expect(expectOwnBytesOrError(load, site.page)).toEqual([]);
  expect(wrongBodies(site)).toEqual([]);
  return { load, site };
}

/** Loads a page that is not as it should be. */
async function loadOf(...given: Parameters<typeof startGetAllSite>): Promise<Outcome> {
  await using site = await startGetAllSite(...given);
  return { load: await site.load({ ...all, ...given[1]?.options }), site };
}

/** Paths requested beside the first request. */
const askedAlone = (site: Site): string[] => asked(site).slice(1).toSorted();

describe('framing', () => {
  const [one, two, three, ...rest] = paths;
  const shorter = (self: Site, path: string) =>
    imagePart(self, path, { 'Content-Length': String((self.bodies.get(path)?.length ?? 0) + 3) });
  const longer = (self: Site, path: string) =>
    imagePart(self, path, { 'Content-Length': String((self.bodies.get(path)?.length ?? 0) - 3) });

  test.each<[string, number, (self: Site) => Uint8Array[]]>([
    [
      'a part shorter than it says',
      2,
      (self) => [shorter(self, three), ...imageParts(self, rest), close],
    ],
    [
      'a part longer than it says',
      2,
      (self) => [longer(self, three), ...imageParts(self, rest), close],
    ],
    ['no close delimiter', 1, () => []],
    ['fields too long', 2, (self) => [imagePart(self, three, { A: 'x'.repeat(70_000) }), close]],
  ])('%s: what was complete stays, the rest is asked for alone', async (_name, complete, parts) => {
    const { load, site } = await loadWhole((self) =>
      envelope([documentPart(self), ...imageParts(self, [one, two]), ...parts(self)]),
    );
    expect(askedAlone(site)).toEqual(paths.slice(complete));
    expect(load.totals).toMatchObject({ parts: complete, errors: 0 });
  });

  test.each<[string, (self: Site) => Uint8Array[]]>([
    ['a document longer than it says', (self) => [documentPart(self, { 'Content-Length': '20' })]],
    [
      'a document shorter than it says',
      (self) => [documentPart(self, { 'Content-Length': '999' })],
    ],
    ['a preamble', (self) => [Buffer.from('hello\r\n'), documentPart(self)]],
    ['an empty body', () => []],
    ['a control character in its fields', (self) => [documentPart(self, { A: 'b\x01c' })]],
  ])('%s: the page is asked for again without the field', async (_name, parts) => {
    const { load, site } = await loadWhole((self) => envelope(parts(self)));
    expect(asked(site).slice(0, 2)).toEqual(['/+', '/']);
    expect(askedAlone(site)).toEqual(['/', ...paths]);
    expect(load.resources[0]).toMatchObject({ attempts: 2, status: 200, error: null });
    expect(load.resources[0]?.requestHeaders.map(([name]) => name)).not.toContain('get-all');
  });

  test.each<[string, Record<string, string>]>([
    ['a boundary', { 'Content-Type': `multipart/mixed; boundary=${'x'.repeat(71)}` }],
    ['a coding of its own', { 'Content-Encoding': 'gzip' }],
  ])('%s that may not be: as no envelope', async (_name, fields) => {
    const { load, site } = await loadWhole((self) => envelope([documentPart(self), close], fields));
    expect(askedAlone(site)).toEqual(['/', ...paths]);
    expect(load.totals).toMatchObject({ requests: 8, parts: 0 });
  });

  describe('a document that grows far beyond its bytes', () => {
    const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024, ' '));
    const coded = (self: Site) => {
      self.bodies.set('/', bomb);
      return documentPart(self, { 'Content-Encoding': 'gzip' });
    };

    test.each<[string, (self: Site) => Uint8Array]>([
      ['no delimiter', () => Buffer.from('hello')],
      ['a line that is no field', () => Buffer.from(`--${boundary}\r\nno field\r\n\r\n`)],
      ['a part without a length', (self) => imagePart(self, one, { 'Content-Length': null })],
      ['parts over the limit of all', () => part({ 'Content-Length': 90_000 }, 'x'.repeat(90_000))],
    ])('with a fault after it in the same segment, %s: is an error of its row', async (_, bad) => {
      const rejections: unknown[] = [];
      const note = (error: unknown) => rejections.push(error);
      process.on('unhandledRejection', note);
      onTestFinished(() => void process.off('unhandledRejection', note));
      const limits = { maxResourceBytes: 100_000 };
      const answer = (self: Site) => envelope([coded(self), bad(self)]);
      const { load } = await loadOf(answer, { options: { limits } });
      expect(load.resources[0]?.error?.code).toBe('body-too-large');
      await new Promise(setImmediate);
      expect(rejections).toEqual([]);
    });

    test('is decoded no further than the limit of the page', async () => {
      const options = withConstants({ limits: { maxPageBytes: 100_000 } });
      const answer = (self: Site) => envelope([coded(self), close]);
      const { load } = await loadOf(answer, { options });
      expect(load.resources[0]?.error?.code).toBe('page-too-large');
      expect(load.totals.bodyBytes).toBeLessThan(1024 * 1024);
    });
  });

  test('the delimiter inside a body of a length is no delimiter', async () => {
    await using site = await startGetAllSite((self) => wholeEnvelope(self));
    const hostile = Buffer.concat([
      site.bodies.get(one) ?? Buffer.alloc(0),
      Buffer.from('\r\n'),
      part({ 'Content-Location': two, 'Content-Length': 3 }, 'bad'),
      close,
    ]);
    site.bodies.set(one, hostile);
    const load = await site.load(all);
    expect(load.resources.map(({ bodyBytes }) => bodyBytes)).toEqual(
      ['/', ...paths].map((path) => site.bodies.get(path)?.length),
    );
    expect(load.totals).toMatchObject({ requests: 1, parts: 6 });
  });
});

describe('the connection', () => {
  const [one, two, ...rest] = paths;
  const started = (self: Site) =>
    Buffer.concat([
      documentPart(self),
      imagePart(self, one),
      imagePart(self, two),
      Buffer.from(`--${boundary}\r\n`),
    ]);

  const unending = response('', { ...envelopeFields, 'Content-Length': '99999' });

  test.each(['length', 'chunked', 'close-delimited'])(
    'dies between the parts (%s): what was complete stays',
    async (framing) => {
      const { load, site } = await loadWhole((self, connection) => {
        const body = started(self);
        const fields =
          framing === 'length'
            ? { 'Content-Length': '99999' }
            : { 'Transfer-Encoding': framing === 'chunked' ? 'chunked' : 'identity' };
        const chunk = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')];
        const head = response('', { ...envelopeFields, ...fields });
        connection.end(Buffer.concat([head, ...(framing === 'chunked' ? chunk : [body])]));
        return null;
      });
      expect(askedAlone(site)).toEqual(rest);
      expect(load.totals).toMatchObject({ parts: 2, errors: 0 });
      expect(load.resources[0]).toMatchObject({ attempts: 1, error: null });
    },
  );

  test('ends anywhere: nothing is lost, and nothing that was complete is asked for again', async () => {
    let cut = 0;
    await using site = await startGetAllSite((self, connection) => {
      connection.end(wholeEnvelope(self).subarray(0, cut));
      return null;
    });
    const bytes = wholeEnvelope(site);
    // Once the delimiter after a part is there, the part is.
    const ends = [...bytes.toString('latin1').matchAll(new RegExp(`--${boundary}..`, 'gs'))].map(
      ({ index, 0: found }) => index + found.length,
    );
    for (cut = bytes.indexOf('\r\n\r\n') + 4; cut <= bytes.length; cut += 37) {
      site.news();
      const load = await site.load({ ...all, cache: null });
      expect([cut, expectOwnBytesOrError(load, site.page)]).toEqual([cut, []]);
      const complete = ends.filter((end) => end <= cut).length - 1;
      const again = site.news().slice(1);
      const rest = complete < 1 ? ['/', ...paths] : paths.slice(complete - 1);
      expect([cut, again.map(({ path }) => path)]).toEqual([cut, rest]);
    }
  });

  /** Loads the page on a connection that another one was loaded on. */
  async function loadBehind(answer: Parameters<typeof startGetAllSite>[0]): Promise<Outcome> {
    await using site = await startGetAllSite(answer);
    site.bodies.set('/before', Buffer.from('before'));
    await using loader = createLoader(all);
    await loader.load(`${site.server.origin}/before`);
    const load = await loader.load(site.server.origin);
    expect(expectOwnBytesOrError(load, site.page)).toEqual([]);
    return { load, site };
  }

  test('is lost on a kept connection: the same', async () => {
    const { load, site } = await loadBehind((self, connection) => {
      connection.end(Buffer.concat([unending, started(self)]));
      return null;
    });
    expect(asked(site)).toEqual(['/before+', '/+', ...rest]);
    expect(load.totals).toMatchObject({ parts: 2, errors: 0 });
  });

  test('falls silent between the parts: the rest is asked for on another', async () => {
    const { load, site } = await loadWhole((self) => Buffer.concat([unending, started(self)]));
    expect(askedAlone(site)).toEqual(rest);
    expect(load.totals).toMatchObject({ parts: 2, errors: 0, connections: 2 });
    const waited = load.resources.at(-1);
    expect((waited?.requestStartMs ?? 0) - (waited?.startMs ?? 0)).toBeGreaterThanOrEqual(90);
  });

  test('has more to say after the close delimiter: nothing waits for that', async () => {
    const { load } = await loadWhole(
      (self) => {
        const body = Buffer.concat([documentPart(self), close]);
        const length = { 'Content-Length': String(body.length + 8) };
        return Buffer.concat([response('', { ...envelopeFields, ...length }), body]);
      },
      {
        ...{ stallMs: 60_000, options: { connections: 1 } },
        answer: (request, self) =>
          request.path === one
            ? Buffer.concat([Buffer.from('epilogue'), usual(self, request)])
            : undefined,
      },
    );
    expect(load.totals).toMatchObject({ requests: 7, parts: 0, errors: 0, connections: 1 });
  });

  test('falls silent inside the document: what it has named by then is asked for', async () => {
    let go: (() => void) | null = null;
    const { load, site } = await loadWhole(
      (self, connection) => {
        const bytes = wholeEnvelope(self);
        const cut = bytes.indexOf(paths[2]);
        go = () => connection.write(bytes.subarray(cut));
        return bytes.subarray(0, cut);
      },
      {
        options: { connections: 2 },
        answer: (request) => {
          if (request.path === paths[1]) go?.();
          return undefined;
        },
      },
    );
    expect(askedAlone(site)).toEqual([one, two]);
    expect(load.totals).toMatchObject({ parts: 4, errors: 0 });
    expect(load.totals.unusedPartBytes).toBeGreaterThan(0);
  });

  test('says close, or is HTTP/1.0 and ends with the last part', async () => {
    for (const version of ['HTTP/1.1', 'HTTP/1.0']) {
      const { load, site } = await loadWhole((self, connection) => {
        const parts = [documentPart(self), ...imageParts(self), close];
        const fields: Record<string, string> =
          version === 'HTTP/1.1' ? { Connection: 'close' } : { 'Transfer-Encoding': 'identity' };
        const text = envelope(parts, fields, version).toString('latin1');
        connection.end(Buffer.from(text.replace('Transfer-Encoding: identity\r\n', ''), 'latin1'));
        return null;
      });
      expect(load.totals).toMatchObject({ requests: 1, parts: 6, errors: 0 });
      // Each part has a length of its own, so it is complete, whatever ends the response.
      const again = await site.load({ cacheMode: 'only-if-cached' });
      expect(again.totals).toMatchObject({ requests: 0, fromCache: 7 });
    }
  });

  test('gets a surplus response on it: all is withdrawn, and asked for again', async () => {
    let isFirst = true;
    const { load } = await loadBehind((self, connection) => {
      const bytes = wholeEnvelope(self);
      const surplus = isFirst ? [usual(self, connection.requests[0] as never)] : [];
      isFirst = false;
      return Buffer.concat([bytes, ...surplus]);
    });
    expect(load.totals.errors).toBe(0);
    const urls = load.resources.map(({ url }) => url);
    expect(new Set(urls).size).toBe(urls.length);
  });
});

describe('parts', () => {
  const patient = { stallMs: 10_000 };

  test.each([
    'http://evil.example/image-0.gif',
    '//evil.example/image-0.gif',
    '/\\evil.example/image-0.gif',
    '\\/image-0.gif',
    'image-0.gif',
    '/image-0.gif#top',
    '/ima ge-0.gif',
    '/image-0.gif\x85',
    '',
  ])('with the place %j are nobody’s', async (place) => {
    const { load, site } = await loadWhole((self) => {
      const [one, ...rest] = paths;
      const bad = imagePart(self, one, { 'Content-Location': place });
      return envelope([documentPart(self), bad, ...imageParts(self, rest), close]);
    }, patient);
    expect(askedAlone(site)).toEqual([paths[0]]);
    expect(load.totals).toMatchObject({ parts: 5, errors: 0 });
  });

  test('that come twice: the first counts', async () => {
    const { load, site } = await loadWhole((self) => {
      const [one, ...rest] = paths;
      const other = part({ 'Content-Location': one, 'Content-Length': 5 }, 'other');
      const images = imageParts(self, rest);
      return envelope([documentPart(self), imagePart(self, one), other, ...images, other, close]);
    }, patient);
    expect(askedAlone(site)).toEqual([]);
    expect(load.totals).toMatchObject({ parts: 6, errors: 0 });
  });

  test('that nobody wants are bytes for nothing, and not kept', async () => {
    const unwanted = part(
      { 'Content-Location': '/other', 'Content-Length': 5, ETag: '"1"' },
      'other',
    );
    const { load, site } = await loadWhole((self) =>
      envelope([documentPart(self), unwanted, ...imageParts(self), close]),
    );
    expect(load.totals).toMatchObject({ requests: 1, parts: 6, unusedPartBytes: unwanted.length });
    expect(site.kept.store.find(`${site.server.origin}/other`)).toEqual([]);
  });

  test('of a status that parts do not have, or that set a cookie, or are the page itself', async () => {
    const { load, site } = await loadWhole((self) => {
      const [one, two, three, ...rest] = paths;
      return envelope([
        documentPart(self),
        part({ 'Content-Location': '/', 'Content-Type': 'text/html', 'Content-Length': 3 }, 'bad'),
        imagePart(self, one, { Status: '404 Not Found' }),
        imagePart(self, two, { Status: '200 OK' }),
        imagePart(self, three, { 'Set-Cookie': 'stolen=1; Path=/' }),
        ...imageParts(self, rest),
        close,
      ]);
    });
    expect(askedAlone(site)).toEqual([paths[0]]);
    expect(site.server.requests.map(({ headers }) => headers.cookie)).toEqual([
      undefined,
      undefined,
    ]);
    expect(load.totals).toMatchObject({ parts: 5, errors: 0 });
  });

  test('over the limit of a body', async () => {
    await using site = await startGetAllSite((self) => wholeEnvelope(self));
    site.bodies.set(paths[2], Buffer.alloc(3_000, 'x'));
    const load = await site.load({ ...all, limits: { maxResourceBytes: 2_000 } });
    // Alone it is too large as well.
    expect(load.totals).toMatchObject({ parts: 2, errors: 1 });
    expect(load.resources[3]?.error?.code).toBe('body-too-large');
  });
});

describe('a server that does otherwise', () => {
  test('a 200 that is no envelope is the document', async () => {
    const { load, site } = await loadWhole((self) => self.page.answer('/'));
    expect(askedAlone(site)).toEqual(paths);
    expect(load.totals).toMatchObject({ requests: 7, parts: 0 });
  });

  test('multipart/mixed that does not say Get-All is no envelope', async () => {
    const { load } = await loadOf((self) =>
      envelope([documentPart(self), close], { 'Get-All': '?0' }),
    );
    expect(load.resources).toHaveLength(1);
    expect(load.resources[0]).toMatchObject({ mimeType: 'multipart/mixed', status: 200 });
  });

  test('a redirect is followed, and its target asked for with the field', async () => {
    await using site = await startGetAllSite((self) => wholeEnvelope(self), {
      answer: ({ path }) =>
        path === '/from' ? response('', { Location: '/' }, '302 Found') : undefined,
    });
    const load = await site.load(all, '/from');
    expect(site.server.requests.map(({ path, headers }) => [path, headers['get-all']])).toEqual([
      ['/from', '?1'],
      ['/', '?1'],
    ]);
    expect(load.totals).toMatchObject({ requests: 2, parts: 6, errors: 0 });
    expect(load.resources[2]?.partOf).toBe(`${site.server.origin}/`);
  });

  test.each(['400 Bad Request', '431 Request Header Fields Too Large'])(
    '%s to the field: once more without it',
    async (status) => {
      const { load } = await loadWhole(() => response('what?', {}, status));
      expect(load.totals).toMatchObject({ requests: 8, errors: 0 });
    },
  );

  test('400 in any case: that is the answer', async () => {
    await using site = await startGetAllSite((self) => wholeEnvelope(self), {
      answer: ({ path }) => (path === '/bad' ? response('', {}, '400 Bad Request') : undefined),
    });
    const bad = await site.load(all, '/bad');
    expect(bad.resources[0]).toMatchObject({ status: 400, attempts: 2 });
  });

  test('an error page is the page, with its own references', async () => {
    const { load } = await loadOf(() =>
      response('<img src=/image-1.gif>', { 'Content-Type': 'text/html' }, '404 Not Found'),
    );
    expect(load.resources.map(({ status }) => status)).toEqual([404, 200]);
  });
});

describe('the end of a load', () => {
  const half = (self: Site, connection: RawConnection): null => {
    const bytes = wholeEnvelope(self);
    connection.write(bytes.subarray(0, bytes.indexOf(`Content-Location: ${paths[3]}`)));
    return null;
  };
  const slow = { ...all, ...withConstants({ pipeline: { stallMs: 10_000, settleMs: 50 } }) };

  test('by the page timeout: what came is there, the rest says why', async () => {
    await using site = await startGetAllSite(half);
    const load = await site.load({ ...slow, timeouts: { pageMs: 1_000 } });
    const codes = load.resources.map(({ error }) => error?.code ?? null);
    expect(codes.filter((code) => code === 'page-timeout').length).toBeGreaterThan(1);
    expect(codes.every((code) => code === null || code === 'page-timeout')).toBe(true);
    expect(asked(site)).toEqual(['/+']);
  });

  test('by its signal', async () => {
    await using site = await startGetAllSite(half);
    const abort = new AbortController();
    const loading = site.load({
      ...slow,
      signal: abort.signal,
      onProgress: ({ done }) => done > 1 && abort.abort(new Error('enough')),
    });
    await expect(loading).rejects.toThrow('enough');
    expect(asked(site)).toEqual(['/+']);
  });

  test('by the limit of all bodies', async () => {
    await using site = await startGetAllSite((self) => wholeEnvelope(self));
    site.bodies.set(paths[5], Buffer.alloc(5_000, 'x'));
    const load = await site.load({ ...all, ...withConstants({ limits: { maxPageBytes: 4_000 } }) });
    expect(asked(site)).toEqual(['/+', paths[5]]);
    expect(load.totals.parts).toBe(5);
  });
});
