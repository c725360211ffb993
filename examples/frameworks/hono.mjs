// A site by Hono on Node: app.use() around all routes.
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { hints } from 'loadahead/web';

const prefetch = hints();
const app = new Hono();
app.use(async (c, next) => {
  const { address } = getConnInfo(c).remote;
  const hinted = await prefetch(c.req.raw, () => next().then(() => c.res), { address });
  c.res = undefined; // else Hono keeps the fields of before, as a Link of your own
  c.res = hinted;
});
app.get('/', (c) => c.html('<!doctype html><a href="/news">News</a>'));
app.get('/news', (c) => c.html('<!doctype html><a href="/">Home</a>'));
serve({ fetch: app.fetch, port: 3000, hostname: '127.0.0.1' }, ({ port }) => console.log(port));
