// The places of the fields of the Common Log Format's family. Apache's LogFormat, nginx's log_format and lighttpd's
// accesslog.format let a site order them: the words before [time] may begin with a virtual host, a number or the
// X-Forwarded-For of a proxy, and lighttpd has the site's name in place of the ident. The first lines of a file show
// the order: the client is the word with addresses and, of several such words, the one with the most different ones,
// because a proxy or the server itself has few addresses.

import { addressIn, isHostName, isPrivate } from './address.ts';
import { fieldEnd, quotedText } from './quoted.ts';

export interface CommonLayout {
  /** Index of the client among the words before [time]. */
  client: number;
  /** Index of the word that has the client if the word at `client` is `-`; -1: none. */
  peer: number;
  /** Index of the site's name; -1: none. */
  host: number;
  /** Clients are IP addresses, so another word in their place means another layout. Otherwise they may be names. */
  ofAddresses: boolean;
  /** The word after the client is never an address, so an address there means another layout. */
  isAlone: boolean;
  /** The user agent comes before the referer. */
  agentFirst: boolean;
  /** An address after the user agent is the visitor's, whatever the first address is. */
  forwardedBehind: boolean;
}

export const usualLayout: CommonLayout = {
  client: 0,
  peer: -1,
  host: -1,
  ofAddresses: false,
  isAlone: false,
  agentFirst: false,
  forwardedBehind: false,
};

/** Longest text before [time] that is examined, and the most words in it. */
const longestHead = 4096;
const mostWords = 16;

/** The words before [time] in `text`. A list with commas or a quoted text is one word. */
export function wordsOf(text: string): string[] {
  const words = text.slice(0, longestHead).match(/[^\s,"]+(?:, ?[^\s,"]+)*|"[^"]*"|\S/g) ?? [];
  return words.slice(0, mostWords);
}

/** Where [time] begins: the `[` before a day. User names may contain brackets and spaces. */
export function timeBracket(line: string): number {
  for (let at = line.indexOf('['); at !== -1; at = line.indexOf('[', at + 1)) {
    if (line.charCodeAt(at + 3) === 0x2f && line.charCodeAt(at - 1) === 0x20) return at;
  }
  return -1;
}

interface Column {
  /** Lines that have a value here. */
  given: number;
  /** Lines that have an address. */
  addresses: number;
  /** Lines that have a host name. */
  names: number;
  distinct: Set<string>;
}

/** Undefined if no word can be the client. */
export function commonLayout(lines: readonly string[]): CommonLayout | undefined {
  const rows = lines.flatMap((line) => {
    const bracket = timeBracket(line);
    return bracket <= 0 ? [] : [{ line, words: wordsOf(line.slice(0, bracket)) }];
  });
  if (rows.length === 0) return usualLayout;
  const columns: Column[] = [];
  for (const { words } of rows) {
    for (const [at, word] of words.entries()) count(columns, at, word);
  }
  const ofAddresses = columns
    .map((column, at) => ({ ...column, at }))
    .filter(({ given, addresses }) => addresses > 0 && addresses >= 0.8 * given)
    .filter(({ addresses }) => addresses >= 0.05 * rows.length)
    .sort((a, b) => b.distinct.size - a.distinct.size || a.at - b.at);
  const [visitors, peers] = ofAddresses;
  const client = visitors?.at ?? columnOfNames(columns, rows);
  if (client === undefined) return undefined;
  return {
    client,
    peer: visitors !== undefined && visitors.given < rows.length ? (peers?.at ?? -1) : -1,
    host: hostColumn(columns, client, rows),
    ofAddresses: visitors !== undefined && visitors.addresses === visitors.given,
    isAlone: visitors !== undefined && (columns[client + 1]?.addresses ?? 0) === 0,
    ...tailLayout(
      rows.map(({ line }) => line),
      visitors?.distinct.size ?? 1,
    ),
  };
}

function count(columns: Column[], at: number, word: string): void {
  columns[at] ??= { given: 0, addresses: 0, names: 0, distinct: new Set() };
  const column = columns[at];
  if (word === '-' || word === '""' || word === '"-"') return;
  column.given++;
  const address = addressIn(word);
  if (address !== undefined) {
    column.addresses++;
    column.distinct.add(address);
  } else if (isHostName(word)) column.names++;
}

interface Sample {
  line: string;
  words: string[];
}

