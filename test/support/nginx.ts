// A real nginx, with a configuration of the test or one of examples/, as it stands but for what a test must change:
// addresses, the port, and where nginx keeps its own files.

import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, isInstalled, startServer } from './command.ts';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

/** Empty: it is there. */
export const whyNoNginx = isInstalled('nginx') ? '' : 'nginx is not installed';

export interface Nginx extends AsyncDisposable {
  url: string;
  port: number;
  /** Read the configuration again. */
  reload(): void;
}

/** Where an nginx of a test is, and where it may write. */
export interface NginxPlace {
  port: number;
  /** Removed when it has ended. */
  folder: string;
}

/** @param directives of `http`, in which a server listens on the port */
export async function startNginx(directives: (place: NginxPlace) => string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'loadahead-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `events {} http { ${ownFiles(folder)} ${directives({ port, folder })} }`);
  const server = await run(file, folder, port);
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** On a busy machine 20 ms may not be enough for an access to be learned. */
export const patient: Readonly<Record<string, string>> = { ' 10ms': ' 10s', ' 20ms': ' 10s' };

/**
 * @param folder of the test
 * @param example path below examples/, `nginx/nginx.conf`
 * @param changes texts of the configuration and what stands in their place
 */
export function startExample(folder: string, example: string, changes: Changes): Promise<Nginx> {
  const names = ['nginx', 'two-nodes', 'static'];
  for (const name of names) cpSync(join(examples, name), join(folder, name), { recursive: true });
  return startConfigured(folder, example, changes, names);
}

type Changes = Readonly<Record<string, string>>;

/** With the configuration in `file` of the folder, and what that includes from these folders in it. */
export async function startConfigured(
  folder: string,
  file: string,
  changes: Changes,
  names: readonly string[] = ['.'],
): Promise<Nginx> {
  const port = await freePort();
  const all = {
    ...changes,
    'http {': `http { ${ownFiles(folder)}`,
    'listen 8080': `listen 127.0.0.1:${port}`,
  };
  for (const name of names) {
    for (const each of readdirSync(join(folder, name)).filter((one) => one.endsWith('.conf'))) {
      const path = join(folder, name, each);
      let text = readFileSync(path, 'utf8');
      for (const [from, to] of Object.entries(all)) text = text.replaceAll(from, to);
      if (!text.includes('access_log')) text = text.replace('http {', 'http { access_log off;');
      writeFileSync(path, text);
    }
  }
  return run(join(folder, file), folder, port);
}

const ownFiles = (folder: string): string =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');

/** @param folder for the file with its process id */
async function run(file: string, folder: string, port: number): Promise<Nginx> {
  const pid = join(folder, `nginx-${port}.pid`);
  const settings = `daemon off; user root; pid ${pid}; error_log stderr crit;`;
  const server = await startServer('nginx', ['-c', file, '-e', 'stderr', '-g', settings], port);
  return {
    ...{ url: `http://127.0.0.1:${port}`, port },
    reload: () => process.kill(Number(readFileSync(pid, 'utf8')), 'SIGHUP'),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
