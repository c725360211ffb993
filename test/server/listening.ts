// A server of a test, on a free port of 127.0.0.1 until the test is over.

import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** @returns the port */
export async function listening(
  server: Server & { closeAllConnections?(): void },
): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}
