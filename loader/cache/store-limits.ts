// The size of an entry, and which entry it replaces, computed in the same way for every store.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { LoaderError } from '../errors.ts';
import type { NewEntry } from './entry.ts';

type CountedEntry = Pick<NewEntry, 'url' | 'vary' | 'headers'>;

/** Length of the body, the URL, and the fields written as `name: value CRLF`, bytes. */
export function bytesOf({ url, vary, headers }: CountedEntry, bodyBytes: number): number {
  return bodyBytes + url.length + fieldBytes(headers) + fieldBytes(vary);
}

function fieldBytes(fields: HeaderPair[]): number {
  let bytes = 0;
  for (const [name, value] of fields) bytes += name.length + value.length + 4;
  return bytes;
}

/** Key of a variant: entries of one URL with the same key replace each other. */
export function variantOf({ vary, range }: Pick<NewEntry, 'vary' | 'range'>): string {
  if (vary.length === 0 && range === null) return '';
  return JSON.stringify([vary, range && [range.first, range.last, range.total]]);
}

/** @throws LoaderError `loader-closed` */
export function checkOpen(isClosed: boolean): void {
  if (isClosed) throw new LoaderError('loader-closed', 'the cache store is closed; open another');
}
