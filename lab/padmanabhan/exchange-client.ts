// A loader that lives from page to page, so that its connection can be open already: `node exchange-client.ts OPTIONS`.
// One URL a line in; when it is loaded, one line out: the milliseconds it took.

import { createInterface } from 'node:readline';
import { createLoader } from '../../loader/index.ts';

const [options = '{}'] = process.argv.slice(2);
await using loader = createLoader(JSON.parse(options));
for await (const url of createInterface({ input: process.stdin })) {
  const { timing, resources } = await loader.load(url);
  const failed = resources.find(({ error }) => error !== null);
  if (failed) throw new Error(`${failed.url}: ${failed.error?.message}`);
  process.stdout.write(`${timing.completeMs}\n`);
}
