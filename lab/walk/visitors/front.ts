// What stands in front of the site and adds the hints, for sites without `hints()`: a proxy, or nginx with a log that
// prefetchd follows, configured as docs/guides/nginx.md says.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startServer } from '../../../test/support/command.ts';
import { repository } from '../../paths.ts';
import { LineProcess } from '../../processes.ts';
import { Scratch } from '../../scratch.ts';

export interface Front extends AsyncDisposable {
  readonly port: number;
}

export type OpenFront = (sitePort: number) => Promise<Front>;

export const directly: OpenFront = async (port) => ({ port, async [Symbol.asyncDispose]() {} });

export const prefetchdProxy: OpenFront = async (sitePort) => {
  const upstream = `http://127.0.0.1:${sitePort}`;
  const { port, child } = await prefetchd(['proxy', '--upstream', upstream]);
  return { port, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
};

/** `examples/nginx/nginx.conf` with other ports and paths. */
export const nginxWithLog: OpenFront = async (sitePort) => {
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(new Scratch());
  const log = join(folder, 'prefetchd.log');
  writeFileSync(log, '');
  const service = await prefetchd(['serve', '--predictor', 'double-graph', '--follow', log]);
  opened.use(service.child);
  const port = await freePort();
  const changes: ReadonlyArray<[from: string, to: string]> = [
    ['127.0.0.1:3000', `127.0.0.1:${sitePort}`],
    ['127.0.0.1:7733', `127.0.0.1:${service.port}`],
    ['listen 8080', `listen 127.0.0.1:${port}`],
    ['/var/log/nginx/prefetchd.log', log],
    ['http {', `http {\n${temporaryPaths(folder)}`],
  ];
  const examples = join(repository, 'examples/nginx');
  for (const name of readdirSync(examples).filter((each) => each.endsWith('.conf'))) {
    const text = readFileSync(join(examples, name), 'utf8');
    const changed = changes.reduce((all, [from, to]) => all.replaceAll(from, to), text);
    const own = `daemon off;\nmaster_process off;\npid ${join(folder, 'nginx.pid')};\n`;
    writeFileSync(join(folder, name), name === 'nginx.conf' ? own + changed : changed);
  }
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  opened.use(await startServer('nginx', args, port));
  const all = opened.move();
  return { port, [Symbol.asyncDispose]: () => all.disposeAsync() };
};

function temporaryPaths(folder: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => {
      mkdirSync(join(folder, name));
      return `${name}_temp_path ${join(folder, name)};`;
    })
    .join('\n');
}

async function prefetchd(args: string[]): Promise<{ port: number; child: LineProcess }> {
  const command = join(repository, 'cli/prefetchd.ts');
  const own = ['--port', '0', '--store', 'memory', '--log-level', 'warn'];
  const child = new LineProcess(process.execPath, [command, ...args, ...own]);
  const url = (await child.nextLine()).replace('listening on ', '');
  return { port: Number(new URL(url).port), child };
}
