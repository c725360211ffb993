// How many files of the product are entered from loadPage() to the first byte on the wire, and from a request to its
// hint in Express: those in which a function is called, by V8's own count of calls.

import { createServer, get } from 'node:http';
import { Session } from 'node:inspector';
import express from 'express';
import { loadPage } from '../loader/index.ts';
import { hints } from '../server/hints/index.ts';

const root = new URL('..', import.meta.url).href;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true });

/** The files whose functions were called since it was asked last. */
function entered() {
  let result = [];
  session.post('Profiler.takePreciseCoverage', (_, coverage) => {
    result = coverage.result;
  });
  const isOurs = ({ url }) => url.startsWith(root) && !/node_modules|\.ci\//.test(url);
  const isCalled = ({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0);
  return result
    .filter((each) => isOurs(each) && isCalled(each))
    .map(({ url }) => url.slice(root.length));
}

async function listening(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
}

async function toTheFirstByte() {
  const server = createServer();
  const arrived = new Promise((resolve) =>
    server.once('request', (_, response) => resolve(response)),
  );
  const url = `http://127.0.0.1:${await listening(server)}/`;
  entered();
  const load = loadPage(url);
  const response = await arrived;
  const files = entered();
  response.end();
  await load;
  server.close();
  return files;
}

/** Visitors of two pages come until one has a hint of the second. */
async function toTheHint() {
  let files;
  const app = express().use(hints());
  app.get(/png$/, (_, response) => response.type('png').send('image'));
  app.get(/.*/, (_, response) => {
    const set = response.setHeader;
    response.setHeader = (name, value) => {
      if (/^(?:link|speculation-rules)$/i.test(name)) files ??= entered();
      return set.call(response, name, value);
    };
    response.set('Cache-Control', 'max-age=60').send('<!doctype html>');
  });
  const server = createServer(app);
  const port = await listening(server);
  const headers = { 'User-Agent': 'Mozilla/5.0 Chrome/156.0.0.0 Safari/537.36' };
  const visit = (path, visitor) =>
    new Promise((resolve, reject) => {
      const request = { ...{ port, path, headers }, localAddress: `127.0.0.${visitor}` };
      get(request, (response) => response.resume().on('end', resolve)).on('error', reject);
    });
  for (let visitor = 2; visitor < 200 && files === undefined; visitor++) {
    for (const path of ['/a', '/a.png', '/b', '/b.png']) {
      entered();
      await visit(path, visitor);
    }
  }
  server.close();
  return files;
}

/** Paths of the files, in two lists. */
export const filesEntered = { load: await toTheFirstByte(), hint: await toTheHint() };
