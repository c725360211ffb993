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
import { type ApiRoute, route } from './routes.ts';

/** Cache-Control of speculation rules for no particular client. Caches may keep them for a minute, because all clients
 *  get the same. With a holdback the rules depend on the client's group, so only browsers may keep them. */
const sharedRules = { 'Cache-Control': 'max-age=60' };
const rulesOfAGroup = { 'Cache-Control': 'private, max-age=60' };
/** Caching of speculation rules served at a page's own URL with one more parameter: the web server decides each time
 *  who may read them. With `private`, its log would show the request as one that prefetchd must not learn. */
const rulesOfOwnUrl = { 'Cache-Control': 'no-cache' };

/** Returns the page whose speculation rules a web server requests for a visitor, who asked it for the page's URL with
 *  one more parameter: X-Original-URI has that URL. null: this is no such request. */
function pageInFront({ url = '', headers }: IncomingMessage): string | null {
  const target = headers['x-original-uri'];
  if (typeof target !== 'string' || url.includes('?')) return null;
  return (
    pageOfRulesTarget(target) ??
    invalidRequest('X-Original-URI must be a page with prefetchd-rules as its last parameter')
  );
}

/** Returns the page with its URL without the path prefix below which visitors see the site (`/shop`). @throws Problem
 *  `invalid-request` if the URL is not below the prefix */
function pageBelow<T extends { url: string }>(prefix: string, page: T): T {
  const url = withoutPrefix(page.url, prefix);
  return { ...page, url: url ?? invalidRequest(`url must be a page below ${prefix}/`) };
}

/** The script for browsers without speculation rules. It requests `speculation-rules` relative to its own URL, so a web
 *  server may map both to any path. */
const script = prefetchScriptOf('speculation-rules');

export function hintRoutes(
  prefetchd: Engine,
  options: Pick<CheckedServiceOptions, 'isTrusted' | 'prefix'>,
): ApiRoute[] {
  const { origin, deny } = prefetchd.site;
  const except = exceptedLinks(deny);
  return [
    route('get', '/v1/hints', 'api', (request, response) => {
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
    }),
    route('get', '/v1/speculation-rules', 'api', (request, response) => {
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
      // A browser sends no `client`. The forwarded address only decides whether it is in the group that gets no hints
      // (holdback): the address may be forged, and must not reveal what somebody else has read.
      const visitor = page.client ?? forwardedVisitor(request, options.isTrusted);
      const isHeldBack = visitor !== null && prefetchd.isHeldBack(visitor);
      // With the option `trial`, the engine must know the client, because only visitors on this machine get hints.
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
      const caching = own !== null ? rulesOfOwnUrl : page.client === undefined ? cached : undefined;
      const vary = options.prefix === null && prefix !== '' && { Vary: 'X-Forwarded-Prefix' };
      const headers = { ...caching, ...vary };
      send(response, 200, speculationRulesType, rules, headers);
    }),
    route('get', '/v1/prefetch.js', 'api', (_, response) => {
      const headers = { 'Cache-Control': prefetchScriptCaching };
      send(response, 200, prefetchScriptType, script, headers);
    }),
  ];
}
