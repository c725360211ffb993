// Shared dictionaries (RFC 9842): pages of one template, each sent as its difference to one that the client has.
import { createServer } from 'node:http';
import { createHttpCache, createLoader, createMemoryStore } from 'loadahead';
import { dictionaries, staticFiles } from 'loadahead/server';

const dictionary = dictionaries();
const files = staticFiles('fixtures/twelve-pages', { maxAgeSeconds: 300 });
const server = createServer((req, res) =>
  dictionary(req, res, () => files(req, res, () => res.end())),
);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;

for (const cache of [null, createHttpCache(createMemoryStore())]) {
  const loader = createLoader({ cache });
  let bytes = 0;
  for (const page of ['', 'beginnings/', 'beginnings/proposal.html', 'waiting/', 'papers/']) {
    const { resources } = await loader.load(url + page);
    bytes += resources[0].encodedBytes;
  }
  console.log(`${cache ? 'with' : 'without'} a cache: ${bytes} bytes of HTML`);
  await loader.close();
}
console.log(`${dictionary.stats().coded} responses compressed with a dictionary`);
server.close();
