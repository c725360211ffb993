// Decides by status and header section how to treat a response: the stored response is used in its place, or it is a
// server error, a range, or used as it is. All code that distinguishes these cases asks here. The page may still see a
// different response, namely the stored one.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { StoredRange } from '../cache/entry.ts';
import type { CachedResponse, Validation } from '../cache/http-cache.ts';
import { soundRange } from '../cache/policy/ranges.ts';
import { isUnder } from '../cache/policy/validators.ts';
import type { LoaderError } from '../errors.ts';
import type { PlanRange, RequestPlan } from '../request/request-plan.ts';

export type Verdict =
  /** The stored response is still valid (RFC 9110 15.4.5). */
  | { kind: 'not-modified'; validation: Validation }
  /** A server error that a stored response may replace (RFC 5861 4). */
  | { kind: 'stale-if-error'; stored: CachedResponse }
  /** The response is the requested range of bytes, or a shorter one (RFC 9110 15.3.7). */
  | { kind: 'part'; range: StoredRange }
  /** The response is unusable, and the request is repeated without conditions and ranges. */
  | { kind: 'unusable' }
  /** The response is used as received: it is complete, an error, or a redirect. */
  | { kind: 'as-is' };

/** What was asked for (a validation, a range), which decides how the response is treated. */
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
  // A 416 says that the requested range is not satisfiable (RFC 9110 15.5.17).
  return { kind: range !== null && status === 416 ? 'unusable' : 'as-is' };
}

/** The highest valid status. Higher values are invalid and count as server errors (RFC 9110 15). */
export const lastStatus = 599;

/** Describes a response with status 400 or more. */
export function statusFault(status: number, statusText: string): string {
  const shown = `${status} ${statusText}`.trim();
  if (status <= lastStatus) return shown;
  return `${shown}: no valid status (100 to ${lastStatus}), taken as a server error`;
}

/** Returns the stored response to use in place of one that failed with `error`; null: none may be used. */
export function inPlaceOf(error: LoaderError, { validation }: AskedHow): CachedResponse | null {
  // Stale responses may be used only when disconnected (RFC 9111 4.2.4), and our own cancellation is no disconnection.
  const isOurs = ['aborted', 'page-timeout', 'loader-closed'].includes(error.code);
  return isOurs ? null : (validation?.staleIfError ?? null);
}

/**
 * Whether a 206 carries the requested range (RFC 9110 14.4). A server may send a shorter range, but no other one.
 * @param total Length of the representation; null: it was unknown before.
 */
export function answersRange(came: StoredRange, asked: PlanRange, total: number | null): boolean {
  if (came.first !== asked.first) return false;
  if (asked.last !== null && came.last > asked.last) return false;
  return total === null || came.total === total;
}
