// The site behind a proxy under test: it reads what reaches it strictly and reports what is wrong with it.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { StrictReader, type StrictRequest } from '../support/strict-reader.ts';

export async function startStrictUpstream(
  onRequest: (request: StrictRequest, socket: Socket) => void,
  onProblem: (problem: string) => void,
): Promise<{ url: string; close: () => void }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    const reader = new StrictReader((request) => onRequest(request, socket));
    socket.on('data', (chunk) => {
      reader.read(chunk as Buffer);
      if (reader.problem !== undefined) onProblem(reader.problem);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => void server.close() };
}
