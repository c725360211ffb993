// Loads a page and reports what would make it faster: the load, the trials on it, and the advice, sorted by saving.

import { auditOf } from './audit/audit.ts';
import type { Audit } from './audit/finding.ts';
import { loadedOf } from './audit/subject.ts';
import { invalidOption } from './errors.ts';
import type { FetchOptions } from './fetch/fetch.ts';
import type { LoadOptions } from './load-options.ts';
import { loadPage } from './loader.ts';
import type { LoaderOptions } from './options.ts';
import type { PageLoad } from './page-load.ts';
import { tryOut } from './trials/trials.ts';

export interface AuditOptions
  extends Omit<LoaderOptions, 'prefetch' | 'dispatcher'>,
    Omit<LoadOptions, 'onBody'> {
  /** Called with each activity after the load, in words. */
  onTrial?: (what: string) => void;
  /** Time for converting images, ms; a conversion in progress is awaited. Default: 60,000. 0: nothing is converted. */
  convertMs?: number;
}

export interface PageAudit extends Audit {
  /** The load that the advice is about. */
  load: PageLoad;
}

/**
 * Loads a page once, converts its images if the package `sharp` is installed, requests a range of its largest resource,
 * and reports what would save bytes, requests and round trips. The advice is on what came over the network, so load
 * without a cache.
 * @throws LoaderError `invalid-option`, `invalid-url`; the signal's reason if aborted.
 */
export async function auditPage(url: string | URL, options: AuditOptions = {}): Promise<PageAudit> {
  const { onTrial, convertMs, ...settings } = options;
  checkOption(convertMs);
  const bodies = new Map<string, Buffer>();
  const onBody = (of: string, body: Buffer) => void bodies.set(of, body);
  // Get-All is off, because advice is on separate responses, as browsers get them.
  const load = await loadPage(url, { getAll: false, ...settings, onBody });
  const loaded = loadedOf(load, bodies);
  const { origin } = new URL(load.url);
  const trials = await tryOut(loaded, {
    signal: settings.signal,
    onProgress: onTrial,
    convertMs,
    fetchOptions: (of) => fetchOptions(settings, new URL(of).origin === origin),
  });
  return { load, ...auditOf(load, bodies, trials) };
}

/** @throws LoaderError `invalid-option` */
function checkOption(convertMs: number | undefined): void {
  if (convertMs === undefined || (Number.isFinite(convertMs) && convertMs >= 0)) return;
  invalidOption(`convertMs must be a number of at least 0; got ${convertMs}`);
}

/** @param isOwn Whether the URL has the page's origin; only that origin gets the caller's fields */
function fetchOptions(settings: LoaderOptions, isOwn: boolean): FetchOptions {
  const { timeouts, limits, tls, extraHeaders, userAgent, refusePrivateAddresses } = settings;
  return {
    ...(timeouts && { timeouts }),
    ...(limits && { limits }),
    ...(tls && { tls }),
    ...(isOwn && extraHeaders && { extraHeaders }),
    ...(userAgent !== undefined && { userAgent }),
    ...(refusePrivateAddresses !== undefined && { refusePrivateAddresses }),
  };
}
