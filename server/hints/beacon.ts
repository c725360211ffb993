// Serves the beacon: its script at /prefetch-beacon.js, and the path that the script posts to, /prefetch-beacon
// (prefetchd/wire/beacon.ts). A page that says it is shown reveals a visit that the server did not see, and credits the
// hint that led there. A forged beacon can do no more harm than a forged page view, because the same rules and limits
// apply.

import {
  type EligibilityRules,
  hostOfRequest,
  isOfOwnPage,
  judgeRequest,
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
import { webVitals } from '../../process/web-vitals.ts';
import type { Request, Response } from '../listen/handler.ts';
import { plainAnswer, textAnswer } from '../listen/plain-answer.ts';
import type { HintSource } from './source.ts';
import { mountOf, type Visited } from './visited.ts';

export interface BeaconReceiver {
  readonly source: HintSource;
  readonly rules: EligibilityRules;
  readonly now: () => number;
  clientOf(req: Request, visited: Visited): string | null;
}

/**
 * Answers a request for the beacon's script, or a request that this script posts.
 * @returns true if the request was one of these
 */
export function answerBeacon(
  req: Request,
  res: Response,
  target: string,
  visited: Visited,
  receiver: BeaconReceiver,
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
  void receive(req, res, visited, receiver);
  return true;
}

async function receive(
  req: Request,
  res: Response,
  visited: Visited,
  receiver: BeaconReceiver,
): Promise<void> {
  const refuse = (status: number, why: string) => plainAnswer(req, res, status, {}, why);
  if (!isOfOwnPage(visited.headers, receiver.rules))
    return refuse(403, 'beacons come from this site');
  const text = await bodyOf(req).catch(() => null);
  if (res.destroyed || res.headersSent) return;
  if (text === null) return refuse(413, `a beacon has at most ${longestBeaconBytes} bytes`);
  const beacon = readBeacon(text, visited.prefix);
  if (beacon === null) return refuse(400, 'the body must be a beacon');
  learn(req, beacon, visited, receiver);
  res.statusCode = 204;
  res.setHeader('Cache-Control', 'no-store');
  res.end();
}

function learn(req: Request, beacon: Beacon, visited: Visited, receiver: BeaconReceiver): void {
  const { source, rules } = receiver;
  const { headers } = visited;
  const { learn: why } = judgeRequest(
    { method: 'GET', url: beacon.page, headers },
    rules,
    'document',
  );
  const client = receiver.clientOf(req, visited);
  const host = hostOfRequest(headers);
  const site = host === undefined ? {} : { host };
  if (client === null || why !== null)
    source.dropped(why ?? 'malformed', { ...site, url: beacon.page, kind: 'document' });
  else
    for (const told of accessesOf(beacon, client, receiver.now())) {
      source.learn({ ...told, ...site });
    }
}

/** Reads the text of a beacon; returns null if it is too long. */
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
