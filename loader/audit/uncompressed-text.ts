// Finds text that was sent without a content coding (RFC 9110 8.4), although the request offered some.

import zlib from 'node:zlib'; // a named import fails on old Node before needs-node.ts reports it
import { fieldValue } from '../../http/header-pairs.ts';
import { formatBytes } from '../report/units.ts';
import { type Finding, type FindingItem, findingOn, nothing } from './finding.ts';
import { answered, type Loaded, type Subject } from './subject.ts';

const textType =
  /^(?:text\/|application\/(?:(?:[\w.+-]*\+)?(?:json|xml)|(?:x-)?javascript|ecmascript|manifest|wasm|vnd\.ms-fontobject)|image\/(?:svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)|font\/(?:ttf|otf|sfnt))/;
/** Kinds of resources that are text if the response has no type. */
const textKinds = new Set(['document', 'stylesheet', 'script', 'manifest', 'track']);
/** Compression is advised if it saves this many bytes and `leastSavedShare` (0..1) of the body. */
const leastSavedBytes = 128;
const leastSavedShare = 0.1;
/** Longest body that is compressed, bytes; longer ones would delay the report. */
const mostBytes = 8 * 1024 * 1024;

export function uncompressedText({ loaded }: Subject): Finding[] {
  return findingOn(loaded.flatMap(itemOf), {
    kind: 'uncompressed-text',
    title: 'Text is sent uncompressed',
    advice: 'Compress text: gzip on in nginx, mod_deflate in Apache, precompressed files, or zstd.',
    how: 'each body compressed with gzip (level 6, counted) and zstd (level 3)',
    sure: 'measured',
    visit: 'first',
  });
}

function isText({ row, body }: Loaded): boolean {
  if (body === null || body.length === 0) return false;
  return textType.test(row.mimeType) || (row.mimeType === '' && textKinds.has(row.kind));
}

/** Whether the body was sent without a content coding. */
const isPlain = ({ row }: Loaded): boolean =>
  /^(?:identity)?$/i.test(answered(row, 'content-encoding'));

function itemOf(loaded: Loaded): FindingItem[] {
  const { row, body } = loaded;
  if (body === null || body.length > mostBytes || !isText(loaded) || !isPlain(loaded)) return [];
  const isOffered = /\bgzip\b/i.test(fieldValue(row.requestHeaders, 'accept-encoding'));
  if (!isOffered || /\bno-transform\b/i.test(answered(row, 'cache-control'))) return [];
  const tried = { gzip: zlib.gzipSync(body).length, zstd: zlib.zstdCompressSync(body).length };
  const bytes = row.encodedBytes - tried.gzip;
  if (bytes < leastSavedBytes || bytes < row.encodedBytes * leastSavedShare) return [];
  const note = `${formatBytes(row.encodedBytes)}; gzip ${formatBytes(tried.gzip)}, zstd ${formatBytes(tried.zstd)}`;
  return [{ url: row.url, note, saves: { ...nothing, bytes }, tried }];
}
