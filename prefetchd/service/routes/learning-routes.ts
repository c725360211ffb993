// Serves POST /v1/accesses and POST /v1/hints, which learn accesses.

import { setImmediate as otherWork } from 'node:timers/promises';
import { placeOf, unknownName } from '../../../options/refusal.ts';
import { type Access, accessFields } from '../../access.ts';
import type { Engine } from '../../engine/engine.ts';
import type { NotLearned } from '../../engine/prefetchd.ts';
import { kindOfPath } from '../../rules/access-kind.ts';
import {
  type AccessJsonError,
  hintsJson,
  isRecord,
  mostErrors,
  parseAccesses,
} from '../../wire/access-json.ts';
import { parseLeftOut } from '../../wire/left-out-json.ts';
import {
  askedByFields,
  askedByParameters,
  parametersOf,
  tuningParameters,
} from '../hint-parameters.ts';
import { Problem } from '../problem.ts';
import { readJson } from '../request-body.ts';
import { json, send, sendJson } from '../send.ts';
import type { CheckedServiceOptions } from '../service-options.ts';
import { type ApiRoute, route } from './routes.ts';

/** Number of accesses of a batch that are learned in one turn of the event loop, in about a millisecond. */
const turn = 200;

/** POST /v1/hints returns no hints for an access that is not learned for one of these reasons; for others it does. */
const unanswered: ReadonlySet<NotLearned> = new Set(['malformed', 'status']);

export function learningRoutes(prefetchd: Engine, options: CheckedServiceOptions): ApiRoute[] {
  const { maxBodyBytes, maxAccesses, now } = options;
  const parse = (body: unknown, most: number) =>
    parseAccesses(body, { nowMs: now(), kindOfPath, maxAccesses: most });

  return [
    route('post', '/v1/accesses', 'api', async (request, response) => {
      parametersOf(request.url, []);
      const body = await readJson(request, maxBodyBytes);
      const given = countOf(body);
      if (given > maxAccesses) {
        throw new Problem('too-large', `at most ${maxAccesses} accesses at once, not ${given}`);
      }
      const { accesses, errors } = parse(body, maxAccesses);
      const { leftOut, errors: wrong } = parseLeftOut(body, maxAccesses);
      const malformed = Math.max(0, given - accesses.length);
      for (let i = 0; i < malformed; i++) prefetchd.dropped('malformed');
      const ignored = ignoredFields(body);
      if (errors.length > 0 && accesses.length === 0) throw noAccess(errors, ignored);
      const answer = await learn(prefetchd, accesses);
      if (malformed > 0) {
        answer.notLearned.malformed = (answer.notLearned.malformed ?? 0) + malformed;
      }
      for (const { reason, ...of } of leftOut) prefetchd.dropped(reason, of);
      const told = [...errors, ...wrong].slice(0, mostErrors);
      sendJson(response, { ...answer, errors: told, ignored });
    }),
    route('post', '/v1/hints', 'api', async (request, response) => {
      const parameters = parametersOf(request.url, [...tuningParameters, 'kind']);
      const body = await readJson(request, maxBodyBytes);
      const { item, asked: byFields, ignored } = accessAndQuestion(body);
      const asked = { ...byFields, ...askedByParameters(parameters) };
      const { accesses, errors } = parse(item, 1);
      const access = accesses[0];
      if (access === undefined || isList(item)) {
        prefetchd.dropped('malformed');
        throw noAccess(errors, ignored);
      }
      const question = {
        ...asked,
        url: access.url,
        ...(access.host !== undefined && { host: access.host }),
        client: access.client,
        urlKind: access.kind,
        timeMs: access.timeMs,
        ...(access.alsoSent && { alsoSent: access.alsoSent }),
      };
      const reason = prefetchd.observe(access);
      const hints = reason !== null && unanswered.has(reason) ? [] : prefetchd.hints(question);
      send(response, 200, json, hintsJson(hints, { ignored }));
    }),
  ];
}

async function learn(prefetchd: Engine, accesses: readonly Access[]) {
  let learned = 0;
  const notLearned: Partial<Record<NotLearned, number>> = {};
  for (const [index, access] of accesses.entries()) {
    if (index % turn === turn - 1) await otherWork();
    const reason = prefetchd.observe(access);
    if (reason === null) learned++;
    else notLearned[reason] = (notLearned[reason] ?? 0) + 1;
  }
  return { learned, notLearned };
}

/** Reads a body: `{access, threshold, limit, kind}`, or an access with `threshold` and `limit` among its fields. */
function accessAndQuestion(body: unknown) {
  if (!isRecord(body)) return { item: body, asked: {}, ignored: undefined };
  const isWrapped = Object.hasOwn(body, 'access');
  return {
    item: isWrapped ? body.access : body,
    asked: askedByFields(body, isWrapped),
    ignored: ignoredFields(body, tuningParameters),
  };
}

/** Returns the number of accesses in a request's body, valid or not. */
function countOf(body: unknown): number {
  const listed = isRecord(body) && Object.hasOwn(body, 'accesses') ? body.accesses : body;
  return Array.isArray(listed) ? listed.length : 1;
}

/** Makes the error for a body without a valid access. The error also names ignored fields, as one may be a required
 *  field, misspelt. */
function noAccess(errors: readonly AccessJsonError[], ignored?: IgnoredFields): Problem {
  const detail = errors[0]?.message ?? 'the body must be one access';
  const all = [...errors, ...(ignored?.first ?? [])].slice(0, mostErrors);
  return new Problem('invalid-request', detail, { errors: all });
}

function isList(item: unknown): boolean {
  return !isRecord(item) || Object.hasOwn(item, 'accesses');
}

/**
 * Unknown names in a body of accesses. They do not invalidate the access, because a newer site may send more than this
 * service knows; but they are reported, because a misspelt name silently has no effect.
 */
interface IgnoredFields {
  count: number;
  first: AccessJsonError[];
}

/** Finds the ignored fields of a body; undefined if there are none. @param asked Names of fields of a question for
 *  hints, which the body may have as well */
function ignoredFields(body: unknown, asked?: readonly string[]): IgnoredFields | undefined {
  const found: IgnoredFields = { count: 0, first: [] };
  const has = (name: string) => isRecord(body) && Object.hasOwn(body, name);
  const listed = has('accesses') ? (body as { accesses: unknown }).accesses : body;
  if (asked !== undefined && has('access')) {
    look(found, body, ['access', 'kind', ...asked], []);
    look(found, (body as { access: unknown }).access, accessFields, []);
  } else if (listed !== body) look(found, body, ['accesses', 'leftOut'], []);
  else look(found, body, [...accessFields, ...(asked ?? [])], []);
  for (const [index, item] of Array.isArray(listed) ? listed.entries() : []) {
    look(found, item, accessFields, ['accesses', index]);
  }
  return found.count === 0 ? undefined : found;
}

function look(
  found: IgnoredFields,
  item: unknown,
  known: readonly string[],
  path: readonly (string | number)[],
): void {
  if (!isRecord(item)) return;
  for (const name of Object.keys(item)) {
    if (known.includes(name)) continue;
    if (++found.count > mostErrors) continue;
    const place = placeOf([...path, name]);
    found.first.push({ place, message: `${place} ${unknownName(name, known)}` });
  }
}
