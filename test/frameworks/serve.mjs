// Serves what a framework built for Node: the handler that a module exports. usage: serve.mjs MODULE

import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const { handler, middleware } = await import(pathToFileURL(process.argv[2]));
const server = createServer(handler ?? middleware);
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
