// nginx with a configuration of examples/nginx, and a prefetchd that learns from it: from its log, or from copies of the
// requests.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask } from '../prefetchd/service/ask.ts';
import { eventually } from '../support/eventually.ts';
import { patient, startExample } from '../support/nginx.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { type Answer, hostOf, startApp } from './nginx-set-up.ts';

export interface HintedSite extends AsyncDisposable {
  readonly url: string;
  /** Of `to` after `from`, for somebody new. */
  probability(from: string, to: string): Promise<number>;
  /** Resolves when each line of a log is learned or dropped. */
  caughtUp?(): Promise<void>;
}

export interface NginxSiteOptions {
  /** `nginx.conf` writes a log, `mirror.conf` sends copies. */
  example: 'nginx.conf' | 'mirror.conf';
  answer: Answer;
  /** Texts of the configuration, and what stands in their place. */
  changes?: Readonly<Record<string, string>>;
}

/**
 * With a mirror nginx keeps a connection until its copies are answered, so the next request of a browser finds them
 * learned.
 */
export async function nginxSite(
  folder: string,
  { example, answer, changes = {} }: NginxSiteOptions,
): Promise<HintedSite> {
  const log = join(folder, 'prefetchd.log');
  const isLogged = example === 'nginx.conf';
  if (isLogged) await writeFile(log, '');
  await using started = new AsyncDisposableStack();
  const app = started.use(await startApp(answer));
  const follow = isLogged ? ['--follow', log] : [];
  const service = started.use(await servingPrefetchd(folder, ['serve', '--port', '0', ...follow]));
  const nginx = started.use(
    await startExample(folder, `nginx/${example}`, {
      ...patient,
      ...changes,
      '127.0.0.1:3000': app.address,
      '127.0.0.1:7733': hostOf(service.url),
      '/var/log/nginx/prefetchd.log': log,
    }),
  );
  const judged = async () => {
    const { text } = await ask(service.url, '/metrics');
    const counts = text.matchAll(/^prefetchd_accesses_(?:dropped_)?total\S* (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const caughtUp = async () => {
    const lines = (await readFile(log, 'utf8')).split('\n').length - 1;
    await eventually(async () => (await judged()) >= lines, `${lines} lines are judged`);
  };
  const stack = started.move();
  return {
    url: nginx.url,
    probability: (from, to) => learnedProbability(service.url, from, to),
    ...(isLogged && { caughtUp }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** What a service tells somebody new of the page `to` after `from`; 0: nothing. */
export async function learnedProbability(service: string, from: string, to: string) {
  const asked = `/v1/hints?url=${encodeURIComponent(from)}&threshold=0&limit=100`;
  const { json } = await ask(service, asked);
  const hint = json.hints.find(({ url }: { url: string }) => url === to);
  return hint?.probability ?? 0;
}
