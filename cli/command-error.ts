// A command that cannot go on, with what to tell the user and the exit code; and messages of the
// library in the words of the command line.

export class CommandError extends Error {
  readonly exitCode: 1 | 2 | 130;

  constructor(message: string, exitCode: 1 | 2 | 130, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** The built command has this class twice, in its bundle and beside it: the name counts. */
export function isCommandError(error: unknown): error is CommandError {
  return error instanceof Error && error.name === 'CommandError';
}

/** Options of the library, by the flag that sets them. */
const flags: Readonly<Record<string, string>> = {
  'batch.maxBytes': '--batch-bytes',
  'batch.maxDelayMs': '--batch-delay',
  'timeouts.pageMs': '--timeout',
  'tls.ca': '--ca',
  connections: '--connections',
  'discovery.dpr': '--dpr',
  extraHeaders: '--header',
  holdLine: '--hold-line',
  imageFirstBytes: '--image-first-bytes',
  maxAgeSeconds: '--max-age',
  maxRequestsPerConnection: '--requests-per-connection',
  refusePrivateAddresses: '--public-only',
  tls: '--tls-key and --tls-cert',
};

/** Two names are words of their own; they are options only where a rule follows. */
const optionNames =
  /(?:\boption )?\b(batch\.maxBytes|batch\.maxDelayMs|discovery\.dpr|holdLine|timeouts\.pageMs|tls\.ca|extraHeaders|imageFirstBytes|maxAgeSeconds|maxRequestsPerConnection|refusePrivateAddresses|(?:connections|tls)(?= must be))\b(\.(?=\S))?/g;

/** `timeouts.pageMs must be ...` becomes `--timeout must be ...`. */
export function inFlags(message: string): string {
  // Nobody can type null: a flag is left out.
  const typed = message.replace(/, or null(?=, not )/, '');
  const named = typed.replace(/\bstudy\[\d+\](?= must be)/, '--study');
  return named.replace(optionNames, (_, name: string, part: string | undefined) => {
    return `${flags[name]}${part === undefined ? '' : ' '}`;
  });
}
