// Serves a folder or a recorded page at the far end of a link: `node serve-worker.ts SITE HOST SERVER [CODING ...]`. It
// prints the URLs of the page as JSON, and ends with its standard input.

import { stat } from 'node:fs/promises';
import { getAll } from '../../server/get-all/get-all.ts';
import { createOrigin } from '../../server/origin/origin.ts';
import { readRecording } from '../../server/recorded/read-recording.ts';
import { inCoding, replay } from '../../server/recorded/replay.ts';
import { type Served, startServer } from './other-servers.ts';

const [site = '', host = '', server = 'own', ...codings] = process.argv.slice(2);

async function served(): Promise<Served> {
  if (server === 'nginx' || server === 'apache') return await startServer(server, site, host);
  const where = { host, port: 0 };
  const options = { handlers: [getAll()] };
  if ((await stat(site)).isDirectory()) {
    const { url } = await createOrigin(site, options).listen(where);
    return { url: `${url}/`, h2Url: `${url}/` };
  }
  const recording = await readRecording(site);
  const { url } = await replay(recording, where, options);
  const coded = codings.map(async (coding) => {
    return [coding, (await replay(inCoding(recording, coding), where, options)).url];
  });
  return { url, h2Url: url, coded: Object.fromEntries(await Promise.all(coded)) };
}

process.stdout.write(`${JSON.stringify(await served())}\n`);
process.stdin.resume().on('end', () => process.exit(0));
