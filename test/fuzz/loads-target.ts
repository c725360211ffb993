// Whole page loads from servers with several faults at once. A case is a page of 20 to 60 resources with bodies that
// all differ, over TCP or TLS, HTTP/1.1 or 1.0, and two to five kinds of fault: resources that end their connection,
// connections that are reset now and then or carry few requests, and responses that are odd but readable. The invariants:
// - every healthy resource is delivered with its own bytes, and without an error;
// - each dead one is told with a code that says so;
// - no more than six connections are open at a time;
// - the load ends by itself, and what it stored is of its own URL.

import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  createFetch,
  createHttpCache,
  createLoader,
  createMemoryStore,
  type LoaderOptions,
} from '../../loader/index.ts';
import type { PageLoad, Protocol } from '../../loader/page-load.ts';
import { withConstants } from '../../options/options.ts';
import { numberedImage, openAtOnce } from '../support/image-page.ts';
import {
  type RawConnection,
  type RawHandler,
  type SeenRequest,
  startRawServer,
} from '../support/raw-server.ts';
import { makeTestCertificate } from '../support/tls.ts';
import { drawingBy, type FuzzTarget, takingTurns, tryingAlone } from './fuzz.ts';

/** How a dead resource ends its connection. */
const endings = {
  RST: (connection: RawConnection) => connection.reset(),
  'FIN without a byte': (connection: RawConnection) => connection.end(),
  'FIN in the body': (connection: RawConnection, whole: Buffer) =>
    connection.end(whole.subarray(0, -9)),
  // As `return 444` of nginx: requests that it has not read make its kernel send RST.
  'closed at once': ({ socket }: RawConnection) => socket.destroy(),
  silence: () => {},
};
type Ending = keyof typeof endings;

/** What is odd about a response: each can be read. */
const oddities = [
  'Content-Type twice', '100', '103', 'gzip', 'bytes behind gzip', 'slow', 'chunked',
  'space behind chunk sizes', 'folded', 'Content-Length twice', 'Content-Length beside chunked', 'empty Content-Length',
  'LF', 'no colon', 'space before a colon', 'control character',
] as const; // biome-ignore format: a list of words
type Oddity = (typeof oddities)[number];

const ofConnections = [
  'resets', 'few requests', 'few requests, announced', 'HTTP/1.0', 'another order',
] as const; // biome-ignore format: a list of words
type Kind = Ending | Oddity | (typeof ofConnections)[number];
const kinds: readonly Kind[] = [
  ...(Object.keys(endings) as Ending[]),
  ...oddities,
  ...ofConnections,
];

interface LoadsCase {
  readonly scheme: 'http' | 'https';
  readonly protocol: Protocol;
  readonly faults: readonly Kind[];
  /** Requests of a connection, if they are few. */
  readonly perConnection: number;
  /** One response in so many resets its connection, but for the first of each, or comes for another's. */
  readonly every: number;
  /** In the order of the page. */
  readonly resources: ReadonlyArray<{ readonly ending: Ending | null; readonly odd: Oddity[] }>;
}

const options: LoaderOptions = {
  ...withConstants({ pipeline: { stallMs: 250, settleMs: 60 } }),
  timeouts: { responseMs: 1_500, pageMs: 30_000 },
};
const codesOfDead = ['connection-lost', 'length-mismatch', 'response-timeout'];

function make(random: () => number): LoadsCase {
  const { below, pick } = drawingBy(random);
  const drawn = new Set<Kind>();
  for (let most = 2 + below(4); drawn.size < most; ) drawn.add(pick(kinds));
  const faults = [...drawn];
  const dead = faults.filter((fault): fault is Ending => fault in endings);
  const odd = oddities.filter((oddity) => faults.includes(oddity));
  const [deadShare, oddShare] = [pick([0.03, 0.1, 0.3]), pick([0.05, 0.3, 1])];
  return {
    scheme: pick(['http', 'https']),
    protocol: pick(['auto', 'auto', 'auto', 'pipelined', 'persistent', 'http1.0'] as const),
    faults,
    perConnection: 1 + below(20),
    every: 5 + below(100),
    resources: Array.from({ length: 20 + below(41) }, () => ({
      ending: dead.length > 0 && random() < deadShare ? pick(dead) : null,
      odd: odd.filter(() => random() < oddShare),
    })),
  };
}

interface Content {
  readonly type: string;
  readonly body: Buffer;
}

