// `prefetchd serve`: the hint service, until a signal ends it. Standard output has one line, when it is ready;
// what happens goes to standard error as JSON. At the level info no address, user agent, token or
// query string of anybody is logged.

import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import type { PredictorName } from '../prefetchd/model/index.ts';
import { type PrefetchdOptions, prefetchdDefaults } from '../prefetchd/options.ts';
import { createPrefetchd, type Prefetchd } from '../prefetchd/prefetchd.ts';
import { readConfigFile } from '../prefetchd/service/config-file.ts';
import type { Listening } from '../prefetchd/service/listening.ts';
import { createService, type Service } from '../prefetchd/service/service.ts';
import type { Settings } from '../prefetchd/service/settings.ts';
import type { GraphStore } from '../prefetchd/store/graph-store.ts';
import { openStore, parseStore } from '../prefetchd/store/store-location.ts';
import { CommandError } from './command-error.ts';
import { type ServeFlags, settingsOf } from './prefetchd-serve-flags.ts';

/** A store that is slow to load does not keep the service from its port for longer, ms. */
const longestStartMs = 5000;
/** After a signal the process ends in this time, whatever hangs, ms. */
const longestStopMs = 15_000;

/** @returns the exit code, when the service has ended */
export async function servePrefetchd({ config, ...given }: ServeFlags): Promise<number> {
  const flags = settingsOf(given);
  const settings = merged(config === undefined ? {} : await readConfigFile(config), flags);
  const token = await tokenOf(settings);
  const log = pino(
    { level: settings.logLevel ?? 'info' },
    pino.destination({ dest: 2, sync: true }),
  );
  const store = await storeOf(settings, log);
  let prefetchd: Prefetchd | undefined;
  let service: Service | undefined;
  let listening: Listening;
  try {
    prefetchd = createPrefetchd(prefetchdOptions(settings, store, log));
    service = createService(prefetchd, {
      token,
      log,
      ...pick(settings, 'origin', 'trust'),
      deny: denyOf(settings),
    });
    await Promise.race([prefetchd.ready, wait(longestStartMs, null, { ref: false })]);
    listening = await service.listen(pick(settings, 'port', 'host', 'socket'));
  } catch (error) {
    await (prefetchd ?? store)?.close();
    throw error;
  }
  const ended = untilSignal(log, config, () => retune(prefetchd, config, flags, log));
  log.info(
    { url: listening.url, ...prefetchd.tuning, store: store?.name ?? 'memory' },
    'listening',
  );
  process.stdout.write(`listening on ${listening.url}\n`);
  await ended;
  await service.close();
  await prefetchd.close();
  log.info({ ...prefetchd.stats().learned }, 'ended');
  return 0;
}

/** The stronger word first: what one source says of a choice, the other's alternatives do not survive. */
function merged(file: Settings, flags: Settings): Settings {
  const { socket, token, tokenFile, ...rest } = file;
  if (flags.socket !== undefined && (flags.port ?? flags.host) !== undefined) {
    throw new CommandError('--socket stands in place of --port and --host', 2);
  }
  if (flags.token !== undefined && flags.tokenFile !== undefined) {
    throw new CommandError('--token and --token-file are two ways to say one thing', 2);
  }
  const keepsSocket = socket !== undefined && (flags.port ?? flags.host) === undefined;
  const keepsToken = (flags.token ?? flags.tokenFile) === undefined;
  return {
    ...rest,
    ...(keepsSocket && { socket }),
    ...(keepsToken && token !== undefined && { token }),
    ...(keepsToken && tokenFile !== undefined && { tokenFile }),
    ...flags,
  };
}

async function tokenOf({ token, tokenFile }: Settings): Promise<string | null> {
  if (tokenFile === undefined) return token ?? null;
  try {
    return (await readFile(tokenFile, 'utf8')).trim();
  } catch (cause) {
    throw new CommandError(`--token-file: ${(cause as Error).message}`, 2, { cause });
  }
}

async function storeOf(settings: Settings, log: Logger): Promise<GraphStore | null> {
  const location = parseStore(settings.store ?? 'memory');
  if (location.type === 'memory') return null;
  return openStore(location, {
    halfLifeMs: settings.halfLife === undefined ? prefetchdDefaults.halfLifeMs : settings.halfLife,
    maxNodes: prefetchdDefaults.maxNodes,
    maxArcs: prefetchdDefaults.maxArcs,
    onNotice: (message) => log.warn(message),
  });
}

function prefetchdOptions(
  settings: Settings,
  store: GraphStore | null,
  log: Logger,
): PrefetchdOptions {
  const { halfLife, flushInterval, predictor } = settings;
  return {
    ...pick(settings, 'threshold', 'window', 'limit', 'minClients', 'query', 'origin'),
    ...(predictor !== undefined && { predictor: predictor as PredictorName }), // checked by its taker
    ...(halfLife !== undefined && { halfLifeMs: halfLife }),
    ...(flushInterval !== undefined && { flushIntervalMs: flushInterval }),
    deny: denyOf(settings),
    store,
    onNotice: ({ level, message, error }) => log[level]({ ...(error && { err: error }) }, message),
  };
}

function denyOf({ deny = [], allow = [] }: Settings) {
  return { extra: deny, allow };
}

/** SIGHUP: p, w and i of the file, where no flag says otherwise; a file that is wrong changes nothing. */
async function retune(
  prefetchd: Prefetchd,
  config: string | undefined,
  flags: Settings,
  log: Logger,
): Promise<void> {
  try {
    const file = config === undefined ? {} : await readConfigFile(config);
    const { threshold, window, limit } = prefetchdDefaults;
    const said = pick({ ...file, ...flags }, 'threshold', 'window', 'limit');
    log.info({ ...prefetchd.tune({ threshold, window, limit, ...said }) }, 'tuned by the file');
  } catch (error) {
    log.error({ err: error }, 'the file was not taken; all stays as it was');
  }
}

/** Resolves at the first signal that ends; the second ends the process at once. */
function untilSignal(log: Logger, config: string | undefined, onHup: () => void): Promise<void> {
  return new Promise((resolve) => {
    let isEnding = false;
    const end = (signal: NodeJS.Signals, number: number) => {
      if (isEnding) process.exit(128 + number);
      isEnding = true;
      log.info({ signal }, 'ending');
      setTimeout(() => process.exit(1), longestStopMs).unref();
      resolve();
    };
    process.on('SIGTERM', (signal) => end(signal, 15));
    process.on('SIGINT', (signal) => end(signal, 2));
    // Without a file to read again, a hang-up is the end, as for any program of a terminal.
    process.on('SIGHUP', (signal) => (config === undefined ? end(signal, 1) : onHup()));
  });
}

function pick<T extends object, K extends keyof T>(from: T, ...names: K[]): Pick<T, K> {
  const picked = names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]));
  return Object.fromEntries(picked);
}
