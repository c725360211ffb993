// The simplest possible reader, as a reference: split into lines, one regular expression per line.

import { createReadStream } from 'node:fs';

const combined =
  /^(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) ([^"]*?)(?: HTTP\/[\d.]+)?" (\d{3}) (\d+|-)(?: "([^"]*)" "([^"]*)")?/;

/** Lines of `path` that match. Nothing else is done with them. */
export async function readByRegex(path: string): Promise<number> {
  let matched = 0;
  let carry = '';
  const chunks = createReadStream(path, { encoding: 'latin1', highWaterMark: 256 * 1024 });
  for await (const chunk of chunks) {
    const lines = (carry + chunk).split('\n');
    carry = lines.pop() ?? '';
    for (const line of lines) if (combined.exec(line) !== null) matched++;
  }
  return matched;
}
