// Our origin with Hold-Line on a folder, for the far end of a link: `node hold-line-server.ts FOLDER`. Prints a line
// when it listens, on all addresses of its namespace.

import { createOrigin, holdLine } from '../../server/index.ts';
import { ports } from './nginx.ts';

const [folder = '.'] = process.argv.slice(2);
const origin = createOrigin(folder, { handlers: [holdLine()] });
await origin.listen({ host: '0.0.0.0', port: ports.plain.http1 });
process.stdout.write('listening\n');
