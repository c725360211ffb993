// What a packet carries, where it can be read: the first line of an HTTP message, or the kind of a TLS record. Foreign
// text: printable and short.

import { clipMiddle, printableText } from '../report/printable.ts';

const mostLineBytes = 400;
const mostCharacters = 60;
// A long path may go on behind what is looked at.
const request = /^([A-Z]{3,16}) (\S{1,400})(?: HTTP\/\d(?:\.\d)?\r?\n|(?<=\S{300})$)/;
const furtherRequest = /\n\r?\n(?=[A-Z]{3,16} \S{1,2000} HTTP\/\d)/g;
const response = /^HTTP\/\d(?:\.\d)? (\d{3}(?: [^\r\n]{0,100})?)\r?\n/;
const records = new Map([
  [20, 'TLS change of cipher'],
  [21, 'TLS alert'],
  [22, 'TLS handshake'],
  [23, 'TLS data'],
]);

/** `GET /a.gif`, `GET /a.gif and 3 more`, `200 OK`, `TLS data`; null: none of these begins here. */
export function contentOf(payload: Buffer, direction: 'up' | 'down'): string | null {
  if (payload.length < 3) return null;
  if (payload.readUInt8(1) === 3) return records.get(payload.readUInt8(0)) ?? null;
  if (direction === 'down') {
    const [, status] = response.exec(payload.toString('latin1', 0, 200)) ?? [];
    return status === undefined ? null : shown(status);
  }
  const [, method, path] = request.exec(payload.toString('latin1', 0, mostLineBytes)) ?? [];
  if (method === undefined || path === undefined) return null;
  const more = payload.toString('latin1', 0, 65_536).match(furtherRequest)?.length ?? 0;
  return `${shown(`${method} ${path}`)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A copy, because a part of a string keeps the whole. */
function shown(text: string): string {
  return Buffer.from(clipMiddle(printableText(text), mostCharacters)).toString();
}
