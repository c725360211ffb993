// GET /v1/report: the benefit of hints as the holdback measured it; 404 without a holdback.

import type { Engine } from '../../engine/engine.ts';
import { parametersOf } from '../hint-parameters.ts';
import { Problem } from '../problem.ts';
import { sendJson } from '../send.ts';
import type { ApiRoute } from './routes.ts';

export function reportRoutes(prefetchd: Engine): ApiRoute[] {
  return [
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
  ];
}
