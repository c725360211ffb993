// The form of a case: what a server answered before, what is asked now, and what a cache has to do then.
// Times are seconds from the start of the case.

import type { CacheRequest, CacheResponse } from '../../../../loader/cache/entry.ts';
import type { CacheMode, Lookup } from '../../../../loader/cache/http-cache.ts';

/** Several lines of one field as an array; null: without the field that would be there by itself. */
export type Fields = Record<string, string | string[] | null>;

export interface Exchange {
  request: CacheRequest;
  response: CacheResponse;
  body: string;
  mode: CacheMode;
}

export interface Question {
  at: number;
  request: CacheRequest;
  mode: CacheMode;
}

export interface Expected {
  kind: Lookup['kind'];
  /** Of a hit. */
  status?: number;
  body?: string;
  refresh?: boolean;
  /** Fields of the response, by name in lower case; null: not there. */
  fields?: Fields;
  /** Of a validation. */
  conditions?: Record<string, string>;
  usableOnError?: boolean;
}

export interface Case {
  /** RFC and section. */
  section: string;
  name: string;
  given: Exchange[];
  asked: Question;
  expected: Expected;
}

/** When every case begins: a whole second. */
export const startMs = Date.UTC(2026, 0, 15, 12);
export const url = 'http://cache.test/page';
export const content = '0123456789';

/** An HTTP-date, in seconds from the start. */
export const date = (seconds: number): string => new Date(startMs + seconds * 1000).toUTCString();

interface ExchangeOptions {
  at?: number;
  /** From request to header section. */
  took?: number;
  method?: string;
  url?: string;
  ask?: Fields;
  mode?: CacheMode;
  status?: number;
  body?: string;
}

/** An exchange in which the server answered with these fields; Date comes by itself. */
export function got(fields: Fields, options: ExchangeOptions = {}): Exchange {
  const {
    at = 0,
    took = 0,
    method = 'GET',
    status = 200,
    body = content,
    mode = 'default',
    ask = {},
  } = options;
  return {
    request: { method, url: options.url ?? url, headers: pairs(ask) },
    response: {
      status,
      statusText: 'Status',
      headers: pairs({ date: date(at + took), ...fields }),
      requestedAtMs: startMs + at * 1000,
      receivedAtMs: startMs + (at + took) * 1000,
    },
    body,
    mode,
  };
}

/** A request that comes `at` seconds. */
export function get(
  at: number,
  fields: Fields = {},
  options: { method?: string; url?: string; mode?: CacheMode } = {},
): Question {
  const { method = 'GET', mode = 'default' } = options;
  return { at, request: { method, url: options.url ?? url, headers: pairs(fields) }, mode };
}

/** The same by a cache mode of the Fetch Standard. */
export const by = (mode: CacheMode, at: number): Question => get(at, {}, { mode });

export const control = (cacheControl: string, more: Fields = {}): Fields => ({
  'cache-control': cacheControl,
  ...more,
});

export const hit: Expected = { kind: 'hit', refresh: false };
/** A hit with these fields, or this body. */
export const hitWith = (fields: Fields): Expected => ({ ...hit, fields });
export const hitOf = (body: string): Expected => ({ ...hit, body });
export const miss: Expected = { kind: 'miss' };
export const validate: Expected = { kind: 'validate', usableOnError: false };
export const unavailable: Expected = { kind: 'unavailable' };

/** An exchange, or the fields of its response, or their Cache-Control. */
export type Given = Exchange | Fields | string;
/** Asked: a request, or at how many seconds. */
export type Row = [name: string, Given | Given[], asked: Question | number, Expected];

/** Cases of one section. */
export function section(section: string, rows: Row[]): Case[] {
  return rows.map(([name, given, asked, expected]) => {
    const question = typeof asked === 'number' ? get(asked) : asked;
    return { section, name, given: [given].flat().map(exchangeOf), asked: question, expected };
  });
}

function exchangeOf(given: Given): Exchange {
  if (typeof given === 'string') return got(control(given));
  return isExchange(given) ? given : got(given);
}

const isExchange = (given: Exchange | Fields): given is Exchange => 'request' in given;

function pairs(fields: Fields): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((line): [string, string] => [name, line]),
  );
}
