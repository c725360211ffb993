// The dashboard: its page at GET /, the files of the page, and the data the page polls each second.
//
// The page polls instead of using an event stream: polling sends the token in a header (EventSource cannot), survives
// restarts, proxies and sleeping laptops without extra code, and costs nothing between requests. Each answer is
// computed at most once per second for all viewers, and not resent while unchanged (ETag). The page contains no data
// and is open to all; the data is not.

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../../engine/engine.ts';
import type { HoldbackReport } from '../../holdback/report.ts';
import { explanationOf, headlineOf } from '../../holdback/report-text.ts';
import { textHash } from '../../text-hash.ts';
import { askedByParameters, parametersOf, urlAndClient } from '../hint-parameters.ts';
import { Problem } from '../problem.ts';
import { json, send } from '../send.ts';
import type { CheckedServiceOptions } from '../service-options.ts';
import { version } from '../version.ts';
import type { ApiRoute } from './routes.ts';

/** Permits only the page's own files, and no text that becomes code. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
const folder = fileURLToPath(new URL('../../dashboard/page/', import.meta.url));
const freshMs = 900;

interface HoldbackFinding {
  /** `alarm`: the sizes of the groups are improbable. */
  state: 'early' | 'found' | 'alarm';
  headline: string;
  explanation: string;
}

export function dashboardRoutes(
  prefetchd: Engine,
  { dashboard, now }: CheckedServiceOptions,
): ApiRoute[] {
  if (!dashboard) {
    const headers = { 'Content-Security-Policy': startPagePolicy };
    return [
      {
        method: 'get',
        path: '/',
        guard: 'page',
        handle: (_, response) =>
          send(response, 200, 'text/html; charset=utf-8', startPage, headers),
      },
    ];
  }
  const files = new Map<string, Promise<string>>();
  const fileOf = (name: string) => {
    let file = files.get(name);
    if (file === undefined) {
      file = readFile(folder + name, 'utf8');
      files.set(name, file);
      file.catch(() => files.delete(name));
    }
    return file;
  };
  const startedMs = now();
  let overview = { text: '', tag: '', madeMs: Number.NEGATIVE_INFINITY };
  const finding = (report: HoldbackReport): HoldbackFinding => ({
    state: stateOf(report),
    headline: headlineOf(report),
    explanation: explanationOf(report).join(' '),
  });
  const freshOverview = () => {
    const nowMs = performance.now();
    if (nowMs - overview.madeMs < freshMs) return overview;
    const { load, ...stats } = prefetchd.stats();
    const report = prefetchd.report();
    const text = JSON.stringify({
      version,
      startedMs,
      trial: prefetchd.trial,
      ...prefetchd.watch.overview(),
      stats: { ...stats, load: Math.round(load * 100) / 100 },
      tuning: prefetchd.tuning,
      holdback: report && finding(report),
    });
    overview = { text, tag: tagOf(text), madeMs: nowMs };
    return overview;
  };

  return [
    {
      method: 'get',
      path: '/',
      guard: 'open',
      async handle(_, response) {
        const headers = {
          'Content-Security-Policy': pagePolicy,
          'Referrer-Policy': 'no-referrer',
          'Cross-Origin-Opener-Policy': 'same-origin',
        };
        send(response, 200, 'text/html; charset=utf-8', await fileOf('index.html'), headers);
      },
    },
    {
      method: 'get',
      path: '/dashboard/:file',
      guard: 'open',
      async handle(request, response) {
        const name = /^[a-z][a-z-]*\.(css|js|svg)$/.exec(String(request.params.file));
        const text = name === null ? null : await fileOf(name[0]).catch(() => null);
        if (name === null || text === null) {
          throw new Problem('not-found', 'the dashboard has no such file');
        }
        answerTagged(request, response, text, tagOf(text), types[name[1] as string] as string);
      },
    },
    {
      method: 'get',
      path: '/v1/overview',
      guard: 'api',
      handle(request, response) {
        parametersOf(request.url, []);
        const { text, tag } = freshOverview();
        answerTagged(request, response, text, tag, json);
      },
    },
    {
      method: 'get',
      path: '/v1/pages',
      guard: 'api',
      handle(request, response) {
        const parameters = parametersOf(request.url, ['url', 'kind']);
        const { url } = urlAndClient(parameters);
        const page = prefetchd.watch.page(url, askedByParameters(parameters).kind);
        if (page === null) throw new Problem('invalid-request', 'url is not a URL, or too long');
        const text = JSON.stringify(page);
        answerTagged(request, response, text, tagOf(text), json);
      },
    },
  ];
}

function stateOf({ isUneven, verdict }: HoldbackReport): HoldbackFinding['state'] {
  if (isUneven) return 'alarm';
  return verdict === 'too early' ? 'early' : 'found';
}

function tagOf(text: string): string {
  return `"${textHash(text).toString(36)}-${text.length.toString(36)}"`;
}

/** Responds with 304 if the client has this version. */
function answerTagged(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
  tag: string,
  type: string,
): void {
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' };
  if (request.headers['if-none-match'] === tag) {
    response.writeHead(304, headers);
    response.end();
    return;
  }
  send(response, 200, type, text, headers);
}

const startPagePolicy =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * GET / without the dashboard: a plain page that lists the endpoints. It loads and runs nothing and cannot be framed.
 */
const startPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>prefetchd</title>
<h1>prefetchd</h1>
<p>It learns which URL follows which, and says what a client will want next.</p>
<dl>
<dt><code>POST /v1/accesses</code><dd>learn one access or many
<dt><code>POST /v1/hints</code><dd>learn one access and answer with its hints
<dt><code>GET /v1/hints?url=&amp;client=</code><dd>hints, without learning
<dt><code>GET /v1/speculation-rules?url=</code><dd>the same for browsers
<dt><code>/v1/headers</code>, <code>/v1/mirror</code><dd>for web servers in front
<dt><code>GET</code>, <code>PATCH /v1/config</code><dd>thresholds, window and limit
<dt><a href="/metrics"><code>GET /metrics</code></a><dd>for Prometheus
<dt><a href="/healthz"><code>GET /healthz</code></a><dd>does it serve, and how is its store
</dl>
</html>
`;
