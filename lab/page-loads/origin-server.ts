// Our origin on a folder as `loadahead serve` has it, with Get-All, for the far end of a link: `node origin-server.ts
// FOLDER`. Prints a line when it listens, on all addresses of its namespace.

import { createOrigin, getAll } from '../../server/index.ts';
import { originPort } from './nginx.ts';

const [folder = '.'] = process.argv.slice(2);
const origin = createOrigin(folder, { handlers: [getAll()] });
await origin.listen({ host: '0.0.0.0', port: originPort });
process.stdout.write('listening\n');
