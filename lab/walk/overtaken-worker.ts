// A site to measure what prefetching costs a page that loads meanwhile: node overtaken-worker.ts HOST, prints its
// address. `/?N-B.html` hints at N documents of B bytes each, `/?N-B.jpg` at as many images, which are also available
// in parts; `/page` has pictures.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const [host = '127.0.0.1'] = process.argv.slice(2);
const pictures = 12;
const pictureBytes = 6_000;

function send(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  body: string | Buffer,
): void {
  const whole = Buffer.from(body);
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const isPart = from !== undefined && type !== 'text/html';
  const first = isPart ? Number(from) : 0;
  const last = isPart && to ? Math.min(Number(to), whole.length - 1) : whole.length - 1;
  if (isPart) {
    response.statusCode = 206;
    response.setHeader('Content-Range', `bytes ${first}-${last}/${whole.length}`);
  }
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', last - first + 1);
  response.setHeader('Cache-Control', 'max-age=600');
  response.setHeader('ETag', '"1"');
  response.end(whole.subarray(first, last + 1));
}

const images = Array.from({ length: pictures }, (_, index) => `<img src="/${index}.gif">`).join('');
const server = createServer((request, response) => {
  const { url = '/' } = request;
  const [, count, name] = /^\/\?(\d+)-(\d+\.(?:html|jpg))$/.exec(url) ?? [];
  const [, bytes, kind] = /^\/\d+-(\d+)\.(html|jpg)$/.exec(url) ?? [];
  if (count !== undefined) {
    const as = url.endsWith('.jpg') ? '; as=image' : '';
    const links = Array.from({ length: Number(count) }, (_, index) => `</${index}-${name}>`);
    const hints = links.map((link) => `${link}; rel=prefetch${as}; probability=0.9`);
    if (hints.length > 0) response.setHeader('Link', hints);
  }
  if (url.endsWith('.gif')) send(request, response, 'image/gif', Buffer.alloc(pictureBytes, 1));
  else if (bytes !== undefined) {
    const type = kind === 'jpg' ? 'image/jpeg' : 'text/html';
    send(request, response, type, Buffer.alloc(Number(bytes), 0x20));
  } else {
    send(request, response, 'text/html', url.startsWith('/page') ? `<p>page${images}` : '<p>home');
  }
});
await new Promise<void>((done) => server.listen(0, host, () => done()));
process.stdout.write(`http://${host}:${(server.address() as AddressInfo).port}\n`);
