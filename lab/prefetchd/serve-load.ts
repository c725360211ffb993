// Load on a server: a separate process on the first core that uses kept connections and never sends a request before
// the previous response on the same connection.

import { fileURLToPath } from 'node:url';
import { run } from '../processes.ts';
import { onCore } from './one-core.ts';
import type { Percentiles } from './serve-answer.ts';
import type { RequestKind } from './serve-requests.ts';

export interface LoadSettings {
  port: number;
  /** Of the server: its processor time is read. */
  pid: number;
  requests: RequestKind;
  seed: number;
  connections: number;
  /** Requests a second, evenly spaced whatever the server does (open loop); null: the next as soon as
   *  an answer is there (closed loop). */
  perS: number | null;
  /** Not measured. */
  warmUpS: number;
  measuredS: number;
}

export interface LoadAnswer {
  perS: number;
  /** From the moment at which a request was to be sent. */
  latencyMs: Percentiles;
  /** Processor time of the server for a request, all its threads. */
  cpuUs: number;
  /** Share of answers with a hint. */
  hinted: number;
  /** Answers of another status than 200. */
  failed: number;
}

const worker = fileURLToPath(new URL('./serve-load-worker.ts', import.meta.url));

/** @throws Error when the server answers anything with another status than 200 */
export async function load(settings: LoadSettings): Promise<LoadAnswer> {
  const args = ['--max-semi-space-size=64', worker, JSON.stringify(settings)];
  const { stdout } = await run(...onCore('first', process.execPath, args));
  const answer = JSON.parse(stdout) as LoadAnswer;
  if (answer.failed > 0) throw new Error(`${answer.failed} answers were no 200`);
  return answer;
}
