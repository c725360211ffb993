// Brings shared dictionaries (RFC 9842) to any Express or node:http server, as middleware: a page is sent as its
// difference to a page that the client has. Responses that are the same for everyone are marked as dictionaries and
// kept; a client that has one gets the next page compressed with it. Everything else is passed on byte for byte.

import { dcz, readAvailableDictionary } from '../../http/compression-dictionary.ts';
import { type FieldValue, joinedLines } from '../../http/field-syntax.ts';
import { checked, joined, objectOf } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import type { Handler, Request } from '../listen/handler.ts';
import { holdHead, type OutgoingResponse } from '../listen/held-head.ts';
import { accepts, isFit, useOf, varyOf, weak } from './fitness.ts';
import { plannedBody } from './response-body.ts';
import { type Dictionary, Shelf } from './shelf.ts';

/** Values that no site needs to set; tests set them by `withConstants`. */
const dictionariesConstants = {
  /** Limits on the bytes of all kept dictionaries together, and on their number; the least recently used goes first. */
  maxBytes: 16 * 1024 * 1024,
  maxDictionaries: 1_000,
  /** Smallest and largest response that is kept as a dictionary or compressed with one, bytes after decoding. */
  minResponseBytes: 512,
  maxResponseBytes: 1024 * 1024,
  /** Compression level of Zstandard; it is not high, because a response is compressed each time it is sent. */
  level: 6,
};

const dictionariesKind = objectOf({});

export interface Dictionaries extends Handler {
  stats(): DictionariesStats;
}

export interface DictionariesStats {
  /** Number of dictionaries that are kept now; `bytes` is their total length. */
  dictionaries: number;
  bytes: number;
  /** Number of responses that were compressed with a dictionary. */
  coded: number;
  /** Number of requests that name a dictionary that was never kept, or is no longer kept. */
  unknown: number;
}

/**
 * Creates the dictionary middleware. Mount it before any that compresses: it has to see responses as they are sent.
 * @throws ServerError `invalid-option`
 */
export function dictionaries(options: object = {}): Dictionaries {
  const values = checked(dictionariesKind, options, invalidOption);
  const given = joined(values, dictionariesConstants, options);
  const { level, minResponseBytes, maxResponseBytes } = given;
  const shelf = new Shelf(given);
  const counts = { coded: 0, unknown: 0 };

  const serve = (req: Request, res: OutgoingResponse): void => {
    const asked = (name: string): string => joinedLines(req.headers[name] as FieldValue);
    const codings = asked('accept-encoding');
    const takes = accepts(codings, dcz);
    // Whether to offer this response as a dictionary for later: a browser that supports dictionaries always accepts
    // zstd, but it names dcz only when it has a dictionary.
    const isTaught = takes || accepts(codings, 'zstd');
    const host = (asked(':authority') || asked('host')).toLowerCase();
    const hash = takes ? readAvailableDictionary(asked('available-dictionary')) : null;
    let dictionary: Dictionary | null = null;
    if (hash !== null) {
      dictionary = shelf.find(host, hash) ?? null;
      if (dictionary === null) counts.unknown++;
    }
    const said = (name: string): string => joinedLines(res.getHeader(name) as FieldValue);
    holdHead(res, (out) => {
      const status = res.statusCode;
      // A 304 has the Vary field of the 200 (RFC 9110 15.4.5), because a cache copies it into its stored response (RFC
      // 9111 4.3.4).
      if (status === 304) res.setHeader('Vary', varyOf(said('vary')));
      if (!isFit(status, asked, said, given)) return null;
      res.setHeader('Vary', varyOf(said('vary')));
      if (!isTaught) return null;
      const url = req.url ?? '/';
      const own = said('use-as-dictionary');
      const use = own === '' ? useOf(url, said('content-type')) : own;
      if (use !== null) res.setHeader('Use-As-Dictionary', use);
      const etag = said('etag');
      const version = etag.startsWith('"') ? `${url}\n${etag}` : '';
      const isKept = use === null || shelf.hasVersion(host, version);
      return plannedBody(res, out, {
        coding: said('content-encoding').toLowerCase(),
        dictionary,
        level,
        minBytes: minResponseBytes,
        maxBytes: maxResponseBytes,
        keep: isKept ? null : (body) => shelf.keep(host, version, body),
        coded: (length) => {
          counts.coded++;
          res.setHeader('Content-Encoding', dcz);
          if (length === null) res.removeHeader('Content-Length');
          else res.setHeader('Content-Length', String(length));
          if (etag !== '') res.setHeader('ETag', weak(etag));
          // Accept-Ranges and digests refer to the bytes as the site coded them, which are not sent.
          for (const name of ['Accept-Ranges', 'Content-Digest', 'Content-MD5']) {
            res.removeHeader(name);
          }
        },
      });
    });
  };

  const handle: Handler = (req, res, next) => {
    // A request for a range is passed on, because it refers to the bytes of an earlier response in an unknown coding.
    if (req.method === 'GET' && req.headers.range === undefined) {
      serve(req, res as unknown as OutgoingResponse);
    }
    next();
  };
  return Object.assign(handle, {
    stats: () => ({ dictionaries: shelf.size, bytes: shelf.bytes, ...counts }),
  });
}
