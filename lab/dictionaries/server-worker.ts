// Our origin over TLS on a folder, once as it is and once with dictionaries: `node server-worker.ts
// FOLDER ADDRESS`. Prints a line of JSON, `Sites`.

import { createOrigin, dictionaries, type Handler } from '../../server/index.ts';
import { makeTestCertificate } from '../../test/support/tls.ts';

export interface Sites {
  ca: string;
  /** Origins by what they do. */
  urls: Record<'plain' | 'coded', string>;
}

const [folder = '.', host = '127.0.0.1'] = process.argv.slice(2);
const tls = await makeTestCertificate([host]);

async function open(handlers: Handler[]): Promise<string> {
  const origin = createOrigin(folder, { tls, maxAgeSeconds: 600, handlers });
  return (await origin.listen({ host })).url;
}

const urls = { plain: await open([]), coded: await open([dictionaries()]) };
process.stdout.write(`${JSON.stringify({ ca: tls.cert, urls } satisfies Sites)}\n`);
