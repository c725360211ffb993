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
import type { ApiRoute } from './routes.ts';

export interface WatchingKit {
  admission: ServiceAdmission;
  metrics: Metrics;
  isClosing: () => boolean;
}

/** How long changes by PATCH /v1/config last: the words for it in each response. What was learned is kept longer. */
export const tuningLasts = 'until the process ends';

export function watchingRoutes(
  prefetchd: Engine,
  { maxBodyBytes, log }: CheckedServiceOptions,
  { admission, metrics, isClosing }: WatchingKit,
): ApiRoute[] {
  return [
    {
      method: 'get',
      path: '/v1/config',
      guard: 'api',
      handle(request, response) {
        parametersOf(request.url, []);
        sendJson(response, prefetchd.tuning);
      },
    },
    {
      method: 'patch',
      path: '/v1/config',
      guard: 'api',
      async handle(request, response) {
        parametersOf(request.url, []);
        const body = await readJson(request, maxBodyBytes);
        const change = checked(tuningChangeKind, body, invalidRequest, {
          name: 'the body',
          noun: '',
        });
        const tuning = prefetchd.tune(change);
        log.info({ ...tuning }, 'tuned');
        sendJson(response, { ...tuning, lasts: tuningLasts });
      },
    },
    {
      method: 'get',
      path: '/v1/left-out',
      guard: 'api',
      handle(request, response) {
        parametersOf(request.url, []);
        sendJson(response, { leftOut: prefetchd.leftOut() });
      },
    },
    {
      method: 'get',
      path: '/v1/report',
      guard: 'api',
      handle(request, response) {
        parametersOf(request.url, []);
        const report = prefetchd.report();
        if (report === null) {
          const remedy = 'start the service with --holdback 10, and put the beacon on the pages';
          throw new Problem('no-holdback', `no visitor is held back: ${remedy}`);
        }
        sendJson(response, report);
      },
    },
    {
      method: 'get',
      path: '/metrics',
      guard: 'page',
      handle(_, response) {
        send(response, 200, contentType, metrics.text());
      },
    },
    {
      method: 'get',
      path: '/healthz',
      guard: 'open',
      handle(request, response) {
        const { store } = prefetchd.stats();
        const status = isClosing() ? 'stopping' : store.isHealthy ? 'ok' : 'degraded';
        // Store names and errors are not shown to strangers.
        const isAdmitted = admission.refusal(request, 'page') === null;
        const health = isAdmitted ? { status, store } : { status };
        sendJson(response, health, status === 'stopping' ? 503 : 200);
      },
    },
    {
      method: 'get',
      path: '/readyz',
      guard: 'open',
      async handle(_, response) {
        const isReady = await Promise.race([prefetchd.ready.then(() => true), setImmediate(false)]);
        const status = isClosing() ? 'stopping' : isReady ? 'ready' : 'starting';
        sendJson(response, { status }, status === 'ready' ? 200 : 503);
      },
    },
  ];
}
