// `prefetchd proxy` in front of a site, as an operator runs it.

import { ask } from '../prefetchd/service/ask.ts';
import { freePort } from '../support/command.ts';
import { type Serving, servingPrefetchd } from '../support/prefetchd-command.ts';

export interface Proxying extends Serving {
  /** Where its API and its metrics are. */
  readonly admin: string;
  learned(): Promise<number>;
}

export async function proxying(
  folder: string,
  upstream: string,
  args: readonly string[] = [],
  env: Record<string, string | undefined> = {},
): Promise<Proxying> {
  const adminPort = await freePort();
  const where = ['--upstream', upstream, '--port', '0', '--admin-port', `${adminPort}`];
  const proxy = await servingPrefetchd(folder, ['proxy', ...where, ...args], env);
  const admin = `http://127.0.0.1:${adminPort}`;
  return Object.assign(proxy, { admin, learned: () => learnedAt(admin) });
}

/** Accesses that a service has learned, of documents and objects. */
export async function learnedAt(service: string): Promise<number> {
  const { text } = await ask(service, '/metrics');
  const counts = text.matchAll(/^prefetchd_accesses_total\{kind="\w+"\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
