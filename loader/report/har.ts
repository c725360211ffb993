// Converts a page load into HTTP Archive 1.2, valid against the published schema (npm har-schema) and readable by
// browser network panels. Additional fields start with an underscore, as the format requires: those of Chromium's
// exports (`_initiator`, `_resourceType`, `_connectionId`, `_fromCache`, `_transferSize`, `response._error`) and ours
// (`_pipelineIndex`, `_batch`, `_attempts`, `_partOf`, `_lostAttempts`, `_error`, and on the page `_protocol`,
// `_redirectMs`, `_firstByteMs`, `_sizesKnownMs`, `_firstViewMs`). For each entry, time = blocked + dns + connect +
// send + wait + receive, where -1 counts as 0; ssl is part of connect. dns, connect and ssl belong to the entry that
// waited for its connection to open and are -1 in all others. Bodies are not included, nor are secrets unless they are
// requested.

import { fieldLines, type HeaderPair } from '../../http/header-pairs.ts';
import type { ConnectionRecord, PageLoad, ResourceKind, ResourceRecord } from '../page-load.ts';
import {
  type HarCookie,
  requestCookies,
  responseCookies,
  toDateTime,
  toIpAddress,
  toUri,
} from './har-values.ts';
import { durationMs, type PhaseSpan, phasesOfLoad } from './phases.ts';
import { roundLost, roundMs } from './units.ts';

export interface HarNameValue {
  name: string;
  value: string;
}

/** Durations in ms; -1 for a phase that does not apply. */
export interface HarTimings {
  blocked: number;
  dns: number;
  connect: number;
  ssl: number;
  send: number;
  wait: number;
  receive: number;
}

// These are aliases rather than interfaces: only an alias is assignable to the published types (npm har-format), whose
// underscored fields are an index signature.

export type HarEntry = {
  pageref: string;
  startedDateTime: string;
  time: number;
  request: {
    method: string;
    url: string;
    httpVersion: string;
    cookies: HarCookie[];
    headers: HarNameValue[];
    queryString: HarNameValue[];
    headersSize: number;
    bodySize: number;
  };
  response: {
    /** 0 if no response arrived. */
    status: number;
    statusText: string;
    httpVersion: string;
    cookies: HarCookie[];
    headers: HarNameValue[];
    content: { size: number; mimeType: string; compression?: number };
    redirectURL: string;
    headersSize: number;
    bodySize: number;
    _transferSize: number;
    _error: string | null;
  };
  cache: Record<string, never>;
  timings: HarTimings;
  serverIPAddress?: string;
  connection?: string;
  /** Same as `connection`, under the name that Chromium uses. */
  _connectionId?: string;
  _initiator: { type: 'parser' | 'other'; url?: string };
  _resourceType: ReturnType<typeof typeOf>;
  _fromCache?: 'disk';
  _pipelineIndex: number | null;
  _batch: number | null;
  _attempts: number;
  /** URL of the page in whose response this one is a part (Get-All), so that no request was sent. */
  _partOf?: string;
  comment?: string;
  /** Lost attempts, with times in ms since navigation start. Their durations are part of `blocked`. */
  _lostAttempts: ResourceRecord['lostAttempts'];
  _error: ResourceRecord['error'];
};

export type HarPage = {
  startedDateTime: string;
  id: string;
  title: string;
  /** Times in ms since navigation start; -1 if the event did not occur. */
  pageTimings: { onContentLoad: number; onLoad: number };
  _protocol: PageLoad['protocol'];
  /** Time until the last redirect ended; null: there was none. */
  _redirectMs: number | null;
  _firstByteMs: number | null;
  _sizesKnownMs: number | null;
  _firstViewMs: number | null;
};

export interface Har {
  log: {
    version: '1.2';
    creator: { name: 'loadahead'; version: string };
    /** States that secrets are left out. */
    comment?: string;
    pages: HarPage[];
    entries: HarEntry[];
  };
}

export interface HarOptions {
  /** The version of loadahead that wrote the file. */
  creatorVersion: string;
  /** Keep cookies and fields that may be secret, such as Authorization; default false: they are left out. */
  secrets?: boolean;
}

const pageId = 'page_1';

export function toHar(load: PageLoad, { creatorVersion, secrets = false }: HarOptions): Har {
  const { timing } = load;
  const connections = new Map(load.connections.map((connection) => [connection.id, connection]));
  const phases = phasesOfLoad(load);
  return {
    log: {
      version: '1.2',
      creator: { name: 'loadahead', version: creatorVersion },
      ...(!secrets && { comment: leftOut }),
      pages: [
        {
          startedDateTime: toDateTime(load.startedAtMs),
          id: pageId,
          title: load.url,
          pageTimings: {
            onContentLoad: roundMs(timing.htmlEndMs ?? -1),
            onLoad: roundMs(timing.completeMs ?? -1),
          },
          _protocol: load.protocol,
          _redirectMs: timing.redirectMs === null ? null : roundMs(timing.redirectMs),
          _firstByteMs: timing.firstByteMs === null ? null : roundMs(timing.firstByteMs),
          _sizesKnownMs: timing.sizesKnownMs === null ? null : roundMs(timing.sizesKnownMs),
          _firstViewMs: timing.firstViewMs === null ? null : roundMs(timing.firstViewMs),
        },
      ],
      entries: load.resources.map((resource, i) => {
        const connection = connections.get(resource.connection ?? -1);
        const shown = secrets ? resource : withoutSecrets(resource);
        return toEntry(shown, connection, phases[i] ?? [], load.startedAtMs);
      }),
    },
  };
}

