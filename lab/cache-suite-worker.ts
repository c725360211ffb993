// Runs the client side of the public HTTP cache tests once. The tests keep results in module state, so each run needs
// a process. Arguments: folder of the package, origin of its server. Prints the results by test as one line of JSON.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createFetch, createHttpCache, createMemoryStore } from '../loader/index.ts';

type AnyFetch = (url: string, init?: RequestInit) => Promise<Response>;

interface Runner {
  runTests(tests: unknown, fetch: AnyFetch, browser: boolean, origin: string): Promise<void>;
  getResults(): Record<string, true | [kind: string, message: string]>;
}

const [folder = '', origin = ''] = process.argv.slice(2);
const load = async <T>(path: string): Promise<T> =>
  (await import(pathToFileURL(join(folder, path)).href)) as T;
const runner = await load<Runner>('client/runner.mjs');
const { default: tests } = await load<{ default: unknown }>('tests/index.mjs');

const cache = createHttpCache(createMemoryStore());
// A response that is malformed on purpose casts doubt on its connection: few share one.
const fetch = createFetch({ cache, connections: 64 });
await runner.runTests(tests, fetch, true, origin);
await fetch.close();
cache.close();
process.stdout.write(`${JSON.stringify(runner.getResults())}\n`);
