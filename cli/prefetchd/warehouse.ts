// `prefetchd sql` prints the SQL by which a data warehouse learns from its logs; `prefetchd import FILE --store STORE`
// adds its result to a store, once all of the file has been read and found right; `prefetchd export --accesses FILE
// LOG...` writes what a warehouse can learn from.

import { plural } from '../../loader/report/units.ts';
import { prefetchdDefaults, prefetchdOptions } from '../../prefetchd/engine/prefetchd-options.ts';
import { PrefetchdError } from '../../prefetchd/errors.ts';
import { urlNormaliser } from '../../prefetchd/normalise-url.ts';
import { nameRule } from '../../prefetchd/rules/deny-list.ts';
import { digestOf } from '../../prefetchd/store/addition.ts';
import { openStore, storeName } from '../../prefetchd/store/store-location.ts';
import { ResultRows, RowFault } from '../../prefetchd/warehouse/result-rows.ts';
import { learningStatement, statementTable } from '../../prefetchd/warehouse/statement.ts';
import { CommandError } from '../command-error.ts';
import { ownerOnly, writeOutput } from '../loadahead/output-file.ts';
import { inFlags, optionsOfFlags } from '../option-flags.ts';
import { progressLine } from '../progress.ts';
import { nextCommand } from '../run-command.ts';
import type { LogFlags } from './read-logs.ts';
import { accessWriter, rowsOf } from './row-files.ts';
import {
  halfLifeOf,
  keptStore,
  learn,
  learnerFor,
  serveCommand,
  type TrainFlags,
} from './train.ts';

type ModelFlags = Pick<TrainFlags, 'window' | 'halfLife'> & { origin?: string };

/** Returns the options with which `train` would learn under these flags. @throws PrefetchdError `invalid-option` */
function optionsOf({ window = prefetchdDefaults.window, origin, ...flags }: ModelFlags) {
  return prefetchdOptions({ window, halfLifeMs: halfLifeOf(flags), origin: origin ?? null });
}

/** Runs the command `sql`. @returns the exit code */
export async function printStatement(flags: ModelFlags): Promise<number> {
  const options = optionsOf(flags);
  try {
    const names = optionsOfFlags(statementTable, flags);
    process.stdout.write(learningStatement(names, options));
  } catch (error) {
    if (!(error instanceof PrefetchdError)) throw error;
    throw new CommandError(inFlags(error, statementTable), 2, { cause: error });
  }
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
  const { halfLifeMs, query, origin } = options;
  const result = new ResultRows(urlNormaliser({ query, origin }), nameRule(options));
  await read(file, result);
  const { delta, leftOut, beyond } = result;
  if (delta.urls.length === 0) throw refused(file, 'no row is of a page or object to learn');
  const name = id ?? digestOf(delta);
  const store = await openStore(location, { halfLifeMs });
  try {
    await store.salt(Date.now(), prefetchdDefaults.fingerprintLifeMs);
    const learner = await learnerFor(store, { ...flags, predictor: 'double-graph' }, halfLifeMs);
    delta.window = learner.window;
    const isNew = await store.addOnce?.(delta, Date.now(), name);
    const arcs = plural(delta.graphs.flat().length, 'arc');
    const told = [
      `imported ${plural(delta.urls.length, 'URL')}, ${arcs} as ${name}`,
      ...(leftOut > 0 ? [`left out: ${plural(leftOut, 'row')} of URLs that are never hinted`] : []),
      ...(beyond > 0
        ? [`left out: ${plural(beyond, 'row')} beyond the strongest that are kept`]
        : []),
    ];
    const lines = [
      ...(isNew ? told : [`${name} was imported before; the store is as it was`]),
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

/** Reads all rows of the file that the warehouse's SQL statement produced, and shows progress. */
async function read(file: string, result: ResultRows): Promise<void> {
  const progress = progressLine('reading');
  let at = 0;
  try {
    for await (const [rows, share] of rowsOf(file)) {
      for (const row of rows) {
        at++;
        result.add(row);
      }
      progress.show(share, plural(at, 'row'));
    }
  } catch (fault) {
    throw fault instanceof RowFault ? refused(file, `line ${at}: ${fault.message}`) : fault;
  } finally {
    progress.clear();
  }
}

function refused(file: string, why: string): CommandError {
  return new CommandError(`${file}: ${why}; the store is as it was`, 1);
}

/** Runs `export --accesses`: writes the requests that `train` would learn from, for a data warehouse. @returns the exit
 *  code */
export async function exportAccesses(file: string, logs: string[], flags: LogFlags) {
  await writeOutput(file, '', '--accesses', ownerOnly);
  const { add, end } = await accessWriter(file);
  let line = 0;
  const { how } = await learn({}, logs, flags, (access) => {
    const { timeMs: time, client, fingerprint: visitor, url, kind, bytes, entry = false } = access;
    // Requests for pages that are too large to be hinted are left out: nothing that leads to them is learned.
    if (kind === 'document' && bytes > (prefetchdDefaults.maxHintBytes ?? Infinity)) return;
    add({ line: ++line, time, client, visitor, url, kind, entry });
  });
  end();
  const flagsOfSql = '--time time:ms --visitor visitor --kind kind --entry entry --order line';
  const lines = [
    ...how,
    `${plural(line, 'access', 'accesses')} in ${file}`,
    '',
    nextCommand('prefetchd', `sql --dialect duckdb --table accesses ${flagsOfSql}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
