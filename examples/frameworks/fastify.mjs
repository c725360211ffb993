// A site by Fastify: a plugin.
import Fastify from 'fastify';
import { hints } from 'loadahead/fastify';

const app = Fastify();
await app.register(hints); // before all routes, with options as second
const page = (path) => `<!doctype html><a href="${path === '/' ? '/news' : '/'}">on</a>`;
app.get('/*', (request, reply) => reply.type('text/html').send(page(request.url)));
console.log(await app.listen({ port: 3001, host: '127.0.0.1' }));
