// Puts the beacon, a script that reports page views, into pages of a site that does not name it: into the head, after
// the meta elements that must come first. Only whole HTML documents in a known coding change, and only if their policy
// lets them run the script; all other responses pass through byte for byte. Pages are not buffered.

import { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { CacheDirectives } from '../../http/cache-directives.ts';
import { joinedLines } from '../../http/field-syntax.ts';
import { cutOff, type Handler, type Request } from '../listen/handler.ts';
import { type BodyTaker, holdHead, type Out, type OutgoingResponse } from '../listen/held-head.ts';

/** Makes the decoder and the encoder of each content coding; both flush their output with each piece. */
const codings: Readonly<Record<string, () => Transform[]>> = {
  '': () => [],
  identity: () => [],
  gzip: () => [zlib.createGunzip(), zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH })],
  deflate: () => [zlib.createInflate(), zlib.createDeflate({ flush: zlib.constants.Z_SYNC_FLUSH })],
  br: () => [
    zlib.createBrotliDecompress(),
    zlib.createBrotliCompress({
      flush: zlib.constants.BROTLI_OPERATION_FLUSH,
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 },
    }),
  ],
  zstd: () => [
    zlib.createZstdDecompress(),
    zlib.createZstdCompress({ flush: zlib.constants.ZSTD_e_flush }),
  ],
};

