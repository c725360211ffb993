// Lists every option of `hints()` in one table, checked once at creation. `null` switches a rule off. The rules for
// requests and responses are in prefetchd/rules/eligibility.ts; the options here determine the source of hints, the
// client, and the form of the hints. What the middleware is called with is checked, too.

import {
  aFunction,
  any,
  anyOf,
  number,
  oneOfOr,
  orNull,
  text,
  trueOrFalse,
} from '../../options/kinds.ts';
import { type Logger, logKind, silentLog } from '../../options/logger.ts';
import {
  checked,
  joined,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
  type ValuesOf,
} from '../../options/options.ts';
import type { Prefetchd } from '../../prefetchd/engine/prefetchd.ts';
import { type PrefetchdOptions, prefetchdTable } from '../../prefetchd/engine/prefetchd-options.ts';
import { limitKind, thresholdRange } from '../../prefetchd/model/model-kinds.ts';
import { originKind } from '../../prefetchd/normalise-url.ts';
import { denyKind } from '../../prefetchd/rules/deny-list.ts';
import { prefixRule } from '../../prefetchd/service/service-kinds.ts';
import { invalidOption, ServerError } from '../errors.ts';
import type { Request } from '../listen/handler.ts';
import { type IsTrusted, trustOf, trustProxyKind } from '../listen/trusted.ts';

/** What failed: the handling of a request, of a response (`head`) or of a report, the remote prefetchd, or the site's
 *  own `clientOf`; `front`: a proxy in front sends no client address, or is not trusted; also notices of a `trial`. */
export type HintFault = 'request' | 'head' | 'report' | 'remote' | 'client' | 'front';

