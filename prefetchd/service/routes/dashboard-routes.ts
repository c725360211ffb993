// Serves the dashboard: its page at GET /, the files of the page, and the data the page polls each second.
//
// The page polls instead of using an event stream: polling sends the token in a header (EventSource cannot), survives
// restarts, proxies and sleeping laptops without extra code, and costs nothing between requests. An answer is not
// resent while unchanged (ETag). The page contains no data and is open to all; the data needs admission.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { textHash } from '../../../process/text-memo.ts';
import type { Engine } from '../../engine/engine.ts';
import type { HoldbackReport } from '../../holdback/report.ts';
import { explanationOf, headlineOf } from '../../holdback/report-text.ts';
import { askedByParameters, parametersOf, urlAndClient } from '../hint-parameters.ts';
import { Problem } from '../problem.ts';
import { json, send } from '../send.ts';
import type { CheckedServiceOptions } from '../service-options.ts';
import { type ApiRoute, route } from './routes.ts';

/** Content Security Policy of the page: only the page's own files are loaded, and no text is run as code. */
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

interface HoldbackFinding {
  /** `early`: the holdback has no result yet; `found`: it has one; `alarm`: the sizes of its groups are improbable. */
  state: 'early' | 'found' | 'alarm';
  headline: string;
  explanation: string;
}

export function dashboardRoutes(prefetchd: Engine, { now }: CheckedServiceOptions): ApiRoute[] {
  const fileOf = (name: string) => readFile(folder + name, 'utf8');
  const startedMs = now();
  const { watch } = prefetchd;
  const finding = (report: HoldbackReport): HoldbackFinding => ({
    state: stateOf(report),
    headline: headlineOf(report),
    explanation: explanationOf(report).join(' '),
  });
  const overview = () => {
    const { load, ...stats } = prefetchd.stats();
    const report = prefetchd.report();
    return JSON.stringify({
      version,
      startedMs,
      trial: prefetchd.trial,
      ...watch.overview(),
      stats: { ...stats, load: Math.round(load * 100) / 100 },
      tuning: prefetchd.tuning,
      holdback: report && finding(report),
    });
  };

  return [
    route('get', '/', 'open', async (_, response) => {
      const headers = {
        'Content-Security-Policy': pagePolicy,
        'Referrer-Policy': 'no-referrer',
        'Cross-Origin-Opener-Policy': 'same-origin',
      };
      send(response, 200, 'text/html; charset=utf-8', await fileOf('index.html'), headers);
    }),
    route('get', '/dashboard/:file', 'open', async (request, response) => {
      const name = /^[a-z][a-z-]*\.(css|js|svg)$/.exec(String(request.params.file));
      const text = name === null ? null : await fileOf(name[0]).catch(() => null);
      if (name === null || text === null) {
        throw new Problem('not-found', 'the dashboard has no such file');
      }
      answerTagged(request, response, text, types[name[1] as string] as string);
    }),
    route('get', '/v1/overview', 'api', (request, response) => {
      parametersOf(request.url, []);
      answerTagged(request, response, overview(), json);
    }),
    route('get', '/v1/pages', 'api', (request, response) => {
      const parameters = parametersOf(request.url, ['url', 'kind']);
      const { url } = urlAndClient(parameters);
      const page = watch.page(url, askedByParameters(parameters).kind);
      if (page === null) throw new Problem('invalid-request', 'url is not a URL, or too long');
      answerTagged(request, response, JSON.stringify(page), json);
    }),
  ];
}

function stateOf({ isUneven, verdict }: HoldbackReport): HoldbackFinding['state'] {
  if (isUneven) return 'alarm';
  return verdict === 'too early' ? 'early' : 'found';
}

/** Sends an answer, or 304 if the client has this version. */
function answerTagged(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
  type: string,
): void {
  const tag = `"${textHash(text).toString(36)}-${text.length.toString(36)}"`;
  const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' };
  if (request.headers['if-none-match'] === tag) {
    response.writeHead(304, headers);
    response.end();
    return;
  }
  send(response, 200, type, text, headers);
}

/** The version of the package; package.json is three folders above this source, and four above its copy in dist/. */
const version: string =
  versionAt('../../../package.json') ?? versionAt('../../../../package.json') ?? '';

function versionAt(path: string): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    return name === 'loadahead' ? version : null;
  } catch {
    return null;
  }
}
