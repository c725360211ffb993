// The options of an origin. They have a file of their own, because each start of the command reads them, and Express
// takes as long to load as everything else that loading a page needs.

import { wholeNumber } from '../../options/kinds.ts';
import { logOption } from '../../options/logger.ts';
import { type OptionsOf, option, optionWithoutDefault } from '../../options/options.ts';
import { handlersKind } from '../listen/handler.ts';
import { rules } from '../listen/limits.ts';
import { tlsOption } from '../listen/protocols.ts';
import { trustProxyKind } from '../listen/trusted.ts';

export const maxAgeOption = optionWithoutDefault(
  // Caches treat a larger max-age as 2^31 (RFC 9111 1.2.2).
  wholeNumber({ most: 2 ** 31 }),
  { flag: '--max-age <seconds>', help: 'Cache-Control: max-age of all files' },
);

export const originTable = {
  /** `{ key, cert }` as PEM strings or Buffers. Serves https, with h2 and http/1.1 by ALPN. */
  tls: tlsOption,
  /** Functions `(request, response, next)` that run before the files, over every HTTP version. */
  handlers: optionWithoutDefault(handlersKind),
  /** `Cache-Control: max-age` of all files, 0 to 2,147,483,648. If it is not set, the field is not sent. */
  maxAgeSeconds: maxAgeOption,
  /**
   * A pino logger, or an object with its `debug`, `info`, `warn` and `error`: it gets errors of handlers, for which the
   * client gets a plain 500.
   */
  log: logOption,
  /**
   * Proxies or a CDN in front of this server, which pass on requests of many visitors and are exempt from the limit per
   * address: addresses, networks, names as in `hints`, or a function. false: none.
   */
  trustProxy: option(trustProxyKind, 'loopback'),
};

export type OriginOptions = OptionsOf<typeof originTable> & OptionsOf<typeof rules>;

export const originOptions = { ...originTable, ...rules };
