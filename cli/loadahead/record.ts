// `loadahead record URL --out FILE`: loads a page as a browser would and keeps it whole, for `serve`, `audit` and
// whoever reads HTTP Archives.

import { loadPage } from '../../loader/loader.ts';
import { toHar } from '../../loader/report/har.ts';
import { formatBytes, plural } from '../../loader/report/units.ts';
import { version } from '../../process/version.ts';
import { failureOf, verdict } from './load-report.ts';
import { type LoaderFlags, loaderOptions } from './loader-flags.ts';
import { checkOutput, ownerOnly, writeOutput } from './output-file.ts';
import { pageAddress } from './page-address.ts';
import { runLoads, sayResources } from './run-loads.ts';

export interface RecordFlags extends LoaderFlags {
  out: string;
  secrets?: boolean;
}

/** Runs `loadahead record`. @returns the exit code */
export async function record(url: string, flags: RecordFlags): Promise<number> {
  const address = await pageAddress(url);
  await checkOutput('--out', flags.out);
  const options = await loaderOptions(flags);
  const bodies = new Map<string, Buffer>();
  const page = await runLoads(false, (say, signal) =>
    loadPage(address, {
      ...options,
      getAll: false, // without Get-All, each response is kept as it is
      signal,
      onProgress: sayResources(say),
      onBody: (of, body) => void bodies.set(of, body),
    }),
  );
  if (failureOf(page) !== null) return verdict(page);
  const har = toHar(page, { creatorVersion: version, secrets: flags.secrets === true, bodies });
  await writeOutput(flags.out, `${JSON.stringify(har, null, 2)}\n`, '--out', ownerOnly);
  const { errors, bodyBytes } = page.totals;
  const missing = errors > 0 ? `; ${plural(errors, 'resource')} failed and cannot be replayed` : '';
  const kept = `${plural(bodies.size, 'response')}, ${formatBytes(bodyBytes)}`;
  process.stdout.write(`${flags.out}: ${kept}${missing}\n`);
  return verdict(page);
}
