// A loader keeps connections and cookies between pages: a walk through a small site.
import { createLoader } from 'loadahead';
import { createOrigin } from 'loadahead/server';

const origin = createOrigin('fixtures/small-site');
const { url } = await origin.listen();

const loader = createLoader({ protocol: 'pipelined' });
for (const path of ['/', '/products.html', '/']) {
  const { totals, connections } = await loader.load(url + path);
  const [connection] = connections;
  console.log(`${path}: ${totals.responses} responses on connection ${connection?.id}`);
}
await loader.close(); // from Node 24 on also: await using loader = createLoader()

await origin.close();
