// deno run --allow-net --allow-env --allow-read site.mjs
import { hints } from 'loadahead/web';

const prefetch = hints();
const headers = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=60' };
const site = () => new Response('<!doctype html><a href="/news">News</a>', { headers });
Deno.serve({ port: 3003, hostname: '127.0.0.1' }, (request, { remoteAddr }) =>
  prefetch(request, site, { address: remoteAddr.hostname }),
);
