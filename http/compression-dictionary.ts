// Reads and writes the fields and the head of Compression Dictionary Transport (RFC 9842). A dictionary is a response
// that the client stored; it is named by the SHA-256 of its decoded body.

import { createHash } from 'node:crypto';
import { quoted } from './field-syntax.ts';
import { parseDictionary, WrittenItem } from './structured-fields.ts';

/** The content coding Zstandard with a dictionary (RFC 9842 5). */
export const dcz = 'dcz';

/** First bytes of a body in `dcz`: the head of a skippable frame (RFC 8878 3.1.2) that holds the dictionary's hash. */
const frame = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 0x20, 0, 0, 0]);

/** Length of the header before the compressed bytes of a body in `dcz`, bytes. */
export const dczHeadBytes = frame.length + 32;

/** Magic number of trained dictionaries. RFC 9842 has raw dictionaries only, but decoders check for this number. */
const trainedMagic = Buffer.from([0x37, 0xa4, 0x30, 0xec]);

/** Returns whether bytes can be a raw dictionary: decoders take bytes with the magic number for a trained one. */
export function isRawDictionary(bytes: Buffer): boolean {
  return bytes.length > 0 && !bytes.subarray(0, 4).equals(trainedMagic);
}

/** Returns the SHA-256 of bytes in base64, as in Available-Dictionary. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** Writes the header before a body in `dcz`. @param hash Hash of the dictionary, in base64 */
export function writeDczHead(hash: string): Buffer {
  return Buffer.concat([frame, Buffer.from(hash, 'base64')]);
}

/** Reads the header before a body in `dcz`. @returns The hash of the dictionary, in base64; null if these bytes are no
 *  such header. */
export function readDczHead(head: Buffer): string | null {
  if (head.length !== dczHeadBytes || !head.subarray(0, frame.length).equals(frame)) return null;
  return head.toString('base64', frame.length);
}

export function writeAvailableDictionary(hash: string): string {
  return `:${hash}:`;
}

/** Reads a value of Available-Dictionary. @returns The hash in base64; null if it is not a byte sequence of 32
 *  bytes. */
export function readAvailableDictionary(value: string): string | null {
  const [, hash = null] = /^[ \t]*:([A-Za-z0-9+/]{43}=):[ \t]*$/.exec(value) ?? [];
  return hash;
}

/** What Use-As-Dictionary says: for which requests this response may serve as a dictionary (RFC 9842 2.1). */
export interface DictionaryUse {
  /** URL pattern of the requests that the dictionary is for, relative to the dictionary's URL. */
  match: string;
  /** Fetch destinations of the requests that the dictionary is for; []: any. */
  destinations: readonly string[];
  /** The ID that clients send back as Dictionary-ID; '' for none. */
  id: string;
}

/** Length above which a value of a dictionary field is ignored, characters. */
const mostCharacters = 4096;
/** Longest ID of a dictionary (RFC 9842 2.1.3), characters. */
const mostIdCharacters = 1024;

export function writeDictionaryUse({ match, destinations, id }: DictionaryUse): string {
  const dest =
    destinations.length === 0 ? '' : `, match-dest=(${destinations.map(quoted).join(' ')})`;
  return `match=${quoted(match)}${dest}${id === '' ? '' : `, id=${quoted(id)}`}`;
}

/** Reads a value of Use-As-Dictionary. @returns null if it is malformed, has no `match`, or its type is not `raw`. */
export function readDictionaryUse(value: string): DictionaryUse | null {
  if (value.length > mostCharacters) return null;
  const members = parseDictionary(value);
  const bare = (name: string) => members?.get(name)?.value;
  const match = bare('match');
  const id = bare('id') ?? '';
  const list = bare('match-dest') ?? [];
  const type = bare('type') ?? 'raw';
  if ((type instanceof WrittenItem ? type.text : type) !== 'raw') return null;
  if (typeof match !== 'string' || typeof id !== 'string' || !Array.isArray(list)) return null;
  const destinations = list.map((item) => item.value);
  if (!destinations.every((item) => typeof item === 'string')) return null;
  return { match, destinations, id: id.length > mostIdCharacters ? '' : id };
}
