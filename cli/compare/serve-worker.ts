// Serves a folder or a recorded page at the far end of a link: `node serve-worker.ts SITE HOST`. It prints the page's URL,
// and ends with its standard input.

import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { getAll } from '../../server/get-all/get-all.ts';
import { createOrigin } from '../../server/origin/origin.ts';
import { readRecording } from '../../server/recorded/read-recording.ts';
import { replay } from '../../server/recorded/replay.ts';

const [site = '', host = ''] = process.argv.slice(2);
const where = { host, port: 0 };
const options = { handlers: [getAll()] };
const url = (await stat(site)).isFile()
  ? (await replay(await readRecording(site), where, options)).url
  : `${(await createOrigin(site, options).listen(where)).url}/`;
process.stdout.write(`${url}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
process.exit(0);
