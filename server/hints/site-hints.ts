// Defines the options and the statistics of hints() for every runtime, and how it is closed. `loadahead/web` exports
// these types, so nothing of Node may be in them, nor in what this file imports.

import {
  any,
  anyOf,
  number,
  onOff,
  orNull,
  text,
  trueOrFalse,
  wordOf,
} from '../../options/kinds.ts';
import { clockTable, logKind } from '../../options/logger.ts';
import { type OptionsOf, option, optionWithoutDefault } from '../../options/options.ts';
import type { Prefetchd } from '../../prefetchd/engine/prefetchd.ts';
import { type PrefetchdOptions, trialTable } from '../../prefetchd/engine/prefetchd-options.ts';
import { limitKind, thresholdRange } from '../../prefetchd/model/model-kinds.ts';
import { originKind } from '../../prefetchd/normalise-url.ts';
import { denyTable } from '../../prefetchd/rules/deny-list.ts';
import type { DropReason } from '../../prefetchd/rules/eligibility.ts';
import { prefixRule } from '../../prefetchd/service/service-kinds.ts';
import type { SpeculationTag } from '../../prefetchd/wire/speculation-rules.ts';
import { trustProxyKind } from '../listen/trusted.ts';

/** What failed: the handling of a request, of a response (`head`) or of a report, the remote prefetchd, or the site's
 *  own `clientOf`; `front`: a proxy in front sends no address of its client, or is not trusted. */
export type HintFault = 'request' | 'head' | 'report' | 'remote' | 'client' | 'front';

