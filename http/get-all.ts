// The Get-All field (Padmanabhan 1995, 5.1, where it is a method): `?1`, a Boolean Item (RFC 9651 3.3.6). In a request,
// it asks for a document and the resources that the document names in one multipart/mixed response; in a response, it
// says that the server knows the field. Its parameter `held`, a Byte Sequence, has a tag for each response of this
// origin that the client holds.

import { createHash } from 'node:crypto';
import { parseItem } from './structured-fields.ts';

/** Limit on the tags, each for a response that the client holds, that are read from one field; more are ignored. */
export const mostHeldTags = 256;

/** Length of the tag for a response that the client holds, bytes. */
const tagBytes = 6;
const longestField = 4 * 1024;

/**
 * Returns the tag that stands for a stored response in the field's parameter `held`, as hexadecimal digits.
 * @param target Path and query, as in the request target.
 * @param etag The response's ETag, as received.
 */
export function heldTag(target: string, etag: string): string {
  const digest = createHash('sha256').update(`${target}\n${etag}`).digest();
  return digest.toString('hex', 0, tagBytes);
}

/** Writes the value of the Get-All field of a request. @param held Tags of the responses that the client has stored
 *  (`heldTag`); those beyond `mostHeldTags` are left out. */
export function getAllField(held: readonly string[]): string {
  if (held.length === 0) return '?1';
  const bytes = Buffer.from(held.slice(0, mostHeldTags).join(''), 'hex');
  return `?1;held=:${bytes.toString('base64')}:`;
}

/** Reads a value of the Get-All field. @returns The tags in its parameter `held`; null for a value that counts as no
 *  field, because it is empty, malformed or `?0`. */
export function parseGetAll(value: string): ReadonlySet<string> | null {
  if (value === '?1') return new Set();
  if (value === '' || value.length > longestField) return null;
  const item = parseItem(value);
  if (item?.value !== true) return null;
  const held = item.parameters.get('held');
  return Buffer.isBuffer(held) ? tagsOf(held) : new Set();
}

function tagsOf(bytes: Buffer): ReadonlySet<string> {
  const tags = new Set<string>();
  if (bytes.length % tagBytes !== 0) return tags;
  const end = Math.min(bytes.length, mostHeldTags * tagBytes);
  for (let at = 0; at < end; at += tagBytes) tags.add(bytes.toString('hex', at, at + tagBytes));
  return tags;
}
