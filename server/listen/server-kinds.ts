// Options common to createOrigin and createProxy, besides limits.

import { defaultIpv6Prefix, ipv6Prefixes } from '../../http/visitor-address.ts';
import { aFunction, any, listOf, oneOf } from '../../options/kinds.ts';
import { option, optionWithoutDefault } from '../../options/options.ts';
import type { Handler, Request } from './handler.ts';
import type { TlsIdentity } from './protocols.ts';

const isIdentity = (value: unknown) => {
  const { key, cert } = (value ?? {}) as Partial<TlsIdentity>;
  return Boolean(key && cert);
};

export const tlsOption = optionWithoutDefault(
  any<TlsIdentity>(isIdentity, 'an object with key and cert in PEM'),
  '`{ key, cert }` as PEM strings or Buffers. Serves https, with h2 and http/1.1 by ALPN.',
);

export const handlersKind = listOf(aFunction<Handler>(), 'a list of functions');

export const onErrorKind = aFunction<(error: unknown, req: Request) => void>();

export const ipv6PrefixKind = oneOf(ipv6Prefixes);

export const ipv6PrefixOption = (meaning: string) =>
  option(ipv6PrefixKind, defaultIpv6Prefix, meaning);
