// Judges whether a response may be a dictionary, and may be coded with one: only if it is the same for everyone who
// asks for its URL. What is compressed together leaks through its length (BREACH), so a response with bytes for one
// visitor neither is a dictionary nor is coded with one (RFC 9842 9.2). Pure.

import { CacheDirectives } from '../../http/cache-directives.ts';
import { writeDictionaryUse } from '../../http/compression-dictionary.ts';
import { nameList, partsOf } from '../../http/field-syntax.ts';

/** Returns the value of a field whose name is given in lower case; '' if the field is absent. */
type Field = (name: string) => string;

export interface Sizes {
  minResponseBytes: number;
  maxResponseBytes: number;
}

/** Media types worth compressing with a dictionary, each with its fetch destinations. */
const destinations: readonly [type: RegExp, destinations: readonly string[]][] = [
  [/^(?:text\/html|application\/xhtml\+xml)(?:;|$)/i, ['document', 'frame', 'iframe']],
  [/^text\/css(?:;|$)/i, ['style']],
  [/^(?:text|application)\/javascript(?:;|$)/i, ['script']],
  [/^application\/(?:[a-z.-]+\+)?json(?:;|$)/i, []],
];

/** Content codings that are removed from a response before it is compressed with a dictionary. */
const removable = new Set(['', 'identity', 'gzip', 'x-gzip', 'br', 'zstd', 'deflate']);

/** Returns whether a response may be, or use, a dictionary: the same for all, transformable, worth compressing. */
export function isFit(status: number, request: Field, response: Field, sizes: Sizes): boolean {
  if (status !== 200 || response('content-range') !== '') return false;
  if (!removable.has(response('content-encoding').toLowerCase())) return false;
  if (destinationsOf(response('content-type')) === undefined) return false;
  const length = response('content-length');
  const isCoded = response('content-encoding') !== '';
  if (length !== '' && Number(length) > sizes.maxResponseBytes) return false;
  if (length !== '' && !isCoded && Number(length) < sizes.minResponseBytes) return false;
  return isForAll(request, response) && isReadable(request);
}

function isForAll(request: Field, response: Field): boolean {
  if (response('set-cookie') !== '') return false;
  const said = new CacheDirectives(response('cache-control'));
  if (['private', 'no-store', 'no-transform'].some((name) => said.has(name))) return false;
  const vary = nameList(response('vary'));
  if (['*', 'cookie', 'authorization'].some((name) => vary.includes(name))) return false;
  // Unless the site permits it, a response to a request with credentials may be for that visitor alone (RFC 9111 3.5).
  const isKnown = request('cookie') !== '' || request('authorization') !== '';
  if (isKnown) return said.has('public') || said.has('s-maxage');
  const hasValidator = response('etag') !== '' || response('last-modified') !== '';
  return hasValidator || ['public', 's-maxage', 'max-age'].some((name) => said.has(name));
}

/** Returns whether the requesting page can read the response (RFC 9842 9.3.2). */
function isReadable(request: Field): boolean {
  const mode = request('sec-fetch-mode');
  return (
    request('sec-fetch-site') === 'same-origin' || ['', 'navigate', 'same-origin'].includes(mode)
  );
}

/** Returns the fetch destinations of a media type; undefined if it is not worth compressing with a dictionary. */
function destinationsOf(contentType: string): readonly string[] | undefined {
  return destinations.find(([type]) => type.test(contentType))?.[1];
}

/**
 * Returns the value of Use-As-Dictionary: a response is a dictionary for other responses of its kind (page, style
 * sheet, script) in its folder and below. Returns null if the folder cannot be written as a pattern.
 * @param path path of the request, with its query
 */
export function useOf(path: string, contentType: string): string | null {
  const folder = /^\/(?:[^?#]*\/)?/.exec(path)?.[0] ?? '';
  // A folder with others than `\w/.~%-` gives no pattern: they are pattern syntax, or can be written in several ways.
  if (!/^\/[\w/.~%-]*$/.test(folder) || folder.length > 512) return null;
  const wanted = destinationsOf(contentType) ?? [];
  return writeDictionaryUse({ match: `${folder}*`, destinations: wanted, id: '' });
}

/** Returns the value of Vary, with the fields on which compression with a dictionary depends (RFC 9842 6.2). */
export function varyOf(vary: string): string {
  const names = nameList(vary);
  const missing = ['Accept-Encoding', 'Available-Dictionary'].filter(
    (name) => !names.includes('*') && !names.includes(name.toLowerCase()),
  );
  return [...(vary === '' ? [] : [vary]), ...missing].join(', ');
}

/** Returns a weak ETag: the compressed response has the same meaning, but other bytes (RFC 9110 8.8.1, 8.8.3.3). */
export function weak(etag: string): string {
  return etag.startsWith('"') ? `W/${etag}` : etag;
}

/** Returns whether Accept-Encoding lists the coding with a weight above 0; `*` does not count (RFC 9842 6.1). */
export function accepts(acceptEncoding: string, coding: string): boolean {
  return nameList(acceptEncoding)
    .map((member) => partsOf(member, ';'))
    .some(([name, ...rest]) => name === coding && !rest.some((one) => /^q=0(?:\.0*)?$/.test(one)));
}
