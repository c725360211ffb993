// Serves what `hints()` answers itself, at paths of the site.
//
// The speculation rules document of a page is at `/speculation-rules.json?url=%2Fpage`. The browser that shows the page
// fetches the document, whatever cache the page came from; the document is not cached. This request is a sign that the
// page is shown, and the only sign if the page was prefetched. This file also serves the script that prefetches in
// browsers without speculation rules.
//
// The beacon has its script at /prefetch-beacon.js, and the path that the script posts to, /prefetch-beacon
// (prefetchd/wire/beacon.ts). A page that says it is shown reveals a visit that the server did not see, and credits the
// hint that led there. A forged beacon can do no more harm than a forged page view, because the same rules and limits
// apply.

import {
  hostOfRequest,
  isOfOwnPage,
  isPrefetch,
  judgeRequest,
  startOfRequest,
} from '../../prefetchd/rules/eligibility.ts';
import {
  accessesOf,
  type Beacon,
  longestBeaconBytes,
  readBeacon,
} from '../../prefetchd/wire/beacon.ts';
import {
  beaconPath,
  beaconScriptCaching,
  beaconScriptOf,
  beaconScriptType,
} from '../../prefetchd/wire/beacon-script.ts';
import { type Hint, withoutPrefix } from '../../prefetchd/wire/hint.ts';
import {
  prefetchScriptCaching,
  prefetchScriptOf,
  prefetchScriptType,
} from '../../prefetchd/wire/prefetch-script.ts';
import {
  speculationRulesOf,
  speculationRulesType,
} from '../../prefetchd/wire/speculation-rules.ts';
import { webVitals } from '../../process/web-vitals.ts';
import type { Request } from '../listen/handler.ts';
import { plainAnswer, textAnswer } from '../listen/plain-answer.ts';
import { rulesPath } from './hint-fields.ts';
import type { CheckedHintsOptions } from './hint-options.ts';
import type { HookedResponse } from './response-hooks.ts';
import type { Middleware } from './visit.ts';
import type { Visited } from './visited.ts';

/** A request for one of the middleware's own paths. */
interface OwnRequest {
  readonly req: Request;
  readonly res: HookedResponse;
  /** Path and query of the request, including the path on which the middleware is mounted. */
  readonly target: string;
  readonly visited: Visited;
}

/** Answers a request for a path of the middleware's own; returns false if the site is to answer it instead. */
type OwnAnswer = (asked: OwnRequest, middleware: Middleware) => boolean;

const text =
  (type: string, caching: string, bodyOf: () => string): OwnAnswer =>
  ({ req, res }) => {
    textAnswer(req, res, { type, caching }, bodyOf());
    return true;
  };

/**
 * Returns the answers of a middleware by method and path below its mount, such as `GET /speculation-rules.json`. A HEAD
 * is answered as GET.
 */
export function ownAnswers({
  speculationRules: rules,
  beacon,
}: Pick<CheckedHintsOptions, 'speculationRules' | 'beacon'>): ReadonlyMap<string, OwnAnswer> {
  const answers = new Map<string, OwnAnswer>();
  if (rules !== false) answers.set(`GET ${rulesPath}`, answerRules);
  if (typeof rules === 'string') {
    // The path of the rules is relative to that of the script, because a proxy in front may put a prefix before both.
    const up = '../'.repeat(rules.split('/').length - 2);
    const script = prefetchScriptOf(`./${up}${rulesPath.slice(1)}`);
    answers.set(
      `GET ${rules}`,
      text(prefetchScriptType, prefetchScriptCaching, () => script),
    );
  }
  if (beacon) {
    const script = () => beaconScriptOf(webVitals());
    answers.set(`GET /${beaconPath}.js`, text(beaconScriptType, beaconScriptCaching, script));
    answers.set(`POST /${beaconPath}`, (asked, middleware) => {
      void receive(asked, middleware);
      return true;
    });
  }
  return answers;
}

