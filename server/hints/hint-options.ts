// Every setting of `hints()`: one table of defaults, checked once, when it is made. `null` switches a
// rule off. What decides about requests and responses stands in prefetchd/rules/eligibility.ts; here is only
// where hints come from, who asks, and in which form they go out.

import type { Prefetchd } from '../../prefetchd/engine/prefetchd.ts';
import type { PrefetchdOptions } from '../../prefetchd/engine/prefetchd-options.ts';
import type { DenyListOptions } from '../../prefetchd/rules/deny-list.ts';
import { speculationRulesHeaderOf, speculationRulesOf } from '../../prefetchd/wire/index.ts';
import { ServerError } from '../errors.ts';
import type { Request } from '../listen/handler.ts';
import { invalidOption } from '../listen/limits.ts';
import { type IsTrusted, type TrustProxy, trustOf } from '../listen/trusted.ts';

/** What went wrong: a request of ours, a response, the remote prefetchd, the site's own `clientOf`. */
export type HintFault = 'request' | 'head' | 'report' | 'remote' | 'client';

export interface SpeculationRulesDocument {
  /** Where the rules are answered, below the path that `hints()` is mounted on. */
  path?: string;
  /** Comes back in Sec-Speculation-Tags. */
  tag?: string;
  /** Where a script is answered that does the same in browsers that know no speculation rules, below the path that
   *  `hints()` is mounted on; null: nowhere. */
  script?: string | null;
}

export interface HintsOptions {
  /** A prefetchd of this process, which stays yours to close; the address of a remote one,
   *  `http://host:7733` or `unix:/run/prefetchd.sock`; or settings for one of its own. */
  prefetchd?: Prefetchd | PrefetchdOptions | string;
  /** Sent to a remote prefetchd as `Authorization: Bearer`. */
  token?: string | null;
  /** A document waits for a remote prefetchd at most so long, ms, 1..1000; null: it does not wait, and
   *  gets hints that came before its header fields leave. */
  deadlineMs?: number | null;
  /** Whose X-Forwarded-For is believed: addresses, networks, `loopback`, `uniquelocal`; false: nobody's. */
  trustProxy?: TrustProxy;
  /** Who asks, instead of address and user agent; its first word is what counts as one visitor. null:
   *  nobody in particular, and nothing is learned. */
  clientOf?: ((req: Request) => string | null) | null;
  /** p and i; absent: those of the prefetchd. */
  threshold?: number | null;
  limit?: number | null;
  /** Origin of the site, `https://example.com`: requests for other hosts are left alone. */
  origin?: string | null;
  /** What a client without User-Agent is. */
  absentUserAgent?: 'bot' | 'visitor';
  /** What is neither learned nor hinted by its name. */
  deny?: DenyListOptions;
  /** A shared cache may stand in front: what it may keep carries hints for everybody, none for one
   *  person. False: there is none. */
  sharedCaches?: boolean;
  /** Hints as a Link field. */
  link?: boolean;
  /** 103 with preload links before the page is made: over HTTP/2, wherever it can be said, or never. */
  earlyHints?: 'h2' | boolean;
  /** A Speculation-Rules field, and the document that it names. */
  speculationRules?: boolean | SpeculationRulesDocument;
  /** Hints as a Prefetch-Hints field: for clients that send one, for all, or for none. */
  hintHeader?: 'on request' | boolean;
  /** Told once of each kind of fault; the request is answered as without hints. */
  onError?: (error: unknown, fault: HintFault) => void;
  /** The time, ms since the epoch. */
  now?: () => number;
}

type Unchanged = Omit<Required<HintsOptions>, 'trustProxy' | 'speculationRules' | 'limit'>;

export interface CheckedHintsOptions extends Unchanged {
  /** undefined: that of the prefetchd; null: no limit. */
  limit: number | null | undefined;
  isTrusted: IsTrusted | null;
  speculationRules: Required<SpeculationRulesDocument> | null;
}

