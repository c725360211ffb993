// `loadahead load URL`: load a page, print and write what it cost.

import { readFile, writeFile } from 'node:fs/promises';
import { LoaderError } from '../loader/errors.ts';
import { loadPage } from '../loader/loader.ts';
import type { LoaderOptions } from '../loader/options.ts';
import type { PageLoad, Protocol } from '../loader/page-load.ts';
import { CommandError } from './command-error.ts';
import { showProgress } from './progress.ts';
import { terminal } from './terminal.ts';

export interface LoadFlags {
  protocol: Protocol;
  connections?: number;
  timeout: number;
  json?: boolean;
  har?: string;
  waterfall?: string;
  header: string[];
  headers: 'minimal' | 'browser';
  cookies: boolean;
  ca?: string;
  insecure?: boolean;
  publicOnly?: boolean;
  batchBytes?: number | null;
  batchDelay?: number | null;
  flushOnSegment: boolean;
}

/** @returns the exit code */
export async function load(url: string, flags: LoadFlags): Promise<number> {
  const abort = new AbortController();
  const interrupt = () => abort.abort(new CommandError('interrupted', 130));
  process.once('SIGINT', interrupt);
  const progress = showProgress(flags.json === true);
  let page: PageLoad;
  try {
    const options = await loaderOptions(flags);
    page = await loadPage(withScheme(url), {
      ...options,
      signal: abort.signal,
      onProgress: progress.update,
    });
  } catch (error) {
    if (error instanceof LoaderError) throw new CommandError(error.message, 2, { cause: error });
    throw error;
  } finally {
    progress.stop();
    process.off('SIGINT', interrupt);
  }
  await writeFiles(page, flags);
  if (flags.json) {
    const { toJson } = await import('../loader/report/json.ts');
    process.stdout.write(`${JSON.stringify(toJson(page), null, 2)}\n`);
  } else {
    const { renderSummary } = await import('../loader/report/summary.ts');
    const { renderWaterfall } = await import('../loader/report/waterfall-text.ts');
    const { columns, color } = terminal(process.stdout);
    process.stdout.write(`${renderWaterfall(page, { columns, color })}\n`);
    process.stdout.write(`${renderSummary(page, { columns, color })}\n`);
  }
  if (flags.insecure)
    process.stderr.write('loadahead: certificates were not verified (--insecure)\n');
  return verdict(page);
}

async function loaderOptions(flags: LoadFlags): Promise<LoaderOptions> {
  return {
    protocol: flags.protocol,
    headers: flags.headers,
    cookies: flags.cookies,
    extraHeaders: flags.header.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
    timeouts: { pageMs: flags.timeout },
    batch: {
      flushOnSegment: flags.flushOnSegment,
      ...(flags.batchBytes === undefined ? {} : { maxBytes: flags.batchBytes }),
      ...(flags.batchDelay === undefined ? {} : { maxDelayMs: flags.batchDelay }),
    },
    tls: {
      ...(flags.ca === undefined ? {} : { ca: await readAuthority(flags.ca) }),
      ...(flags.insecure ? { verify: false } : {}),
    },
    ...(flags.connections === undefined ? {} : { connections: flags.connections }),
    ...(flags.publicOnly ? { refusePrivateAddresses: true } : {}),
  };
}

async function readAuthority(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new CommandError(`--ca: ${(cause as Error).message}`, 2, { cause });
  }
}

/** `example.org/x` is what people type. */
function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) || URL.canParse(url) ? url : `http://${url}`;
}

async function writeFiles(page: PageLoad, { har, waterfall }: LoadFlags): Promise<void> {
  if (har !== undefined) {
    const { toHar } = await import('../loader/report/har.ts');
    await write(
      har,
      `${JSON.stringify(toHar(page, { creatorVersion: '0.1.0' }), null, 2)}\n`,
      '--har',
    );
  }
  if (waterfall !== undefined) {
    const { renderWaterfallSvg } = await import('../loader/report/waterfall-svg.ts');
    await write(waterfall, renderWaterfallSvg(page), '--waterfall');
  }
}

async function write(file: string, text: string, flag: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw new CommandError(`${flag}: ${(cause as Error).message}`, 2, { cause });
  }
}

/** The page is where its redirects led: the last row of the page itself. */
function verdict(page: PageLoad): number {
  const document = page.resources.filter(({ initiator }) => initiator === null).at(-1);
  if (document === undefined || document.error === null) return 0;
  process.stderr.write(
    `loadahead: ${document.url} did not load: ${document.error.message} [${document.error.code}]\n`,
  );
  return 1;
}
