// Serves a folder by a handler: `staticFiles('public')` answers GET and HEAD for its files and passes on everything
// else. The steps follow RFC 9110: find the file, select a representation (12), check preconditions (13), select a
// range (14), send.

import { checked, type OptionsOf, objectOf } from '../../options/options.ts';
import { invalidOption, ServerError } from '../errors.ts';
import { type Handler, ourTurn, type Request, type Response } from '../listen/handler.ts';
import { checkLimits } from '../listen/limits.ts';
import { plainAnswer } from '../listen/plain-answer.ts';
import { acceptedCodings, type ContentCoding, isCompressible } from './coding-choice.ts';
import { FileStore } from './file-store.ts';
import { maxAgeOption } from './origin-options.ts';
import { evaluatePreconditions, ifRangeHolds } from './preconditions.ts';
import { folderLocation, requestPath } from './request-path.ts';
import type { StoredFile } from './stored-file.ts';
import { byteRange, streamFile } from './stream-file.ts';

/** A file in one content coding, as it is sent. */
interface Representation {
  readonly file: StoredFile;
  readonly coding: ContentCoding | undefined;
  readonly etag: string;
  readonly sizeBytes: number;
  /** The bytes; undefined: the file is streamed from disk. */
  readonly body: Buffer | undefined;
  readonly isNegotiated: boolean;
}

/** Limit on the bytes buffered for a pipelined response that has to wait for those before it. */
const maxAheadBytes = 64 * 1024;

/** Size up to which Accept-Ranges is not sent, bytes: a range would save nothing, as the file fits in one segment. */
const segmentBytes = 1460;

const filesTable = {
  /** Freshness lifetime sent as `Cache-Control: max-age` (RFC 9111 5.2.2.1), seconds. Absent: it is not sent. */
  maxAgeSeconds: maxAgeOption,
};

export type StaticFilesOptions = OptionsOf<typeof filesTable>;

/**
 * Serves the files of `folder`.
 * @throws ServerError 'folder-not-found', 'invalid-option'
 */
export function staticFiles(folder: string, options: StaticFilesOptions = {}): Handler {
  const { maxAgeSeconds } = checked(objectOf(filesTable), options, invalidOption);
  const store = new FileStore(folder, checkLimits(options));
  const cacheControl = maxAgeSeconds === undefined ? undefined : `max-age=${maxAgeSeconds}`;

  return (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      next();
      return;
    }
    serve(store, cacheControl, req, res, next).catch((error: unknown) => {
      if (error instanceof ServerError && error.code === 'file-unstable') {
        plainAnswer(req, res, 503, { 'Retry-After': '1' });
      } else next(error);
    });
  };
}

async function serve(
  store: FileStore,
  cacheControl: string | undefined,
  req: Request,
  res: Response,
  next: () => void,
): Promise<void> {
  const wanted = requestPath(req.url ?? '/');
  if (wanted === 'malformed') return plainAnswer(req, res, 400);
  if (wanted === 'refused') return next();
  const path = store.pathOf(wanted.isFolder ? [...wanted.segments, 'index.html'] : wanted.segments);

  // A cached file is taken without await, so that responses to pipelined requests go in one write (file-store.ts).
  let file = store.known(path) ?? (await store.load(path));
  if (typeof file === 'object' && file.sizeBytes > maxAheadBytes) {
    const turn = ourTurn(req, res);
    if (turn !== true) {
      // The bytes of a large file are released while earlier responses are sent.
      file = undefined;
      await turn;
      file = store.known(path) ?? (await store.load(path));
    }
  }
  if (file === undefined) return next();
  if (file === 'folder') {
    if (wanted.isFolder) return next();
    return plainAnswer(req, res, 301, { Location: folderLocation(wanted) });
  }

  const representation = await select(store, path, req, file);
  if (cacheControl !== undefined) res.setHeader('Cache-Control', cacheControl);
  if (representation.isNegotiated) res.setHeader('Vary', 'Accept-Encoding');
  await answer(req, res, representation);
}

/** Returns the representation of the file for this request. A coded form is created on first use. */
async function select(
  store: FileStore,
  path: string,
  req: Request,
  file: StoredFile,
): Promise<Representation> {
  const isNegotiated = file.body !== undefined && isCompressible(file.contentType);
  for (const coding of isNegotiated ? acceptedCodings(req.headers['accept-encoding']) : []) {
    if (coding === 'identity') break;
    const form = await store.coded(path, file, coding);
    if (form === undefined) continue;
    return { ...form, file, coding, sizeBytes: form.body.length, isNegotiated };
  }
  const { etag, sizeBytes, body } = file;
  return { file, coding: undefined, etag, sizeBytes, body, isNegotiated };
}

async function answer(
  req: Request,
  res: Response,
  { file, coding, etag, sizeBytes, body }: Representation,
): Promise<void> {
  // Last-Modified is never later than Date (RFC 9110 8.8.2.1).
  const lastModified = new Date(Math.min(file.modifiedMs, Date.now())).toUTCString();
  const verdict = evaluatePreconditions(req.headers, { etag, lastModified });
  if (verdict === 'failed') {
    plainAnswer(req, res, 412);
    return;
  }
  res.setHeader('ETag', etag);
  if (verdict === 'not-modified') {
    // A 304 has only what a cache needs: ETag, Vary, Cache-Control and Date (RFC 9110 15.4.5).
    res.statusCode = 304;
    res.end();
    return;
  }

  // Range is defined for GET only (RFC 9110 14.2).
  const range =
    req.method === 'GET' && ifRangeHolds(req.headers, etag)
      ? byteRange(req.headers.range, sizeBytes)
      : 'whole';
  if (range === 'unsatisfiable') {
    plainAnswer(req, res, 416, { 'Content-Range': `bytes */${sizeBytes}` });
    return;
  }
  const part = range === 'whole' ? { firstByte: 0, lastByte: sizeBytes - 1 } : range;
  res.setHeader('Content-Type', file.contentType);
  if (coding !== undefined) res.setHeader('Content-Encoding', coding);
  res.setHeader('Content-Length', String(part.lastByte + 1 - part.firstByte));
  res.setHeader('Last-Modified', lastModified);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if (range !== 'whole') {
    res.statusCode = 206;
    res.setHeader('Content-Range', `bytes ${part.firstByte}-${part.lastByte}/${sizeBytes}`);
  } else if (sizeBytes > segmentBytes) res.setHeader('Accept-Ranges', 'bytes');

  if (req.method === 'HEAD' || sizeBytes === 0) res.end();
  else if (body !== undefined) res.end(body.subarray(part.firstByte, part.lastByte + 1));
  else await streamFile(req, res, file, part);
}
