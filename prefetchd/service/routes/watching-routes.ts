// What operators look at and turn: /v1/config, /metrics, /healthz. The dashboard is dashboard-routes.ts.

import type { Engine } from '../../engine/engine.ts';
import type { Admission } from '../admission.ts';
import { parametersOf } from '../hint-parameters.ts';
import type { Metrics } from '../metrics.ts';
import { Problem } from '../problem.ts';
import { readJson } from '../request-body.ts';
import { send, sendJson } from '../send.ts';
import type { CheckedServiceOptions } from '../service-options.ts';
import type { Route } from './routes.ts';

export interface WatchingKit {
  admission: Admission;
  metrics: Metrics;
  isClosing: () => boolean;
}

const settings = ['threshold', 'window', 'limit'] as const;

export function watchingRoutes(
  prefetchd: Engine,
  { maxBodyBytes, log }: CheckedServiceOptions,
  { admission, metrics, isClosing }: WatchingKit,
): Route[] {
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
        const tuning = prefetchd.tune(changeOf(await readJson(request, maxBodyBytes)));
        log.info({ ...tuning }, 'tuned');
        sendJson(response, tuning);
      },
    },
    {
      method: 'get',
      path: '/metrics',
      guard: 'page',
      async handle(_, response) {
        const text = await metrics.registry.metrics();
        send(response, 200, metrics.registry.contentType, text);
      },
    },
    {
      method: 'get',
      path: '/healthz',
      guard: 'open',
      handle(request, response) {
        const { store } = prefetchd.stats();
        const status = isClosing() ? 'stopping' : store.isHealthy ? 'ok' : 'degraded';
        // The name of a store and its errors are not for strangers.
        const isAdmitted = admission.refusal(request, 'page') === null;
        const health = isAdmitted ? { status, store } : { status };
        sendJson(response, health, status === 'stopping' ? 503 : 200);
      },
    },
  ];
}

/** @throws Problem `invalid-request` */
function changeOf(body: unknown): Record<string, never> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem('invalid-request', `the body must be an object with ${settings.join(', ')}`);
  }
  for (const name of Object.keys(body)) {
    if (!(settings as readonly string[]).includes(name)) {
      const known = settings.join(', ');
      throw new Problem(
        'invalid-request',
        `${JSON.stringify(name.slice(0, 40))} is unknown; there are ${known}`,
      );
    }
  }
  // tune() checks the values, whatever their types.
  return body as Record<string, never>;
}
