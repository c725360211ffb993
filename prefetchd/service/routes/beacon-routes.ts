// Serves GET /v1/prefetch-beacon.js and POST /v1/prefetch-beacon: the script with which pages report that they are
// shown, and its posts (wire/beacon.ts), through the web server in front. A post is always answered with 204.

import { webVitals } from '../../../process/web-vitals.ts';
import type { Engine } from '../../engine/engine.ts';
import { eligibilityRules, isOfOwnPage, judgeRequest } from '../../rules/eligibility.ts';
import { accessesOf, longestBeaconBytes, readBeacon } from '../../wire/beacon.ts';
import { beaconScriptCaching, beaconScriptOf, beaconScriptType } from '../../wire/beacon-script.ts';
import { readText } from '../request-body.ts';
import { send, sendNothing } from '../send.ts';
import type { CheckedServiceOptions } from '../service-options.ts';
import { frontRequest } from './front-request.ts';
import { type ApiRoute, route } from './routes.ts';

export function beaconRoutes(
  prefetchd: Engine,
  options: CheckedServiceOptions,
  ownsAuthorization: boolean,
): ApiRoute[] {
  const { respectGpc, isTrusted, prefix, now } = options;
  const { origin, deny } = prefetchd.site;
  const rules = eligibilityRules({ origin, deny, respectGpc });

  return [
    route('get', '/v1/prefetch-beacon.js', 'api', (_, response) => {
      const headers = { 'Cache-Control': beaconScriptCaching };
      send(response, 200, beaconScriptType, beaconScriptOf(webVitals()), headers);
    }),
    route('post', '/v1/prefetch-beacon', 'front', async (request, response) => {
      const seen = frontRequest(request, { isTrusted, prefix, ownsAuthorization, method: 'GET' });
      // A body that is too long counts as no beacon.
      const text = await readText(request, longestBeaconBytes).catch(() => '');
      const beacon = readBeacon(text, seen?.prefix);
      const isOurs = seen !== null && isOfOwnPage(seen.facts.headers, rules);
      if (seen === null || seen.client === null || beacon === null || !isOurs) {
        prefetchd.dropped('malformed');
        return sendNothing(response);
      }
      const facts = { ...seen.facts, url: beacon.page };
      const { learn } = judgeRequest(facts, rules, 'document');
      const { client, host } = seen;
      const site = host === undefined ? {} : { host };
      if (learn !== null) prefetchd.dropped(learn, { ...site, url: beacon.page, kind: 'document' });
      else
        for (const told of accessesOf(beacon, client, now())) {
          prefetchd.observe({ ...told, ...site });
        }
      sendNothing(response);
    }),
  ];
}
