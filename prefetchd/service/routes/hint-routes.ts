// GET /v1/hints and GET /v1/speculation-rules: hints for a page, without learning; and the script that reads the
// rules in other browsers.

import type { Engine } from '../../engine/engine.ts';
import { kindOfPath } from '../../rules/access-kind.ts';
import { hintsJson, speculationRulesOf, speculationRulesType } from '../../wire/index.ts';
import {
  prefetchScriptCaching,
  prefetchScriptOf,
  prefetchScriptType,
} from '../../wire/prefetch-script.ts';
import {
  askedByParameters,
  parametersOf,
  sharedByParameters,
  urlAndClient,
} from '../hint-parameters.ts';
import { json, send } from '../send.ts';
import type { Route } from './routes.ts';

/** Rules for no particular client are the same for all, so they can be cached briefly. */
const sharedRules = { 'Cache-Control': 'max-age=60' };

/** The rules are beside the script, under whatever path a web server maps both. */
const script = prefetchScriptOf('speculation-rules');

export function hintRoutes(prefetchd: Engine): Route[] {
  const { origin } = prefetchd.site;
  return [
    {
      method: 'get',
      path: '/v1/hints',
      guard: 'api',
      handle(request, response) {
        const known = ['url', 'client', 'shared', 'threshold', 'limit', 'kind'];
        const parameters = parametersOf(request.url, known);
        const page = urlAndClient(parameters);
        const urlKind = kindOfPath(page.url.replace(/[?#].*$/s, ''));
        const isShared = sharedByParameters(parameters);
        const asked = askedByParameters(parameters);
        const hints = prefetchd.hints({ ...page, urlKind, isShared, ...asked });
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
    {
      method: 'get',
      path: '/v1/prefetch.js',
      guard: 'api',
      handle(_, response) {
        const headers = { 'Cache-Control': prefetchScriptCaching };
        send(response, 200, prefetchScriptType, script, headers);
      },
    },
  ];
}
