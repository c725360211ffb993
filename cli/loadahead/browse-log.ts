// Reads pages to browse, as the clients of an access log visited them: each client's documents in order, with the time
// to the next one as the time on the page. Embedded objects are found in the pages themselves. The filter for logs
// applies: bots, scans and the like are not visitors.

import { PrefetchdError } from '../../prefetchd/errors.ts';
import { readLog } from '../../prefetchd/log/index.ts';
import { CommandError } from '../command-error.ts';
import type { ListedPage } from './browse-pages.ts';

export interface LogChoice {
  log: string;
  /** The client whose pages are loaded again: its name as in the log, or only its address. */
  client: string | undefined;
  /** Number of clients, in place of `client`: the first ones in the log that opened at least two pages. */
  clients: number | undefined;
  /** Origin from which the pages are loaded, whatever host the log names. */
  origin: string;
  format: string | undefined;
  filter: boolean;
  maxPages: number;
}

export interface ClientPath {
  name: string;
  pages: ListedPage[];
}

/** Limit on clients remembered while the log is read. */
const mostClients = 200_000;
/** Limit on clients named in a message. */
const mostNamed = 5;

/** Reads from a log which pages each client visited. @throws CommandError */
export async function readPaths(choice: LogChoice): Promise<ClientPath[]> {
  const visits = await readVisits(choice);
  const { client, clients = 1, log } = choice;
  const busiest = [...visits].toSorted((a, b) => b[1].length - a[1].length);
  if (client === undefined) {
    const walkers = [...visits].filter(([, path]) => path.length > 1).slice(0, clients);
    if (walkers.length > 0) return walkers.map(([name, path]) => pathOf(name, path));
    throw new CommandError(`${log}: no client opened two pages`, 1);
  }
  const named = busiest.filter(([name]) => name === client || name.startsWith(`${client} `));
  const [most] = named;
  if (most === undefined) {
    const names = busiest.slice(0, mostNamed).map(([name]) => name.slice(0, 60));
    const opened = `${log} has no page opened by ${JSON.stringify(client)}`;
    throw new CommandError(`--client: ${opened}; most were opened by ${names.join(', ')}`, 2);
  }
  if (named.length > 1) {
    const browsers = `${named.length} browsers at ${client}; the one with most pages is walked`;
    process.stderr.write(`loadahead: ${browsers}: ${most[0].slice(0, 100)}\n`);
  }
  return [pathOf(...most)];
}

interface LoggedVisit {
  url: string;
  timeMs: number;
}

async function readVisits(choice: LogChoice): Promise<Map<string, LoggedVisit[]>> {
  const { log, format, filter, maxPages, origin } = choice;
  const visits = new Map<string, LoggedVisit[]>();
  try {
    for await (const batch of readLog([log], { format, filter })) {
      for (const { client: name, url, timeMs, kind, prefetch } of batch) {
        if (kind !== 'document' || prefetch) continue;
        const known = visits.get(name);
        if (known === undefined && visits.size >= mostClients) continue;
        // One page more than `maxPages` is kept, because its time shows how long the visitor stayed on the last page.
        if (known !== undefined && known.length > maxPages) continue;
        const visit = { url: onOrigin(url, origin), timeMs };
        if (known === undefined) visits.set(name, [visit]);
        else known.push(visit);
      }
    }
  } catch (error) {
    if (!(error instanceof PrefetchdError)) throw error;
    const isUnreadable = error.code === 'log-unreadable' || error.code === 'invalid-option';
    throw new CommandError(`--log: ${error.message}`, isUnreadable ? 2 : 1, { cause: error });
  }
  if (visits.size === 0) throw new CommandError(`${log}: no client opened a page`, 1);
  return visits;
}

/** Returns the pages that a client visited, in order. They have to be sorted, because servers write a line when a
 *  response ends. */
function pathOf(name: string, visits: readonly LoggedVisit[]): ClientPath {
  const inOrder = visits.toSorted((a, b) => a.timeMs - b.timeMs);
  return {
    name,
    pages: inOrder.map(({ url, timeMs }, index) => {
      const next = inOrder[index + 1];
      return { url, thinkMs: next === undefined ? null : next.timeMs - timeMs };
    }),
  };
}

function onOrigin(url: string, origin: string): string {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/]*/i, '');
  // `new URL(path, origin)` is not used: the path `//x/y` would name another host.
  return new URL(origin).origin + (path.startsWith('/') ? path : `/${path}`);
}
