// Layers stand between pages and the network: a user's own, and those of the features, without each of which a loader
// still loads its page.

import { expect, it } from 'vitest';
import { microscapeDir } from '../../../fixtures/index.ts';
import { createHttpCache, createMemoryStore } from '../../../loader/index.ts';
import { type Layer, LayerHandler } from '../../../loader/layer.ts';
import { createLoader, PageLoader, usualLayers } from '../../../loader/loader.ts';
import { withConstants } from '../../../options/options.ts';
import { createOrigin, dictionaries, getAll, holdLine } from '../../../server/index.ts';
import { answering, response } from '../../support/raw-server.ts';

/** With these a loader has every usual layer. */
const all = () => ({
  ...({ protocol: 'pipelined', images: 'sizes-first', getAll: true, prefetch: {} } as const),
  holdLine: true,
  cache: createHttpCache(createMemoryStore()),
});

const handlers = () => ({ holdLine: holdLine(), getAll: getAll(), dictionaries: dictionaries() });

const without = (name: string, layers: object) =>
  Object.fromEntries(Object.entries(layers).filter(([own]) => own !== name));

const { page, connection } = new PageLoader(all()).layers;
it.each([
  ...Object.keys({ ...page, ...connection }).map((name) => [name, 'loader']),
  ...[...Object.keys(handlers()), 'coalescing'].map((name) => [name, 'server']),
])('without the layer %s of the %s a page loads, and again from the cache', async (name, end) => {
  const [ofLoader, ofServer] = end === 'loader' ? [name, ''] : ['', name];
  await using origin = createOrigin(microscapeDir, {
    handlers: Object.values(without(ofServer, handlers())),
    ...(ofServer === 'coalescing' && withConstants({ maxGatheredBytes: 0 })),
  });
  const { url } = await origin.listen();
  await using loader = new PageLoader(all(), (...given) => {
    const { page, prefetch, connection } = usualLayers(...given);
    const rest = (layers: object) => without(ofLoader, layers);
    return { page: rest(page), prefetch: rest(prefetch), connection: rest(connection) };
  });
  const totals = [(await loader.load(`${url}/`)).totals, (await loader.load(`${url}/`)).totals];
  expect(totals.map(({ errors }) => errors)).toEqual([0, 0]);
  expect(Math.min(...totals.map(({ bodyBytes }) => bodyBytes))).toBeGreaterThan(150_000);
});

it("a user's layers add fields, the first around the second, and see each response", async () => {
  await using server = await answering(({ path }, connection) => {
    const [type, body] = path === '/' ? ['text/html', '<img src=a.gif>'] : ['image/gif', ''];
    connection.write(response(body, { 'Content-Type': type }));
  });
  const seen: string[] = [];
  const adds = (name: string): Layer => {
    return (dispatch) => (request, handler) => {
      class Seeing extends LayerHandler {
        override onEnd(endedAt: number): void {
          seen.push(`${name} ${request.kind} ${request.purpose} ${request.url.pathname}`);
          super.onEnd(endedAt);
        }
      }
      dispatch({ ...request, headers: [...request.headers, [name, 'added']] }, new Seeing(handler));
    };
  };
  await using loader = createLoader({ protocol: 'pipelined', layers: [adds('x-1'), adds('x-2')] });
  const { resources } = await loader.load(`${server.origin}/`);
  const added = { 'x-1': 'added', 'x-2': 'added' };
  expect(server.requests).toMatchObject([{ headers: added }, { headers: added }]);
  expect(resources.map(({ requestHeaders }) => requestHeaders.slice(-2).flat())).toEqual(
    [1, 2].map(() => ['x-1', 'added', 'x-2', 'added']),
  );
  expect(seen).toEqual(
    ['document use /', 'image use /a.gif'].flatMap((one) => [`x-2 ${one}`, `x-1 ${one}`]),
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
      const [httpVersion, startedAt] = ['h2' as const, performance.now()];
      handler.onHeaders({ status: 200, statusText: '', headers: [], httpVersion, startedAt });
      handler.onEnd(startedAt);
    });
  };
  await using loader = createLoader({ layers: [layer] });
  const { resources } = await loader.load('http://nowhere.invalid/');
  expect(resources).toMatchObject([{ status: 200, error: null, connection: null }]);
});
