// GET /v1/hints and GET /v1/speculation-rules: hints for a page, without learning anything.

import { kindOfPath } from '../log/access-kind.ts';
import type { Prefetchd } from '../prefetchd.ts';
import { hintsJson, speculationRulesOf, speculationRulesType } from '../wire.ts';
import { json, send } from './answer.ts';
import { askedByParameters, parametersOf, urlAndClient } from './question.ts';
import type { Route } from './routes.ts';
import type { CheckedServiceOptions } from './service-options.ts';

/** Rules for nobody in particular are the same for all for a while. */
const sharedRules = { 'Cache-Control': 'max-age=60' };

export function hintRoutes(prefetchd: Prefetchd, { origin }: CheckedServiceOptions): Route[] {
  return [
    {
      method: 'get',
      path: '/v1/hints',
      guard: 'api',
      handle(request, response) {
        const known = ['url', 'client', 'threshold', 'limit', 'kind'];
        const parameters = parametersOf(request.url, known);
        const page = urlAndClient(parameters);
        const urlKind = kindOfPath(page.url.replace(/[?#].*$/s, ''));
        const hints = prefetchd.hints({ ...page, urlKind, ...askedByParameters(parameters) });
        send(response, 200, json, hintsJson(hints));
      },
    },
    {
      method: 'get',
      path: '/v1/speculation-rules',
      guard: 'api',
      handle(request, response) {
        const parameters = parametersOf(request.url, ['url', 'client', 'threshold', 'limit']);
        const page = urlAndClient(parameters);
        const asked = askedByParameters(parameters);
        const hints = prefetchd.hints({ ...page, ...asked, kind: 'document' });
        const rules = speculationRulesOf(hints, { origin });
        const headers = page.client === undefined ? sharedRules : undefined;
        send(response, 200, speculationRulesType, rules, headers);
      },
    },
  ];
}
