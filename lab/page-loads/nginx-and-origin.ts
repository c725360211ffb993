// nginx and our origin with Get-All beside it, both on one folder at the far end of a link.

import { fileURLToPath } from 'node:url';
import { LineProcess } from '../processes.ts';
import type { StartServer } from './links.ts';
import { startNginx } from './nginx.ts';

/** @param gzipLevel of nginx */
export const nginxAndOrigin =
  (gzipLevel: number): StartServer =>
  async (link, folder, scratch) => {
    await using stack = new AsyncDisposableStack();
    stack.use(await startNginx(link, folder, scratch, gzipLevel));
    const file = fileURLToPath(new URL('origin-server.ts', import.meta.url));
    const command = link.at('server', [process.execPath, file, folder]);
    const origin = stack.use(new LineProcess(...command));
    await origin.nextLine();
    return stack.move();
  };

export const startNginxAndOrigin = nginxAndOrigin(1);
