// Every option of `hints()` in one table, checked once at creation. `null` switches a rule off. The rules for
// requests and responses are in prefetchd/rules/eligibility.ts; the options here determine the source of hints, the
// client, and the form of the hints.

import {
  aFunction,
  any,
  either,
  number,
  oneOfOr,
  orNull,
  type TextRule,
  text,
  trueOrFalse,
} from '../../options/kinds.ts';
import {
  checked,
  objectOf,
  option,
  optionWithoutDefault,
  type TableOf,
} from '../../options/options.ts';
import type { Prefetchd } from '../../prefetchd/engine/prefetchd.ts';
import type { PrefetchdOptions } from '../../prefetchd/engine/prefetchd-options.ts';
import { limitKind, thresholdRange } from '../../prefetchd/model/model-kinds.ts';
import { originKind } from '../../prefetchd/normalise-url.ts';
import { type DenyListOptions, denyKind } from '../../prefetchd/rules/deny-list.ts';
import { absentUserAgentKind } from '../../prefetchd/rules/eligibility.ts';
import { speculationRulesHeaderOf, speculationRulesOf } from '../../prefetchd/wire/index.ts';
import { invalidOption } from '../errors.ts';
import type { Request } from '../listen/handler.ts';
import { type IsTrusted, type TrustProxy, trustOf, trustProxyKind } from '../listen/trusted.ts';

/** What failed: handling a request, a response, or a report, the remote prefetchd, or the site's own `clientOf`. */
export type HintFault = 'request' | 'head' | 'report' | 'remote' | 'client';

export interface SpeculationRulesDocument {
  /** Path of the rules document, relative to the path that `hints()` is mounted on. */
  path?: string;
  /** Returned in Sec-Speculation-Tags. */
  tag?: string;
  /** Path of a script with the same effect for browsers without speculation rules, relative to the path that
   *  `hints()` is mounted on; null: none. */
  script?: string | null;
}

export interface HintsOptions {
  /** A prefetchd in this process, which the caller closes; the address of a remote one, `http://host:7733` or
   *  `unix:/run/prefetchd.sock`; or settings for a new one. */
  prefetchd?: Prefetchd | PrefetchdOptions | string;
  /** Sent to a remote prefetchd as `Authorization: Bearer`. */
  token?: string | null;
  /** Longest time a document waits for a remote prefetchd, ms, 1..1000; null: it does not wait, and gets the hints
   *  that arrive before its header is sent. */
  deadlineMs?: number | null;
  /** Proxies whose X-Forwarded-For is trusted: addresses, networks, `loopback`, `uniquelocal`; false: none. */
  trustProxy?: TrustProxy;
  /** Identifies the client instead of address and user agent; its first word counts as one visitor. null: no
   *  particular client, and nothing is learned. */
  clientOf?: ((req: Request) => string | null) | null;
  /** p and i; absent: those of the prefetchd. */
  threshold?: number | null;
  limit?: number | null;
  /** Origin of the site, `https://example.com`: requests for other hosts are ignored. */
  origin?: string | null;
  /** How to treat a client without User-Agent. */
  absentUserAgent?: 'bot' | 'visitor';
  /** What is neither learned nor hinted because of its name. */
  deny?: DenyListOptions;
  /** Assume a shared cache in front: cacheable responses carry hints for all clients, never for one. False: there
   *  is none. */
  sharedCaches?: boolean;
  /** Send hints as a Link field. */
  link?: boolean;
  /** Send a 103 with preload links before the page is generated: over HTTP/2, whenever possible, or never. */
  earlyHints?: 'h2' | boolean;
  /** Send a Speculation-Rules field, and serve the document it names. */
  speculationRules?: boolean | SpeculationRulesDocument;
  /** Send hints as a Prefetch-Hints field: to clients that request it, to all, or to none. */
  hintHeader?: 'on request' | boolean;
  /** Called once per kind of fault; the request is answered as without hints. */
  onError?: (error: unknown, fault: HintFault) => void;
  /** Current time, ms since the epoch. */
  now?: () => number;
}

type Unchanged = Omit<Required<HintsOptions>, 'trustProxy' | 'speculationRules' | 'limit'>;

export interface CheckedHintsOptions extends Unchanged {
  /** undefined: that of the prefetchd; null: no limit. */
  limit: number | null | undefined;
  isTrusted: IsTrusted | null;
  speculationRules: Required<SpeculationRulesDocument> | null;
}

