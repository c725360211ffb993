// A real nginx with a configuration of examples/, as it stands but for what a test must change: addresses,
// the port, and where nginx keeps its own files.

import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, isInstalled, startServer } from './command.ts';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

/** Empty: it is there. */
export const whyNoNginx = isInstalled('nginx') ? '' : 'nginx is not installed';

export interface Nginx extends AsyncDisposable {
  url: string;
  /** Read the configuration again. */
  reload(): void;
}

/** On a busy machine 20 ms may not be enough for an access to be learned. */
export const patient: Readonly<Record<string, string>> = { ' 10ms': ' 10s', ' 20ms': ' 10s' };

/**
 * @param folder of the test
 * @param example path below examples/, `nginx/nginx.conf`
 * @param changes texts of the configuration and what stands in their place
 */
export async function startExample(
  folder: string,
  example: string,
  changes: Readonly<Record<string, string>>,
): Promise<Nginx> {
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const own = temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
  const all = {
    ...changes,
    'http {': `http { ${own}`,
    'listen 8080': `listen 127.0.0.1:${port}`,
  };
  for (const name of ['nginx', 'two-nodes']) {
    cpSync(join(examples, name), join(folder, name), { recursive: true });
    for (const each of readdirSync(join(folder, name)).filter((file) => file.endsWith('.conf'))) {
      const path = join(folder, name, each);
      let text = readFileSync(path, 'utf8');
      for (const [from, to] of Object.entries(all)) text = text.replaceAll(from, to);
      if (!text.includes('access_log')) text = text.replace('http {', 'http { access_log off;');
      writeFileSync(path, text);
    }
  }
  const file = join(folder, example);
  const pid = join(folder, `nginx-${port}.pid`);
  const settings = `daemon off; user root; pid ${pid}; error_log stderr crit;`;
  const server = await startServer('nginx', ['-c', file, '-e', 'stderr', '-g', settings], port);
  return {
    url: `http://127.0.0.1:${port}`,
    reload: () => process.kill(Number(readFileSync(pid, 'utf8')), 'SIGHUP'),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
