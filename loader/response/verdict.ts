// What a response is to the request it answers, told by its status and header section alone: the stored
// response stands, the server failed, a part came, or it is to be used as it is. All that treat these
// differently ask here. (What the page sees in the end may be another one: the stored response.)

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { StoredRange } from '../cache/entry.ts';
import type { CachedResponse, Validation } from '../cache/http-cache.ts';
import { isUnder } from '../cache/policy/if-range.ts';
import { soundRange } from '../cache/policy/ranges.ts';
import type { LoaderError } from '../errors.ts';
import type { RequestPlan } from '../request/request-plan.ts';
import { answersRange } from './content-range.ts';

export type Verdict =
  /** What was stored stands (RFC 9110 15.4.5). */
  | { kind: 'not-modified'; validation: Validation }
  /** An error of the server's, in place of which a stored response may be used (RFC 5861 4). */
  | { kind: 'stale-if-error'; stored: CachedResponse }
  /** The part that was asked for, or less of it (RFC 9110 15.3.7). */
  | { kind: 'part'; range: StoredRange }
  /** It cannot be used: ask again, without conditions and ranges. */
  | { kind: 'unusable' }
  /** As it came: whole, or an error, or a redirect. */
  | { kind: 'as-is' };

/** How a request was asked, as far as its answer depends on it. */
export type AskedHow = Pick<RequestPlan, 'validation' | 'range' | 'total' | 'ifRange'>;

export function verdictOn(
  { validation, range, total, ifRange }: AskedHow,
  { status, headers }: { status: number; headers: readonly HeaderPair[] },
): Verdict {
  if (validation !== null && status === 304) return { kind: 'not-modified', validation };
  const stored = validation?.staleIfError ?? null;
  if (stored !== null && status >= 500) return { kind: 'stale-if-error', stored };
  if (range !== null && status === 206) {
    const came = soundRange(headers);
    const isSame = ifRange === null || isUnder(ifRange, headers);
    const isPart = came !== null && isSame && answersRange(came, range, total);
    return isPart ? { kind: 'part', range: came } : { kind: 'unusable' };
  }
  // RFC 9110 15.5.17: there are no such bytes.
  return { kind: range !== null && status === 416 ? 'unusable' : 'as-is' };
}

/** The last status of the last class; a higher one is invalid, and counts as a server error (RFC 9110 15). */
export const lastStatus = 599;

/** What is wrong with a response of 400 or more. */
export function statusFault(status: number, statusText: string): string {
  const shown = `${status} ${statusText}`.trim();
  if (status <= lastStatus) return shown;
  return `${shown}: no valid status (100 to ${lastStatus}), taken as a server error`;
}

/** What may be used where no response came, or none to its end; null: nothing. */
export function inPlaceOf(error: LoaderError, { validation }: AskedHow): CachedResponse | null {
  // RFC 9111 4.2.4: disconnected; what we gave up ourselves is not.
  const isOurs = ['aborted', 'page-timeout', 'loader-closed'].includes(error.code);
  return isOurs ? null : (validation?.staleIfError ?? null);
}
