// Serves /v1/headers and /v1/mirror, for web servers that can send a subrequest or a copy of a request. The first
// returns complete response fields, the second learns. Both always respond with 204. /v1/page-rules redirects nginx to
// an internal location, reached only once nginx's access rules admit the visitor; the visitor's fields are not read.

import { shownByRules } from '../../access.ts';
import type { Engine } from '../../engine/engine.ts';
import { urlNormaliser } from '../../normalise-url.ts';
import {
  eligibilityRules,
  isByRules,
  isForRules,
  isNavigation,
  isUserActivated,
  judgeRequest,
  startOfRequest,
} from '../../rules/eligibility.ts';
import { pageOfRulesTarget } from '../../rules/page-of-rules.ts';
import { belowPrefix } from '../../wire/hint.ts';
import { linkHeaderOf } from '../../wire/link-hints.ts';
import { speculationRulesHeaderOf } from '../../wire/speculation-rules.ts';
import { sendNothing } from '../send.ts';
import type { CheckedServiceOptions } from '../service-options.ts';
import { type FrontRequest, frontRequest } from './front-request.ts';
import { type ApiRoute, route } from './routes.ts';

/** Pages with a longer request target get no speculation rules, because the URL of the rules contains the target. */
const longestTarget = 2048;

/** Fields that make nginx serve the page's speculation rules in place of this response, which it must not cache. */
const toRules = { 'X-Accel-Redirect': '/_prefetchd/rules', 'X-Accel-Expires': '0' };

export function frontRoutes(
  prefetchd: Engine,
  options: CheckedServiceOptions,
  ownsAuthorization: boolean,
): ApiRoute[] {
  const { respectGpc, isTrusted, prefix: own, now } = options;
  const front = { isTrusted, prefix: own, ownsAuthorization };
  const { origin, deny, query } = prefetchd.site;
  const normalised = urlNormaliser({ query, origin });
  const rules = eligibilityRules({ origin, deny, respectGpc });

  /** Learns that a page is shown, because the browser requested its speculation rules. */
  const learnShown = ({ facts, host }: FrontRequest, client: string, page: string | null) => {
    if (page === null) return prefetchd.dropped('not-page');
    const { learn } = judgeRequest({ ...facts, url: page }, rules, 'document');
    const site = host === undefined ? {} : { host };
    if (learn !== null) return prefetchd.dropped(learn, { ...site, url: page, kind: 'document' });
    return prefetchd.observe({ ...site, ...shownByRules({ client, url: page, timeMs: now() }) });
  };

  return [
    route(
      'any',
      '/v1/page-rules',
      'open',
      (_, response) => void response.writeHead(204, toRules).end(),
    ),
    route('any', '/v1/headers', 'front', (request, response) => {
      const asked = frontRequest(request, { ...front, method: 'GET' });
      if (asked === null) return sendNothing(response);
      const { learn, hint } = judgeRequest(asked.facts, rules);
      if (hint !== null) return sendNothing(response);
      const { facts, kind, host, prefix } = asked;
      const client = learn === 'gpc' ? null : asked.client;
      const known = prefetchd.hints({
        url: facts.url,
        urlKind: kind,
        forRules: true,
        ...(host !== undefined && { host }),
        ...(client !== null && { client }),
      });
      const hints = belowPrefix(known, prefix);
      const fields: Record<string, string> = {};
      // If the web server sends speculation rules as well, a page named in Link would be fetched twice.
      const inLink = namesPages(request.url)
        ? hints
        : hints.filter(({ kind }) => kind === 'object');
      const link = linkHeaderOf(inLink, { origin });
      if (link !== '') fields.Link = link;
      // The response to a prefetch by speculation rules always names rules, even if there are no hints: the browser
      // requests them when it shows the page, and so reports that.
      const needsRules = learn === 'prefetch' && isByRules(facts.headers) === true;
      const hasRules =
        needsRules ||
        hints.some((hint) => hint.kind === 'document') ||
        prefetchd.tuning.otherLinks !== 'off';
      if (hasRules && facts.url.length <= longestTarget) {
        const page = encodeURIComponent(prefix + facts.url);
        const path = `${prefix}/v1/speculation-rules?url=${page}`;
        fields['Speculation-Rules'] = speculationRulesHeaderOf([path]);
      }
      sendNothing(response, fields);
    }),
    route('any', '/v1/mirror', 'front', (request, response) => {
      const seen = frontRequest(request, { ...front, method: null });
      if (seen === null || seen.client === null) {
        prefetchd.dropped('malformed');
        return sendNothing(response);
      }
      const { facts, kind, client, host, shownUrl } = seen;
      const of = { url: facts.url, kind, ...(host !== undefined && { host }) };
      const start = startOfRequest(facts.headers, rules);
      const own = pageOfRulesTarget(facts.url);
      // A request for speculation rules is recognised by path, too: browsers send no Sec-Fetch-Dest over plain HTTP.
      if ((isForRules(facts.headers) || own !== null) && start !== 'elsewhere') {
        learnShown(seen, client, own ?? shownUrl);
        return sendNothing(response);
      }
      const { learn } = judgeRequest(facts, rules);
      const prefetch = learn === 'prefetch';
      if (learn !== null && !prefetch) {
        prefetchd.dropped(learn, of);
        return sendNothing(response);
      }
      if (kind === 'document' && !prefetch) {
        // The web server sends this copy of a request without its response. So a URL with a query may be private
        // (rules/page-query.ts), and what a script requests may be data instead of a page.
        const isUnknown = query === 'evidence' && normalised(facts.url)?.includes('?') !== false;
        const isForScript = start === 'here' && !isNavigation(facts.headers);
        if (isUnknown || isForScript) {
          prefetchd.dropped(isUnknown ? 'query' : 'not-page', of);
          return sendNothing(response);
        }
      }
      const byRules = prefetch ? isByRules(facts.headers) : undefined;
      // The status is assumed to be 200, because the web server sends this copy of a request before the response.
      const userActivated = kind === 'document' && isUserActivated(facts.headers);
      prefetchd.observe({
        ...of,
        client,
        timeMs: now(),
        status: 200,
        bytes: 0,
        prefetch,
        ...(userActivated && { userActivated }),
        ...(start !== undefined && kind === 'document' && { entry: start === 'elsewhere' }),
        ...(byRules !== undefined && { byRules }),
        ...(shownUrl !== null && { page: shownUrl }),
      });
      sendNothing(response);
    }),
  ];
}

/** Returns whether Link fields may name pages; false for `/v1/headers?pages=rules`: then only speculation rules do. */
function namesPages(target = ''): boolean {
  const start = target.indexOf('?');
  return start === -1 || new URLSearchParams(target.slice(start)).get('pages') !== 'rules';
}
