// Serves what `hints()` answers itself, at paths of the site.
//
// The speculation rules document of a page is at `/speculation-rules.json?url=%2Fpage`. The browser that shows the page
// fetches the document, whatever cache the page came from; the document is not cached. This request is a sign that the
// page is shown, and the only sign if the page was prefetched. This file also serves the script that does the same in
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
import type { Request, Response } from '../listen/handler.ts';
import { plainAnswer, textAnswer } from '../listen/plain-answer.ts';
import { rulesPath } from './hint-fields.ts';
import type { CheckedHintsOptions } from './hint-options.ts';
import type { HookedResponse } from './response-hooks.ts';
import type { Middleware } from './visit.ts';
import { mountOf, type Visited } from './visited.ts';

/** Returns the page whose speculation rules are requested; null: the request is another one, or lacks `url`. */
export function rulesTarget(
  req: Request,
  target: string,
  rules: CheckedHintsOptions['speculationRules'],
): string | null {
  if (rules === false || (req.method !== 'GET' && req.method !== 'HEAD')) return null;
  const path = mountOf(req) + rulesPath;
  if (!target.startsWith(path)) return null;
  const rest = target.slice(path.length);
  return rest.startsWith('?') ? new URLSearchParams(rest).get('url') : null;
}

/** The visitor who asks for speculation rules. `client` is null if unknown; `isHinted`: no bot, no Save-Data. */
export interface RulesAsker {
  readonly client: string | null;
  readonly isHinted: boolean;
  readonly visited: Visited;
}

export async function answerRules(
  req: Request,
  res: HookedResponse,
  page: string,
  { source, options, facts, except, rules }: Middleware,
  { client, isHinted, visited: { headers, prefix } }: RulesAsker,
): Promise<void> {
  const url = withoutPrefix(page, prefix) ?? '';
  if (!/^\/(?![/\\])/.test(url)) {
    plainAnswer(req, res, 400, {}, 'url must be a parameter: the path of the page');
    return;
  }
  const { origin, onFault, now } = options;
  const host = hostOfRequest(headers);
  const withFacts = (hint: Hint): Hint => {
    const noVarySearch = facts.noVarySearch(host, hint.url);
    return noVarySearch === undefined ? hint : { ...hint, noVarySearch };
  };
  let body = '';
  try {
    const isShown = !isPrefetch(headers) && startOfRequest(headers, rules) !== 'elsewhere';
    const question = {
      url,
      host,
      prefix,
      client,
      isShown,
      forRules: true,
      kind: 'document',
      timeMs: now(),
    } as const;
    const asked = isHinted && source.hintsNow === null ? source.later(question) : null;
    await asked?.done;
    const hints = isHinted ? (source.hintsNow?.(question) ?? asked?.hints ?? []) : [];
    const isHeldBack = asked === null ? source.isHeldBack(client) : asked.isHeldBack;
    const settings = isHinted && isHeldBack === false ? source.speculation() : {};
    body = speculationRulesOf(hints.map(withFacts), { ...settings, origin, except, prefix });
  } catch (error) {
    onFault(error, 'request');
    body = '{}';
  }
  if (res.headersSent || res.destroyed) return;
  textAnswer(req, res, { type: speculationRulesType, caching: 'no-store' }, body);
}

/**
 * Serves the script for browsers without speculation rules at a path of the site's choice, so that a page only needs
 * `<script src="/prefetch.js" async></script>`.
 */
function answerScript(
  req: Request,
  res: Response,
  target: string,
  rules: CheckedHintsOptions['speculationRules'],
): boolean {
  if (typeof rules !== 'string') return false;
  if (req.method !== 'GET' && req.method !== 'HEAD') return false;
  const path = mountOf(req) + rules;
  if (!target.startsWith(path) || !['', '?'].includes(target.charAt(path.length))) return false;
  // The path of the rules is relative to that of the script, because a proxy in front may put a prefix before both.
  const up = '../'.repeat(rules.split('/').length - 2);
  const body = prefetchScriptOf(`./${up}${rulesPath.slice(1)}`);
  textAnswer(req, res, { type: prefetchScriptType, caching: prefetchScriptCaching }, body);
  return true;
}

/**
 * Answers a request for a script that hints() serves, or one that the beacon's script posts.
 * @returns true if the request was one of these
 */
export function answerOwnPath(
  req: Request,
  res: Response,
  target: string,
  visited: Visited,
  middleware: Middleware,
): boolean {
  const { beacon, speculationRules: rules } = middleware.options;
  if (answerScript(req, res, target, rules)) return true;
  return beacon && answerBeacon(req, res, target, visited, middleware);
}

function answerBeacon(
  req: Request,
  res: Response,
  target: string,
  visited: Visited,
  middleware: Middleware,
): boolean {
  const path = `${mountOf(req)}/${beaconPath}`;
  if (!target.startsWith(path)) return false;
  const rest = target.slice(path.length);
  if (rest === '.js' && (req.method === 'GET' || req.method === 'HEAD')) {
    const how = { type: beaconScriptType, caching: beaconScriptCaching };
    textAnswer(req, res, how, beaconScriptOf(webVitals()));
    return true;
  }
  if (rest !== '' || req.method !== 'POST') return false;
  void receive(req, res, visited, middleware);
  return true;
}

async function receive(
  req: Request,
  res: Response,
  visited: Visited,
  middleware: Middleware,
): Promise<void> {
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
