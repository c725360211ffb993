// bun run site.mjs
import { hints } from 'loadahead/web';

const prefetch = hints();
const headers = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=60' };
const site = () => new Response('<!doctype html><a href="/news">News</a>', { headers });
const { url } = Bun.serve({
  port: 3003,
  hostname: '127.0.0.1',
  fetch: (request, server) => prefetch(request, site, server.requestIP(request) ?? undefined),
});
console.log(url.href);