export const hintsDefaults = {
  prefetchd: {},
  token: null,
  deadlineMs: 5,
  trustProxy: false,
  clientOf: null,
  threshold: null,
  limit: undefined,
  origin: null,
  absentUserAgent: 'bot',
  deny: {},
  sharedCaches: true,
  link: true,
  earlyHints: 'h2',
  speculationRules: false,
  hintHeader: 'on request',
  onError: () => {},
  now: Date.now,
} as const satisfies { [name in keyof HintsOptions]-?: HintsOptions[name] | undefined };

type Defaulted = Omit<Required<HintsOptions>, 'limit'> & Pick<CheckedHintsOptions, 'limit'>;

const rulesDefaults = { path: '/speculation-rules.json', tag: 'prefetchd', script: null };

/** @throws ServerError 'invalid-option', PrefetchdError `invalid-option` */
export function hintsOptions(given: HintsOptions = {}): CheckedHintsOptions {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(hintsDefaults, name)) continue;
    const known = Object.keys(hintsDefaults).join(', ');
    throw new ServerError(
      'invalid-option',
      `option ${name} is not known to hints; there are ${known}`,
    );
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const options = { ...hintsDefaults, ...Object.fromEntries(set) } as unknown as Defaulted;
  const { deadlineMs, threshold, limit, token, clientOf, prefetchd } = options;
  if (typeof prefetchd !== 'string' && (typeof prefetchd !== 'object' || prefetchd === null)) {
    invalidOption('prefetchd', 'a prefetchd, its settings or its address', prefetchd);
  }
  if (deadlineMs !== null && !(deadlineMs >= 1 && deadlineMs <= 1000)) {
    invalidOption('deadlineMs', 'a number from 1 to 1000, or null', deadlineMs);
  }
  if (threshold !== null && !(typeof threshold === 'number' && threshold >= 0 && threshold <= 1)) {
    invalidOption('threshold', 'a number between 0 and 1, or null', threshold);
  }
  const isLimit = Number.isSafeInteger(limit) && Number(limit) >= 1;
  if (limit !== undefined && limit !== null && !isLimit) {
    invalidOption('limit', 'a whole number from 1, or null', limit);
  }
  if (token !== null && typeof options.prefetchd !== 'string') {
    throw new ServerError('invalid-option', 'option token is for a remote prefetchd alone');
  }
  if (token !== null && !(typeof token === 'string' && /^[\x21-\x7e]{1,512}$/.test(token))) {
    // Never the value.
    throw new ServerError(
      'invalid-option',
      'option token must have 1 to 512 printable ASCII characters and no space',
    );
  }
  for (const name of ['sharedCaches', 'link'] as const) {
    if (typeof options[name] !== 'boolean') invalidOption(name, 'true or false', options[name]);
  }
  checkOneOf('earlyHints', options.earlyHints, ['h2', true, false]);
  checkOneOf('hintHeader', options.hintHeader, ['on request', true, false]);
  for (const name of ['onError', 'now'] as const) {
    if (typeof options[name] !== 'function') invalidOption(name, 'a function', options[name]);
  }
  if (clientOf !== null && typeof clientOf !== 'function') {
    invalidOption('clientOf', 'a function, or null', clientOf);
  }
  return {
    ...options,
    isTrusted: trustOf(options.trustProxy),
    speculationRules: rulesOf(options.speculationRules),
  };
}

function checkOneOf(name: string, value: unknown, values: readonly unknown[]): void {
  if (!values.includes(value)) invalidOption(name, `one of ${values.join(', ')}`, value);
}

function rulesOf(
  given: boolean | SpeculationRulesDocument,
): Required<SpeculationRulesDocument> | null {
  if (given === false) return null;
  if (given !== true && (typeof given !== 'object' || given === null)) {
    invalidOption('speculationRules', 'true, false or { path, tag, script }', given);
  }
  const rules = { ...rulesDefaults, ...(given === true ? {} : given) };
  for (const name of ['path', 'script'] as const) {
    const path: unknown = rules[name];
    if (name === 'script' && path === null) continue;
    const isPath = typeof path === 'string' && /^\/(?!\/)[\x21-\x7e]*$/.test(path);
    if (!isPath || /[?#"\\]/.test(path)) {
      invalidOption(`speculationRules.${name}`, 'a path that begins with /, without query', path);
    }
  }
  speculationRulesHeaderOf([rules.path]);
  speculationRulesOf([], { tag: rules.tag });
  return rules;
}
