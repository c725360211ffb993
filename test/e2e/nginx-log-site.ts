// nginx with examples/nginx/nginx.conf, and a prefetchd that follows its log.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask } from '../prefetchd/service/ask.ts';
import { eventually } from '../support/eventually.ts';
import { patient, startExample } from '../support/nginx.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { learnedProbability } from './learned-probability.ts';
import { type Answer, hostOf, startApp } from './nginx-set-up.ts';

export interface NginxLogSite extends AsyncDisposable {
  readonly url: string;
  /** Of `to` after `from`, for somebody new. */
  probability(from: string, to: string): Promise<number>;
  /** Resolves when each line of the log is learned or dropped. */
  caughtUp(): Promise<void>;
}

export interface NginxLogSiteOptions {
  answer: Answer;
  /** Texts of the configuration, and what stands in their place. */
  changes?: Readonly<Record<string, string>>;
}

export async function nginxLogSite(
  folder: string,
  { answer, changes = {} }: NginxLogSiteOptions,
): Promise<NginxLogSite> {
  const log = join(folder, 'prefetchd.log');
  await writeFile(log, '');
  await using started = new AsyncDisposableStack();
  const app = started.use(await startApp(answer));
  const service = started.use(
    await servingPrefetchd(folder, ['serve', '--port', '0', '--follow', log]),
  );
  const nginx = started.use(
    await startExample(folder, 'nginx/nginx.conf', {
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
  const stack = started.move();
  return {
    url: nginx.url,
    probability: (from, to) => learnedProbability(service.url, from, to),
    async caughtUp() {
      const lines = (await readFile(log, 'utf8')).split('\n').length - 1;
      await eventually(async () => (await judged()) >= lines, `${lines} lines are judged`);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
