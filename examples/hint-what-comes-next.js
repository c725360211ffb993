// An Express site that learns which page follows which, and says so on the next visitor's page. Visitors
// are told apart by address and user agent; here X-Forwarded-For makes four of them.
import express from 'express';
import { hints } from 'loadahead/hints';

const app = express();
const prefetch = hints({ trustProxy: 'loopback' });
app.use(prefetch);
app.get('/{*page}', (request, response) => response.send(`<h1>${request.path}</h1>`));

const server = app.listen(0, '127.0.0.1', async () => {
  const visit = async (address, page) => {
    const headers = {
      accept: 'text/html',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'x-forwarded-for': address,
    };
    const response = await fetch(`http://127.0.0.1:${server.address().port}${page}`, { headers });
    return response.headers.get('link') ?? 'no hint';
  };
  for (const visitor of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    console.log(visitor, await visit(visitor, '/'), '/', await visit(visitor, '/products'));
  }
  console.log('192.0.2.4', await visit('192.0.2.4', '/'));
  server.closeAllConnections();
  server.close();
  await prefetch.close();
});
