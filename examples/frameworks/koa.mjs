// A site by Koa: the middleware of node:http, awaited.
import Koa from 'koa';
import { hints } from 'loadahead/hints';

const prefetch = hints();
const app = new Koa();
app.use((ctx, next) => new Promise((done) => prefetch(ctx.req, ctx.res, () => done())).then(next));
app.use((ctx) => {
  ctx.body = `<!doctype html><a href="${ctx.path === '/' ? '/news' : '/'}">on</a>`;
});
app.listen(3002, '127.0.0.1', () => console.log('http://127.0.0.1:3002/'));
