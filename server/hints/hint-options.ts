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
import { type PrefetchdOptions, prefetchdTable } from '../../prefetchd/engine/prefetchd-options.ts';
import type { TrialMode } from '../../prefetchd/engine/trial.ts';
import { limitKind, thresholdRange } from '../../prefetchd/model/model-kinds.ts';
import { originKind } from '../../prefetchd/normalise-url.ts';
import { type DenyListOptions, denyKind } from '../../prefetchd/rules/deny-list.ts';
import { absentUserAgentKind } from '../../prefetchd/rules/eligibility.ts';
import { checkLinkPatterns } from '../../prefetchd/rules/link-patterns.ts';
import { prefixRule } from '../../prefetchd/service/service-kinds.ts';
import { speculationRulesHeaderOf, speculationRulesOf } from '../../prefetchd/wire/index.ts';
import {
  type SpeculationSettings,
  speculationChangeTable,
} from '../../prefetchd/wire/speculation-settings.ts';
import { invalidOption } from '../errors.ts';
import type { Request } from '../listen/handler.ts';
import { type IsTrusted, type TrustProxy, trustOf, trustProxyKind } from '../listen/trusted.ts';

/** What failed: handling a request, a response or a report, the remote prefetchd, or the site's own `clientOf`;
 *  `front`: a proxy in front sends no address of its client, or is not trusted. */
export type HintFault = 'request' | 'head' | 'report' | 'remote' | 'client' | 'front';

/** Settings that are absent are those of the prefetchd. */
export interface SpeculationRulesDocument extends Partial<SpeculationSettings> {
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
  /** Hint what a single visitor on this machine did, to try hints alone; `everywhere`: a visitor on any machine. */
  trial?: TrialMode;
  /** Sent to a remote prefetchd as `Authorization: Bearer`. */
  token?: string | null;
  /** Longest time a document waits for a remote prefetchd, ms, 1..1000; null: it does not wait, and gets the hints
   *  that arrive before its header is sent. */
  deadlineMs?: number | null;
  /** Proxies whose X-Forwarded-For, or Forwarded (RFC 7239), is trusted: addresses, networks, `loopback`,
   *  `uniquelocal`; false: none. Default: the proxies of Express's setting `trust proxy`. */
  trustProxy?: TrustProxy;
  /** Path that a proxy in front removes, `/shop`; hints and rules name pages below it. null: the path is taken from the
   *  X-Forwarded-Prefix of a trusted proxy. */
  prefix?: string | null;
  /** Identifies the client instead of address and user agent; its first word counts as one visitor. If it returns null,
   *  the client is unknown and nothing is learned. */
  clientOf?: ((req: Request) => string | null) | null;
  /** The thresholds p and the limit i; absent: those of the prefetchd. */
  threshold?: number | null;
  objectThreshold?: number | null;
  limit?: number | null;
  /** Origin of the site, `https://example.com`: requests for other hosts are ignored. */
  origin?: string | null;
  /** How to treat a client without User-Agent. */
  absentUserAgent?: 'bot' | 'visitor';
  /** URLs that are neither learned nor hinted because of their names. */
  deny?: DenyListOptions;
  /** Learn nothing from visitors who send Sec-GPC: 1. */
  respectGpc?: boolean;
  /** Send hints as a Link field. */
  link?: boolean;
  /** Send a 103 with preload links before the page is generated: over HTTP/2, whenever possible, or never. */
  earlyHints?: 'h2' | boolean;
  /** Send a Speculation-Rules field, and serve the document it names; only with `next`. */
  speculationRules?: boolean | SpeculationRulesDocument;
  /** Serve the beacon: a script for pages that reports when they are shown, and receive its posts; only with `next`. */
  beacon?: boolean;
  /** Send hints as a Prefetch-Hints field: to clients that request it, to all, or to none. */
  hintHeader?: 'on request' | boolean;
  /** Called once per kind of fault; the request is answered as if there were no hints. */
  onError?: (error: unknown, fault: HintFault) => void;
  /** Current time, ms since the epoch. */
  now?: () => number;
}

type Unchanged = Omit<Required<HintsOptions>, 'trustProxy' | 'speculationRules' | 'limit'>;

export type CheckedRulesDocument = Partial<SpeculationSettings> &
  Required<Omit<SpeculationRulesDocument, keyof SpeculationSettings>>;

export interface CheckedHintsOptions extends Unchanged {
  /** undefined: the limit of the prefetchd; null: no limit. */
  limit: number | null | undefined;
  /** undefined: Express's setting applies. */
  isTrusted: IsTrusted | null | undefined;
  speculationRules: CheckedRulesDocument | null;
}

