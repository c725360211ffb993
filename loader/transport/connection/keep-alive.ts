// Decides how long an idle HTTP/1.x connection is used, and for how many requests, by the Keep-Alive of its server.

import { splitMembers, unquote } from '../../../http/field-syntax.ts';
import { fieldValue, type HeaderPair } from '../../../http/header-pairs.ts';

/** Longest time that Keep-Alive gives an idle connection, seconds; longer ones are reduced to it. */
const longestSeconds = 3600;

/** How long one connection may be kept open, by Keep-Alive. A subclass may read and send further header fields. */
export class KeepAlive {
  /** Number of requests that the connection may carry in total, as announced by the server (Keep-Alive: max). */
  mayCarry = Number.POSITIVE_INFINITY;
  /** Whether the server is asked to keep the connection open where HTTP/1.0 closes it. */
  readonly mayHold: boolean = false;
  readonly #onOver: () => void;
  /** Seconds for which an idle connection stays open, as last stated by the server; null: it stated none. */
  #seconds: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic time when the connection must no longer be used, ms. */
  #overAt = Number.POSITIVE_INFINITY;

  /** @param onOver Called when the time for which the connection may be idle is over, so that it has to be closed. */
  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  /** Whether the time for which the idle connection may be used is over, by the clock, as its timer may be late. */
  get isOver(): boolean {
    return performance.now() >= this.#overAt;
  }

  /**
   * Ends the idle time, because a request is sent on the idle or newly opened connection.
   * @param _isLast Whether no other request will follow.
   */
  sent(_isLast: boolean): void {
    this.#stop();
  }

  /** Returns the header fields by which a request asks to keep the connection open: none here, in a subclass some. */
  fields(_isLast: boolean): HeaderPair[] {
    return [];
  }

  /** Reads the Keep-Alive field of a response. @param place Number of the response on its connection, from 1. */
  replied(headers: readonly HeaderPair[], place: number): void {
    this.granted(parseKeepAlive(fieldValue(headers, 'keep-alive')), place);
  }

  protected granted({ seconds, more }: Granted, place: number): void {
    if (seconds !== null) this.#seconds = seconds;
    if (more !== null) this.mayCarry = place + more;
  }

  /**
   * Starts the time for which the connection may be idle, when all responses are complete.
   * @param mostMs Longest idle time that the client itself allows.
   * @returns Whether the connection may be used again.
   */
  idle(roundTripMs: number, mostMs = Number.POSITIVE_INFINITY): boolean {
    const seconds = this.#seconds ?? Number.POSITIVE_INFINITY;
    const leftMs = Math.min(usableMs(seconds, roundTripMs), mostMs);
    if (leftMs <= 0) return false;
    if (leftMs === Number.POSITIVE_INFINITY) return true;
    this.#overAt = performance.now() + leftMs;
    this.#timer = setTimeout(() => this.timeOver(), leftMs).unref();
    return true;
  }

  protected timeOver(): void {
    this.#onOver();
  }

  /** Stops the timer, as the connection has ended, idle or with requests in flight. */
  closed(): void {
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#overAt = Number.POSITIVE_INFINITY;
  }
}

/**
 * Returns how long an idle connection may be used after its last response, ms. One round trip is subtracted, because
 * the server began to count half a round trip earlier, and a request takes half of one to reach it. As timers are
 * coarse and packets may be late, another tenth of the time is subtracted, at most a second.
 */
export function usableMs(seconds: number, roundTripMs: number): number {
  const wholeMs = 1000 * seconds;
  return Math.max(0, wholeMs - roundTripMs - Math.min(1000, wholeMs / 10));
}

export interface Granted {
  /** Seconds for which an idle connection stays open; null: not stated. */
  seconds: number | null;
  /** Number of requests that the connection accepts after this one; null: not stated. */
  more: number | null;
}

/**
 * Parses the Keep-Alive field (RFC 2068 19.7.1.1): `timeout=5, max=100`. Apache, nginx and Node send it without being
 * asked; the server closes a connection that was idle for `timeout` seconds, and any after `max` more requests.
 * All lines of the field are given, joined. The lowest of several values applies; a value that is not a whole number is
 * ignored.
 */
export function parseKeepAlive(value: string): Granted {
  const said: Granted = { seconds: null, more: null };
  for (const member of splitMembers(value).members) {
    const [, name, written = ''] = /^(timeout|max)\s*=\s*(.*)$/is.exec(member) ?? [];
    const digits = unquote(written.trim()) ?? '';
    if (name === undefined || !/^\d+$/.test(digits)) continue;
    if (name.toLowerCase() === 'timeout') {
      said.seconds = Math.min(Number(digits), said.seconds ?? longestSeconds);
    } else {
      said.more = Math.min(Number(digits), said.more ?? Number.MAX_SAFE_INTEGER);
    }
  }
  return said;
}