/** Column of the client if not all clients are addresses: host names among addresses, or pseudonyms. Pseudonyms are
 *  only recognised in their usual place, before ident and user. */
function columnOfNames(columns: readonly Column[], rows: readonly Sample[]): number | undefined {
  const mixed = columns.reduce(
    (best, { addresses }, at) => (addresses > (columns[best] as Column).addresses ? at : best),
    0,
  );
  if ((columns[mixed] as Column).addresses >= 0.05 * rows.length) return mixed;
  const usual = rows.filter(({ words }) => words.length === 3 && !isNumber(words[0] as string));
  return usual.length * 2 >= rows.length ? 0 : undefined;
}

function isNumber(word: string): boolean {
  return /^[\d.]{1,40}$|^-$/.test(word);
}

/** Column of the host: a word before the client, or the word after it, unless that is the last one, the user. */
function hostColumn(columns: readonly Column[], client: number, rows: readonly Sample[]): number {
  return columns.findIndex(({ names, addresses }, at) => {
    const isUser = (words: readonly string[]) => at === words.length - 1;
    return (
      at !== client &&
      at <= client + 1 &&
      names > addresses &&
      names + addresses >= 0.9 * rows.length &&
      !rows.every(({ words }) => isUser(words))
    );
  });
}

/** Layout of what follows the status: the first quoted fields, and addresses after these. */
function tailLayout(lines: readonly string[], clients: number) {
  const tails = lines.flatMap((line) => quotedTail(line) ?? []);
  const forwarded = tails.flatMap(({ behind }) => forwardedIn(behind) ?? []);
  const agents = (of: (tail: Tail) => string) => tails.filter((tail) => isAgent(of(tail))).length;
  return {
    agentFirst: agents(({ first }) => first) > agents(({ second }) => second),
    forwardedBehind:
      forwarded.length * 2 > lines.length && new Set(forwarded).size >= Math.min(2, clients),
  };
}

function isAgent(text: string): boolean {
  return /^[A-Za-z][\w .+-]{0,63}\/v?\d/.test(text);
}

interface Tail {
  first: string;
  second: string;
  behind: string;
}

/** The last run of `" "..." "..." ...` after a status in a whole line. */
function quotedTail(line: string): Tail | undefined {
  const start = /" \d{3} [^"]{0,200}"/.exec(line);
  if (start === null) return undefined;
  const from = start.index + start[0].length;
  const end = fieldEnd(line, from);
  if (end === -1 || line.charCodeAt(end + 2) !== 0x22) return undefined;
  const secondEnd = fieldEnd(line, end + 3);
  if (secondEnd === -1) return undefined;
  return {
    first: quotedText(line, from, end),
    second: quotedText(line, end + 3, secondEnd),
    behind: line.slice(secondEnd + 1, secondEnd + 1 + longestHead),
  };
}

/** The first address of the first quoted list of addresses in `behind`, such as `"203.0.113.9, 10.0.0.1"`. */
function forwardedIn(behind: string): string | undefined {
  for (const [, list = ''] of behind.matchAll(/ (?:[\w-]{1,40}=)?"([\da-fA-F.:, ]{2,1024})"/g)) {
    const parts = list.split(',').map((part) => part.trim());
    // The address of an upstream has a port.
    if (parts.every((part) => addressIn(part) === part)) return parts[0];
  }
  return undefined;
}

/** The visitor's address: the address forwarded in `behind`, if the layout says so or the connection came from a
 *  proxy nearby; otherwise the connection's. */
export function visitorIn(behind: string, layout: CommonLayout, connection: string): string {
  const isNearby = isPrivate(connection);
  if (!layout.forwardedBehind && !isNearby) return connection;
  const forwarded = forwardedIn(behind);
  if (forwarded === undefined) return connection;
  return layout.forwardedBehind || !isPrivate(forwarded) ? forwarded : connection;
}

/** Describes the layout for the operator. */
export function inWords(layout: CommonLayout): string {
  const { client, peer, host, agentFirst, forwardedBehind } = layout;
  const word = (at: number) => `word ${at + 1}`;
  return [
    `client in ${word(client)}${peer === -1 ? '' : ` or, if that is -, in ${word(peer)}`}`,
    ...(host === -1 ? [] : [`site in ${word(host)}`]),
    ...(agentFirst ? ['user agent before referer'] : []),
    ...(forwardedBehind ? ['visitor forwarded behind the user agent'] : []),
  ].join(', ');
}