function toEntry(
  resource: ResourceRecord,
  connection: ConnectionRecord | undefined,
  spans: PhaseSpan[],
  startedAtMs: number,
): HarEntry {
  const timings = toTimings(spans);
  const address = toIpAddress(connection?.remoteAddress ?? null);
  const sent = resource.requestStartMs !== null;
  const id = resource.connection;
  return {
    pageref: pageId,
    startedDateTime: toDateTime(startedAtMs + resource.startMs),
    time: totalMs(timings),
    request: toRequest(resource, connection),
    response: toResponse(resource),
    cache: {},
    timings,
    ...(address !== null && { serverIPAddress: address }),
    ...(id !== null && { connection: String(id), _connectionId: String(id) }),
    _initiator:
      resource.initiator === null ? { type: 'other' } : { type: 'parser', url: resource.initiator },
    _resourceType: typeOf(resource.kind),
    // The field is set only for entries without a request, because browsers hide the cost of an entry that has it.
    ...(resource.fromCache && !sent && { _fromCache: 'disk' }),
    _pipelineIndex: resource.pipelineIndex,
    _batch: resource.batch,
    _attempts: resource.attempts,
    ...(resource.partOf !== null && {
      _partOf: resource.partOf,
      comment: `no request was sent: a part of the response of ${resource.partOf} (Get-All)`,
    }),
    _lostAttempts: resource.lostAttempts.map(roundLost),
    _error: resource.error && { code: resource.error.code, message: resource.error.message },
  };
}

function toRequest(
  resource: ResourceRecord,
  connection: ConnectionRecord | undefined,
): HarEntry['request'] {
  const query = URL.parse(resource.url)?.searchParams ?? new URLSearchParams();
  return {
    method: resource.method,
    url: toUri(resource.url),
    httpVersion: resource.httpVersion ?? connection?.httpVersion ?? '',
    cookies: requestCookies(resource.requestHeaders),
    headers: toPairs(resource.requestHeaders),
    queryString: [...query].map(([name, value]) => ({ name, value })),
    // The record contains neither Host nor the fields that a connection adds.
    headersSize: -1,
    bodySize: 0,
  };
}

function toResponse(resource: ResourceRecord): HarEntry['response'] {
  const { status, error, bodyBytes, encodedBytes, transferBytes } = resource;
  const came = status !== null;
  const noBody = status === 304 || (resource.fromCache && transferBytes === 0);
  const [contentType] = fieldLines(resource.responseHeaders, 'content-type');
  return {
    status: status ?? 0,
    statusText: resource.statusText,
    httpVersion: resource.httpVersion ?? '',
    cookies: responseCookies(resource.responseHeaders),
    headers: toPairs(resource.responseHeaders),
    content: {
      size: bodyBytes,
      mimeType: contentType || resource.mimeType || 'x-unknown',
      ...(came && !noBody && { compression: bodyBytes - encodedBytes }),
    },
    redirectURL: resource.redirectUrl ?? '',
    headersSize: came && transferBytes > 0 ? transferBytes - encodedBytes : -1,
    bodySize: noBody ? 0 : came ? encodedBytes : -1,
    _transferSize: transferBytes,
    _error: error && `${error.code}: ${error.message}`,
  };
}

function toTimings(spans: PhaseSpan[]): HarTimings {
  const ms = (value: number | null, otherwise: number) => roundMs(value ?? otherwise);
  const connectMs = durationMs(spans, 'connect');
  const secureMs = durationMs(spans, 'secure');
  const opened = connectMs !== null || secureMs !== null;
  return {
    blocked: ms(sumOf(durationMs(spans, 'queued'), durationMs(spans, 'lost')), -1),
    dns: ms(durationMs(spans, 'lookup'), -1),
    connect: ms(opened ? (connectMs ?? 0) + (secureMs ?? 0) : null, -1),
    ssl: ms(secureMs, -1),
    send: 0,
    wait: ms(durationMs(spans, 'waiting'), 0),
    receive: ms(durationMs(spans, 'receiving') ?? durationMs(spans, 'cache'), 0),
  };
}

/** null if both values are null. */
function sumOf(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}

function totalMs({ blocked, dns, connect, send, wait, receive }: HarTimings): number {
  const parts = [blocked, dns, connect, send, wait, receive];
  return roundMs(parts.reduce((sum, part) => sum + Math.max(0, part), 0));
}

function toPairs(headers: HeaderPair[]): HarNameValue[] {
  return headers.map(([name, value]) => ({ name, value }));
}

/** The type, with the names that Chromium's developer tools use. */
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
  /^(?:accept-(?:ch|ranges)|access-control-[a-z-]+|age|allow|alt-svc|cache-control|cdn-cache-control|cache-status|clear-site-data|connection|content-[a-z-]+|critical-ch|cross-origin-[a-z-]+|date|etag|expires|get-all|hold-line|keep-alive|last-modified|link|location|no-vary-search|origin-agent-cluster|permissions-policy|pragma|prefetch-hints|priority|proxy-status|referrer-policy|refresh|retry-after|server|server-timing|speculation-rules|strict-transport-security|supports-loading-mode|timing-allow-origin|trailer|transfer-encoding|upgrade|use-as-dictionary|vary|via|warning|x-cache|x-content-type-options|x-frame-options|x-powered-by|x-robots-tag|x-xss-protection)$/i;

/**
 * Removes from a HAR what may be secret, because people share these files: the cookies, and fields that may carry a
 * secret. In a request, these are all fields that neither the loader nor a browser sends by itself, as users put tokens
 * into fields of any name. In a response, these are all fields that no standard or common tool names. URLs are kept.
 */
function withoutSecrets<Row extends HarFields>(row: Row): Row {
  return {
    ...row,
    requestHeaders: row.requestHeaders.filter(([name]) => ownRequestField.test(name)),
    responseHeaders: row.responseHeaders.filter(([name]) => knownResponseField.test(name)),
  };
}
