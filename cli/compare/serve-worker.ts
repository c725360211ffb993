// Serves a folder or a recorded page at the far end of a link: `node serve-worker.ts SITE HOST SERVER`. It prints the
// URLs of the page as JSON, and ends with its standard input.

import { stat } from 'node:fs/promises';
import { getAll } from '../../server/get-all/get-all.ts';
import { createOrigin } from '../../server/origin/origin.ts';
import { readRecording } from '../../server/recorded/read-recording.ts';
import { replay } from '../../server/recorded/replay.ts';
import { type Served, startServer } from './other-servers.ts';

const [site = '', host = '', server = 'own'] = process.argv.slice(2);

async function served(): Promise<Served> {
  if (server === 'nginx' || server === 'apache') return await startServer(server, site, host);
  const where = { host, port: 0 };
  const options = { handlers: [getAll()] };
  const isFile = (await stat(site)).isFile();
  const { url } = isFile
    ? await replay(await readRecording(site), where, options)
    : await createOrigin(site, options).listen(where);
  const page = isFile ? url : `${url}/`;
  return { url: page, h2Url: page };
}

process.stdout.write(`${JSON.stringify(await served())}\n`);
process.stdin.resume().on('end', () => process.exit(0));
