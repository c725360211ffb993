// The header fields of a response that are stored (RFC 9111 3.1).

import { nameList } from '../../../http/field-syntax.ts';
import { fieldValue, type HeaderPair, withoutFields } from '../../../http/header-pairs.ts';
import { hopByHop } from '../../../http/hop-by-hop.ts';
import { responseDirectives } from './response-directives.ts';

/**
 * Fields that change the meaning of the stored response; they are kept even if named in `Connection` or `no-cache`.
 */
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
 * Drops hop-by-hop fields and those that `Connection` and `no-cache="..."` name; a shared cache also drops cookies,
 * which belong to one user, and the fields that `private="..."` names.
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
