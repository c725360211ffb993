// What an entry counts against the caps of a store, and which entry it replaces: the same for every store.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { LoaderError } from '../errors.ts';
import type { NewEntry } from './entry.ts';

type Counted = Pick<NewEntry, 'url' | 'vary' | 'headers'>;

/** Bytes of the body, of the URL, and of the fields as text: `name: value CRLF`. */
export function bytesOf({ url, vary, headers }: Counted, bodyBytes: number): number {
  return bodyBytes + url.length + fieldBytes(headers) + fieldBytes(vary);
}

function fieldBytes(fields: HeaderPair[]): number {
  let bytes = 0;
  for (const [name, value] of fields) bytes += name.length + value.length + 4;
  return bytes;
}

/** Entries of one URL with the same variant give way to each other. */
export function variantOf({ vary, range }: Pick<NewEntry, 'vary' | 'range'>): string {
  if (vary.length === 0 && range === null) return '';
  return JSON.stringify([vary, range && [range.first, range.last, range.total]]);
}

/** @throws LoaderError `invalid-option` */
export function checkLimit(name: string, value: unknown, least: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= least) return;
  const text = `${name} must be a whole number of at least ${least}; got ${String(value)}`;
  throw new LoaderError('invalid-option', text);
}

/** @throws LoaderError `invalid-option` */
export function checkNames(what: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) {
    const text = `the options of ${what} must be an object; got ${String(given)}`;
    throw new LoaderError('invalid-option', text);
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const text = `${what} has no option ${JSON.stringify(name)}, only ${known.join(', ')}`;
    throw new LoaderError('invalid-option', text);
  }
}

/** @throws LoaderError `loader-closed` */
export function checkOpen(isClosed: boolean): void {
  if (isClosed) throw new LoaderError('loader-closed', 'the cache store is closed; open another');
}
