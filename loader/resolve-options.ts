// Validates and completes the loader's options: options.ts checks each one by itself, this file checks rules that
// involve several options or the content of a certificate.

import { checked, joined } from '../options/options.ts';
import { refusal } from '../options/refusal.ts';
import { invalidOption } from './errors.ts';
import {
  type LoaderOptions,
  loaderConstants,
  loaderKind,
  type ResolvedOptions,
} from './options.ts';
import { extraHeaderPairs } from './request/extra-headers.ts';
import { authorityFault } from './transport/connect/connect-faults.ts';

/** Options of the loader's own connections, which are refused together with a dispatcher. */
const ofOurConnections = [
  'protocol',
  'connections',
  'batch',
  'holdLine',
  'tls',
  'refusePrivateAddresses',
] as const;

/**
 * Validates the options and fills in all defaults.
 * @throws LoaderError `invalid-option` with the option, the rule and the value.
 */
export function resolveOptions(options: LoaderOptions = {}): ResolvedOptions {
  const given = checked(loaderKind, options, invalidOption);
  const { ca } = given.tls;
  for (const authority of ca === undefined ? [] : [ca].flat()) {
    const fault = authorityFault(authority);
    if (fault !== null)
      invalidOption(`tls.ca must be certificates in PEM; one entry ${fault}`, 'tls.ca');
  }
  if (given.dispatcher !== null) {
    const idle = ofOurConnections.find((name) => options[name] !== undefined);
    const rule = 'left out with a dispatcher, whose connections it cannot affect';
    if (idle !== undefined) invalidOption(refusal(idle, rule, options[idle]), idle);
  }
  if (given.prefetch !== null && given.cache === null) {
    const rule = 'used with a cache, which stores prefetched responses';
    invalidOption(refusal('prefetch', rule, options.prefetch), 'prefetch');
  }
  const extraHeaders = extraHeaderPairs(given.extraHeaders);
  return { ...joined(given, loaderConstants, options), extraHeaders };
}
