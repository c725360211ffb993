// A site for one question, what prefetching costs a page that loads meanwhile: node overtaken-worker.ts HOST,
// prints its address. `/?N-B` hints at N bodies of B bytes each; `/page` has pictures.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const [host = '127.0.0.1'] = process.argv.slice(2);
const pictures = 12;
const pictureBytes = 6_000;

function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.setHeader('Cache-Control', 'max-age=600');
  response.end(body);
}

const images = Array.from({ length: pictures }, (_, index) => `<img src="/${index}.gif">`).join('');
const server = createServer(({ url = '/' }, response) => {
  const [, count, size] = /^\/\?(\d+)-(\d+)$/.exec(url) ?? [];
  const [, bytes] = /^\/\d+-(\d+)\.html$/.exec(url) ?? [];
  if (count !== undefined) {
    const links = Array.from({ length: Number(count) }, (_, index) => `</${index}-${size}.html>`);
    const hints = links.map((link) => `${link}; rel=prefetch; probability=0.9`);
    if (hints.length > 0) response.setHeader('Link', hints);
  }
  if (url.endsWith('.gif')) send(response, 'image/gif', Buffer.alloc(pictureBytes, 1));
  else if (bytes !== undefined) send(response, 'text/html', Buffer.alloc(Number(bytes), 0x20));
  else send(response, 'text/html', url.startsWith('/page') ? `<p>page${images}` : '<p>home');
});
await new Promise<void>((done) => server.listen(0, host, () => done()));
process.stdout.write(`http://${host}:${(server.address() as AddressInfo).port}\n`);