const pathKind = (rule: Pick<TextRule, 'or'>) =>
  text({
    rule: 'a path that begins with /, without query',
    pattern: /^\/(?!\/)(?:(?![?#"\\])[\x21-\x7e])*$/,
    ...rule,
  });

const rulesKind = objectOf({
  path: option(pathKind({}), '/speculation-rules.json', 'Path of the rules.'),
  tag: option(text({ rule: 'a tag' }), 'prefetchd', 'Comes back in Sec-Speculation-Tags.'),
  script: option(
    orNull(pathKind, {}),
    null,
    'Path of a script for browsers without speculation rules. null: none.',
  ),
  ...speculationChangeTable,
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
    'Options of a private prefetchd ([createPrefetchd](learning.md#options-of-createprefetchd); `predictor` defaults to `double-graph`), the result of `createPrefetchd()`, which you close, or the address of a remote one: `http://host:port`, `unix:/path`.',
  ),
  trial: prefetchdTable.trial,
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
    'Longest time a page waits for a remote prefetchd, 1 to 1,000 ms. null: no wait; a page carries the hints that arrive before its fields are sent.',
  ),
  trustProxy: optionWithoutDefault(
    trustProxyKind,
    'Proxies whose `X-Forwarded-For`, `-Host` and `-Prefix`, or `Forwarded`, are believed: addresses, networks, `loopback`, `linklocal`, `uniquelocal`, or a function. false: none.',
    { shownDefault: "Express's `trust proxy`, else none" },
  ),
  prefix: option(
    orNull(text, prefixRule),
    null,
    'Path that a proxy in front takes away, `/shop`: hints and rules name what is below it. null: as `X-Forwarded-Prefix` of a proxy in `trustProxy` says.',
  ),
  clientOf: option(
    orNull(aFunction<NonNullable<HintsOptions['clientOf']>>, {}),
    null,
    '`(request) => string` that identifies the client, or null if unknown: nothing is then learned. Its first word counts as one visitor; if that is an IPv6 address, its network does (`ipv6Prefix` of the prefetchd).',
    { shownDefault: 'address and user agent' },
  ),
  threshold: option(
    orNull(number, thresholdRange),
    null,
    'p: documents with a probability above this are hinted. null: that of the prefetchd.',
  ),
  objectThreshold: option(
    orNull(number, thresholdRange),
    null,
    'p of embedded objects. null: `threshold`, or that of the prefetchd.',
  ),
  limit: optionWithoutDefault(limitKind, 'i: most hints per page. null: no limit.', {
    shownDefault: 'that of the prefetchd',
  }),
  origin: option(
    orNull(originKind, {}),
    null,
    'Origin of the site, `https://example.com`. Its absolute URLs become paths in hints; requests for other hosts are ignored.',
    { shownDefault: 'none' },
  ),
  absentUserAgent: option(
    absentUserAgentKind,
    'bot',
    "How a client without User-Agent counts: `'bot'` or `'visitor'`.",
  ),
  deny: option(
    denyKind,
    {},
    'URLs neither learned nor hinted: `{ extra, replace, allow }`, as in [createPrefetchd](learning.md#options-of-createprefetchd).',
  ),
  respectGpc: option(
    trueOrFalse(),
    false,
    'Visitors who send `Sec-GPC: 1` (Global Privacy Control) are not learned and get the hints of no particular visitor.',
  ),
  link: option(
    trueOrFalse(),
    true,
    'Send a `Link` field: `rel=prefetch` for next pages and their objects, `rel=preload` for objects of this page. At most 8 links and 2 KB, pages first.',
  ),
  earlyHints: option(
    oneOfOr(['h2']),
    'h2',
    "Send a 103 with the objects of a page before its handler runs: over HTTP/2 (`'h2'`), also over HTTP/1.1 (`true`), or never (`false`).",
  ),
  speculationRules: option(
    either([trueOrFalse(), rulesKind]),
    true,
    'Send a `Speculation-Rules` field and serve the rules, where the middleware has a `next`. `false`, `true` or `{ path, tag, script }`: `path` is relative to where the middleware is mounted (default `/speculation-rules.json`); `script` is the path of a script for browsers without speculation rules (default none; [browser.md](browser.md)).',
  ),
  beacon: option(
    trueOrFalse(),
    true,
    'Serve `/prefetch-beacon.js`, a script for pages that says when they are shown, and receive what it posts ([browser.md](browser.md#the-beacon)).',
  ),
  hintHeader: option(
    oneOfOr(['on request']),
    'on request',
    'Send a `Prefetch-Hints` field with probabilities: to clients that send `Prefetch-Hints: ?1`, to all (`true`), or never (`false`).',
  ),
  onError: option(
    aFunction<NonNullable<HintsOptions['onError']>>(),
    () => {},
    '`(error, fault)`, called once per kind of fault: `request`, `head`, `report`, `client`, `remote`; and once for each sign that a proxy `front` is not set up.',
    { shownDefault: 'none' },
  ),
  now: option(aFunction<() => number>(), Date.now, 'Current time, ms since the epoch.', {
    shownDefault: '`Date.now`',
  }),
} satisfies TableOf<HintsOptions>;

const hintsKind = objectOf(hintsTable);

/** Whether the object is a prefetchd; otherwise it is settings for a new one. */
export function isGivenPrefetchd(prefetchd: object): prefetchd is Prefetchd {
  return 'observe' in prefetchd;
}

/** @throws ServerError 'invalid-option', PrefetchdError `invalid-option` */
export function hintsOptions(options: HintsOptions = {}): CheckedHintsOptions {
  const given = checked(hintsKind, options, invalidOption);
  if (given.token !== null && typeof given.prefetchd !== 'string') {
    invalidOption('option token is for a remote prefetchd alone');
  }
  const { speculationRules: rules, prefetchd } = given;
  if (given.trial !== false && (typeof prefetchd === 'string' || isGivenPrefetchd(prefetchd))) {
    invalidOption(
      'option trial is for a prefetchd of hints() alone; another one has its own: createPrefetchd({ trial: true }), prefetchd serve --trial',
    );
  }
  if (
    rules === false &&
    typeof prefetchd === 'object' &&
    (prefetchd as PrefetchdOptions).holdback
  ) {
    invalidOption('speculationRules must not be false with a holdback: Link then names no pages');
  }
  const speculationRules =
    typeof rules === 'object' ? rules : rules ? checked(rulesKind, {}, invalidOption) : null;
  if (speculationRules !== null) {
    speculationRulesHeaderOf([speculationRules.path]);
    speculationRulesOf([], { tag: speculationRules.tag });
    if ((speculationRules.otherLinks ?? 'off') !== 'off') checkLinkPatterns(given.deny);
  }
  return {
    ...given,
    limit: given.limit,
    isTrusted: given.trustProxy === undefined ? undefined : trustOf(given.trustProxy),
    speculationRules,
  };
}
