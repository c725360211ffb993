// The site behind the proxy: three pages that link to each other. Put your own in its place.
import { createServer } from 'node:http';

const links = ['/', '/guide', '/guide/part-2'].map((url) => `<a href="${url}">${url}</a>`);

const site = createServer(({ url }, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.setHeader('Cache-Control', 'max-age=60');
  response.end(`<!doctype html><title>${encodeURI(url)}</title>${links.join(' ')}`);
});
site.listen(process.env.PORT ?? 3000, () => console.log(site.address().port));
process.once('SIGTERM', () => process.exit());
