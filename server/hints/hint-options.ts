// Lists every option of `hints()` in one table, checked once at creation: the source of hints, the client, and the form
// of the hints. Which requests and responses are hinted is in prefetchd/rules/eligibility.ts. The arguments that a
// framework calls the middleware with are checked here, too.

import { aFunction, oneOfOr, orNull, wordOf } from '../../options/kinds.ts';
import { type Logger, silentLog } from '../../options/logger.ts';
import {
  checked,
  joined,
  type OptionsOf,
  objectOf,
  option,
  type ValuesOf,
} from '../../options/options.ts';
import { about } from '../../options/refusal.ts';
import type { Prefetchd } from '../../prefetchd/engine/prefetchd.ts';
import type { PrefetchdOptions } from '../../prefetchd/engine/prefetchd-options.ts';
import { invalidOption, ServerError } from '../errors.ts';
import type { Request } from '../listen/handler.ts';
import { type IsTrusted, trustOf } from '../listen/trusted.ts';
import { type HintFault, type SiteOptions, siteTable } from './site-hints.ts';

/** A site that does not run on node:http (`loadahead/web`) has only the options of `siteTable`. */
const ownTable = {
  /**
   * `(request) => string` that identifies the client, or null if it is unknown, so that nothing is learned. Clients
   * with the same first word count as one visitor; of an IPv6 address, the first 48 bits count.
   */
  clientOf: option(orNull(aFunction<(req: Request) => string | null>, {}), null, {
    shownDefault: 'address and user agent',
  }),
  /**
   * Send a 103 (Early Hints) that names the embedded objects of a page before its handler runs: over HTTP/2 (`'h2'`),
   * also over HTTP/1.1 (`true`), or never (`false`).
   */
  earlyHints: option(oneOfOr(['h2']), 'h2', {
    flag: '--early-hints <h2|on|off>',
    help: '103 Early Hints for what a page embeds: over HTTP/2, on any version, or never',
    written: wordOf({ h2: 'h2', on: true, off: false }),
  }),
};

export const hintsTable = { ...siteTable, ...ownTable };

export type HintsOptions = SiteOptions & OptionsOf<typeof ownTable>;

/** Values that no site needs to set; tests set them by `withConstants`. */
export const hintsConstants = {
  /** Longest time a page waits for a remote prefetchd, ms. */
  deadlineMs: 5,
};

export type CheckedHintsOptions = Omit<ValuesOf<typeof hintsTable>, 'trustProxy' | 'log'> &
  typeof hintsConstants & {
    /** Tells which proxies are trusted; null: none is; undefined: Express's setting `trust proxy` applies. */
    isTrusted: IsTrusted | null | undefined;
    log: Logger;
    onFault: (error: unknown, fault: HintFault) => void;
  };

const warn = ({ err }: { err?: unknown }, message: string) =>
  process.emitWarning(err === undefined ? message : `${message}: ${err}`, 'hints()');
export const warningLog: Logger = { ...silentLog, warn, error: warn };

/** Returns whether the object is a prefetchd; otherwise it is settings for a new one. */
export function isGivenPrefetchd(prefetchd: object): prefetchd is Prefetchd {
  return 'observe' in prefetchd;
}

/** Checks the options. @throws ServerError 'invalid-option', PrefetchdError `invalid-option` */
export function hintsOptions(options: HintsOptions = {}): CheckedHintsOptions {
  const given = checked(objectOf(hintsTable), options, invalidOption);
  if (given.token !== null && typeof given.prefetchd !== 'string') {
    invalidOption(...about('token', 'is for a remote prefetchd alone'));
  }
  const { speculationRules, prefetchd } = given;
  if (given.trial !== false && (typeof prefetchd === 'string' || isGivenPrefetchd(prefetchd))) {
    const others = 'createPrefetchd({ trial: true }), prefetchd serve --trial';
    const why = `is for a prefetchd of hints() alone; another one has its own: ${others}`;
    invalidOption(...about('trial', why));
  }
  if (!speculationRules && (Object(prefetchd) as PrefetchdOptions).holdback) {
    const why = 'must not be false with a holdback: Link then names no pages';
    invalidOption(...about('speculationRules', why));
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
