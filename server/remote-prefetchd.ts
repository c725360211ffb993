// A prefetchd of another process or machine as the source of hints. Hints are asked for by
// `GET /v1/hints` when a request comes, beside the work of the site; what the request taught is sent
// afterwards by `POST /v1/accesses`, many at once. `POST /v1/hints`, which does both in one, is of no use
// here: whether an access may be learned is known when its response is, and then hints come too late.
//
// Whatever it does - refuse, stall, lie, answer without end - a question ends after a second, an answer has
// at most 64 KiB and is read as wire/access-json reads strangers, and after three failures in a row, late
// answers included, nobody waits for it any more (breaker.ts). Redirects are not followed: an access goes
// to the prefetchd that was named and nowhere else.
// undici is loaded when the first remote prefetchd is made, since loading takes a tenth of a second.

import { performance } from 'node:perf_hooks';
import type { Dispatcher, Pool } from 'undici';
import { eventLoopLoad } from '../prefetchd/load.ts';
import { accessesJson, parseHints } from '../prefetchd/wire.ts';
import { AccessSender, type Delivery } from './access-sender.ts';
import { Breaker } from './breaker.ts';
import { ServerError } from './errors.ts';
import type { CheckedHintsOptions } from './hint-options.ts';
import type { Asked, HintQuestion, HintSource } from './hint-source.ts';

/** A question, and a delivery, end after this, ms. */
const patienceMs = 1000;
const deliveryMs = 5000;
const closeMs = 2000;
const maxAnswerBytes = 64 * 1024;
const maxOutstanding = 64;
const connections = 4;
const connectionsForSending = 1;

interface Address {
  origin: string;
  socketPath: string | null;
  /** Before /v1; without a slash at its end. */
  basePath: string;
}

/** @throws ServerError 'invalid-option' */
export function remotePrefetchd(options: CheckedHintsOptions): HintSource {
  const { deadlineMs, threshold, limit, token, onError } = options;
  const { origin, socketPath, basePath } = addressOf(String(options.prefetchd));
  const breaker = new Breaker();
  const load = eventLoopLoad();
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const tuning =
    (threshold === null ? '' : `&threshold=${threshold}`) +
    (limit === undefined ? '' : `&limit=${limit ?? 'inf'}`);
  let [asked, answered, late, failed, skipped, outstanding] = [0, 0, 0, 0, 0, 0];
  let pools: { questions: Pool; deliveries: Pool } | null = null;
  let isClosed = false;

  const ready = import('undici').then(({ Pool }) => {
    if (isClosed) return;
    const pool = (most: number, timeoutMs: number) =>
      new Pool(origin, {
        ...(socketPath !== null && { socketPath }),
        connections: most,
        pipelining: 1,
        connect: { timeout: patienceMs },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        maxResponseSize: maxAnswerBytes,
      });
    pools = {
      questions: pool(connections, patienceMs),
      deliveries: pool(connectionsForSending, deliveryMs),
    };
  });
  ready.catch((error: unknown) => onError(error, 'remote'));

  function ask(pool: Pool, { url, client, kind }: HintQuestion, isProbe: boolean): Asked {
    outstanding++;
    asked++;
    const path =
      `${basePath}/v1/hints?url=${encodeURIComponent(url.toWellFormed())}${tuning}` +
      (client === null ? '' : `&client=${encodeURIComponent(client.toWellFormed())}`) +
      (kind === null ? '' : `&kind=${kind}`);
    const settled = Promise.withResolvers<void>();
    const inTime = Promise.withResolvers<void>();
    let isLate = false;
    const deadline = setTimeout(() => {
      isLate = true;
      if (deadlineMs !== null) fail('late');
      inTime.resolve();
    }, deadlineMs ?? patienceMs);
    const question: Asked = {
      hints: [],
      inTime: deadlineMs === null || isProbe ? null : inTime.promise,
      done: settled.promise,
    };
    json(pool, { path, method: 'GET', headers: authorization })
      .then((body) => {
        question.hints = parseHints(body);
        if (isLate) return;
        answered++;
        breaker.succeeded();
      })
      .catch((error: unknown) => {
        if (!isLate) fail('failed');
        onError(error, 'remote');
      })
      .finally(() => {
        clearTimeout(deadline);
        outstanding--;
        inTime.resolve();
        settled.resolve();
      });
    return question;
  }

  function fail(how: 'late' | 'failed'): void {
    if (how === 'late') late++;
    else failed++;
    breaker.failed(performance.now());
  }

  const sender = new AccessSender({
    async send(accesses): Promise<Delivery> {
      if (pools === null) return 'again';
      try {
        await json(pools.deliveries, {
          path: `${basePath}/v1/accesses`,
          method: 'POST',
          headers: { ...authorization, 'content-type': 'application/json' },
          body: accessesJson(accesses),
        });
        return 'delivered';
      } catch (error) {
        onError(error, 'remote');
        return isUndelivered(error) ? 'again' : 'lost';
      }
    },
  });

  return {
    ready,
    now: null,
    later(question): Asked | null {
      const advice = outstanding >= maxOutstanding ? 'skip' : breaker.advice(performance.now());
      if (pools === null || advice === 'skip') {
        skipped++;
        return null;
      }
      return ask(pools.questions, question, advice === 'probe');
    },
    learn: (access) => sender.push(access),
    dropped() {},
    load,
    counts: () => ({
      ...{ asked, answered, late, failed, skipped, isFailing: breaker.isOpen },
      ...{ queued: sender.queued, delivered: sender.delivered, lost: sender.lost },
    }),
    async close() {
      await sender.close(closeMs);
      isClosed = true;
      await Promise.allSettled([pools?.questions.destroy(), pools?.deliveries.destroy()]);
      pools = null;
    },
  };
}

/** A status that is no success. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`prefetchd answered with status ${status}`);
    this.status = status;
  }
}

/** The body of a 200 in time. @throws Refused, and what undici throws */
async function json(pool: Pool, request: Dispatcher.RequestOptions): Promise<unknown> {
  // undici's own limits are for each step: one byte in a while would never end.
  const limitMs = request.method === 'GET' ? patienceMs : deliveryMs;
  const signal = AbortSignal.timeout(limitMs);
  const { statusCode, body } = await pool.request({ ...request, signal });
  if (statusCode !== 200) {
    body.destroy();
    body.on('error', () => {});
    throw new Refused(statusCode);
  }
  return body.json();
}

/** Nobody took it: no connection was made, or it was turned away before it was looked at. */
function isUndelivered(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 429 || error.status === 503;
  const code = String((error as { code?: unknown }).code);
  return [
    'ECONNREFUSED',
    'ENOENT',
    'ENOTFOUND',
    'EHOSTUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
  ].includes(code);
}

/** @throws ServerError 'invalid-option' */
function addressOf(address: string): Address {
  if (address.startsWith('unix:')) {
    const socketPath = address.slice(5);
    if (socketPath.startsWith('/') && Buffer.byteLength(socketPath) <= 100) {
      return { origin: 'http://localhost', socketPath, basePath: '' };
    }
  }
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === '';
  if (url === null || !isPlain) {
    throw new ServerError(
      'invalid-option',
      'option prefetchd must be a prefetchd, its settings, http://host:port without user and query, or unix:/path',
    );
  }
  return { origin: url.origin, socketPath: null, basePath: url.pathname.replace(/\/+$/, '') };
}
