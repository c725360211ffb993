// `loadahead load URL`: loads a page, prints what it cost, and writes it to files. Errors in the command line are
// reported before anything is sent; files are written before the report, because a closed pipe ends the process.

import type { CacheMode, HttpCache } from '../../loader/cache/http-cache.ts';
import { LoaderError } from '../../loader/errors.ts';
import { loadPage } from '../../loader/loader.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { medianRun } from '../../loader/report/runs.ts';
import { version } from '../../process/version.ts';
import { CommandError } from '../command-error.ts';
import { printLoad, verdict } from './load-report.ts';
import { type LoaderFlags, loaderOptions } from './loader-flags.ts';
import { checkOutput, ownerOnly, writeOutput } from './output-file.ts';
import { pageAddress } from './page-address.ts';
import { loadAgain, runLoads, sayResources } from './run-loads.ts';

export interface LoadFlags extends LoaderFlags {
  har?: string;
  harSecrets?: boolean;
  waterfall?: string;
  packets?: string;
  fetchTimes?: string;
  cache?: string;
  cacheMode?: CacheMode;
  runs?: number;
}

/** Runs `loadahead load`. @returns the exit code */
export async function load(url: string, flags: LoadFlags): Promise<number> {
  const address = await pageAddress(url);
  await checkOutput('--har', flags.har);
  if (flags.harSecrets && flags.har === undefined) {
    throw new CommandError('--har-secrets: there is no file to keep them in; name it with --har');
  }
  await checkOutput('--waterfall', flags.waterfall);
  await checkOutput('--packets', flags.packets);
  await checkOutput('--fetch-times', flags.fetchTimes);
  const { runs = 1, cacheMode, packets } = flags;
  const shared = await loaderOptions(flags);
  const cache = await openCache(flags);
  try {
    const loading = () =>
      runLoads(flags.json === true, async (say, signal) => {
        const options = { ...shared, cache, signal, ...(cacheMode && { cacheMode }) };
        const first = await loadPage(address, { ...options, onProgress: sayResources(say) });
        return await loadAgain(first, runs, say, (onProgress) =>
          loadPage(address, { ...options, onProgress }),
        );
      });
    const capture = () => import('../compare/own-packets.ts');
    const loads = await (packets === undefined
      ? loading()
      : (await capture()).capturingPackets(packets, loading));
    const page = medianRun(loads);
    const written = writeFiles(page, loads, flags);
    await written.catch(() => {}); // its fault is told after the report
    await printLoad(page, loads, flags);
    const exitCode = Math.max(...loads.map(verdict));
    await written;
    return exitCode;
  } finally {
    cache?.close();
  }
}

async function openCache({ cache: folder, cacheMode }: LoadFlags): Promise<HttpCache | null> {
  if (folder === undefined) {
    if (cacheMode === undefined) return null;
    throw new CommandError('--cache-mode: there is no cache to use; name its folder with --cache');
  }
  const { createHttpCache } = await import('../../loader/cache/cache.ts');
  const { createSqliteStore } = await import('../../loader/cache/sqlite/sqlite-cache-store.ts');
  const onNotice = (message: string) => void process.stderr.write(`loadahead: ${message}\n`);
  try {
    return createHttpCache(createSqliteStore(folder, { onNotice }));
  } catch (cause) {
    if (!(cause instanceof LoaderError)) throw cause;
    throw new CommandError(`--cache: ${cause.message}`, 2, { cause });
  }
}

/** Writes a line `bytes milliseconds` for each response, as `prefetchd simulate --fit` reads them. */
function fetchTimes(loads: readonly PageLoad[]): string {
  const lines = loads.flatMap(({ resources }) =>
    resources.flatMap(({ status, fromCache, transferBytes, requestStartMs, responseEndMs }) =>
      status !== 200 || fromCache || requestStartMs === null || responseEndMs === null
        ? []
        : `${transferBytes} ${(responseEndMs - requestStartMs).toFixed(3)}\n`,
    ),
  );
  return lines.join('');
}

async function writeFiles(
  page: PageLoad,
  loads: readonly PageLoad[],
  { har, harSecrets: secrets = false, waterfall, fetchTimes: times }: LoadFlags,
): Promise<void> {
  if (har !== undefined) {
    const { toHar } = await import('../../loader/report/har.ts');
    const archive = toHar(page, { creatorVersion: version, secrets });
    await writeOutput(har, `${JSON.stringify(archive, null, 2)}\n`, '--har', ownerOnly);
  }
  if (waterfall !== undefined) {
    const { renderWaterfallSvg } = await import('../../loader/report/waterfall-svg.ts');
    await writeOutput(waterfall, renderWaterfallSvg(page), '--waterfall');
  }
  if (times) await writeOutput(times, fetchTimes(loads), '--fetch-times');
}
