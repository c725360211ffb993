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
import { usualLayers } from '../../../loader/usual-layers.ts';
import { createOrigin } from '../../../server/index.ts';
import { response, startRawServer } from '../../support/raw-server.ts';

/** With these a loader has every usual layer. */
const all = () => ({
  ...({ protocol: 'pipelined', images: 'sizes-first', getAll: true, prefetch: {} } as const),
  cache: createHttpCache(createMemoryStore()),
});

it.each(Object.keys(new PageLoader(all()).layers))(
  'a loader without the layer %s loads the page, and again from its cache',
  async (name) => {
    await using origin = createOrigin(microscapeDir);
    const { url } = await origin.listen();
    await using loader = new PageLoader(all(), (...given) =>
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
      const isPage = path === '/';
      const type = { 'Content-Type': isPage ? 'text/html' : 'image/gif' };
      connection.write(response(isPage ? '<img src=a.gif><img src=b.gif>' : '', type));
    },
  });
  const seen: string[] = [];
  const adds =
    (value: string): Layer =>
    (dispatch) =>
    (request, handler) => {
      const before = request.headers.find(([name]) => name === 'x-order')?.[1] ?? '';
      const others = request.headers.filter(([name]) => name !== 'x-order');
      const headers: LayerRequest['headers'] = [...others, ['x-order', before + value]];
      const { kind, purpose, url } = request;
      const seeing = new (class extends LayerHandler {
        override onEnd(endedAt: number): void {
          seen.push(`${value} ${kind} ${purpose} ${url.pathname}`);
          super.onEnd(endedAt);
        }
      })(handler);
      dispatch({ ...request, headers }, seeing);
    };
  await using loader = createLoader({ protocol: 'pipelined', layers: [adds('1'), adds('2')] });
  const { resources, totals } = await loader.load(`${server.origin}/`);
  expect(totals.errors).toBe(0);
  expect(asked).toEqual(['/ 12', '/a.gif 12', '/b.gif 12']);
  for (const { requestHeaders } of resources) {
    expect(requestHeaders.at(-1)).toEqual(['x-order', '12']);
  }
  expect(seen).toEqual(
    ['document use /', 'image use /a.gif', 'image use /b.gif'].flatMap((one) => [
      `2 ${one}`,
      `1 ${one}`,
    ]),
  );
});

it.each(['document', 'image'])('a layer that throws for a %s stops the load', async (kind) => {
  await using origin = createOrigin(microscapeDir);
  const { url } = await origin.listen();
  const layer: Layer = (dispatch) => (request, handler) => {
    if (request.kind === kind) throw new RangeError(`no ${kind} here`);
    dispatch(request, handler);
  };
  await using loader = createLoader({ layers: [layer] });
  await expect(loader.load(`${url}/`)).rejects.toThrow(new RangeError(`no ${kind} here`));
});

it('a layer answers a request without the network', async () => {
  const layer: Layer = () => (_request, handler) => {
    queueMicrotask(() => {
      const startedAt = performance.now();
      const headers: LayerRequest['headers'] = [['content-type', 'text/html']];
      handler.onHeaders({ status: 200, statusText: '', headers, httpVersion: 'h2', startedAt });
      handler.onEnd(startedAt);
    });
  };
  await using loader = createLoader({ layers: [layer] });
  const { resources } = await loader.load('http://nowhere.invalid/');
  expect(resources).toMatchObject([{ status: 200, error: null, connection: null }]);
});

it.each([[[1]], ['dispatch'], [null]])('layers are a list of functions, not %j', (layers) => {
  expect(() => createLoader({ layers: layers as unknown as Layer[] })).toThrow('layers');
});
