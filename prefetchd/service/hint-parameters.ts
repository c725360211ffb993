// Reads parameters of a request for hints, from a query string or the fields of a body: `threshold` (p), `limit` (i),
// and the `kind` of hints; for GET also `url`, `host`, `client`, `shared` and `shown`. Unknown and repeated parameters
// are refused, because a misspelt one would silently have no effect.

import { oneOf } from '../../options/kinds.ts';
import { checked } from '../../options/options.ts';
import { shown, unknownName } from '../../options/refusal.ts';
import { accessClient, accessKinds } from '../access.ts';
import type { HintQuestion } from '../engine/prefetchd.ts';
import { limitKind, thresholdKind } from '../model/model-kinds.ts';
import { invalidRequest } from './problem.ts';

/** Threshold, limit and kind of hints (to documents or to objects), as far as a request sets them. */
export type HintTerms = Pick<HintQuestion, 'threshold' | 'limit' | 'kind'>;

/** Reads the parameters in a request target; refuses one that is repeated or not `known`. @throws Problem
 *  `invalid-request` */
export function parametersOf(target: string, known: readonly string[]): Map<string, string> {
  const start = target.indexOf('?');
  const found = new Map<string, string>();
  if (start === -1) return found;
  for (const [name, value] of new URLSearchParams(target.slice(start + 1))) {
    if (!known.includes(name)) {
      invalidRequest(`parameter ${shown(name)} ${unknownName(name, known)}`);
    }
    if (found.has(name)) invalidRequest(`parameter ${name} occurs twice`);
    found.set(name, value);
  }
  return found;
}

const kinds = {
  threshold: thresholdKind,
  limit: limitKind,
  kind: oneOf(accessKinds),
};

/** Query parameters that set the threshold and the limit of hints. */
export const tuningParameters = ['threshold', 'limit'] as const;

/** Reads threshold, limit and kind from a query string. @throws Problem `invalid-request` */
export function askedByParameters(parameters: ReadonlyMap<string, string>): HintTerms {
  const given = Object.fromEntries(parameters);
  const { threshold, limit } = given;
  return askedByFields(
    {
      ...given,
      ...(threshold !== undefined && { threshold: numberIn(threshold) }),
      ...(limit !== undefined && { limit: limit === 'inf' ? null : numberIn(limit) }),
    },
    true,
  );
}

/** Reads threshold, limit and kind of hints from the fields of a JSON body. @param withKind false: the field `kind` is
 *  not read, because it is the kind of an access @throws Problem `invalid-request` */
export function askedByFields(
  body: Readonly<Record<string, unknown>>,
  withKind: boolean,
): HintTerms {
  const asked: HintTerms = {};
  const read = <Name extends keyof typeof kinds>(name: Name) =>
    checked(kinds[name], body[name], invalidRequest, { name });
  if (Object.hasOwn(body, 'threshold')) asked.threshold = read('threshold');
  if (Object.hasOwn(body, 'limit')) asked.limit = read('limit');
  if (withKind && Object.hasOwn(body, 'kind')) asked.kind = read('kind');
  return asked;
}

/** Reads URL and host of the page for which hints are asked, and the client. @throws Problem `invalid-request` */
export function urlAndClient(
  parameters: ReadonlyMap<string, string>,
): Pick<HintQuestion, 'url' | 'host' | 'client'> {
  const [url, client, host] = ['url', 'client', 'host'].map((name) => parameters.get(name));
  if (url === undefined || url === '')
    invalidRequest('url must be a parameter: the page asked for');
  const page = { url, ...(host !== undefined && { host }) };
  if (client === undefined) return page;
  return { ...page, client: checked(accessClient, client, invalidRequest, { name: 'client' }) };
}

const truth = oneOf(['true', 'false']);

/**
 * Returns whether one of these parameters is `true`. `shared`: the response may be given to other clients, so `client`
 * is only used for counting. `shown`: the client's browser shows the page and asks for its speculation rules. `rules`:
 * the response may have pages that only speculation rules may name. @throws Problem `invalid-request`
 */
export function isSaid(
  parameters: ReadonlyMap<string, string>,
  name: 'shared' | 'shown' | 'rules',
): boolean {
  const said = parameters.get(name) ?? 'false';
  return checked(truth, said, invalidRequest, { name }) === 'true';
}

/** Returns the number in a text; other text is returned as it is, and refused when the option is checked. */
function numberIn(text: string): number | string {
  return /^(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})$/.test(text) ? Number(text) : text;
}
