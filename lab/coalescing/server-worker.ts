// A server of one folder, by kind: `node server-worker.ts KIND FOLDER`. Prints its port; for each line in it prints the
// writes to the kernel and the CPU time since the line before.

import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import express from 'express';
import { coalesce, createOrigin, staticFiles } from '../../server/index.ts';

export interface ServerCost {
  writes: number;
  cpuUs: number;
}

let writes = 0;
const { _write, _writev } = Socket.prototype;
Socket.prototype._write = function (...args) {
  writes++;
  return _write.apply(this, args);
};
Socket.prototype._writev = function (...args) {
  writes++;
  return (_writev as NonNullable<typeof _writev>).apply(this, args);
};

const [kind = '', folder = '.'] = process.argv.slice(2);

/** The least that a server can do: it looks at nothing but the tag. */
const bare: RequestListener = (request, response) => {
  const etag = '"same"';
  response.setHeader('ETag', etag);
  response.writeHead(request.headers['if-none-match'] === etag ? 304 : 200).end();
};

function app(): RequestListener {
  return express().use(express.static(folder)) as RequestListener;
}

function ourFiles(): RequestListener {
  const files = staticFiles(folder);
  return (request, response) => files(request, response, () => response.end());
}

const servers: Record<string, () => Server> = {
  'node:http': () => createServer(bare),
  'node:http, coalesced': () => coalesce(createServer(bare)),
  Express: () => createServer(app()),
  'Express, coalesced': () => coalesce(createServer(app())),
  'our files': () => createServer(ourFiles()),
  'our files, coalesced': () => coalesce(createServer(ourFiles())),
};

async function listen(): Promise<number> {
  if (kind === 'our origin') {
    return (await createOrigin(folder).listen({ host: '127.0.0.1', port: 0 })).port;
  }
  const server = servers[kind]?.();
  if (server === undefined) throw new Error(`no server ${kind}`);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

process.stdout.write(`${await listen()}\n`);
let cpu = process.cpuUsage();
for await (const _line of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage(cpu);
  const cost: ServerCost = { writes, cpuUs: user + system };
  process.stdout.write(`${JSON.stringify(cost)}\n`);
  writes = 0;
  cpu = process.cpuUsage();
}
