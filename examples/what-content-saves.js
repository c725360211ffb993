// Microscape with other content: images as HTML and CSS, GIF as PNG, and the formats of today.
import { loadPage } from 'loadahead';
import { createOrigin } from 'loadahead/server';

const origin = createOrigin('fixtures/microscape');
const { url } = await origin.listen();
for (const variant of ['', 'css/', 'png/', 'modern/']) {
  const { totals, resources } = await loadPage(`${url}/${variant}`);
  const images = resources.filter(({ kind }) => kind === 'image');
  const bytes = images.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
  console.log(`/${variant}: ${totals.requests} requests, ${bytes} bytes of images`);
}
await origin.close();
