// A server that answers a pipeline in another order, with whole responses, leaves the numbers of requests and responses
// equal. It is seen only where responses tell to what they belong. Then what is in doubt is fetched again in sequence,
// nothing wrong is handed out or stored, and the origin is no longer pipelined to.

import { describe, expect, it } from 'vitest';
import type { CacheMode } from '../../../loader/cache/http-cache.ts';
import { createLoader } from '../../../loader/index.ts';
import { LayerHandler } from '../../../loader/layer.ts';
import type { PageLoad } from '../../../loader/page-load.ts';
import { renderSummary } from '../../../loader/report/index.ts';
import { numberedImage } from '../../support/image-page.ts';
import { memoryCache } from '../../support/memory-cache.ts';
import { quick } from '../../support/quick-load.ts';
import { answering, type RawConnection, response } from '../../support/raw-server.ts';
import { notModified } from '../page-cache/site.ts';

type Pair = [one: string, other: string];

interface Answer {
  readonly body: string | Buffer;
  readonly fields: Record<string, string>;
}

const lasting = { 'Cache-Control': 'max-age=600' };
const answerOf = (type: string, body: string | Buffer, fields = {}): Answer => ({
  body,
  fields: { 'Content-Type': type, ...lasting, ...fields },
});
const image = (index: number, fields = {}): Answer =>
  answerOf('image/gif', numberedImage(index).body, fields);
const sheet = answerOf('text/css', 'p { color: red }');
const script = answerOf('text/javascript', 'console.log(1)');

/** @param answers By path; the page is the first and names the others by their tags. */
function site(html: string, answers: Record<string, Answer>): Record<string, Answer> {
  return { '/': answerOf('text/html', `<!doctype html><title>a</title>${html}`), ...answers };
}

/** Answers two paths in the other order if both were asked for in one write. */
async function startSwapping(answers: Record<string, Answer>, [one, other]: Pair) {
  const state = { swaps: 0, isSwapping: true };
  const answer = (path: string, asked: Record<string, string>): Buffer => {
    const { body, fields } = answers[path] as Answer;
    const isHeld = fields.ETag !== undefined && asked['if-none-match'] === fields.ETag;
    return isHeld ? notModified(fields) : response(body, fields);
  };
  const server = await answering(({ path, segment, headers }, connection: RawConnection) => {
    const [mate] = [one, other].filter((each) => each !== path);
    const isOne = path === one || path === other;
    const of = connection.requests.find((each) => each.path === mate && each.segment === segment);
    const swapped = isOne && state.isSwapping ? of : undefined;
    if (swapped !== undefined && path === one) state.swaps++;
    connection.write(answer(swapped?.path ?? path, swapped?.headers ?? headers));
  });
  return Object.assign(server, { state });
}

/** One load after the other with one cache. @param swapsFrom The first load whose responses are swapped. */
async function loadEach(
  modes: CacheMode[],
  answers: Record<string, Answer>,
  pair: Pair,
  swapsFrom = 0,
) {
  await using server = await startSwapping(answers, pair);
  const cache = memoryCache();
  const loader = createLoader({
    ...{ ...quick, protocol: 'pipelined', cache },
    // Behind a layer of the caller's own no less is seen.
    layers: [(dispatch) => (request, handler) => dispatch(request, new LayerHandler(handler))],
  });
  const bodies: Array<Map<string, string>> = [];
  const loads: PageLoad[] = [];
  for (const cacheMode of modes) {
    const got = new Map<string, string>();
    server.state.isSwapping = loads.length >= swapsFrom;
    const onBody = (url: string, body: Buffer) =>
      void got.set(new URL(url).pathname, body.toString('latin1'));
    loads.push(await loader.load(server.origin, { cacheMode, onBody }));
    bodies.push(got);
  }
  await loader.close();
  return { loads, bodies, swaps: server.state.swaps };
}

function ownOf(answers: Record<string, Answer>): Map<string, string> {
  const text = ({ body }: Answer) => Buffer.from(body).toString('latin1');
  return new Map(Object.entries(answers).map(([path, answer]) => [path, text(answer)]));
}

const lostOf = ({ resources }: PageLoad) =>
  resources.flatMap(({ lostAttempts }) => lostAttempts.map(({ code }) => code));

const signals: Record<string, [Record<string, Answer>, Pair]> = {
  'an image for a style sheet, by Content-Type': [
    site('<link rel=stylesheet href=/a.css><img src=/a.gif>', {
      '/a.css': sheet,
      '/a.gif': image(1),
    }),
    ['/a.css', '/a.gif'],
  ],
  'a script for an image, of which only one has a type': [
    site('<img src=/a><script src=/a.js></script>', {
      '/a': { body: numberedImage(1).body, fields: { 'Content-Type': 'application/octet-stream' } },
      '/a.js': script,
    }),
    ['/a', '/a.js'],
  ],
  'two images, by width and height in the markup': [
    site('<img src=/a.gif width=2 height=1001><img src=/b.gif width=3 height=1002>', {
      '/a.gif': image(1),
      '/b.gif': image(2),
    }),
    ['/a.gif', '/b.gif'],
  ],
  'two images, by Content-Location': [
    site('<img src=/a.gif><img src=/b.gif>', {
      '/a.gif': image(1, { 'Content-Location': '/a.gif' }),
      '/b.gif': image(2, { 'Content-Location': '/b.gif' }),
    }),
    ['/a.gif', '/b.gif'],
  ],
};

