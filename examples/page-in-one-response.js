// Get-All of 1995: a page and what it names in one response, for clients that ask. Others get the page as ever.
import express from 'express';
import { createHttpCache, createMemoryStore, loadPage } from 'loadahead';
import { getAll } from 'loadahead/server';

const all = getAll();
const app = express().use(all).use(express.static('fixtures/microscape'));
const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;

const cache = createHttpCache(createMemoryStore());
for (const visit of ['alone', 'first', 'again']) {
  const { totals } = await loadPage(url, {
    getAll: visit !== 'alone',
    cache: visit === 'alone' ? null : cache,
  });
  const { requests, parts, notModified, transferBytes } = totals;
  console.log(
    `${visit}: ${requests} requests, ${parts} parts, ${notModified} held, ${transferBytes} bytes`,
  );
}
const { pages, held } = all.stats();
console.log(`${pages} pages sent with their parts, ${held} of these held by the client`);
server.close();
