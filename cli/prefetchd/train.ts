// `prefetchd train LOG... --store STORE`: adds what logs teach to what the store holds. The same is left out as
// by the service, and arcs count the clients that the whole log shows; of them only the number is kept.

import { stat } from 'node:fs/promises';
import { countedClient, type Ipv6Prefix } from '../../http/visitor-address.ts';
import { prefetchdDefaults, prefetchdOptions } from '../../prefetchd/engine/prefetchd-options.ts';
import { GraphExport, type KeptSize } from '../../prefetchd/model/graph-export.ts';
import {
  createPredictor,
  type LearningPredictor,
  type PredictorName,
} from '../../prefetchd/model/index.ts';
import { nameRule } from '../../prefetchd/rules/name-rule.ts';
import type { GraphStore } from '../../prefetchd/store/graph-store.ts';
import { openStore, parseStore, storeName } from '../../prefetchd/store/store-location.ts';
import { TextMemo } from '../../process/text-memo.ts';
import { CommandError } from '../command-error.ts';
import { npxCommand } from '../npx-command.ts';
import { counted, type LogFlags, noAccess, readAccesses } from './log-trace.ts';

export interface TrainFlags extends LogFlags {
  store: string;
  predictor?: PredictorName;
  window?: number;
  /** ms; infinite: no ageing. */
  halfLife?: number;
  ipv6Prefix?: Ipv6Prefix;
}

interface Lesson extends KeptSize {
  accesses: number;
  unreadable: number;
  leftOut: number;
}

/** @returns the exit code */
export async function trainOnLogs(logs: string[], flags: TrainFlags): Promise<number> {
  const location = parseStore(flags.store);
  if (location.type === 'memory') {
    const why = 'memory is gone when the command ends';
    throw new CommandError(`--store must be sqlite:FILE or redis://...: ${why}`, 2);
  }
  const { predictor: name, window } = flags;
  const halfLifeMs = halfLifeOf(flags);
  prefetchdOptions({
    ...(name && { predictor: name }),
    ...(window !== undefined && { window }),
    halfLifeMs,
  }); // before a file is made
  const store = await openStore(location, { halfLifeMs });
  try {
    await store.expire?.(Date.now(), prefetchdDefaults.saltLifeMs);
    const predictor = await predictorFor(store, flags, halfLifeMs);
    const learned = await learn(predictor, store, logs, flags);
    process.stdout.write(
      `learned from ${counted(learned.accesses, 'access', 'accesses')}${notLearned(learned)}, w ${predictor.window}: ${counted(learned.nodes, 'URL')}, ${counted(learned.arcs, 'arc')}
${location.type === 'sqlite' ? `the store is ${count((await sizeOf(location.path)) / 1024)} KiB: ${location.path}` : `they are in ${storeName(location)}`}

${serveCommand(storeName(location), predictor)}
`,
    );
    return 0;
  } finally {
    await store.close();
  }
}

/** What serves the store. */
function serveCommand(store: string, { name, window }: LearningPredictor): string {
  const predictor = name === prefetchdDefaults.predictor ? '' : ` --predictor ${name}`;
  return npxCommand(`prefetchd serve --store ${quoted(store)} --window ${window}${predictor}`);
}

function halfLifeOf({ halfLife }: TrainFlags): number | null {
  if (halfLife === undefined) return prefetchdDefaults.halfLifeMs;
  return halfLife === Number.POSITIVE_INFINITY ? null : halfLife;
}

/** What is kept of another predictor or w does not add up with what would be learned. */
async function predictorFor(
  store: GraphStore,
  flags: TrainFlags,
  halfLifeMs: number | null,
): Promise<LearningPredictor> {
  const kept = await store.identity();
  const name = flags.predictor ?? (kept?.predictor as PredictorName) ?? prefetchdDefaults.predictor;
  const window = flags.window ?? kept?.window ?? prefetchdDefaults.window;
  if (kept !== null && (kept.predictor !== name || kept.window !== window)) {
    throw new CommandError(
      `the store was learned by ${kept.predictor} with w ${kept.window}, not by ${name} with w ${window}: their counts do not add up; give those, or another store`,
      2,
    );
  }
  return createPredictor(name, { window, halfLifeMs });
}

/** Names of clients that are not worked out again. */
const keptClients = 20_000;

async function learn(
  predictor: LearningPredictor,
  store: GraphStore,
  logs: string[],
  flags: TrainFlags,
): Promise<Lesson> {
  const isLeftOut = nameRule(prefetchdDefaults);
  const keeping = new GraphExport(predictor, prefetchdDefaults.maxArcs);
  const clients = new TextMemo((client) => countedClient(client, flags.ipv6Prefix), keptClients);
  let accesses = 0;
  let prefetches = 0;
  let leftOut = 0;
  const statistics = await readAccesses(logs, flags, (batch) => {
    for (const access of batch) {
      if (access.prefetch) prefetches++;
      else if (isLeftOut(access.url, access.kind) !== null) leftOut++;
      else {
        predictor.observe({ ...access, client: clients.get(access.client) });
        accesses++;
      }
    }
  });
  if (accesses === 0) {
    const { message, exitCode } = noAccess(logs, statistics, prefetches);
    throw new CommandError(`${message}; the store is as it was`, exitCode);
  }
  keeping.endEra();
  await store.add(keeping.whole(0), Date.now());
  return { ...keeping.size(), accesses, leftOut, unreadable: statistics.unparsed };
}

function notLearned({ unreadable, leftOut }: Lesson): string {
  const parts = [
    ...(unreadable === 0 ? [] : [`${counted(unreadable, 'line')} unreadable`]),
    ...(leftOut === 0 ? [] : [`${counted(leftOut, 'access', 'accesses')} left out by URL`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** Bytes, with the log beside the file that is there as long as another process has it open. */
async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path);
  const log = await stat(`${path}-wal`).catch(() => null);
  return size + (log?.size ?? 0);
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return /^[\w:./@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
