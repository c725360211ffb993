// Serves GET /v1/hints and GET /v1/speculation-rules: hints for a page, without learning; and the script that applies
// speculation rules in browsers that do not know them.

import type { IncomingMessage } from 'node:http';
import type { Engine } from '../../engine/engine.ts';
import { kindOfTarget } from '../../rules/access-kind.ts';
import { exceptedLinks } from '../../rules/link-patterns.ts';
import { pageOfRulesTarget } from '../../rules/page-of-rules.ts';
import { hintsJson } from '../../wire/access-json.ts';
import { belowPrefix, withoutPrefix } from '../../wire/hint.ts';
import {
  prefetchScriptCaching,
  prefetchScriptOf,
  prefetchScriptType,
} from '../../wire/prefetch-script.ts';
import { speculationRulesOf, speculationRulesType } from '../../wire/speculation-rules.ts';
import {
  askedByParameters,
  isSaid,
  parametersOf,
  tuningParameters,
  urlAndClient,
} from '../hint-parameters.ts';
import { invalidRequest } from '../problem.ts';
import { json, send } from '../send.ts';
import type { CheckedServiceOptions } from '../service-options.ts';
import { forwardedVisitor, frontHost, prefixOf } from './front-request.ts';
import type { ApiRoute } from './routes.ts';

/** Rules for no particular client may be cached briefly: all clients get the same or, with a holdback, all clients of
 *  one group do. */
const sharedRules = { 'Cache-Control': 'max-age=60' };
const rulesOfAGroup = { 'Cache-Control': 'private, max-age=60' };
/** Cache-Control of rules at a page's own URL: the web server decides each time who may have them. With `private`,
 *  readers of the server's log would take the visit for one that must not be learned. */
const rulesOfOwnUrl = { 'Cache-Control': 'no-cache' };

/** Returns the page whose rules the web server in front serves at the page's own URL with a parameter; null: the
 *  request names none. */
function pageInFront({ url = '', headers }: IncomingMessage): string | null {
  const target = headers['x-original-uri'];
  if (typeof target !== 'string' || url.includes('?')) return null;
  return (
    pageOfRulesTarget(target) ??
    invalidRequest('X-Original-URI must be a page with prefetchd-rules as its last parameter')
  );
}

/** Returns the page with its URL within the site, without the prefix. @throws Problem `invalid-request` */
function pageBelow<T extends { url: string }>(prefix: string, page: T): T {
  const url = withoutPrefix(page.url, prefix);
  return { ...page, url: url ?? invalidRequest(`url must be a page below ${prefix}/`) };
}

/** The script finds the rules beside itself, whatever path a web server maps both to. */
const script = prefetchScriptOf('speculation-rules');

export function hintRoutes(
  prefetchd: Engine,
  options: Pick<CheckedServiceOptions, 'isTrusted' | 'prefix'>,
): ApiRoute[] {
  const { origin, deny } = prefetchd.site;
  const except = exceptedLinks(deny);
  return [
    {
      method: 'get',
      path: '/v1/hints',
      guard: 'api',
      handle(request, response) {
        const parameters = parametersOf(request.url, [
          'url',
          'host',
          'client',
          'shared',
          'shown',
          'rules',
          'kind',
          ...tuningParameters,
        ]);
        const page = urlAndClient(parameters);
        const urlKind = kindOfTarget(page.url);
        const isShared = isSaid(parameters, 'shared');
        const isShown = isSaid(parameters, 'shown');
        const forRules = isSaid(parameters, 'rules');
        const asked = askedByParameters(parameters);
        const question = { ...page, urlKind, isShared, isShown, forRules, ...asked };
        const hints = prefetchd.hints(question);
        const isHeldBack = page.client !== undefined && prefetchd.isHeldBack(page.client);
        const more = {
          ...(isHeldBack && { heldBack: true }),
          ...(forRules && { speculation: prefetchd.speculation }),
        };
        send(response, 200, json, hintsJson(hints, more));
      },
    },
    {
      method: 'get',
      path: '/v1/speculation-rules',
      guard: 'api',
      handle(request, response) {
        const parameters = parametersOf(request.url, [
          'url',
          'host',
          'client',
          'shown',
          ...tuningParameters,
        ]);
        const own = pageInFront(request);
        const prefix = prefixOf(request, options);
        const { host, ...asker } =
          own === null ? pageBelow(prefix, urlAndClient(parameters)) : { url: own };
        const site = host ?? frontHost(request.headers);
        const page = { ...asker, ...(site !== undefined && { host: site }) };
        const asked = askedByParameters(parameters);
        const isShown = isSaid(parameters, 'shown');
        const question = { ...page, ...asked, isShown, kind: 'document', forRules: true } as const;
        // A browser sends no `client`. The forwarded address only decides the holdback's group: it may be forged, and
        // must not reveal what somebody else has read.
        const visitor = page.client ?? forwardedVisitor(request, options.isTrusted);
        const isHeldBack = visitor !== null && prefetchd.isHeldBack(visitor);
        // A trial gives hints to this machine only.
        const client = prefetchd.trial === false || visitor === null ? {} : { client: visitor };
        const hints = prefetchd.hints({ ...question, ...client });
        const settings = isHeldBack ? {} : prefetchd.speculation;
        const rules = speculationRulesOf(isHeldBack ? [] : belowPrefix(hints, prefix), {
          ...settings,
          origin,
          except,
          prefix,
        });
        const cached = prefetchd.holdback === null ? sharedRules : rulesOfAGroup;
        const caching =
          own !== null ? rulesOfOwnUrl : page.client === undefined ? cached : undefined;
        const vary = options.prefix === null && prefix !== '' && { Vary: 'X-Forwarded-Prefix' };
        const headers = { ...caching, ...vary };
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