const rulesRule = 'true, false or a path that begins with /, without query';
const scriptRule = 'on, off or a path that begins with /';
const scriptPath = /^\/(?!\/)(?:(?![?#"\\])[\x21-\x7e])*$/;

const isPrefetchd = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

const ownTable = {
  /**
   * Options of the prefetchd, which then is part of this process
   * ([createPrefetchd](learning.md#options-of-createprefetchd); `predictor` defaults to `double-graph`), the result of
   * `createPrefetchd()`, which you close, or the address of a remote one: `http://host:port`, `unix:/path`.
   */
  prefetchd: option(
    any<Prefetchd | PrefetchdOptions | string>(
      isPrefetchd,
      'a prefetchd, its settings or its address',
    ),
    {},
  ),
  /** Sent to a remote prefetchd as `Authorization: Bearer`. */
  token: option(
    orNull(text, {
      rule: '1 to 512 printable ASCII characters and no space',
      pattern: /^[\x21-\x7e]{1,512}$/,
      isSecret: true,
    }),
    null,
    { shownDefault: 'none' },
  ),
  /**
   * Proxies whose `X-Forwarded-For`, `-Host` and `-Prefix`, or `Forwarded`, are believed: addresses, networks,
   * `loopback`, `linklocal`, `uniquelocal`, or a function. false: none.
   */
  trustProxy: optionWithoutDefault(trustProxyKind, {
    shownDefault: "Express's `trust proxy`, else none",
  }),
  /**
   * Path that a proxy in front removes, `/shop`: hints and rules name URLs below it. null: `X-Forwarded-Prefix` of a
   * proxy in `trustProxy` names it.
   */
  prefix: option(orNull(text, prefixRule), null, {
    flag: '--prefix <path>',
    help: 'path of the site that a proxy in front takes away, as /shop (X-Forwarded-Prefix of a trusted one)',
    written: text(prefixRule),
  }),
  /** p: URLs with a probability above this are hinted. null: the threshold of the prefetchd. */
  threshold: option(orNull(number, thresholdRange), null),
  /** i: largest number of hints per page. null: no limit. */
  limit: optionWithoutDefault(limitKind, { shownDefault: 'that of the prefetchd' }),
  /**
   * Origin of the site, `https://example.com`. Its absolute URLs become paths in hints; requests for other hosts are
   * ignored.
   */
  origin: option(orNull(originKind, {}), null, { shownDefault: 'none' }),
  /**
   * Visitors who send `Sec-GPC: 1` (Global Privacy Control) are not learned and get the hints of no particular visitor.
   */
  respectGpc: option(trueOrFalse(), false, {
    flag: '--respect-gpc <on|off>',
    help: 'learn nothing from visitors who send Sec-GPC: 1; they get hints',
    written: onOff(),
  }),
  /**
   * Send a `Speculation-Rules` field, and serve the rules at `/speculation-rules.json` below the path where the
   * middleware is mounted, provided that it is called with `next`. A path such as `/prefetch.js`: also serve, at that
   * path, a script for browsers without speculation rules ([browser.md](browser.md)). false: do neither.
   */
  speculationRules: option(
    anyOf([trueOrFalse(), text({ rule: rulesRule, pattern: scriptPath })], rulesRule),
    true,
    {
      flag: '--speculation-rules <on|off|path>',
      help: 'send Speculation-Rules and serve the rules at /speculation-rules.json; a path: also serve a script there, for browsers without them',
      written: anyOf([onOff(), text({ rule: scriptRule, pattern: /^\// })], scriptRule),
    },
  ),
  /**
   * Serve `/prefetch-beacon.js`, a script with which pages say when they are shown, and receive what it posts
   * ([browser.md](browser.md#the-beacon)).
   */
  beacon: option(trueOrFalse(), true, {
    flag: '--beacon <on|off|inject>',
    help: 'serve the beacon /prefetch-beacon.js; inject: put its script into pages too',
    written: wordOf({ on: true, off: false, inject: 'inject' }),
  }),
  /**
   * A pino logger, or an object with its `debug`, `info`, `warn` and `error`. It gets the messages of the prefetchd; a
   * warning with `fault` and `err` once per kind of fault: `request`, `head`, `report`, `client`, `remote`; and, with
   * the fault `front`, one for each sign that a proxy or CDN in front of the server is not named in `trustProxy`.
   */
  log: optionWithoutDefault(logKind, { shownDefault: 'warnings of the process' }),
};

export const siteTable = { ...ownTable, ...trialTable, ...denyTable, ...clockTable };

export type SiteOptions = OptionsOf<typeof ownTable> &
  OptionsOf<typeof trialTable> &
  OptionsOf<typeof denyTable> &
  OptionsOf<typeof clockTable>;

/** Why a document carried no hints. */
export type Unhinted =
  | DropReason
  /** The response is not HTML, or partial. */
  | 'not a page'
  /** No page or object that may be hinted is probable enough, or the visitor has them all. */
  | 'nothing known'
  /** All hints are for pages that browsers would fetch twice by Link (page-facts.ts), and speculation rules are off. */
  | 'no lifetime';

/**
 * Numbers of documents that browsers prefetched or prerendered, by speculation rule of hints(); `other`: by rules of
 * the site itself, or by Link.
 */
export type PrefetchCounts = Record<SpeculationTag | 'other', number>;

/** State of a remote prefetchd, and numbers of the requests and accesses sent to it. */
export interface RemoteStats {
  readonly asked: number;
  /** Number of requests for hints that the remote prefetchd answered in time. */
  readonly answered: number;
  readonly late: number;
  readonly failed: number;
  /** Number of requests for hints not sent, because the prefetchd has been failing or too many answers are pending. */
  readonly skipped: number;
  readonly isFailing: boolean;
  /** Numbers of accesses that wait to be sent, were delivered, or were lost (queue full, or delivery interrupted). */
  readonly queued: number;
  readonly delivered: number;
  readonly lost: number;
}

export interface HintsStats {
  /** Number of responses with hints; `early` counts the 103s before them. */
  readonly hinted: number;
  /**
   * Number of responses to robots and others who get no hints, but with hints for visitors who get the response from a
   * shared cache.
   */
  readonly forOthers: number;
  /** Number of documents without hints, by reason. */
  readonly unhinted: Readonly<Partial<Record<Unhinted, number>>>;
  readonly early: number;
  /** Number of pages that browsers prefetched or prerendered, by the speculation rule that asked for them. */
  readonly prefetched: Readonly<PrefetchCounts>;
  /** Number of prefetches that were refused because the server was busy. */
  readonly refused: number;
  /** Number of requests that were neither learned nor hinted, because the server had been busy for some time. */
  readonly leftAlone: number;
  /** Share of visitors who are learned and hinted at present: 1 unless the server is busy. */
  readonly share: number;
  /** Number of errors that hints() caught, by what failed (`HintFault`). */
  readonly faults: Readonly<Partial<Record<HintFault, number>>>;
  /** State of a remote prefetchd; null: the prefetchd is in this process, with `stats()` of its own. */
  readonly remote: RemoteStats | null;
}

export interface SiteHints extends AsyncDisposable {
  /** Resolves when prefetchd has loaded what it learned earlier, so that it can be asked for hints. */
  readonly ready: Promise<void>;
  stats(): HintsStats;
  /** Sends what was learned, and closes the prefetchd unless the caller owns it. */
  close(): Promise<void>;
}
