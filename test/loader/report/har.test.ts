import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import type { Har as PublishedHar } from 'har-format';
import harSchema from 'har-schema';
import { describe, expect, it } from 'vitest';
import type { HeaderPair } from '../../../http/header-pairs.ts';
import { createHttpCache, createLoader, createMemoryStore } from '../../../loader/index.ts';
import type { PageLoad } from '../../../loader/page-load.ts';
import { type Har, toHar } from '../../../loader/report/har.ts';
import { toDateTime, toUri } from '../../../loader/report/har-values.ts';
import fc from '../../support/property.ts';
import { response, startRawServer } from '../../support/raw-server.ts';
import { anyPageLoad } from './page-load-arbitrary.ts';
import { connection, pageLoad, resource } from './page-load-builder.ts';
import { hostileUrls, sampleLoads } from './sample-loads.ts';

// The schema is of draft 06, which Ajv is taught; it writes `min` and `optional`, which mean
// nothing to JSON Schema, so Ajv may not be strict and -1 is checked below.
const ajv = addFormats.default(new Ajv.default({ strict: false }));
ajv.addMetaSchema({ $id: 'http://json-schema.org/draft-06/schema#', type: ['object', 'boolean'] });
for (const [name, schema] of Object.entries(harSchema)) if (name !== 'har') ajv.addSchema(schema);
const validate = ajv.compile(harSchema.har);

const options = { creatorVersion: '1.2.3' };
type HarEntry = Har['log']['entries'][number];

function expectValid(har: Har) {
  const written: unknown = JSON.parse(JSON.stringify(har));
  expect(validate(written) ? [] : validate.errors).toEqual([]);
}

