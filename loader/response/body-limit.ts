// The limit on the size of a body, as received and as decoded.

import { LoaderError } from '../errors.ts';
import type { LoaderLimits } from '../options.ts';

export type BodyLimits = Pick<LoaderLimits, 'maxResourceBytes'>;

/** Checks the length of a body so far against the limit. @throws LoaderError `body-too-large` */
export function boundBody(bytes: number, { maxResourceBytes }: BodyLimits): void {
  if (bytes <= maxResourceBytes) return;
  const message = `body over limits.maxResourceBytes (${maxResourceBytes})`;
  throw new LoaderError('body-too-large', message);
}
