// The robot in a process of its own: one line of JSON in (a visit), one line out (what it took).

import { createInterface } from 'node:readline';
import { type Cache, visitPage } from './robot.ts';

const cache: Cache = new Map();

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await visitPage(JSON.parse(line), cache))}\n`);
}
