// `loadahead serve DIR`: serves a folder as an origin server, until a signal ends it.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { silentLog } from '../../options/logger.ts';
import { dictionaries } from '../../server/dictionaries/dictionaries.ts';
import { ServerError } from '../../server/errors.ts';
import { getAll } from '../../server/get-all/get-all.ts';
import { holdLine } from '../../server/hold-line/hold-line.ts';
import type { Handler } from '../../server/listen/handler.ts';
import { createOrigin } from '../../server/origin/origin.ts';
import { type OriginOptions, originOptions } from '../../server/origin/origin-options.ts';
import { replay } from '../../server/recorded/replay.ts';
import { CommandError, portInUse } from '../command-error.ts';
import { tlsOf } from '../flag-values.ts';
import { inFlags, optionsOfFlags } from '../option-flags.ts';
import { isRecording, readRecordedPage } from './recorded-page.ts';

export interface ServeFlags {
  port: number;
  host: string;
  tlsKey?: string;
  tlsCert?: string;
  /** True: pages are sent as the difference to pages that the client has. */
  dictionaries: boolean;
  /** True: a page and the resources that it names are sent in one response. */
  getAll: boolean;
  /** Names of faults of servers of the 1990s that this server is to imitate (lab/tcp-study/study-faults.ts). */
  study?: string[];
}

/** Runs `loadahead serve`. @returns the exit code, when the server has ended */
export async function serve(dir: string, flags: ServeFlags): Promise<number> {
  try {
    const { url, close } = await opened(dir, flags);
    // Signals are awaited before the line with the URL is printed: whoever reads it may send a signal at once.
    const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    if (!isLoopback(url)) {
      const { port } = new URL(url);
      process.stderr.write(`loadahead: reachable from other machines on port ${port}\n`);
    }
    if (flags.study !== undefined) {
      process.stderr.write(
        `loadahead: slow and faulty on purpose, for study: ${flags.study.join(', ')}\n`,
      );
    }
    process.stdout.write(`listening on ${url}\n`);
    await ended;
    await close();
    return 0;
  } catch (error) {
    if (error instanceof ServerError) {
      throw (
        portInUse(error) ?? new CommandError(inFlags(error, originOptions), 2, { cause: error })
      );
    }
    throw error;
  }
}

/** Serves a folder, or a recorded page with a port for each of its hosts. */
async function opened(
  site: string,
  flags: ServeFlags,
): Promise<{ url: string; close(): Promise<void> }> {
  const options = await optionsOf(flags);
  const where = { port: flags.port, host: flags.host };
  if (!(await isRecording(site))) {
    const origin = createOrigin(site, options);
    const { url } = await origin.listen(where);
    return { url, close: () => origin.close() };
  }
  return await replay(await readRecordedPage(site), where, options);
}

async function optionsOf(flags: ServeFlags): Promise<OriginOptions> {
  const { study } = flags;
  return {
    ...optionsOfFlags(originOptions, flags),
    handlers: [
      ...(study === undefined ? [] : [await studied(study)]),
      holdLine(),
      ...(flags.getAll ? [getAll()] : []),
      ...(flags.dictionaries ? [dictionaries()] : []),
    ],
    log: {
      ...silentLog,
      error: ({ err }: { err?: unknown }) => process.stderr.write(`loadahead: ${err}\n`),
    },
    tls: await tlsOf(flags),
  };
}

/** Returns a handler that imitates the named faults of servers of the 1990s. It needs a clone of the repository: the
 *  package lacks the folder lab/. */
async function studied(faults: readonly string[]): Promise<Handler> {
  const place = new URL('../../lab/tcp-study/study-faults.ts', import.meta.url);
  if (!existsSync(place)) {
    throw new CommandError(
      '--study works in a clone of the repository: npm run loadahead -- serve',
    );
  }
  const { studyFaults } = await import(place.href);
  try {
    return studyFaults(faults);
  } catch (cause) {
    throw new CommandError(`--study: ${(cause as Error).message}`, 2, { cause });
  }
}

/** Returns whether the URL's address is a loopback address. `localhost` is none here: a server on all addresses has it
 *  in its URL. */
function isLoopback(url: string): boolean {
  return /^(127\.|\[::1\]$)/.test(new URL(url).hostname);
}
