// An Express site with strong validators, ranges and content codings for its files, and responses to
// pipelined requests sent in full segments.
import { createServer } from 'node:http';
import express from 'express';
import { coalesce, staticFiles } from 'loadahead/server';

const app = express();
app.get('/hello', (_request, response) => response.send('hello'));
app.use(staticFiles('fixtures/small-site', { maxAgeSeconds: 60 }));

const server = coalesce(createServer(app));
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  const response = await fetch(`http://127.0.0.1:${port}/`);
  console.log(response.status, 'strong validator:', response.headers.get('etag')?.startsWith('"'));
  server.closeAllConnections();
  server.close();
});
