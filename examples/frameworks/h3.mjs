// A site by h3 2.
import { H3, serve } from 'h3';
import { hints } from 'loadahead/web';

const prefetch = hints();
const headers = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=60' };
const app = new H3();
app.get('/**', () => new Response('<!doctype html><a href="/news">News</a>', { headers }));
const fetch = (request) => prefetch(request, app.fetch, { address: request.ip });
const server = serve({ fetch }, { port: 3003, hostname: '127.0.0.1', silent: true });
console.log((await server.ready()).url);