const rulesRule = 'true, false or a path that begins with /, without query';
const scriptPath = /^\/(?!\/)(?:(?![?#"\\])[\x21-\x7e])*$/;

const isPrefetchd = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

export const hintsTable = {
  /**
   * Options of a prefetchd of its own ([createPrefetchd](learning.md#options-of-createprefetchd); `predictor` defaults
   * to `double-graph`), the result of `createPrefetchd()`, which you close, or the address of a remote one:
   * `http://host:port`, `unix:/path`.
   */
  prefetchd: option(
    any<Prefetchd | PrefetchdOptions | string>(
      isPrefetchd,
      'a prefetchd, its settings or its address',
    ),
    {},
  ),
  /**
   * To try hints alone: one visitor is enough (`minClients` 1), may repeat itself and need not fetch objects, and pages
   * above 0.2 are prefetched at once. Requests from other machines are neither learned nor hinted, unless it is
   * `everywhere`. Never on a public site.
   */
  trial: prefetchdTable.trial,
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
  prefix: option(orNull(text, prefixRule), null),
  /**
   * `(request) => string` that identifies the client, or null if it is unknown, so that nothing is learned. Clients
   * with the same first word count as one visitor; of an IPv6 address, the first 48 bits count.
   */
  clientOf: option(orNull(aFunction<(req: Request) => string | null>, {}), null, {
    shownDefault: 'address and user agent',
  }),
  /** p: what has a probability above this is hinted. null: that of the prefetchd. */
  threshold: option(orNull(number, thresholdRange), null),
  /** i: largest number of hints per page. null: no limit. */
  limit: optionWithoutDefault(limitKind, { shownDefault: 'that of the prefetchd' }),
  /**
   * Origin of the site, `https://example.com`. Its absolute URLs become paths in hints; requests for other hosts are
   * ignored.
   */
  origin: option(orNull(originKind, {}), null, { shownDefault: 'none' }),
  /**
   * URLs neither learned nor hinted: `{ extra, replace, allow }`, as in
   * [createPrefetchd](learning.md#options-of-createprefetchd).
   */
  deny: option(denyKind, {}),
  /**
   * Visitors who send `Sec-GPC: 1` (Global Privacy Control) are not learned and get the hints of no particular visitor.
   */
  respectGpc: option(trueOrFalse(), false),
  /**
   * Send a 103 with the objects of a page before its handler runs: over HTTP/2 (`'h2'`), also over HTTP/1.1 (`true`),
   * or never (`false`).
   */
  earlyHints: option(oneOfOr(['h2']), 'h2'),
  /**
   * Send a `Speculation-Rules` field, and serve the rules at `/speculation-rules.json` below the path where the
   * middleware is mounted, provided that it is called with `next`. A path such as `/prefetch.js`: also serve, at that
   * path, a script for browsers without speculation rules ([browser.md](browser.md)). false: do neither.
   */
  speculationRules: option(
    anyOf([trueOrFalse(), text({ rule: rulesRule, pattern: scriptPath })], rulesRule),
    true,
  ),
  /**
   * Serve `/prefetch-beacon.js`, a script with which pages say when they are shown, and receive what it posts
   * ([browser.md](browser.md#the-beacon)).
   */
  beacon: option(trueOrFalse(), true),
  /**
   * A pino logger, or an object with its `debug`, `info`, `warn` and `error`. It gets what the prefetchd tells; a
   * warning with `fault` and `err` once per kind of fault: `request`, `head`, `report`, `client`, `remote`; and
   * warnings with the fault `front` if a proxy in front of the site seems not to be set up (`trustProxy`).
   */
  log: optionWithoutDefault(logKind, { shownDefault: 'warnings of the process' }),
  /** Current time, ms since the epoch. */
  now: option(aFunction<() => number>(), Date.now, { shownDefault: '`Date.now`' }),
};

export type HintsOptions = OptionsOf<typeof hintsTable>;

/** Values that no site needs to set; tests set them by `withConstants`. */
export const hintsConstants = {
  /** Longest time a page waits for a remote prefetchd, ms. */
  deadlineMs: 5,
};

export type CheckedHintsOptions = Omit<ValuesOf<typeof hintsTable>, 'trustProxy' | 'log'> &
  typeof hintsConstants & {
    /** Which proxies are trusted; undefined: Express's setting applies. */
    isTrusted: IsTrusted | null | undefined;
    log: Logger;
    onFault: (error: unknown, fault: HintFault) => void;
  };

const hintsKind = objectOf(hintsTable);

const warn = ({ err }: { err?: unknown }, message: string) =>
  process.emitWarning(err === undefined ? message : `${message}: ${err}`, 'hints()');
const warningLog: Logger = { ...silentLog, warn, error: warn };

/** Returns whether the object is a prefetchd; otherwise it is settings for a new one. */
export function isGivenPrefetchd(prefetchd: object): prefetchd is Prefetchd {
  return 'observe' in prefetchd;
}

/** Checks the options. @throws ServerError 'invalid-option', PrefetchdError `invalid-option` */
export function hintsOptions(options: HintsOptions = {}): CheckedHintsOptions {
  const given = checked(hintsKind, options, invalidOption);
  if (given.token !== null && typeof given.prefetchd !== 'string') {
    invalidOption('option token is for a remote prefetchd alone');
  }
  const { speculationRules, prefetchd } = given;
  if (given.trial !== false && (typeof prefetchd === 'string' || isGivenPrefetchd(prefetchd))) {
    invalidOption(
      'option trial is for a prefetchd of hints() alone; another one has its own: createPrefetchd({ trial: true }), prefetchd serve --trial',
    );
  }
  if (
    !speculationRules &&
    typeof prefetchd === 'object' &&
    (prefetchd as PrefetchdOptions).holdback
  ) {
    invalidOption('speculationRules must not be false with a holdback: Link then names no pages');
  }
  return {
    ...joined(given, hintsConstants, options),
    isTrusted: given.trustProxy === undefined ? undefined : trustOf(given.trustProxy),
    log: given.log ?? warningLog,
    onFault: () => {},
  };
}

/** Properties by which a framework's arguments are known, and the line that adds hints() in that framework. */
const remedies: readonly [
  name: string,
  isIt: (first: GivenArgument, second: GivenArgument) => boolean,
  line: string,
][] = [
  [
    'Fastify',
    (request, reply) => 'raw' in request && 'raw' in reply,
    "app.addHook('onRequest', (request, reply, done) => middleware(request.raw, reply.raw, () => done()))",
  ],
  [
    'Koa',
    (context) => 'app' in context && 'req' in context && 'res' in context,
    'app.use((ctx, next) => new Promise((done) => middleware(ctx.req, ctx.res, () => done())).then(next))',
  ],
  [
    'Hono',
    (context) => 'newResponse' in context && 'env' in context,
    'app.use((c, next) => new Promise((done) => middleware(c.env.incoming, c.env.outgoing, () => done())).then(next))',
  ],
];

type GivenArgument = Readonly<{ headers?: unknown; writeHead?: unknown }>;

/**
 * Returns the error 'invalid-call' of a call by a framework that passes objects of its own. If its pages were served
 * without hints, nothing would tell why they have none; so the error names the right line of code.
 */
export function wrongCall(req: unknown, res: unknown): ServerError {
  const first = Object(req) as GivenArgument;
  const second = Object(res) as GivenArgument;
  const [name, , line] = remedies.find(([, isIt]) => isIt(first, second)) ?? [];
  const remedy =
    name === undefined
      ? 'call the function that hints() returned as middleware(req, res, next)'
      : `with ${name}, write: const middleware = hints(); ${line}`;
  return new ServerError(
    'invalid-call',
    `hints() needs node:http's request and response, and a function or nothing as third; ${remedy}`,
  );
}
