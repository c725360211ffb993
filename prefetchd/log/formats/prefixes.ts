// Removes text that programs put before each line of a log that passes through them. The prefix of a file is found in
// its first lines; there may be several in a row, as with `docker compose logs --timestamps`.

import { ownValue, parseJsonLine } from './splitters.ts';

interface Prefix {
  name: string;
  /** Returns the line without the prefix; undefined if it does not begin with the prefix. */
  peel(line: string): string | undefined;
}

const isoTime = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`;
/** Matches the name of a program before a line. HAProxy and Heroku are excluded: their own formats need the prefix. */
const program = String.raw`(?!haproxy\[|heroku\[|app\[)[\w./@-]{1,64}(?:\[\d{1,10}\])?: `;

const texts: ReadonlyArray<readonly [name: string, start: string]> = [
  [
    'syslog',
    String.raw`(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.:-]{1,255} )?${program}`,
  ],
  ['syslog', String.raw`(?:<\d{1,3}>)?${isoTime} [\w.:-]{1,255} ${program}`],
  [
    'syslog',
    String.raw`<\d{1,3}>1 (?:${isoTime}|-) \S{1,255} (?!haproxy |heroku |app )\S{1,48} \S{1,128} \S{1,32} (?:-|(?:\[[^\]]{0,1024}\])+) (?:\ufeff)?`,
  ],
  ['cri', String.raw`${isoTime} (?:stdout|stderr) [FP] `],
  ['kubectl', String.raw`\[pod/[\w./-]{1,512}\] `],
  ['docker compose', String.raw`(?:\x1b\[[\d;]{1,16}m)?[\w.-]{1,128} +\| ?(?:\x1b\[0?m ?)?`],
  ['timestamp', `${isoTime} `],
];

const prefixes: readonly Prefix[] = [
  ...texts.map(([name, start]) => ({ name, peel: peelText(new RegExp(start, 'y')) })),
  { name: 'docker json-file', peel: peelJson('log') },
  { name: 'journald', peel: peelJson('MESSAGE') },
];

function peelText(start: RegExp): Prefix['peel'] {
  return (line) => {
    start.lastIndex = 0;
    return start.test(line) ? line.slice(start.lastIndex) : undefined;
  };
}

function peelJson(field: string): Prefix['peel'] {
  return (line) => {
    if (!line.includes(`"${field}"`)) return undefined;
    const text = ownValue(parseJsonLine(line), field);
    return typeof text === 'string' ? text.replace(/\r?\n$/, '') : undefined;
  };
}

const mostPrefixes = 3;

export interface Peeling {
  /** Names of the prefixes that other programs put before the log line, the outermost first; empty: there is none. */
  names: readonly string[];
  peel(line: string): string;
}

/** Returns ways to remove what other programs put before most of these log lines: the first removes nothing, the second
 *  one prefix, and so on. */
export function peelings(lines: readonly string[]): Peeling[] {
  const found: Peeling[] = [{ names: [], peel: (line) => line }];
  let rest = lines;
  while (found.length <= mostPrefixes) {
    const outer = found.at(-1) as Peeling;
    const prefix = prefixes.find(
      ({ peel }) => rest.filter((line) => peel(line) !== undefined).length * 2 > rest.length,
    );
    if (prefix === undefined) break;
    const peel = (line: string) => {
      const bare = outer.peel(line);
      return prefix.peel(bare) ?? bare;
    };
    found.push({ names: [...outer.names, prefix.name], peel });
    rest = lines.map(peel);
  }
  return found;
}
