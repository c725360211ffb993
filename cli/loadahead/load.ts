// `loadahead load URL`: loads a page, prints what it cost, and writes it to files. Errors in the command line are
// reported before anything is sent; results are printed before they are written to files.

import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CacheMode, HttpCache } from '../../loader/cache/http-cache.ts';
import { LoaderError } from '../../loader/errors.ts';
import { loadPage } from '../../loader/loader.ts';
import type { LoaderOptions } from '../../loader/options.ts';
import type { PageLoad, Protocol } from '../../loader/page-load.ts';
import { inert } from '../../loader/report/printable.ts';
import { medianRun } from '../../loader/report/runs.ts';
import { authorityFault } from '../../loader/transport/connect/tls-faults.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError, inFlags } from '../command-error.ts';
import { npxCommand } from '../run-command.ts';
import { type DiscoveryFlags, discoveryOptions } from './discovery-flags.ts';
import { showProgress } from './load-progress.ts';
import { printLoad, verdict } from './load-report.ts';
import { checkRuns, loadAgain } from './several-runs.ts';

export interface LoadFlags extends DiscoveryFlags {
  protocol: Protocol;
  connections?: number;
  holdLine?: true | number;
  timeout?: number;
  json?: boolean;
  har?: string;
  harSecrets?: boolean;
  waterfall?: string;
  header?: string[];
  headers: 'minimal' | 'browser';
  cookies: boolean;
  /** Absent: only where it is known to help. */
  getAll?: boolean;
  dictionaries: boolean;
  ca?: string;
  insecure?: boolean;
  publicOnly?: boolean;
  batchBytes?: number | 'off';
  batchDelay?: number | 'off';
  flushOnSegment: boolean;
  cache?: string;
  cacheMode?: CacheMode;
  images: 'whole' | 'sizes-first';
  runs?: number;
}

/** @returns the exit code */
export async function load(url: string, flags: LoadFlags): Promise<number> {
  const address = await pageAddress(url.trim());
  await checkOutput('--har', flags.har);
  if (flags.harSecrets && flags.har === undefined) {
    throw new CommandError(
      '--har-secrets: there is no file to keep them in; name it with --har',
      2,
    );
  }
  await checkOutput('--waterfall', flags.waterfall);
  const { runs = 1 } = flags;
  checkRuns(runs);
  const cache = await openCache(flags);
  const abort = new AbortController();
  const interrupt = () => abort.abort(new CommandError('interrupted', 130));
  process.once('SIGINT', interrupt);
  const progress = showProgress(flags.json === true);
  let loads: PageLoad[];
  try {
    const options = {
      ...(await loaderOptions(flags)),
      cache,
      ...(flags.cacheMode && { cacheMode: flags.cacheMode }),
      signal: abort.signal,
    };
    const first = await loadPage(address, { ...options, onProgress: progress.update });
    loads = await loadAgain(first, runs, progress, (onProgress) =>
      loadPage(address, { ...options, onProgress }),
    );
  } catch (error) {
    if (error instanceof LoaderError) throw usageError(error);
    throw error;
  } finally {
    cache?.close();
    progress.stop();
    process.off('SIGINT', interrupt);
  }
  await printLoad(loads, { json: flags.json === true, explain: flags.explain === true });
  if (flags.insecure)
    process.stderr.write('loadahead: certificates were not verified (--insecure)\n');
  const exitCode = Math.max(...loads.map(verdict));
  await writeFiles(medianRun(loads), flags);
  return exitCode;
}

export function usageError(error: LoaderError): CommandError {
  const hint = /credentials/.test(error.message) ? ": --header 'Authorization: ...'" : '';
  return new CommandError(`${inFlags(error.message)}${hint}`, 2, { cause: error });
}

export async function loaderOptions(flags: LoadFlags): Promise<LoaderOptions> {
  if (flags.batchDelay !== undefined && flags.flushOnSegment) {
    const why = 'else what a chunk of HTML names is sent when it is scanned';
    throw new CommandError(`--batch-delay needs --no-flush-on-segment: ${why}`, 2);
  }
  return {
    protocol: flags.protocol,
    headers: flags.headers,
    cookies: flags.cookies,
    getAll: flags.getAll,
    dictionaries: flags.dictionaries,
    images: flags.images,
    extraHeaders: (flags.header ?? []).map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
    timeouts: { pageMs: flags.timeout },
    batch: {
      flushOnSegment: flags.flushOnSegment,
      maxBytes: nullWhenOff(flags.batchBytes),
      maxDelayMs: nullWhenOff(flags.batchDelay),
    },
    tls: {
      ca: flags.ca && (await readAuthority(flags.ca)),
      verify: !flags.insecure,
    },
    discovery: discoveryOptions(flags),
    connections: flags.connections,
    holdLine: flags.holdLine,
    refusePrivateAddresses: flags.publicOnly,
  };
}

