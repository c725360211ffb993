// Converts a page load into HTTP Archive 1.2, valid against the published schema (npm har-schema) and readable by
// browser network panels. Additional fields start with an underscore, as the format requires: those of Chromium's
// exports (`_initiator`, `_resourceType`, `_connectionId`, `_fromCache`, `_transferSize`, `response._error`) and ours:
// on the page `_protocol`, `_redirectMs`, `_firstByteMs`, `_sizesKnownMs`, `_firstViewMs`, and on an entry each field
// of its record that HAR has no place for, as `_pipelineIndex` and `_lostAttempts`. For each entry, time = blocked +
// dns + connect + send + wait + receive; -1 counts as 0, and ssl is part of connect. dns, connect and ssl belong to the
// entry that waited for its connection to open and are -1 in all others. Bodies and secrets are opt-in.

import { isUtf8 } from 'node:buffer';
import { fieldLines, type HeaderPair } from '../../http/header-pairs.ts';
import type { ConnectionRecord, PageLoad, ResourceKind, ResourceRecord } from '../page-load.ts';
import { requestCookies, responseCookies, toDateTime, toIpAddress, toUri } from './har-values.ts';
import { durationMs, type Phase, type PhaseSpan, phasesOfLoad } from './phases.ts';
import { roundMs, roundTimes } from './units.ts';

export interface HarOptions {
  /** The version of loadahead that wrote the file. */
  creatorVersion: string;
  /** Keep cookies and fields that may be secret, such as Authorization; absent: they are left out. */
  secrets?: boolean;
  /** Bodies by URL, as passed to `onBody`, to be kept in `content`. */
  bodies?: ReadonlyMap<string, Buffer>;
}

const pageId = 'page_1';

/** A HAR, assignable to the published types (npm har-format). */
export type Har = ReturnType<typeof toHar>;

export function toHar(
  load: PageLoad,
  { creatorVersion, secrets = false, bodies = new Map() }: HarOptions,
) {
  const connections = new Map(load.connections.map((connection) => [connection.id, connection]));
  const phases = phasesOfLoad(load);
  return {
    log: {
      version: '1.2' as const,
      creator: { name: 'loadahead', version: creatorVersion },
      // The comment tells readers of the file that secrets are left out.
      ...(!secrets && { comment: leftOut }),
      pages: [toPage(load)],
      entries: load.resources.map((resource, i) => {
        const connection = connections.get(resource.connection ?? -1);
        const shown = secrets ? resource : withoutSecrets(resource);
        const body = resource.redirectUrl === null ? bodies.get(resource.url) : undefined;
        return toEntry(shown, connection, phases[i] ?? [], load.startedAtMs, body);
      }),
    },
  };
}

function toPage({ url, protocol, startedAtMs, timing }: PageLoad) {
  const { htmlEndMs, completeMs, redirectMs, firstByteMs, sizesKnownMs, firstViewMs } =
    roundTimes(timing);
  return {
    startedDateTime: toDateTime(startedAtMs),
    id: pageId,
    title: url,
    /** Times in ms since navigation start; -1 if the event did not occur. */
    pageTimings: { onContentLoad: htmlEndMs ?? -1, onLoad: completeMs ?? -1 },
    _protocol: protocol,
    /** Time until the last redirect ended, ms; null: there was no redirect. */
    _redirectMs: redirectMs,
    _firstByteMs: firstByteMs,
    _sizesKnownMs: sizesKnownMs,
    _firstViewMs: firstViewMs,
  };
}

function toEntry(
  resource: ResourceRecord,
  connection: ConnectionRecord | undefined,
  spans: PhaseSpan[],
  startedAtMs: number,
  body: Buffer | undefined,
) {
  const timings = toTimings(spans);
  const address = toIpAddress(connection?.remoteAddress ?? null);
  const sent = resource.requestStartMs !== null;
  const { connection: id, initiator, partOf } = resource;
  return {
    pageref: pageId,
    startedDateTime: toDateTime(startedAtMs + resource.startMs),
    time: totalMs(timings),
    request: toRequest(resource, connection),
    response: toResponse(resource, body),
    cache: {},
    timings,
    ...(address !== null && { serverIPAddress: address }),
    // Chromium's exports have the number of the connection as `_connectionId`.
    ...(id !== null && { connection: String(id), _connectionId: String(id) }),
    _initiator: initiator === null ? { type: 'other' } : { type: 'parser', url: initiator },
    _resourceType: typeOf(resource.kind),
    // An entry for which a request was sent (to revalidate) has no `_fromCache`, as browsers would hide what it cost.
    ...(resource.fromCache && !sent && { _fromCache: 'disk' as const }),
    ...(partOf !== null && {
      comment: `no request was sent: a part of the response of ${partOf} (Get-All)`,
    }),
    ...ownFields(resource),
  };
}

/** The fields of a resource's record whose values HAR has in fields of its own, as they are or combined. */
const placed = [
  ...['url', 'kind', 'initiator', 'method', 'status', 'statusText', 'httpVersion', 'fromCache'],
  ...['bodyBytes', 'encodedBytes', 'transferBytes', 'startMs', 'requestStartMs'],
  ...['responseStartMs', 'responseEndMs', 'connection', 'requestHeaders', 'responseHeaders'],
  ...['mimeType', 'redirectUrl'],
] as const;

type OwnFields = Omit<ResourceRecord, (typeof placed)[number]>;

