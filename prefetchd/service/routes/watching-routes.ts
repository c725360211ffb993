// Serves monitoring and configuration: /v1/config, /v1/left-out, /v1/report (visitors with hints compared with visitors
// without), /metrics, /healthz, /readyz. The dashboard is in dashboard-routes.ts.

import { setImmediate } from 'node:timers/promises';
import { checked } from '../../../options/options.ts';
import type { Engine } from '../../engine/engine.ts';
import { tuningChangeKind } from '../../engine/prefetchd-options.ts';
import type { ServiceAdmission } from '../admission.ts';
import { contentType } from '../exposition.ts';
import { parametersOf } from '../hint-parameters.ts';
import type { Metrics } from '../metrics.ts';
import { invalidRequest, Problem } from '../problem.ts';
import { readJson } from '../request-body.ts';
import { send, sendJson } from '../send.ts';
import type { CheckedServiceOptions } from '../service-options.ts';
import { type ApiRoute, route } from './routes.ts';

export interface WatchingKit {
  admission: ServiceAdmission;
  metrics: Metrics;
  isClosing: () => boolean;
}

/** The text in each response to PATCH /v1/config that says how long the changes last. The learned graph is kept. */
export const tuningLasts = 'until the process ends';

export function watchingRoutes(
  prefetchd: Engine,
  { maxBodyBytes, log }: CheckedServiceOptions,
  { admission, metrics, isClosing }: WatchingKit,
): ApiRoute[] {
  return [
    route('get', '/v1/config', 'api', (request, response) => {
      parametersOf(request.url, []);
      sendJson(response, prefetchd.tuning);
    }),
    route('patch', '/v1/config', 'api', async (request, response) => {
      parametersOf(request.url, []);
      const body = await readJson(request, maxBodyBytes);
      const change = checked(tuningChangeKind, body, invalidRequest, {
        name: 'the body',
        noun: '',
      });
      const tuning = prefetchd.tune(change);
      log.info({ ...tuning }, 'tuned');
      sendJson(response, { ...tuning, lasts: tuningLasts });
    }),
    route('get', '/v1/left-out', 'api', (request, response) => {
      parametersOf(request.url, []);
      sendJson(response, { leftOut: prefetchd.leftOut() });
    }),
    route('get', '/v1/report', 'api', (request, response) => {
      parametersOf(request.url, []);
      const report = prefetchd.report();
      if (report === null) {
        const remedy = 'start the service with --holdback 10, and put the beacon on the pages';
        throw new Problem('no-holdback', `no visitor is held back: ${remedy}`);
      }
      sendJson(response, report);
    }),
    route('get', '/metrics', 'page', (_, response) => {
      send(response, 200, contentType, metrics.text());
    }),
    route('get', '/healthz', 'open', (request, response) => {
      const { store } = prefetchd.stats();
      const status = isClosing() ? 'stopping' : store.isHealthy ? 'ok' : 'degraded';
      // Names and errors of the store are shown only to callers who are admitted.
      const isAdmitted = admission.refusal(request, 'page') === null;
      const health = isAdmitted ? { status, store } : { status };
      sendJson(response, health, status === 'stopping' ? 503 : 200);
    }),
    route('get', '/readyz', 'open', async (_, response) => {
      const isReady = await Promise.race([prefetchd.ready.then(() => true), setImmediate(false)]);
      const status = isClosing() ? 'stopping' : isReady ? 'ready' : 'starting';
      sendJson(response, { status }, status === 'ready' ? 200 : 503);
    }),
  ];
}
