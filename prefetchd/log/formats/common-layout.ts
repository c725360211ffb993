// Finds the places of the fields in the Common Log Format's family. Apache's LogFormat, nginx's log_format and
// lighttpd's accesslog.format let a site order them: the words before [time] may begin with a virtual host, a number or
// the X-Forwarded-For of a proxy, and lighttpd has the site's name in place of the ident. The first lines of a file
// show the order: the client is the word with addresses and, of several such words, the one with the most different
// ones, because a proxy or the server itself has few addresses.

import { addressIn, isHostName, isPrivate } from './value-kinds.ts';

export interface CommonLayout {
  /** Index of the client among the words before [time]. */
  client: number;
  /** Index of the site's name (the virtual host) among the words before [time]; -1: there is none. */
  host: number;
  /** True if the client is an IP address in each of the first lines: a later line without an address in that place has
   *  its words in another order. False: clients may be names. */
  ofAddresses: boolean;
  /** True if no first line has an address after the client: a later line with an address there has another order. */
  isAlone: boolean;
  /** True if the visitor's address is the one after the user agent (X-Forwarded-For), not the client before [time]. */
  forwardedBehind: boolean;
}

export const usualLayout: CommonLayout = {
  client: 0,
  host: -1,
  ofAddresses: false,
  isAlone: false,
  forwardedBehind: false,
};

/** Longest text before [time] that is examined, characters; `mostWords`: limit on its words. */
const longestHead = 4096;
const mostWords = 16;

/** Returns the words of the text before [time]. A list with commas or a quoted text is one word. */
export function headWords(text: string): string[] {
  const words = text.slice(0, longestHead).match(/[^\s,"]+(?:, ?[^\s,"]+)*|"[^"]*"|\S/g) ?? [];
  return words.slice(0, mostWords);
}

/** Returns where [time] begins: at the `[` before a day; -1 if there is none. User names may contain brackets and
 *  spaces. */
export function timeBracket(line: string): number {
  let space = line.indexOf(' [');
  while (space !== -1 && line[space + 4] !== '/') space = line.indexOf(' [', space + 1);
  return space === -1 ? -1 : space + 1;
}

/** Counts for the nth word of the lines: how many lines have one, and how many have an address or a host name there. */
interface LayoutColumn {
  at: number;
  given: number;
  addresses: number;
  names: number;
  distinct: number;
}

/** Finds where these log lines have the client and the site; undefined if no word can be the client. */
export function commonLayout(lines: readonly string[]): CommonLayout | undefined {
  const timed = lines.filter((line) => timeBracket(line) !== -1);
  if (timed.length === 0) return usualLayout;
  const rows = timed.map((line) => headWords(line.slice(0, timeBracket(line))));
  const width = Math.max(...rows.map(({ length }) => length));
  const columns = Array.from({ length: width }, (_, at) => columnOf(rows, at));
  const isMore = ({ addresses }: LayoutColumn) => addresses > 0 && addresses >= 0.05 * rows.length;
  const [visitors] = columns
    .filter((column) => isMore(column) && column.addresses >= 0.8 * column.given)
    .sort((a, b) => b.distinct - a.distinct);
  // The clients of a log may be host names among addresses, or pseudonyms. Pseudonyms are recognised in the usual place
  // only, before ident and user.
  const [mixed] = columns.toSorted((a, b) => b.addresses - a.addresses).filter(isMore);
  const client = visitors?.at ?? mixed?.at ?? (areUsual(rows) ? 0 : undefined);
  if (client === undefined) return undefined;
  return {
    client,
    host: hostColumn(columns, client, rows),
    ofAddresses: visitors !== undefined && visitors.addresses === visitors.given,
    isAlone: visitors !== undefined && (columns[client + 1]?.addresses ?? 0) === 0,
    forwardedBehind: areForwarded(timed, visitors?.distinct ?? 1),
  };
}

function columnOf(rows: ReadonlyArray<readonly string[]>, at: number): LayoutColumn {
  const words = rows.map((row) => row[at] ?? '-').filter((word) => !/^"?-?"?$/.test(word));
  const addresses = words.flatMap((word) => addressIn(word) ?? []);
  return {
    at,
    given: words.length,
    addresses: addresses.length,
    names: words.filter((word) => addressIn(word) === undefined && isHostName(word)).length,
    distinct: new Set(addresses).size,
  };
}

function areUsual(rows: ReadonlyArray<readonly string[]>): boolean {
  const isNumber = (word = '') => /^[\d.]{1,40}$|^-$/.test(word);
  const usual = rows.filter((words) => words.length === 3 && !isNumber(words[0]));
  return usual.length * 2 >= rows.length;
}

/** Returns the index of the site's host among the words: before the client or right after it, unless that word is the
 *  last one before [time], which is the user; -1: none is. */
function hostColumn(
  columns: readonly LayoutColumn[],
  client: number,
  rows: ReadonlyArray<readonly string[]>,
): number {
  return columns.findIndex(
    ({ at, names, addresses }) =>
      at !== client &&
      at <= client + 1 &&
      names > addresses &&
      names + addresses >= 0.9 * rows.length &&
      rows.some(({ length }) => at !== length - 1),
  );
}

/** Returns whether most lines have a visitor's address after the time, and not all the same if clients are several. */
function areForwarded(lines: readonly string[], clients: number): boolean {
  const forwarded = lines.flatMap((line) => forwardedIn(line.slice(timeBracket(line))) ?? []);
  const distinct = new Set(forwarded).size;
  return forwarded.length * 2 > lines.length && distinct >= Math.min(2, clients);
}

/** Returns the first address of the first quoted list of addresses after the time: `"203.0.113.9, 10.0.0.1"`. */
function forwardedIn(behind: string): string | undefined {
  for (const [, list = ''] of behind.matchAll(/ (?:[\w-]{1,40}=)?"([\da-fA-F.:, ]{2,1024})"/g)) {
    const parts = list.split(',').map((part) => part.trim());
    // An address with a port is that of an upstream, not of a visitor.
    if (parts.every((part) => addressIn(part) === part)) return parts[0];
  }
  return undefined;
}

/** Returns the visitor's address: the one forwarded in `behind` (the text after the time), if the layout says so or the
 *  connection came from a proxy in a private network; otherwise the address `connection`. */
export function visitorIn(behind: string, layout: CommonLayout, connection: string): string {
  if (!layout.forwardedBehind && !isPrivate(connection)) return connection;
  const forwarded = forwardedIn(behind);
  if (forwarded === undefined) return connection;
  return layout.forwardedBehind || !isPrivate(forwarded) ? forwarded : connection;
}

/** Describes in words, for the operator, where a log line has the client and the site. */
export function inWords(layout: CommonLayout): string {
  const { client, host, forwardedBehind } = layout;
  const word = (at: number) => `word ${at + 1}`;
  return [
    `client in ${word(client)}`,
    ...(host === -1 ? [] : [`site in ${word(host)}`]),
    ...(forwardedBehind ? ['visitor forwarded behind the user agent'] : []),
  ].join(', ');
}