function nullWhenOff(value: number | 'off' | undefined): number | null | undefined {
  return value === 'off' ? null : value;
}

async function openCache({ cache: folder, cacheMode }: LoadFlags): Promise<HttpCache | null> {
  if (folder === undefined) {
    if (cacheMode === undefined) return null;
    throw new CommandError(
      '--cache-mode: there is no cache to use; name its folder with --cache',
      2,
    );
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

async function readAuthority(file: string): Promise<Buffer> {
  let pem: Buffer;
  try {
    pem = await readFile(file);
  } catch (cause) {
    throw new CommandError(`--ca: ${fileFailure(file, 'read', cause)}`, 2, { cause });
  }
  const fault = authorityFault(pem);
  if (fault !== null) throw new CommandError(`--ca: ${file} ${fault}`, 2);
  return pem;
}

/** The URL that a user typed, such as `example.org/x` or `localhost:8080`, completed. @throws CommandError */
export async function pageAddress(typed: string): Promise<string> {
  if (typed === '') throw new CommandError('the URL is empty; write http://host/path', 2);
  const url = hasScheme(typed) ? typed : `http://${typed}`;
  if (!hasScheme(typed)) await refuseFile(typed);
  const port = /^https?:\/\/(?:[^/?#]*@)?(?:\[[^\]]*\]|[^/?#:]*):(\d+)(?![^/?#])/i.exec(url)?.[1];
  if (port !== undefined && Number(port) > 65_535) {
    throw new CommandError(`${typed}: ${port} is no port; ports end at 65535`, 2);
  }
  return url;
}

/** True if the text has a scheme: a colon may also follow a host (`localhost:8080`) or a user (`me:secret@host`). */
function hasScheme(typed: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return true;
  const [authority = ''] = typed.split(/[/?#]/, 1);
  if (/:\d*$/.test(authority) || authority.includes('@')) return false;
  return URL.canParse(typed);
}

/**
 * A folder may have the name of a host (`example.org/`), so a name counts as a folder only if it is written as a path.
 * No host name ends like the names of these files.
 */
async function refuseFile(typed: string): Promise<void> {
  const found = await stat(typed).catch(() => null);
  if (found === null && /^\.{0,2}\/|^[^/]*\.(?:txt|json|html?|csv|log|har|list)$/i.test(typed)) {
    throw new CommandError(`${typed}: there is no such file, and a URL is http://host/path`, 2);
  }
  if (found?.isFile()) {
    const serve = npxCommand(`loadahead serve ${dirname(typed)}`);
    throw new CommandError(`${typed} is a file; serve its folder with ${serve}`, 2);
  }
  if (found?.isDirectory() && /^[./]/.test(typed)) {
    const serve = npxCommand(`loadahead serve ${typed}`);
    throw new CommandError(`${typed} is a folder; serve it with ${serve}`, 2);
  }
}

/** Called before the load, so that no load is lost to a misspelt path. @throws CommandError */
export async function checkOutput(flag: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  if (file === '-' || file === '') {
    const rule = 'name a file; standard output is for the report, or the record with --json';
    throw new CommandError(`${flag}: ${rule}`, 2);
  }
  const folder = await stat(dirname(file)).catch(() => null);
  if (!folder?.isDirectory()) {
    throw new CommandError(`${flag}: the folder ${dirname(file)} does not exist`, 2);
  }
  if ((await stat(file).catch(() => null))?.isDirectory()) {
    throw new CommandError(`${flag}: ${file} is a folder`, 2);
  }
}

async function writeFiles(
  page: PageLoad,
  { har, harSecrets: secrets = false, waterfall }: LoadFlags,
): Promise<void> {
  if (har !== undefined) {
    const { toHar } = await import('../../loader/report/har.ts');
    const archive = toHar(page, { creatorVersion: '0.1.0', secrets });
    await write(har, `${JSON.stringify(archive, null, 2)}\n`, '--har', ownerOnly);
  }
  if (waterfall !== undefined) {
    const { renderWaterfallSvg } = await import('../../loader/report/waterfall-svg.ts');
    await write(waterfall, renderWaterfallSvg(page), '--waterfall');
  }
}

const ownerOnly = 0o600;

/** @param mode Mode of the file, even if it exists; default: as usual. @throws CommandError */
export async function write(
  path: string,
  text: string,
  flag: string,
  mode?: number,
): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'w', mode);
    // A device or a pipe keeps its mode, because other programs use it.
    if (mode !== undefined && (await file.stat()).isFile()) await file.chmod(mode);
    await file.writeFile(inert(text, { color: false }));
  } catch (cause) {
    throw new CommandError(`${flag}: ${fileFailure(path, 'written', cause)}`, 2, { cause });
  } finally {
    await file?.close();
  }
}
