// Options common to createOrigin and createProxy, besides limits.

import { aFunction, any, listOf } from '../../options/kinds.ts';
import { optionWithoutDefault } from '../../options/options.ts';
import type { Handler, Request } from './handler.ts';
import type { TlsIdentity } from './protocols.ts';

const isIdentity = (value: unknown) => {
  const { key, cert } = (value ?? {}) as Partial<TlsIdentity>;
  return Boolean(key && cert);
};

export const tlsOption = optionWithoutDefault(
  any<TlsIdentity>(isIdentity, 'an object with key and cert in PEM'),
);

export const handlersKind = listOf(aFunction<Handler>(), 'a list of functions');

export const onErrorKind = aFunction<(error: unknown, req: Request) => void>();
