// Our origin over TLS on a folder, once as it is and once for each choice of dictionaries: `node server-worker.ts
// FOLDER ADDRESS`. Prints a line of JSON, `Sites`.

import { createOrigin, dictionaries } from '../../server/index.ts';
import { makeTestCertificate } from '../../test/support/tls.ts';

export interface Sites {
  ca: string;
  /** Origins by what they do. */
  urls: Record<'plain' | 'folder' | 'site', string>;
}

const [folder = '.', host = '127.0.0.1'] = process.argv.slice(2);
const tls = await makeTestCertificate([host]);

async function open(match: 'folder' | 'site' | null): Promise<string> {
  const handlers = match === null ? [] : [dictionaries({ match })];
  const origin = createOrigin(folder, { tls, maxAgeSeconds: 600, handlers });
  return (await origin.listen({ host })).url;
}

const urls = { plain: await open(null), folder: await open('folder'), site: await open('site') };
process.stdout.write(`${JSON.stringify({ ca: tls.cert, urls } satisfies Sites)}\n`);
