// Layers stand between pages and the network: a user's own, and those of the features, without each of which a loader
// still loads its page.

import { expect, it } from 'vitest';
import { microscapeDir } from '../../../fixtures/index.ts';
import {
  createHttpCache,
  createLoader,
  createMemoryStore,
  type Layer,
  LayerHandler,
  type LayerRequest,
} from '../../../loader/index.ts';
import { PageLoader } from '../../../loader/loader.ts';
import type { LoaderOptions } from '../../../loader/options.ts';
import { usualLayers } from '../../../loader/usual-layers.ts';
import { createOrigin } from '../../../server/index.ts';
import { startRawServer } from '../../support/raw-server.ts';

/** The names of all usual layers are made by these options. */
const all = {
  protocol: 'pipelined',
  images: 'sizes-first',
  getAll: true,
  cache: createHttpCache(createMemoryStore()),
} satisfies LoaderOptions;

const names = Object.keys(new PageLoader(all).layers);

it.each(names)(
  'a loader without the layer %s loads the page, and again from its cache',
  async (name) => {
    await using origin = createOrigin(microscapeDir);
    const { url } = await origin.listen();
    const cache = createHttpCache(createMemoryStore());
    await using loader = new PageLoader({ ...all, cache }, (...given) =>
      Object.fromEntries(Object.entries(usualLayers(...given)).filter(([own]) => own !== name)),
    );
    for (const visit of ['first', 'again']) {
      const { totals } = await loader.load(`${url}/`);
      expect({ visit, errors: totals.errors }).toEqual({ visit, errors: 0 });
      expect(totals.bodyBytes).toBeGreaterThan(150_000);
    }
  },
);

it("a user's layers add fields, the first around the second, and see each response", async () => {
  const asked: string[] = [];
  await using server = await startRawServer({
    onRequest: ({ path, headers }, connection) => {
      asked.push(`${path} ${headers['x-order']}`);
      const body = path === '/' ? '<img src=a.gif><img src=b.gif>' : '';
      const type = path === '/' ? 'text/html' : 'image/gif';
      connection.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    },
  });
  const seen: string[] = [];
  class Seeing extends LayerHandler {
    request: LayerRequest;
    constructor(request: LayerRequest, handler: LayerHandler['handler']) {
      super(handler);
      this.request = request;
    }
    override onEnd(endedAt: number): void {
      seen.push(`${this.request.kind} ${this.request.purpose} ${this.request.url.pathname}`);
      super.onEnd(endedAt);
    }
  }
  const adds =
    (value: string): Layer =>
    (dispatch) =>
    (request, handler) => {
      const before = request.headers.find(([name]) => name === 'x-order')?.[1] ?? '';
      const others = request.headers.filter(([name]) => name !== 'x-order');
      const headers: LayerRequest['headers'] = [...others, ['x-order', before + value]];
      dispatch({ ...request, headers }, new Seeing(request, handler));
    };
  await using loader = createLoader({ protocol: 'pipelined', layers: [adds('1'), adds('2')] });
  const { resources, totals } = await loader.load(`${server.origin}/`);
  expect(totals.errors).toBe(0);
  expect(asked).toEqual(['/ 12', '/a.gif 12', '/b.gif 12']);
  expect(resources.map(({ requestHeaders }) => requestHeaders.at(-1))).toEqual([
    ...[0, 1, 2].map(() => ['x-order', '12']),
  ]);
  expect(seen.filter((_, at) => at % 2 === 0)).toEqual([
    'document use /',
    'image use /a.gif',
    'image use /b.gif',
  ]);
});

it('a layer that throws stops the load, which rejects with what it threw', async () => {
  await using origin = createOrigin(microscapeDir);
  const { url } = await origin.listen();
  const layers: Layer[] = [
    (dispatch) => (request, handler) => {
      if (request.kind === 'image') throw new RangeError('no images here');
      dispatch(request, handler);
    },
  ];
  await using loader = createLoader({ layers });
  await expect(loader.load(`${url}/`)).rejects.toThrow(new RangeError('no images here'));
  await using one = createLoader({
    layers: [
      () => () => {
        throw new RangeError('nothing here');
      },
    ],
  });
  await expect(one.load(`${url}/`)).rejects.toThrow(new RangeError('nothing here'));
});

it('a layer answers a request without the network', async () => {
  await using server = await startRawServer({ onRequest: () => {} });
  const layers: Layer[] = [
    () => (_request, handler) => {
      queueMicrotask(() => {
        const startedAt = performance.now();
        const headers: LayerRequest['headers'] = [['content-type', 'text/html']];
        handler.onHeaders({
          ...{ status: 200, statusText: 'OK', headers },
          httpVersion: 'h2',
          startedAt,
        });
        handler.onEnd(startedAt);
      });
    },
  ];
  await using loader = createLoader({ layers });
  const { resources } = await loader.load(`${server.origin}/`);
  expect(resources.map(({ status, error, connection }) => [status, error, connection])).toEqual([
    [200, null, null],
  ]);
});

it.each([[[1]], ['dispatch'], [null]])('layers are a list of functions, not %j', (layers) => {
  expect(() => createLoader({ layers: layers as unknown as Layer[] })).toThrow('layers');
});
