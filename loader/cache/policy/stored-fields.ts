// Which header fields of a response are kept (RFC 9111 3.1).

import { nameList } from '../../../http/field-syntax.ts';
import { fieldValue, type HeaderPair, withoutFields } from '../../../http/header-pairs.ts';
import { responseDirectives } from './response-directives.ts';

/** About one connection, not about the resource (RFC 9110 7.6.1, RFC 9111 3.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

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
  return withoutFields(headers, new Set([...hopByHop, ...cookies, ...named]));
}