/** Returns false for a media type whose charset lets bytes of ASCII stand for other characters. */
const isAscii = (type: string) =>
  !/charset\s*=\s*["']?(?:utf-?(?:7|16|32)|iso-2022|hz)/i.test(type);

/**
 * Makes the handler for createProxy that puts the beacon's script into pages, to be placed before `hints()`.
 * @param script Path of the beacon's script
 */
export function beaconInjection(script: string): Handler {
  return (req, response, next) => {
    const res = response as OutgoingResponse;
    if (req.method === 'GET' || req.method === 'HEAD') {
      holdHead(res, (out) => bodyOf(req, res, script, out));
    }
    next();
  };
}

/** Returns what receives a page's body and inserts the script; null if the response is no page, or must not change. */
function bodyOf(req: Request, res: OutgoingResponse, script: string, out: Out): BodyTaker | null {
  const said = (name: string) => joinedLines(res.getHeader(name));
  const type = said('content-type');
  const coders = codings[said('content-encoding').trim().toLowerCase()];
  const isPage = res.statusCode === 200 && /^\s*text\/html\s*(?:;|$)/i.test(type) && isAscii(type);
  const mayChange = !new CacheDirectives(said('cache-control')).has('no-transform');
  const isShown = !/^\s*attachment\b/i.test(said('content-disposition'));
  const policies = [res.getHeader('content-security-policy') ?? []].flat().map(String);
  const nonce = nonceFor(policies, String(req.headers[':authority'] ?? req.headers.host));
  if (!isPage || !mayChange || !isShown || coders === undefined || nonce === null) return null;
  // Content-Length and the like describe the bytes as the site sent them, without the script.
  for (const name of ['Content-Length', 'Accept-Ranges', 'Content-MD5', 'Content-Digest']) {
    res.removeHeader(name);
  }
  const etag = said('etag');
  if (etag.startsWith('"')) res.setHeader('ETag', `W/${etag}`);
  if (req.method === 'HEAD') return null;

  const [decoder, coder] = coders();
  const tag = `<script src="${script}"${nonce && ` nonce="${nonce}"`} async></script>`;
  const insertion = new Insertion(tag);
  const [start, last] = [decoder ?? insertion, coder ?? insertion];
  decoder?.pipe(insertion);
  if (coder) insertion.pipe(coder);
  for (const each of [decoder, insertion, coder]) {
    each?.on('error', () => cutOff(req, res));
    res.once('close', () => each?.destroy());
  }
  last.on('data', (bytes: Buffer) => void (out.write(bytes) || last.pause()));
  last.on('end', () => out.end());
  res.on('drain', () => last.resume());
  start.on('drain', () => res.emit('drain'));
  return {
    // An empty chunk only makes the response's head be sent; there is nothing to insert the script into yet.
    write: (chunk) => (chunk.length === 0 ? out.write(chunk) : start.write(chunk)),
    end: (chunk) => void start.end(chunk ?? undefined),
  };
}

/** Regular expressions for the beginning of a document: up to the first element of the head that is no meta element. */
const attributes = `(?:"[^"]*"|'[^']*'|[^"'>])*`;
const space = '(?:\\s|<!--(?:[^-]|-(?!->))*-->)*';
const opening = new RegExp(
  `^(?:\\xef\\xbb\\xbf)?${space}(?:<!doctype${attributes}>${space}(?:<html\\b${attributes}>)?|<html\\b${attributes}>)` +
    `${space}(?:<head(?:\\s${attributes})?>)?(?:${space}<meta\\b${attributes}>)*`,
  'i',
);
/** Matches the text after the match of `opening` if `opening` may match that, too, when the document continues. */
const isOpen = /^\s*(?:<(?:!.*|m|me|met|h|he|hea|ht|htm|(?:meta|head|html)(?:[\s/].*)?)?)?$/is;
const mostBytes = 16 * 1024;

/** Matches the beginning of a document if `opening` does not match it, but may once more of the document has come. */
const mayOpen = /^(?:\xef\xbb?|\xef\xbb\xbf)?\s*(?:<(?:!.*|h|ht|htm|html.*)?)?$/is;

/** Inserts a script element into an HTML document that streams through it, once. */
class Insertion extends Transform {
  readonly #tag: string;
  /** Beginning of the document, until the script's place is found; null: the script is inserted, or has no place. */
  #start: Buffer | null = Buffer.alloc(0);

  constructor(tag: string) {
    super();
    this.#tag = tag;
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.#start === null) this.push(chunk);
    else {
      this.#start = Buffer.concat([this.#start, chunk]);
      this.#inject(this.#start, false);
    }
    done();
  }

  override _flush(done: () => void): void {
    if (this.#start !== null) this.#inject(this.#start, true);
    done();
  }

  #inject(bytes: Buffer, isAll: boolean): void {
    const text = bytes.toString('latin1', 0, mostBytes);
    const [before] = opening.exec(text) ?? [];
    const isLast = isAll || bytes.length >= mostBytes;
    const isUndecided =
      before === undefined ? mayOpen.test(text) : isOpen.test(text.slice(before.length));
    if (!isLast && isUndecided) return;
    this.#start = null;
    // A document with a policy in its head is left as it is, because the policy may forbid the script.
    const at = before === undefined || /content-security-policy/i.test(before) ? 0 : before.length;
    this.push(bytes.subarray(0, at));
    if (at > 0) this.push(this.#tag, 'latin1');
    this.push(bytes.subarray(at));
  }
}

/**
 * Judges whether a page's Content-Security-Policy lets it run a script of its own origin that posts to that origin (CSP
 * 3, 6.1, 6.7).
 * @param policies Values of the field, each a list of policies
 * @param host Host of the page
 * @returns The nonce that the script element needs; '' if it needs none; null if some policy forbids the script
 */
export function nonceFor(policies: readonly string[], host: string): string | null {
  const nonces = new Set<string>();
  for (const policy of policies.flatMap((list) => list.split(','))) {
    const directives = new Map<string, string[]>();
    for (const directive of policy.split(';')) {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      if (!directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
    }
    const sandbox = directives.get('sandbox');
    if (sandbox !== undefined && !sandbox.includes('allow-scripts')) return null;
    const rest = directives.get('default-src');
    const connect = directives.get('connect-src') ?? rest;
    if (connect !== undefined && !allows(connect, host)) return null;
    const scripts = directives.get('script-src-elem') ?? directives.get('script-src') ?? rest;
    if (scripts === undefined) continue;
    // With 'strict-dynamic', only nonces and hashes count.
    if (!scripts.includes("'strict-dynamic'") && allows(scripts, host)) continue;
    const [, nonce] = /(?:^| )'nonce-([\w+/-]+={0,2})'(?: |$)/.exec(scripts.join(' ')) ?? [];
    if (nonce === undefined) return null;
    nonces.add(nonce);
  }
  const [nonce = '', ...others] = nonces;
  return others.length === 0 ? nonce : null;
}

function allows(sources: readonly string[], host: string): boolean {
  const own = ["'self'", '*', host, `http://${host}`, `https://${host}`];
  return sources.some((source) => own.includes(source.toLowerCase()));
}