function contentOf(index: number): Content & { path: string } {
  const { path, body } = numberedImage(index);
  if (index % 5 === 1)
    return styled(`/${index}.css`, 'text/css', `.a${index} { margin: ${index}px }`);
  if (index % 5 === 2) return styled(`/${index}.js`, 'text/javascript', `console.log(${index});`);
  return { path, type: 'image/gif', body };
}

function styled(path: string, type: string, text: string): Content & { path: string } {
  return { path, type, body: Buffer.from(text.repeat(1 + (text.length % 7))) };
}

/** With what a browser could tell a swapped response by. */
function tagOf({ path, type }: { path: string; type: string }, index: number): string {
  if (type === 'text/css') return `<link rel=stylesheet href=${path}>`;
  const { width, height } = numberedImage(index);
  return type === 'image/gif'
    ? `<img src=${path} width=${width} height=${height}>`
    : `<script src=${path}></script>`;
}

/** A whole response, and whether its connection has to end for its body to end. */
function write(
  { type, body }: Content,
  odd: ReadonlySet<Oddity>,
  version: '1.0' | '1.1',
  last: string,
) {
  const isGzip = odd.has('gzip') || odd.has('bytes behind gzip');
  const behind = odd.has('bytes behind gzip') ? '\0\0behind' : '';
  const content = isGzip ? Buffer.concat([gzipSync(body), Buffer.from(behind)]) : body;
  const isChunked =
    version === '1.1' &&
    (['chunked', 'space behind chunk sizes', 'Content-Length beside chunked'] as const).some(
      (one) => odd.has(one),
    );
  const isEndless = odd.has('empty Content-Length') && !isChunked;
  const end = odd.has('LF') ? '\n' : '\r\n';
  const space = odd.has('space behind chunk sizes') ? '  ' : '';
  const length = isEndless ? 'Content-Length: ' : `Content-Length: ${content.length}`;
  const isTwice = odd.has('Content-Length twice') && !isChunked && !isEndless;
  const lines = [
    `HTTP/${version} 200 OK`,
    `Content-Type: ${type}`,
    'Cache-Control: max-age=600',
    ...(odd.has('Content-Type twice') ? [`Content-Type: ${type}`] : []),
    ...(odd.has('folded') ? ['X-Long: one', '\ttwo'] : []),
    ...(odd.has('no colon') ? ['this is no field'] : []),
    ...(odd.has('space before a colon') ? ['X-Space : a'] : []),
    ...(odd.has('control character') ? ['X-Control: a\x01b'] : []),
    ...(isGzip ? ['Content-Encoding: gzip'] : []),
    ...(isChunked ? ['Transfer-Encoding: chunked'] : [length]),
    ...(odd.has('Content-Length beside chunked') && isChunked ? [length] : []),
    ...(isTwice ? [length] : []),
    ...(last === '' ? [] : [last]),
  ];
  const interim =
    version === '1.0'
      ? ''
      : `${odd.has('100') ? 'HTTP/1.1 100 Continue\r\n\r\n' : ''}${
          odd.has('103') ? 'HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n' : ''
        }`;
  const size = `${content.length.toString(16)}${space}${end}`;
  const framed = isChunked
    ? [Buffer.from(size), content, Buffer.from(`${end}0${space}${end}${end}`)]
    : [content];
  const head = Buffer.from(`${interim}${lines.join(end)}${end}${end}`, 'latin1');
  return { bytes: Buffer.concat([head, ...framed]), isEndless };
}

