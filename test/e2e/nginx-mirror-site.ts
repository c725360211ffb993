// nginx with examples/nginx/mirror.conf, and a prefetchd that learns from its copies of requests.

import { patient, startExample } from '../support/nginx.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { learnedProbability } from './learned-probability.ts';
import { type Answer, hostOf, startApp } from './nginx-set-up.ts';

export interface NginxMirrorSite extends AsyncDisposable {
  readonly url: string;
  /** Of `to` after `from`, for somebody new. */
  probability(from: string, to: string): Promise<number>;
}

export interface NginxMirrorSiteOptions {
  answer: Answer;
  /** Texts of the configuration, and what stands in their place. */
  changes?: Readonly<Record<string, string>>;
}

/** nginx keeps a connection until its copies are answered, so the next request of a browser finds them learned. */
export async function nginxMirrorSite(
  folder: string,
  { answer, changes = {} }: NginxMirrorSiteOptions,
): Promise<NginxMirrorSite> {
  await using started = new AsyncDisposableStack();
  const app = started.use(await startApp(answer));
  const service = started.use(await servingPrefetchd(folder, ['serve', '--port', '0']));
  const nginx = started.use(
    await startExample(folder, 'nginx/mirror.conf', {
      ...patient,
      ...changes,
      '127.0.0.1:3000': app.address,
      '127.0.0.1:7733': hostOf(service.url),
    }),
  );
  const stack = started.move();
  return {
    url: nginx.url,
    probability: (from, to) => learnedProbability(service.url, from, to),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