const answerRules: OwnAnswer = (asked, middleware) => {
  const page = new URLSearchParams(asked.target.replace(/^[^?]*/, '')).get('url');
  if (page === null) return false;
  sendRules(asked, page, middleware).catch((error: unknown) =>
    middleware.options.onFault(error, 'request'),
  );
  return true;
};

async function sendRules(
  { req, res, target, visited }: OwnRequest,
  page: string,
  middleware: Middleware,
): Promise<void> {
  const { source, options, facts, except, rules } = middleware;
  const { headers, prefix } = visited;
  const url = withoutPrefix(page, prefix) ?? '';
  if (!/^\/(?![/\\])/.test(url)) {
    plainAnswer(req, res, 400, {}, 'url must be a parameter: the path of the page');
    return;
  }
  const { method = '' } = req;
  const { learn, hint } = judgeRequest({ method, url: target, headers }, rules);
  const client = learn === 'gpc' ? null : middleware.clientOf(req, visited);
  const host = hostOfRequest(headers);
  const withFacts = (hint: Hint): Hint => {
    const noVarySearch = facts.noVarySearch(host, hint.url);
    return noVarySearch === undefined ? hint : { ...hint, noVarySearch };
  };
  let body = '{}';
  try {
    const isHinted = hint === null;
    const isShown = !isPrefetch(headers) && startOfRequest(headers, rules) !== 'elsewhere';
    const question = {
      url,
      host,
      kind: 'document',
      prefix,
      client,
      isShown,
      forRules: true,
      timeMs: options.now(),
    } as const;
    const asked = isHinted && source.hintsNow === null ? source.later(question) : null;
    await asked?.done;
    const hints = isHinted ? (source.hintsNow?.(question) ?? asked?.hints ?? []) : [];
    const isHeldBack = asked === null ? source.isHeldBack(client) : asked.isHeldBack;
    const settings = isHinted && isHeldBack === false ? source.speculation() : {};
    const { origin } = options;
    body = speculationRulesOf(hints.map(withFacts), { ...settings, origin, except, prefix });
  } catch (error) {
    options.onFault(error, 'request');
  }
  if (res.headersSent || res.destroyed) return;
  textAnswer(req, res, { type: speculationRulesType, caching: 'no-store' }, body);
}

async function receive({ req, res, visited }: OwnRequest, middleware: Middleware): Promise<void> {
  const refuse = (status: number, why: string) => plainAnswer(req, res, status, {}, why);
  if (!isOfOwnPage(visited.headers, middleware.rules))
    return refuse(403, 'beacons come from this site');
  const text = await bodyOf(req).catch(() => null);
  if (res.destroyed || res.headersSent) return;
  if (text === null) return refuse(413, `a beacon has at most ${longestBeaconBytes} bytes`);
  const beacon = readBeacon(text, visited.prefix);
  if (beacon === null) return refuse(400, 'the body must be a beacon');
  learn(req, beacon, visited, middleware);
  res.statusCode = 204;
  res.setHeader('Cache-Control', 'no-store');
  res.end();
}

function learn(req: Request, beacon: Beacon, visited: Visited, middleware: Middleware): void {
  const { source, rules, options } = middleware;
  const { headers } = visited;
  const { learn: why } = judgeRequest(
    { method: 'GET', url: beacon.page, headers },
    rules,
    'document',
  );
  const client = middleware.clientOf(req, visited);
  const host = hostOfRequest(headers);
  const site = host === undefined ? {} : { host };
  if (client === null || why !== null)
    source.dropped(why ?? 'malformed', { ...site, url: beacon.page, kind: 'document' });
  else
    for (const told of accessesOf(beacon, client, options.now())) {
      source.learn({ ...told, ...site });
    }
}

/** Reads the body of a beacon, the report that a page's script posts; returns null if it is too long. */
async function bodyOf(req: Request): Promise<string | null> {
  const body = Buffer.allocUnsafe(longestBeaconBytes);
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    if (bytes + chunk.length > body.length) return null;
    body.set(chunk, bytes);
    bytes += chunk.length;
  }
  return body.toString('utf8', 0, bytes);
}
