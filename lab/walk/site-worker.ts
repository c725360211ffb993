// A site with hints, to be walked: node site-worker.ts HOST, prints its address after training visits.
// X-Forwarded-For identifies the visitor.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { twelvePagesDir } from '../../fixtures/index.ts';
import { walkPages } from '../../loader/walk/index.ts';
import { createPrefetchd } from '../../prefetchd/index.ts';
import { createOrigin, hints } from '../../server/index.ts';
import { userAgent } from './epa-settings.ts';

/** A hint needs three of them. */
const teachers = 4;
const [host = '127.0.0.1'] = process.argv.slice(2);

// Pages lead to pages: in a plain graph the pictures of a page would fill the window. How busy the machine
// is must not decide what a bench sees.
const prefetchd = createPrefetchd({ predictor: 'double-graph', load: () => 0 });
const origin = createOrigin(twelvePagesDir, {
  maxAgeSeconds: 600,
  // The walker is a proxy in front, for many visitors, wherever the link has it.
  handlers: [hints({ prefetchd, trustProxy: () => true })],
});
const { url } = await origin.listen({ host });
const paths = JSON.parse(await readFile(join(twelvePagesDir, 'walk.json'), 'utf8')) as string[];
const pages = paths.map((path) => ({ url: new URL(path, url).href, thinkMs: 0 }));
for (let teacher = 1; teacher <= teachers; teacher++) {
  const extraHeaders = { 'User-Agent': userAgent, 'X-Forwarded-For': `10.1.0.${teacher}` };
  await walkPages(pages, { prefetch: null, loader: { extraHeaders } });
}
process.stdout.write(`${url}\n`);