describe.each(Object.entries(signals))('%s', (_name, [answers, pair]) => {
  it('each has its own bytes, from the cache too, and no pipeline is tried again', async () => {
    const { loads, bodies, swaps } = await loadEach(
      ['default', 'default', 'reload'],
      answers,
      pair,
    );
    const own = ownOf(answers);
    expect(bodies).toEqual([own, own, own]);
    expect(loads.map(({ totals }) => totals.errors)).toEqual([0, 0, 0]);
    expect(swaps).toBe(1);
    const [first] = loads as [PageLoad];
    expect(lostOf(first)).toContain('out-of-step');
    expect(renderSummary(first, { columns: 120, color: false })).toMatch(/out-of-step/);
  });
});

it('two that were stored, by ETag: each is validated by its own answer', async () => {
  const tagged = (index: number) => image(index, { ETag: `"${index}"` });
  const answers = site('<img src=/a.gif><img src=/b.gif>', {
    '/a.gif': tagged(1),
    '/b.gif': tagged(2),
  });
  const { loads, bodies, swaps } = await loadEach(
    ['default', 'no-cache', 'no-cache'],
    answers,
    ['/a.gif', '/b.gif'],
    1,
  );
  const own = ownOf(answers);
  expect(bodies).toEqual([own, own, own]);
  expect(swaps).toBe(1);
  expect(lostOf(loads[1] as PageLoad)).toContain('out-of-step');
});

it.each([
  [0, 1],
  [28, 31],
  [57, 58],
  [58, 59],
])('images %i and %i of 60: no other is lost', async (one, other) => {
  const images = Array.from({ length: 60 }, (_, index) => numberedImage(index));
  const tags = images.map(
    ({ path, width, height }) => `<img src=${path} width=${width} height=${height}>`,
  );
  const answers = site(
    tags.join(''),
    Object.fromEntries(images.map(({ path }, index) => [path, image(index)])),
  );
  const pair: Pair = [`/image-${one}.gif`, `/image-${other}.gif`];
  const { loads, bodies, swaps } = await loadEach(['default', 'default'], answers, pair);
  const own = ownOf(answers);
  expect(swaps).toBe(1);
  expect(loads.map(({ totals }) => totals.errors)).toEqual([0, 0]);
  expect(bodies).toEqual([own, own]);
});

const never: Record<string, Record<string, Answer>> = {
  'images shown at half and double their size, beside one as it is': site(
    '<img src=/a.gif width=4 height=2002><img src=/b.gif width=1 height=501><img src=/c.gif width=4 height=1003>',
    { '/a.gif': image(1), '/b.gif': image(2), '/c.gif': image(3) },
  ),
  'types that say nothing, or are wrong': site(
    '<link rel=stylesheet href=/a.css><script src=/b.js></script><img src=/c.gif><script src=/d.js></script>',
    {
      '/a.css': { ...sheet, fields: { 'Content-Type': 'text/plain' } },
      '/b.js': { ...script, fields: {} },
      '/c.gif': { ...image(1), fields: { 'Content-Type': 'application/octet-stream' } },
      '/d.js': { ...script, fields: { 'Content-Type': 'text/html' } },
    },
  ),
  'another place for the content that nobody asks for': site('<img src=/a><img src=/b.gif>', {
    '/a': image(1, { 'Content-Location': '/a.en.gif' }),
    '/b.gif': image(2, { 'Content-Location': 'http://' }),
  }),
};

it.each(Object.entries(never))('never doubted: %s', async (_name, answers) => {
  const { loads } = await loadEach(['default', 'reload'], answers, ['/none', '/neither']);
  expect(loads.flatMap(lostOf)).toEqual([]);
  expect(loads[1]?.resources.some(({ pipelineIndex }) => (pipelineIndex ?? 0) > 1)).toBe(true);
});

it('changed contents with new tags, one of which another had: never doubted', async () => {
  const tags: Record<string, string> = { '/a.gif': '"1"', '/b.gif': '"2"' };
  const answers = site('<img src=/a.gif><img src=/b.gif>', {
    '/a.gif': image(1),
    '/b.gif': image(2),
  });
  for (const path of ['/a.gif', '/b.gif']) {
    const get = () => tags[path];
    Object.defineProperty(answers[path]?.fields, 'ETag', { enumerable: true, get });
  }
  await using server = await startSwapping(answers, ['/none', '/neither']);
  const loader = createLoader({
    ...quick,
    protocol: 'pipelined',
    cache: memoryCache(),
  });
  await loader.load(server.origin);
  tags['/a.gif'] = '"2"';
  const again = await loader.load(server.origin, { cacheMode: 'no-cache' });
  await loader.close();
  expect(lostOf(again)).toEqual([]);
});
