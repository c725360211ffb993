// Reads and writes notices of accesses that may not be learned because of their URL or response. They are sent with the
// accesses of `POST /v1/accesses`: `{"accesses": [...], "leftOut": [...]}`, in a list of their own, so that a service
// that does not know this list does not learn them. They name no client.

import { oneOf } from '../../options/kinds.ts';
import {
  looseObjectOf,
  optionWithoutDefault,
  read,
  required,
  type ValuesOf,
} from '../../options/options.ts';
import { accessHost, accessKinds, accessUrl } from '../access.ts';
import { type AccessJsonError, isRecord, mostErrors } from './access-json.ts';

export const leftOutReasons = [
  'admin',
  'authorization',
  'denied',
  'query',
  'set-cookie',
  'private',
  'no-store',
  'vary',
  'noindex',
  'not-page',
] as const;

export const denyReasons = [
  'word',
  'no-page',
  'unreadable',
  'e-mail',
  'telephone',
  'token',
  'one-time',
  'personal',
] as const;

const leftOutTable = {
  /** Why the access was not learned */
  reason: required(oneOf(leftOutReasons)),
  /** For `denied`: the rule that denied the URL */
  because: optionWithoutDefault(oneOf(denyReasons)),
  /** The URL, masked; with the reason `noindex` in full, so that a URL that was learned before is hinted no more */
  url: required(accessUrl),
  /** Kind of the URL, a document or an embedded object */
  kind: required(oneOf(accessKinds)),
  /** The host that was requested */
  host: optionWithoutDefault(accessHost),
};

export type LeftOutAccess = ValuesOf<typeof leftOutTable>;

/** An entry of a `leftOut` list: an access that was not learned, and why (LeftOutAccess in docs/openapi.json). */
export const leftOutKind = looseObjectOf(leftOutTable);

/**
 * Returns the valid entries of the list `leftOut` in a parsed body, in their order, and the first 20 errors; nothing if
 * the body has no such list.
 */
export function parseLeftOut(
  body: unknown,
  mostEntries: number,
): { leftOut: LeftOutAccess[]; errors: AccessJsonError[] } {
  const leftOut: LeftOutAccess[] = [];
  const errors: AccessJsonError[] = [];
  const report = (place: string, message: string) => {
    if (errors.length < mostErrors) errors.push({ place, message: `${place} ${message}` });
  };
  if (!isRecord(body) || !Object.hasOwn(body, 'leftOut')) return { leftOut, errors };
  const { leftOut: listed } = body;
  if (!Array.isArray(listed) || listed.length > mostEntries) {
    report('leftOut', `must be a list of at most ${mostEntries} entries`);
    return { leftOut, errors };
  }
  for (const [index, item] of listed.entries()) {
    const reading = read(leftOutKind, item);
    if ('value' in reading) leftOut.push(reading.value);
    else
      for (const { place, message } of reading.problems) {
        report([`leftOut[${index}]`, place].filter(Boolean).join('.'), message);
      }
  }
  return { leftOut, errors };
}

/** Returns the body by which `POST /v1/accesses` tells prefetchd of accesses that may not be learned. */
export function leftOutJson(leftOut: readonly LeftOutAccess[]): string {
  return JSON.stringify({ accesses: [], leftOut });
}
