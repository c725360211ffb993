// Our origin on a folder with its response buffer and TCP_NODELAY each on or off: `node nagle-server.ts FOLDER HOST
// gathered|separate nagle|nodelay`. It prints its URL as JSON.

import { createOrigin, type Handler } from '../../../server/index.ts';
import { studyFaults } from '../../tcp-study/study-faults.ts';

const [folder = '.', host = '', buffer = '', nagle = ''] = process.argv.slice(2);

const pass: Handler = (_request, _response, next) => next();
/** Nagle's algorithm, with responses gathered as usual. */
const nagleOn: Handler = Object.assign(pass, {
  onConnection: ({ raw }: Parameters<NonNullable<Handler['onConnection']>>[0]) => {
    raw.setNoDelay(false);
  },
});

const separate = studyFaults([nagle === 'nagle' ? 'nagle' : 'small-buffers']);
const handlers = buffer === 'separate' ? [separate] : nagle === 'nagle' ? [nagleOn] : [];
const { url } = await createOrigin(folder, { handlers }).listen({ host, port: 0 });
process.stdout.write(`${JSON.stringify({ url: `${url}/` })}\n`);
process.stdin.resume().once('end', () => process.exit(0));
