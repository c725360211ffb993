// Reads pages and style sheets again and again with each reader in turn; prints the processor time of each.

import { type Document, pages, sheets } from './documents.ts';
import { cssReaders, htmlReaders, type Reader } from './readers.ts';

/** Processor time of one pass over a document in microseconds, one number a round. */
export interface Timed {
  name: string;
  bytes: number;
  us: Record<string, number[]>;
}

export interface ScannerTimes {
  html: Timed[];
  css: Timed[];
}

/** A sample takes milliseconds then, which the clock of the processor tells apart. */
const sampleBytes = 1_000_000;

/** Until all that runs often is compiled. */
const warmingRounds = 4;

const rounds = Number(process.argv[2]);

async function measure(reader: Reader, document: Document, passes: number): Promise<number> {
  const before = process.cpuUsage();
  let found = 0;
  for (let pass = 0; pass < passes; pass++) {
    const result = reader(document);
    found += typeof result === 'number' ? result : await result;
  }
  const { user, system } = process.cpuUsage(before);
  if (!Number.isFinite(found)) throw new Error(`${document.name}: nothing was counted`);
  return (user + system) / passes;
}

async function timesOf(
  readers: Readonly<Record<string, Reader>>,
  documents: readonly Document[],
): Promise<Timed[]> {
  const names = Object.keys(readers);
  const empty = () => Object.fromEntries(names.map((name) => [name, [] as number[]]));
  const times = documents.map(({ name, bytes }) => ({ name, bytes, us: empty() }));
  for (let round = 1 - warmingRounds; round <= rounds; round++) {
    for (const [index, document] of documents.entries()) {
      const passes = Math.ceil(sampleBytes / document.bytes);
      for (const [name, reader] of Object.entries(readers)) {
        const us = await measure(reader, document, passes);
        if (round > 0) times[index]?.us[name]?.push(us);
      }
    }
  }
  return times;
}

const times: ScannerTimes = {
  html: await timesOf(htmlReaders, pages()),
  css: await timesOf(cssReaders, sheets()),
};
process.stdout.write(`${JSON.stringify(times)}\n`);