/** Returns the fields of a resource's record that HAR has no place for, each under its name after an underscore. */
function ownFields(resource: ResourceRecord) {
  const names = new Set<string>(placed);
  const own = Object.entries(roundTimes(resource)).filter(([name]) => !names.has(name));
  return Object.fromEntries(own.map(([name, value]) => [`_${name}`, value])) as {
    [Name in keyof OwnFields as `_${Name}`]: OwnFields[Name];
  };
}

function toRequest(resource: ResourceRecord, connection: ConnectionRecord | undefined) {
  const query = URL.parse(resource.url)?.searchParams ?? new URLSearchParams();
  return {
    method: resource.method,
    url: toUri(resource.url),
    httpVersion: resource.httpVersion ?? connection?.httpVersion ?? '',
    cookies: requestCookies(resource.requestHeaders),
    headers: toPairs(resource.requestHeaders),
    queryString: toPairs([...query]),
    // The size of the request's header section is unknown, as the record lacks Host and what the connection adds.
    headersSize: -1,
    bodySize: 0,
  };
}

function toResponse(resource: ResourceRecord, body: Buffer | undefined) {
  const { status, error, bodyBytes, encodedBytes, transferBytes } = resource;
  const came = status !== null;
  const noBody = status === 304 || (resource.fromCache && transferBytes === 0);
  const [contentType] = fieldLines(resource.responseHeaders, 'content-type');
  return {
    /** Status code of the response; 0 if none arrived. */
    status: status ?? 0,
    statusText: resource.statusText,
    httpVersion: resource.httpVersion ?? '',
    cookies: responseCookies(resource.responseHeaders),
    headers: toPairs(resource.responseHeaders),
    content: {
      size: bodyBytes,
      mimeType: contentType || resource.mimeType || 'x-unknown',
      ...(came && !noBody && { compression: bodyBytes - encodedBytes }),
      ...(body !== undefined && toContent(body, resource.mimeType)),
    },
    redirectURL: resource.redirectUrl ?? '',
    headersSize: came && transferBytes > 0 ? transferBytes - encodedBytes : -1,
    bodySize: noBody ? 0 : came ? encodedBytes : -1,
    _transferSize: transferBytes,
    _error: error && `${error.code}: ${error.message}`,
  };
}

/** Returns a body as HAR has it: text as it is, so that people can read it, and all else in base64. */
function toContent(body: Buffer, mimeType: string): { text: string; encoding?: 'base64' } {
  const isText = /^text\/|json|xml|javascript/.test(mimeType) && isUtf8(body);
  return isText ? { text: body.toString() } : { text: body.toString('base64'), encoding: 'base64' };
}

/** Returns HAR's durations, ms; -1: the phase does not apply. `blocked` includes attempts lost with a connection. */
function toTimings(spans: PhaseSpan[]) {
  const ms = (...phases: Phase[]) => durationMs(spans, ...phases);
  return {
    blocked: ms('queued', 'lost') ?? -1,
    dns: ms('lookup') ?? -1,
    connect: ms('connect', 'secure') ?? -1,
    ssl: ms('secure') ?? -1,
    send: 0,
    wait: ms('waiting') ?? 0,
    receive: ms('receiving') ?? ms('cache') ?? 0,
  };
}

function totalMs({ ssl: _, ...timings }: ReturnType<typeof toTimings>): number {
  return roundMs(Object.values(timings).reduce((sum, part) => sum + Math.max(0, part), 0));
}

function toPairs(pairs: HeaderPair[]) {
  return pairs.map(([name, value]) => ({ name, value }));
}

/** Returns the type of a resource by the name that Chromium's developer tools use. */
function typeOf(kind: ResourceKind): Exclude<ResourceKind, 'icon' | 'track'> | 'texttrack' {
  if (kind === 'icon') return 'image';
  return kind === 'track' ? 'texttrack' : kind;
}

type HarFields = { requestHeaders: HeaderPair[]; responseHeaders: HeaderPair[] };

const leftOut =
  "cookies and fields that may be secret are left out; --har-secrets (toHar's option secrets) keeps them";

const ownRequestField =
  /^(?:accept(?:-encoding|-language)?|available-dictionary|cache-control|connection|dictionary-id|get-all|hold-line|host|if-[a-z-]+|origin|pragma|priority|range|referer|sec-(?:ch|fetch|gpc|purpose)[a-z-]*|upgrade-insecure-requests|user-agent)$/i;

const knownResponseField =
  /^(?:accept-(?:ch|ranges)|access-control-[a-z-]+|age|allow|alt-svc|cache-control|cdn-cache-control|cache-status|clear-site-data|connection|content-[a-z-]+|critical-ch|cross-origin-[a-z-]+|date|etag|expires|get-all|hold-line|keep-alive|last-modified|link|location|no-vary-search|origin-agent-cluster|permissions-policy|pragma|priority|proxy-status|referrer-policy|refresh|retry-after|server|server-timing|speculation-rules|strict-transport-security|supports-loading-mode|timing-allow-origin|trailer|transfer-encoding|upgrade|use-as-dictionary|vary|via|warning|x-cache|x-content-type-options|x-frame-options|x-powered-by|x-robots-tag|x-xss-protection)$/i;

/**
 * Removes from a record what may be secret, because people share HAR files: cookies, and header fields that may carry
 * a secret. Of a request, these are all fields that neither the loader nor a browser sends by itself, as users put
 * tokens into fields of any name; of a response, all that no standard or common tool defines. URLs are kept.
 */
function withoutSecrets<Row extends HarFields>(row: Row): Row {
  return {
    ...row,
    requestHeaders: row.requestHeaders.filter(([name]) => ownRequestField.test(name)),
    responseHeaders: row.responseHeaders.filter(([name]) => knownResponseField.test(name)),
  };
}