function entryOf(given: Parameters<typeof resource>[0], secrets = true): HarEntry {
  const load = pageLoad({ resources: [resource(given)], connections: [connection()] });
  const [entry] = toHar(load, { ...options, secrets }).log.entries;
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

const namesOf = (fields: HeaderPair[]) => fields.map(([name]) => name.toLowerCase());

describe('toHar', () => {
  it('says of a part that no request was sent', () => {
    const page = 'http://localhost:8080/';
    expect(entryOf({ attempts: 0, partOf: page })).toMatchObject({
      _partOf: page,
      _attempts: 0,
      comment: `no request was sent: a part of the response of ${page} (Get-All)`,
    });
    expect(entryOf({})).not.toHaveProperty('comment');
  });

  it('is valid against the HAR 1.2 schema for any page load', () => {
    const examples = Object.values(sampleLoads).map((load): [PageLoad] => [load]);
    fc.assert(
      fc.property(anyPageLoad, (load) => expectValid(toHar(load, options))),
      { examples },
    );
  });

  it('the schema check does find faults', () => {
    const har = toHar(pageLoad({ resources: [resource()] }), options);
    const broken = { log: { ...har.log, entries: [{ ...har.log.entries[0], time: 'long' }] } };
    expect(validate(broken)).toBe(false);
    expect(validate({ log: { ...har.log, pages: [{ startedDateTime: 'today' }] } })).toBe(false);
  });

  it('is what the published types call a HAR', () => {
    const har: PublishedHar = toHar(pageLoad({ resources: [resource()] }), options);
    expect(har.log.creator).toEqual({ name: 'loadahead', version: '1.2.3' });
  });

  it('time is the sum of the timings, -1 not counted, ssl being part of connect', () => {
    fc.assert(
      fc.property(anyPageLoad, (load) => {
        for (const { time, timings } of toHar(load, options).log.entries) {
          const { ssl, ...summed } = timings;
          const sum = Object.values(summed).reduce((total, ms) => total + Math.max(0, ms), 0);
          expect(time).toBeGreaterThanOrEqual(0);
          expect(time).toBeCloseTo(sum, 6);
          expect(ssl).toBeLessThanOrEqual(timings.connect);
          for (const ms of [timings.send, timings.wait, timings.receive]) {
            expect(ms).toBeGreaterThanOrEqual(0);
          }
          for (const ms of Object.values(timings)) expect(ms === -1 || ms >= 0).toBe(true);
        }
      }),
    );
  });

  it('gives dns, connect and ssl to the first request of a connection, -1 to the others', () => {
    const { h2 } = sampleLoads;
    const entries = h2 ? toHar(h2, options).log.entries : [];
    expect(entries[0]?.timings).toMatchObject({ dns: 0.1, connect: 90, ssl: 45 });
    for (const { timings } of entries.slice(1)) {
      expect(timings).toMatchObject({ dns: -1, connect: -1, ssl: -1 });
    }
  });

  it('the page has its times under the names browsers read, null without redirects', () => {
    const moments = { htmlEndMs: 7.5, completeMs: 20.25, redirectMs: 12.5 };
    const load = pageLoad({ resources: [resource()], moments });
    expect(toHar(load, options).log.pages[0]).toMatchObject({
      pageTimings: { onContentLoad: 7.5, onLoad: 20.25 },
      _redirectMs: 12.5,
    });
    const empty = toHar(pageLoad({ resources: [] }), options);
    expect(empty.log.pages[0]?._redirectMs).toBeNull();
  });

  it('a failed request has status 0 and says why, where Chromium looks and with its code', () => {
    const error = { code: 'connect-timeout', message: 'no connection' } as const;
    const entry = entryOf({ status: null, error, transferBytes: 0, responseHeaders: [] });
    expect(entry.response).toMatchObject({
      status: 0,
      headersSize: -1,
      bodySize: -1,
      _error: 'connect-timeout: no connection',
    });
    expect(entry._error).toEqual(error);
  });

  it('a 304 has no body on the wire (HAR 1.2, response.bodySize)', () => {
    const { response } = entryOf({ status: 304, encodedBytes: 0, bodyBytes: 9, transferBytes: 80 });
    expect(response).toMatchObject({ status: 304, bodySize: 0, headersSize: 80 });
    expect(response.content).toEqual({ size: 9, mimeType: 'image/gif' });
  });

  it('only what was never sent is marked as from the cache, which hides its cost', () => {
    const fromCache = true;
    expect(entryOf({ fromCache, transferBytes: 0 })._fromCache).toBe('disk');
    expect(entryOf({ fromCache, requestStartMs: 1 })).not.toHaveProperty('_fromCache');
  });

  it('says what compression saved', () => {
    const { content } = entryOf({ bodyBytes: 5000, encodedBytes: 1200 }).response;
    expect(content).toMatchObject({ size: 5000, compression: 3800 });
  });

  it('names connection, place, batch, address and initiator', () => {
    const initiator = 'http://localhost:8080/page';
    const entry = entryOf({ connection: 1, pipelineIndex: 4, batch: 2, initiator });
    expect(entry).toMatchObject({
      connection: '1',
      serverIPAddress: '127.0.0.1',
      _pipelineIndex: 4,
      _batch: 2,
      _initiator: { type: 'parser', url: initiator },
      _resourceType: 'image',
    });
  });

  it('leaves secrets out unless they are asked for', () => {
    const pairs = (fields: object): HeaderPair[] => Object.entries(fields);
    const given = {
      requestHeaders: pairs({
        Host: 'localhost',
        Cookie: 'a=1',
        AUTHORIZATION: 'x',
        'X-Mine': 'x',
      }),
      responseHeaders: pairs({ 'Set-Cookie': 's=1', Server: 'x', 'X-Csrf-Token': 'x' }),
    };
    const kept = entryOf(given, true);
    const shown = entryOf(given, false);
    expect(kept.request.headers).toHaveLength(4);
    expect(kept.response.headers).toHaveLength(3);
    expect(shown.request).toMatchObject({ headers: [{ name: 'Host' }], cookies: [] });
    expect(shown.response).toMatchObject({ headers: [{ name: 'Server' }], cookies: [] });
  });

  it.each(['minimal', 'browser'] as const)(
    'keeps every field but Cookie that a loader sends by itself: %s',
    async (headers) => {
      const page = '<link rel=stylesheet crossorigin href=a.css><img src=a.gif>';
      await using server = await startRawServer({
        onRequest: ({ path }, connection) => {
          const [type, body] = path === '/' ? ['text/html', page] : ['image/gif', 'GIF89a'];
          const more = { ETag: '"a"', 'Cache-Control': 'no-cache', 'Set-Cookie': 'a=1' };
          connection.write(response(body, { 'Content-Type': type, ...more }));
        },
      });
      const cache = createHttpCache(createMemoryStore());
      await using loader = createLoader({ headers, cache, getAll: true, images: 'sizes-first' });
      for (const visit of ['first', 'again']) {
        const load = await loader.load(server.origin);
        const sent = load.resources.map(({ requestHeaders }) => namesOf(requestHeaders));
        const shown = toHar(load, options).log.entries.map(({ request }) =>
          namesOf(request.headers.map(({ name, value }) => [name, value])),
        );
        expect(sent.flat(), visit).toContain('cookie');
        expect(shown).toEqual(sent.map((names) => names.filter((name) => name !== 'cookie')));
      }
    },
  );

  it('splits query and cookies', () => {
    const { request, response } = entryOf({
      url: 'http://a.example/?q=1&q=%20x',
      requestHeaders: [['Cookie', 'a=1; b=2=3']],
      responseHeaders: [
        ['Set-Cookie', 's=1; Path=/; Secure; Expires=Wed, 21 Oct 2099 07:28:00 GMT'],
      ],
    });
    const pairs = (list: HarEntry['request']['queryString']) =>
      list.map(({ name, value }) => [name, value]);
    expect(pairs(request.queryString)).toEqual([
      ['q', '1'],
      ['q', ' x'],
    ]);
    expect(pairs(request.cookies)).toEqual([
      ['a', '1'],
      ['b', '2=3'],
    ]);
    const expires = '2099-10-21T07:28:00.000Z';
    expect(response.cookies).toEqual([
      { name: 's', value: '1', path: '/', expires, httpOnly: false, secure: true },
    ]);
  });
});

it('toDateTime: keeps the microsecond', () => {
  expect(toDateTime(Date.UTC(2024, 0, 2) + 3.0045)).toBe('2024-01-02T00:00:00.003005Z');
});

describe('toUri', () => {
  it('leaves a valid URI as it is, but for the fragment', () => {
    const uri = 'http://[::1]:8080/a%20b;c=1?x[0]=1'.replace('[0]', '%5B0%5D');
    expect(toUri(`${uri}#top`)).toBe(uri);
  });

  it.each(hostileUrls.map((url) => [url.slice(0, 40), url]))('makes a URI of %j', (_, url) => {
    expect(toUri(url)).toMatch(/^[a-z]+:(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[\dA-Fa-f]{2})*$/);
  });
});
