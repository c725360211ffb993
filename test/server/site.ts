// A folder of files for one test, and an origin on it; both go away with `await using`.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withConstants } from '../../options/options.ts';
import { createOrigin, type Origin, type OriginOptions } from '../../server/index.ts';

export interface Site extends AsyncDisposable {
  readonly folder: string;
  write(name: string, content: string | Uint8Array): Promise<string>;
}

export async function makeSite(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'loadahead-site-'));
  const write = async (name: string, content: string | Uint8Array) => {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    return path;
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return {
    folder,
    write,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface ServedSite extends AsyncDisposable {
  readonly site: Site;
  readonly origin: Origin;
  readonly port: number;
  readonly url: string;
}

export async function serveSite(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: OriginOptions = {},
): Promise<ServedSite> {
  const site = await makeSite(files);
  const origin = createOrigin(site.folder, {
    ...withConstants({ closeTimeoutMs: 500 }),
    ...options,
  });
  const { port, url } = await origin.listen();
  return {
    site,
    origin,
    port,
    url,
    [Symbol.asyncDispose]: async () => {
      await origin.close();
      await site[Symbol.asyncDispose]();
    },
  };
}
