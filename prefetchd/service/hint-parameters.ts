// What is asked of the hints, from a query string or from fields of a body: `threshold` (p), `limit` (i),
// `kind` of the hints wanted; and for GET `url`, `client` and `shared`. Unknown and repeated parameters are
// refused: a misspelt one would be a setting silently lost.

import type { AccessKind } from '../access.ts';
import type { HintQuestion } from '../engine/prefetchd.ts';
import { Problem } from './problem.ts';

/** p, i and kind of one question. */
export type Asked = Pick<HintQuestion, 'threshold' | 'limit' | 'kind'>;

const longestClient = 512;

/** The parameters of a request target. @throws Problem `invalid-request` */
export function parametersOf(target: string, known: readonly string[]): Map<string, string> {
  const start = target.indexOf('?');
  const found = new Map<string, string>();
  if (start === -1) return found;
  for (const [name, value] of new URLSearchParams(target.slice(start + 1))) {
    if (!known.includes(name)) {
      const there = known.length === 0 ? 'none' : known.join(', ');
      throw wrong(`parameter ${shown(name)} is unknown; there are ${there}`);
    }
    if (found.has(name)) throw wrong(`parameter ${name} stands there twice`);
    found.set(name, value);
  }
  return found;
}

/** @throws Problem `invalid-request` */
export function askedByParameters(parameters: ReadonlyMap<string, string>): Asked {
  const asked: Asked = {};
  const [threshold, limit, kind] = ['threshold', 'limit', 'kind'].map((name) =>
    parameters.get(name),
  );
  if (threshold !== undefined) {
    asked.threshold = numberIn(threshold) ?? fail('threshold', 'a number', threshold);
  }
  if (limit === 'inf') asked.limit = null;
  else if (limit !== undefined) {
    asked.limit = numberIn(limit) ?? fail('limit', 'a whole number, or inf', limit);
  }
  if (kind !== undefined) asked.kind = kindIn(kind);
  return asked;
}

/** From fields of a body; `kind` only where it is not that of an access. @throws Problem `invalid-request` */
export function askedByFields(body: Readonly<Record<string, unknown>>, withKind: boolean): Asked {
  const asked: Asked = {};
  if (Object.hasOwn(body, 'threshold')) {
    const { threshold } = body;
    asked.threshold =
      typeof threshold === 'number' ? threshold : fail('threshold', 'a number', threshold);
  }
  if (Object.hasOwn(body, 'limit')) {
    const { limit } = body;
    const isLimit = limit === null || typeof limit === 'number';
    asked.limit = isLimit ? limit : fail('limit', 'a whole number, or null', limit);
  }
  if (withKind && Object.hasOwn(body, 'kind')) asked.kind = kindIn(body.kind);
  return asked;
}

/** @throws Problem `invalid-request` */
export function urlAndClient(parameters: ReadonlyMap<string, string>): {
  url: string;
  client?: string;
} {
  const [url, client] = [parameters.get('url'), parameters.get('client')];
  if (url === undefined || url === '') throw wrong('url must be a parameter: the page asked for');
  if (client === undefined) return { url };
  if (client === '' || client.length > longestClient) {
    throw wrong(`client must have 1 to ${longestClient} characters, not ${client.length}`);
  }
  return { url, client };
}

/** `shared`: the list is that for everybody, and the client is told for counting alone. @throws Problem `invalid-request` */
export function sharedByParameters(parameters: ReadonlyMap<string, string>): boolean {
  const shared = parameters.get('shared') ?? 'false';
  return (
    shared === 'true' || (shared === 'false' ? false : fail('shared', 'true or false', shared))
  );
}

function numberIn(text: string): number | undefined {
  return /^(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})$/.test(text) ? Number(text) : undefined;
}

function kindIn(value: unknown): AccessKind {
  return value === 'document' || value === 'object'
    ? value
    : fail('kind', 'document or object', value);
}

function fail(name: string, rule: string, value: unknown): never {
  throw wrong(`${name} must be ${rule}, not ${shown(value)}`);
}

function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'an object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
}

function wrong(detail: string): Problem {
  return new Problem('invalid-request', detail);
}
