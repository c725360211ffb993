// `prefetchd sql` prints the statement by which a warehouse learns from its logs; `prefetchd import FILE --store STORE`
// adds its result to a store, once all of the file has been read and found right.

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { formatCount, plural } from '../../loader/report/units.ts';
import { prefetchdDefaults, prefetchdOptions } from '../../prefetchd/engine/prefetchd-options.ts';
import { LineSplitter } from '../../prefetchd/log/line-splitter.ts';
import { logBytes } from '../../prefetchd/log/log-bytes.ts';
import { emptyFileStatistics } from '../../prefetchd/log/statistics.ts';
import { urlNormaliser } from '../../prefetchd/normalise-url.ts';
import { nameRule } from '../../prefetchd/rules/deny-list.ts';
import { openStore, storeName } from '../../prefetchd/store/store-location.ts';
import { ResultRows, RowFault } from '../../prefetchd/warehouse/result-rows.ts';
import { learningStatement, type StatementOptions } from '../../prefetchd/warehouse/statement.ts';
import { CommandError } from '../command-error.ts';
import { progressLine } from '../progress.ts';
import { halfLifeOf, keptStore, learnerFor, serveCommand, type TrainFlags } from './train.ts';

type ModelFlags = Pick<TrainFlags, 'window' | 'halfLife'> & { origin?: string };

/** Returns the options of the engine that would learn by the flags. @throws PrefetchdError `invalid-option` */
function optionsOf({ window = prefetchdDefaults.window, origin, ...flags }: ModelFlags) {
  return prefetchdOptions({ window, halfLifeMs: halfLifeOf(flags), origin: origin ?? null });
}

/** Runs the command `sql`. @returns the exit code */
export async function printStatement(flags: StatementOptions & ModelFlags): Promise<number> {
  const { window, halfLifeMs } = optionsOf(flags);
  process.stdout.write(learningStatement({ ...flags, window, halfLifeMs }));
  return 0;
}

/** Runs the command `import`. @returns the exit code */
export async function importResult(
  file: string,
  { store: place, id, ...flags }: ModelFlags & { store: string; id?: string },
): Promise<number> {
  const location = keptStore(place);
  if (id !== undefined && !/^[\w.:-]{1,64}$/.test(id)) {
    throw new CommandError('--id must be 1 to 64 of a-z A-Z 0-9 _ . : -', 2);
  }
  const options = optionsOf(flags);
  const { halfLifeMs } = options;
  const store = await openStore(location, { halfLifeMs });
  try {
    await store.salt(Date.now(), prefetchdDefaults.fingerprintLifeMs);
    const learner = await learnerFor(store, { ...flags, predictor: 'double-graph' }, halfLifeMs);
    const result = new ResultRows(learner.window, urlNormaliser(options), nameRule(options));
    const digest = await read(file, result);
    const { delta, leftOut, beyond } = result;
    if (delta.urls.length === 0) throw refused(file, 'no row is of a page or object to learn');
    const isNew = await store.addOnce?.(delta, Date.now(), id ?? digest);
    const lines = [
      isNew
        ? `imported ${plural(delta.urls.length, 'URL')}, ${plural(delta.graphs.flat().length, 'arc')} as ${id ?? digest}; not ${plural(leftOut, 'row')} by URL, and ${formatCount(beyond)} weaker than the most that is kept`
        : `${id ?? digest} was imported before; the store is as it was`,
      `they are in ${storeName(location)}`,
      '',
      serveCommand(storeName(location), learner),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

const maxLineLength = 2 ** 20;

/** Reads all rows, with progress. @returns the name of the import: the digest of what was read */
async function read(file: string, result: ResultRows): Promise<string> {
  const size = file === '-' ? undefined : (await stat(file).catch(() => null))?.size;
  const statistics = emptyFileStatistics(file);
  const digest = createHash('sha256');
  const splitter = new LineSplitter(maxLineLength);
  const progress = progressLine('reading');
  let [bytesRead, at] = [0, 0];
  const take = (line: string) => {
    at++;
    if (line.length > maxLineLength) throw new RowFault('it is too long');
    result.add(line);
  };
  try {
    for await (const bytes of logBytes(file, statistics, (read) => {
      bytesRead += read;
    })) {
      digest.update(bytes);
      for (const line of splitter.push(bytes)) take(line);
      progress.show(size && bytesRead / size, plural(at, 'row'));
    }
    for (const line of splitter.end()) take(line);
  } catch (fault) {
    throw fault instanceof RowFault ? refused(file, `line ${at}: ${fault.message}`) : fault;
  } finally {
    progress.clear();
  }
  if (statistics.broken !== undefined) throw refused(file, statistics.broken);
  return digest.digest('hex').slice(0, 32);
}

function refused(file: string, why: string): CommandError {
  return new CommandError(`${file}: ${why}; the store is as it was`, 1);
}