const pathKind = (rule: Pick<TextRule, 'or'>) =>
  text({
    rule: 'a path that begins with /, without query',
    pattern: /^\/(?!\/)(?:(?![?#"\\])[\x21-\x7e])*$/,
    ...rule,
  });

const rulesKind = objectOf({
  path: option(pathKind({}), '/speculation-rules.json', 'Where the rules are answered.'),
  tag: option(text({ rule: 'a tag' }), 'prefetchd', 'Comes back in Sec-Speculation-Tags.'),
  script: option(orNull(pathKind, {}), null, 'Where a script is answered. null: nowhere.'),
} satisfies TableOf<SpeculationRulesDocument>);

const isPrefetchd = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

export const hintsTable = {
  prefetchd: option(
    any<NonNullable<HintsOptions['prefetchd']>>(
      isPrefetchd,
      'a prefetchd, its settings or its address',
    ),
    {},
    'Settings for a prefetchd of its own (`{ threshold, window, limit, minClients, ipv6Prefix, store, ... }`; its `predictor` is `double-graph` unless you name another), one made by `createPrefetchd()`, which stays yours to close, or the address of a remote one: `http://host:port`, `unix:/path`.',
  ),
  token: option(
    orNull(text, {
      rule: '1 to 512 printable ASCII characters and no space',
      pattern: /^[\x21-\x7e]{1,512}$/,
      isSecret: true,
    }),
    null,
    'Sent to a remote prefetchd as `Authorization: Bearer`.',
    { shownDefault: 'none' },
  ),
  deadlineMs: option(
    orNull(number, { least: 1, most: 1000 }),
    5,
    'A page waits for a remote prefetchd at most so long, 1 to 1,000. null: it does not wait, and carries what came before its fields leave.',
  ),
  trustProxy: option(
    trustProxyKind,
    false,
    'Whose `X-Forwarded-For` is believed: addresses, networks, `loopback`, `linklocal`, `uniquelocal`, or a function.',
  ),
  clientOf: option(
    orNull(aFunction<NonNullable<HintsOptions['clientOf']>>, {}),
    null,
    '`(request) => string` or null: who asks. The first word is what counts as one visitor; where it is an IPv6 address, its first 48 bits (`ipv6Prefix` of the prefetchd).',
    { shownDefault: 'address and user agent' },
  ),
  threshold: option(
    orNull(number, thresholdRange),
    null,
    'p: only what is more probable is hinted. null: that of the prefetchd.',
  ),
  limit: optionWithoutDefault(limitKind, 'i: hints at most. null: no limit.', {
    shownDefault: 'that of the prefetchd',
  }),
  origin: option(
    orNull(originKind, {}),
    null,
    'Origin of the site, `https://example.com`: requests for other hosts are left alone, hints with absolute URLs of it become paths.',
    { shownDefault: 'none' },
  ),
  absentUserAgent: option(
    absentUserAgentKind,
    'bot',
    "What a client without User-Agent is; or `'visitor'`.",
  ),
  deny: option(
    denyKind,
    {},
    '`{ extra, replace, allow }`: names that are neither learned nor hinted.',
  ),
  sharedCaches: option(trueOrFalse(), true, 'A shared cache may stand in front; see below.'),
  link: option(
    trueOrFalse(),
    true,
    'Hints as a `Link` field: `rel=prefetch` for pages and what they embed, `rel=preload` for what this page embeds; at most 8, 2 KB, pages first.',
  ),
  earlyHints: option(
    oneOfOr(['h2']),
    'h2',
    'A 103 with what this page embeds, before the page is made: over HTTP/2, wherever it can be said (`true`), never (`false`).',
  ),
  speculationRules: option(
    either([trueOrFalse(), rulesKind]),
    false,
    '`true` or `{ path, tag, script }`: a `Speculation-Rules` field, and the document at `path`, `/speculation-rules.json` below where the middleware is mounted; at `script`, if it is given, a script for browsers that know no such rules ([browser.md](browser.md)).',
  ),
  hintHeader: option(
    oneOfOr(['on request']),
    'on request',
    'A `Prefetch-Hints` field with the probabilities, for clients that send `Prefetch-Hints: ?1`; `true`: for all.',
  ),
  onError: option(
    aFunction<NonNullable<HintsOptions['onError']>>(),
    () => {},
    '`(error, fault)`, once of each kind: `request`, `head`, `report`, `client`, `remote`.',
    { shownDefault: 'nobody is told' },
  ),
  now: option(aFunction<() => number>(), Date.now, 'The time, ms since the epoch.', {
    shownDefault: '`Date.now`',
  }),
} satisfies TableOf<HintsOptions>;

const hintsKind = objectOf(hintsTable);

/** @throws ServerError 'invalid-option', PrefetchdError `invalid-option` */
export function hintsOptions(options: HintsOptions = {}): CheckedHintsOptions {
  const given = checked(hintsKind, options, invalidOption);
  if (given.token !== null && typeof given.prefetchd !== 'string') {
    invalidOption('option token is for a remote prefetchd alone');
  }
  const { speculationRules: rules } = given;
  const speculationRules =
    typeof rules === 'object' ? rules : rules ? checked(rulesKind, {}, invalidOption) : null;
  if (speculationRules !== null) {
    speculationRulesHeaderOf([speculationRules.path]);
    speculationRulesOf([], { tag: speculationRules.tag });
  }
  return {
    ...given,
    limit: given.limit,
    isTrusted: trustOf(given.trustProxy),
    speculationRules,
  };
}