/** Answers the requests of each connection in their order. */
function answering(one: LoadsCase, page: Content): NonNullable<RawHandler['onRequest']> {
  const contents = new Map(
    one.resources.map((of, index) => [contentOf(index).path, { ...contentOf(index), ...of }]),
  );
  const has = (fault: Kind) => one.faults.includes(fault);
  const isFew = has('few requests') || has('few requests, announced');
  const version = has('HTTP/1.0') ? '1.0' : '1.1';
  const over = new WeakSet<RawConnection>();
  const inTurn = takingTurns();
  /** The path whose response is due in place of the next one. */
  const owed = new WeakMap<RawConnection, string>();
  let responses = 0;

  /** Their kinds or sizes tell that they are swapped. */
  const canBeTold = (paths: string[]) => {
    const both = paths.map((path) => contents.get(path));
    const types = both.map((each) => each?.type);
    return (
      both.every(
        (each) => each?.ending === null && !each.odd.some((odd) => odd.includes('gzip')),
      ) &&
      (types[0] !== types[1] || types[0] === 'image/gif')
    );
  };

  /** The path whose response goes out. */
  const pathOf = ({ path, index, segment }: SeenRequest, connection: RawConnection): string => {
    const before = owed.get(connection);
    owed.delete(connection);
    const next = connection.requests[index + 1];
    const isSwapped =
      has('another order') && next?.segment === segment && canBeTold([path, next.path]);
    if (before !== undefined || !isSwapped || ++responses % Math.ceil(one.every / 10) > 0)
      return before ?? path;
    owed.set(connection, path);
    return next.path;
  };

  async function answer(request: SeenRequest, connection: RawConnection): Promise<void> {
    if (over.has(connection)) return;
    const { index } = request;
    const { ending, odd, ...content } = contents.get(pathOf(request, connection)) ?? {
      ...page,
      ending: null,
      odd: [] as Oddity[],
    };
    const isLast = version === '1.0' || (isFew && index + 1 >= one.perConnection);
    const announced = version === '1.1' && isLast && has('few requests, announced');
    if (ending !== null) {
      over.add(connection);
      endings[ending](connection, write(content, new Set(), version, '').bytes);
    } else if (has('resets') && index > 0 && ++responses % one.every === 0) {
      over.add(connection);
      connection.reset();
    } else {
      const set = new Set(odd);
      const { bytes, isEndless } = write(
        content,
        set,
        version,
        announced ? 'Connection: close' : '',
      );
      const pieceBytes = set.has('slow') ? Math.ceil(bytes.length / 4) : bytes.length;
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        connection.write(bytes.subarray(at, at + pieceBytes));
        if (pieceBytes < bytes.length) await wait(2);
      }
      if (!isLast && !isEndless) return;
      over.add(connection);
      connection.end();
    }
  }
  return (request, connection) => inTurn(connection, () => answer(request, connection));
}

const { key, cert } = await makeTestCertificate();
const hashOf = (body: Buffer) => createHash('sha256').update(body).digest('hex');

/** What is wrong with a load; '': nothing. */
function judge(
  load: PageLoad,
  own: ReadonlyMap<string, string>,
  got: ReadonlyMap<string, string>,
  one: LoadsCase,
) {
  const endingOf = new Map(
    one.resources.map(({ ending }, index) => [contentOf(index).path, ending]),
  );
  const wrong: string[] = [];
  const rows = load.resources.map((row) => ({ ...row, path: new URL(row.url).pathname }));
  if (rows.length !== own.size) wrong.push(`${rows.length} rows for ${own.size} resources`);
  for (const { path, error, attempts } of rows) {
    const isDead = (endingOf.get(path) ?? null) !== null;
    const told = error && `${error.code}: ${error.message}, after ${attempts} attempts`;
    if (isDead && !codesOfDead.includes(error?.code ?? ''))
      wrong.push(`${path} is dead, but ${told}`);
    if (!isDead && error !== null) wrong.push(`${path} has ${told}`);
    if (!isDead && error === null && got.get(path) !== own.get(path))
      wrong.push(`${path} has another body`);
  }
  const atOnce = openAtOnce(load);
  if (atOnce > 6) wrong.push(`${atOnce} connections at once`);
  return wrong.join('\n');
}

export const loadsTarget: FuzzTarget<LoadsCase> = {
  name: 'loads',
  casesInTests: 12,
  make,
  start: tryingAlone(async (one) => {
    const contents = one.resources.map((_, index) => contentOf(index));
    const html = `<!doctype html><title>a</title>${contents.map(tagOf).join('\n')}`;
    const page = { type: 'text/html', body: Buffer.from(html) };
    const own = new Map([
      ['/', hashOf(page.body)],
      ...contents.map(({ path, body }) => [path, hashOf(body)] as const),
    ]);
    await using server = await startRawServer(
      { onRequest: answering(one, page) },
      one.scheme === 'https' ? { key, cert, ALPNProtocols: ['http/1.1'] } : undefined,
    );
    const cache = createHttpCache(createMemoryStore());
    const asked = { ...options, tls: { ca: cert }, cache };
    const loader = createLoader({ ...asked, protocol: one.protocol });
    const got = new Map<string, string>();
    const load = await loader.load(server.origin, {
      onBody: (url, body) => void got.set(new URL(url).pathname, hashOf(body)),
    });
    await loader.close();
    const wrong = judge(load, own, got, one);
    if (wrong !== '') return wrong;
    await using stored = createFetch(asked);
    for (const [path, hash] of own) {
      const response = await stored(server.origin + path, { cache: 'only-if-cached' });
      const body = Buffer.from(await response.arrayBuffer());
      if (response.ok && hashOf(body) !== hash) return `${path} is stored with another body`;
    }
    return undefined;
  }),
};
