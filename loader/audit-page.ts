// Loads a page and reports what would make it faster: it returns the load, and the advice sorted by saving.

import { aFunction } from '../options/kinds.ts';
import { checked, type OptionsOf, objectOf, optionWithoutDefault } from '../options/options.ts';
import { auditOf } from './audit/audit.ts';
import type { Audit } from './audit/finding.ts';
import { loadedOf } from './audit/subject.ts';
import { invalidOption } from './errors.ts';
import { loadPage } from './loader.ts';
import { loadPageTable } from './options.ts';
import type { PageLoad } from './page-load.ts';
import { trialTable } from './trials/trial-options.ts';
import { tryImages } from './trials/trials.ts';

const { dispatcher: _, onBody: __, ...loadTable } = loadPageTable;

const auditTable = {
  ...loadTable,
  /** Called with a description of each step after the load: `converting images: 2 of 9 conversions`. */
  onTrial: optionWithoutDefault(aFunction<(what: string) => void>()),
  ...trialTable,
};

export type AuditOptions = OptionsOf<typeof auditTable>;

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
  const { convertMs } = checked(objectOf(auditTable), options, invalidOption);
  const { onTrial: onProgress, convertMs: _, ...settings } = options;
  const bodies = new Map<string, Buffer>();
  const onBody = (of: string, body: Buffer) => void bodies.set(of, body);
  // Get-All is off, because advice is on separate responses, as browsers get them.
  const load = await loadPage(url, { getAll: false, ...settings, onBody });
  const { signal } = settings;
  const trials = await tryImages(loadedOf(load, bodies), { signal, onProgress, convertMs });
  return { load, ...auditOf(load, bodies, trials) };
}
