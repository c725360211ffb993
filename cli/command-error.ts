// The error of a command that cannot continue, with a message for the user and the exit code; and the translation of
// the library's errors into the words of the command line.

import { PrefetchdError } from '../prefetchd/errors.ts';
import { ServerError } from '../server/errors.ts';

export class CommandError extends Error {
  readonly exitCode: 1 | 2 | 130;

  constructor(message: string, exitCode: 1 | 2 | 130, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** Compares the name, because the built command has this class twice: in its bundle and beside it. */
export function isCommandError(error: unknown): error is CommandError {
  return error instanceof Error && error.name === 'CommandError';
}

/** Options whose flag has another name, of both commands. */
const flags: Readonly<Record<string, string>> = {
  'batch.maxBytes': '--batch-bytes',
  'batch.maxDelayMs': '--batch-delay',
  'timeouts.pageMs': '--timeout',
  'tls.ca': '--ca',
  'speculationRules.path': '--speculation-rules',
  'speculationRules.script': '--speculation-script',
  blockBytes: '--block',
  cacheBytes: '--cache',
  extraHeaders: '--header',
  maxAgeSeconds: '--max-age',
  maxRequestsPerConnection: '--requests-per-connection',
  refusePrivateAddresses: '--public-only',
  tls: '--tls-key and --tls-cert',
  trustProxy: '--trust',
};

/** `tls` is also an ordinary word. */
const names = Object.keys(flags).filter((name) => name !== 'tls');
const inSentence = new RegExp(
  `\\b(${names.join('|').replaceAll('.', '\\.')})\\b(\\.(?=\\S))?`,
  'g',
);

/** `timeouts.pageMs must be ...` becomes `--timeout must be ...`. */
export function inFlags(message: string): string {
  // Users cannot type null; they leave the flag out.
  const typed = message.replace(/, or null(?=, not )/, '').replace(/^option (?=\S+ must be )/, '');
  const named = typed.replace(
    inSentence,
    (_, name: string, part = '') => flags[name] + part.replace('.', ' '),
  );
  return named.replace(/^([a-zA-Z.]+)(\[\d+\])?(?= must be )/, (_, place: string) => flagOf(place));
}

/** `discovery.dpr`: `--dpr`; `flushIntervalMs`: `--flush-interval`. */
function flagOf(place: string): string {
  const [, name = ''] = /(?:.*\.)?(.*?)(?:Ms)?$/.exec(place) ?? [];
  return flags[place] ?? `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The error for a port that another server uses. @returns null for other errors @param ofService The flag that sets the port of the hint service */
export function portInUse(
  error: unknown,
  ofService: '--port' | '--admin-port' = '--port',
): CommandError | null {
  const cause = error instanceof CommandError ? error.cause : error;
  if (!(cause instanceof PrefetchdError || cause instanceof ServerError)) return null;
  const isPort = cause.code === 'address-in-use' && / port \d+ /.test(cause.message);
  if (!isPort) return null; // the message names the path of a socket
  const flag = cause instanceof PrefetchdError ? ofService : '--port';
  const message = `${cause.message}; choose another with ${flag}, 0 takes a free one`;
  return new CommandError(message, 2, { cause });
}
