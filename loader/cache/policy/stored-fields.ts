// Which header fields of a response are kept (RFC 9111 3.1).

import { nameList } from '../../../http/field-syntax.ts';
import { fieldValue, type HeaderPair, withoutFields } from '../../../http/header-pairs.ts';
import { hopByHop } from '../../../http/hop-by-hop.ts';
import { responseDirectives } from './response-directives.ts';

/** Without these a stored response would mean something else: nobody may name them away. */
const neverDropped = new Set([
  'age',
  'cache-control',
  'cdn-cache-control',
  'content-encoding',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'vary',
]);

/**
 * Not kept: what is about the connection, what `Connection` and `no-cache="..."` name, and in a shared cache
 * cookies, which are one person's, and what `private="..."` names.
 */
export function fieldsToStore(headers: HeaderPair[], shared: boolean): HeaderPair[] {
  const directives = responseDirectives(headers, shared);
  const named = [
    ...nameList(fieldValue(headers, 'connection')),
    ...directives.fieldNames('no-cache'),
    ...(shared ? directives.fieldNames('private') : []),
  ].filter((name) => !neverDropped.has(name));
  const cookies = shared ? ['set-cookie', 'set-cookie2'] : [];
  return withoutFields(headers, new Set([...hopByHop, 'trailer', ...cookies, ...named]));
}
