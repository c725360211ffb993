// Which fields of a client's request the site gets from within: all that says who asks, nothing about the connection.
// A part is asked for as the client would ask for it alone, without a condition.

import { splitMembers } from '../../http/field-syntax.ts';
import { fieldValue, type HeaderPair, withField, withoutFields } from '../../http/header-pairs.ts';
import { hopByHop } from '../../http/hop-by-hop.ts';
import { acceptEncoding } from '../../loader/response/content-coding.ts';
import type { Request } from '../listen/handler.ts';

const ofTheConnection = new Set([
  ...hopByHop,
  ...['get-all', 'hold-line', 'http2-settings', 'expect', 'content-length', 'trailer'],
]);

const ofTheDocument = new Set([
  ...['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'],
  ...['upgrade-insecure-requests', 'priority', 'referer'],
  ...['sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-user'],
]);

const codings = new Set(['accept-encoding']);

export function documentFields({ headers, rawHeaders }: Request): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!name.startsWith(':')) pairs.push([name, value]);
  }
  const fields = withReadableCodings(withoutFields(pairs, ofTheConnection));
  const authority = headers[':authority'];
  const isNameless = headers.host === undefined || headers.host === '';
  return isNameless && typeof authority === 'string'
    ? withField(fields, 'Host', authority)
    : fields;
}

/** @param page Absolute URL */
export function partFields(document: readonly HeaderPair[], page: string, isImage: boolean) {
  const own = withField(withoutFields(document, ofTheDocument), 'Referer', page);
  return isImage ? withoutFields(own, codings) : own;
}

const readable = new Set(['identity', '*', ...acceptEncoding.split(', ')]);

/** Without codings that are not decoded here: a document in one of them could not be read for its resources. */
function withReadableCodings(fields: HeaderPair[]): HeaderPair[] {
  const { members } = splitMembers(fieldValue(fields, 'accept-encoding'));
  const kept = members.filter((member) => readable.has(nameOf(member)));
  if (kept.length === members.length) return fields;
  const others = withoutFields(fields, codings);
  return kept.length === 0 ? others : [...others, ['Accept-Encoding', kept.join(', ')]];
}

const nameOf = (member: string) => (member.split(';')[0] ?? '').trim().toLowerCase();
