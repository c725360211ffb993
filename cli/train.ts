// `prefetchd train LOG... --store sqlite:FILE`: adds what logs teach to what the store holds.

import { stat } from 'node:fs/promises';
import { readLog } from '../prefetchd/log/index.ts';
import { DependencyGraph } from '../prefetchd/model/dependency-graph.ts';
import { modelDefaults } from '../prefetchd/model/options.ts';
import { queryMayBeHinted } from '../prefetchd/normalise-url.ts';
import { type GraphStore, openStore, parseStore } from '../prefetchd/store/store.ts';
import { CommandError } from './command-error.ts';
import { type LogFlags, lineProgress } from './log-trace.ts';

export interface TrainFlags extends LogFlags {
  store: string;
  window?: number;
}

interface Lesson {
  accesses: number;
  unreadable: number;
}

/** @returns the exit code */
export async function trainOnLogs(logs: string[], flags: TrainFlags): Promise<number> {
  const location = parseStore(flags.store);
  if (location.type !== 'sqlite') {
    throw new CommandError('--store must be sqlite:FILE: memory is gone when the command ends', 2);
  }
  // Checks --window before a file is made.
  const options = { window: flags.window ?? modelDefaults.window, mayHint: queryMayBeHinted() };
  const graph = new DependencyGraph(options);
  const store = await openStore(location);
  let lesson: Lesson;
  try {
    lesson = await addLesson(store, graph, logs, flags);
  } finally {
    await store.close();
  }
  const size = await sizeOf(location.path);
  const { nodes, arcs } = graph.graph;
  const unreadable =
    lesson.unreadable === 0 ? '' : ` (${count(lesson.unreadable)} lines unreadable)`;
  process.stdout.write(
    `learned from ${count(lesson.accesses)} accesses${unreadable}, w ${graph.window}
the store holds ${count(nodes.size)} nodes, ${count(arcs.size)} arcs, ${count(size / 1024)} KiB: ${location.path}

prefetchd serve --store ${quoted(`sqlite:${location.path}`)} --window ${graph.window}
`,
  );
  return 0;
}

async function addLesson(
  store: GraphStore,
  graph: DependencyGraph,
  logs: string[],
  flags: TrainFlags,
): Promise<Lesson> {
  if (flags.window === undefined) graph.window = (await store.window()) ?? graph.window;
  await store.load(graph);
  const lesson = await learn(graph, logs, flags);
  await store.save(graph);
  return lesson;
}

async function learn(graph: DependencyGraph, logs: string[], flags: LogFlags): Promise<Lesson> {
  const progress = lineProgress();
  const reading = readLog(logs, {
    format: flags.format,
    filter: flags.filter,
    host: flags.host ?? null,
    onProgress: ({ lines }) => progress.show(`learning: ${count(lines)} lines`),
  });
  let accesses = 0;
  try {
    for await (const batch of reading) {
      for (const access of batch) {
        graph.observe(access);
        if (!access.prefetch) accesses++;
      }
    }
  } finally {
    progress.clear();
  }
  const { files, lines, unparsed } = reading.statistics;
  for (const { path, broken } of files) {
    if (broken === undefined) continue;
    process.stderr.write(`prefetchd: ${path}: ${broken}; what came before is used\n`);
  }
  if (accesses > 0) return { accesses, unreadable: unparsed };
  throw new CommandError(
    `no access in ${logs.join(', ')} (${count(lines)} lines, ${count(unparsed)} unreadable); the store is as it was`,
    1,
  );
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
