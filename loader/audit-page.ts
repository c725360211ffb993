// Loads a page and reports what would make it faster: it returns the load, and the advice sorted by saving.

import { auditOf } from './audit/audit.ts';
import type { Audit } from './audit/finding.ts';
import { loadedOf } from './audit/subject.ts';
import { invalidOption } from './errors.ts';
import { loadPage } from './loader.ts';
import type { LoaderOptions, LoadOptions } from './options.ts';
import type { PageLoad } from './page-load.ts';
import { tryImages } from './trials/trials.ts';

export interface AuditOptions
  extends Omit<LoaderOptions, 'prefetch' | 'dispatcher'>,
    Omit<LoadOptions, 'onBody'> {
  /** Called with a description of each step after the load: `converting images: 2 of 9 conversions`. */
  onTrial?: (what: string) => void;
  /**
   * Time limit for converting all images, ms; a conversion that has begun by then is awaited. Default: 60,000. 0:
   * nothing is converted.
   */
  convertMs?: number;
}

export interface PageAudit extends Audit {
  /** The load that the advice is about. */
  load: PageLoad;
}

/**
 * Loads a page once, converts its images if the package `sharp` is installed, and reports what would save bytes,
 * requests and round trips. The advice is on what came over the network, so load without a cache.
 * @throws LoaderError `invalid-option`, `invalid-url`; the signal's reason if aborted.
 */
export async function auditPage(url: string | URL, options: AuditOptions = {}): Promise<PageAudit> {
  const { onTrial: onProgress, convertMs, ...settings } = options;
  if (convertMs !== undefined && !(Number.isFinite(convertMs) && convertMs >= 0)) {
    invalidOption(`convertMs must be a number of at least 0; got ${convertMs}`);
  }
  const bodies = new Map<string, Buffer>();
  const onBody = (of: string, body: Buffer) => void bodies.set(of, body);
  // Get-All is off, because advice is on separate responses, as browsers get them.
  const load = await loadPage(url, { getAll: false, ...settings, onBody });
  const { signal } = settings;
  const trials = await tryImages(loadedOf(load, bodies), { signal, onProgress, convertMs });
  return { load, ...auditOf(load, bodies, trials) };
}
