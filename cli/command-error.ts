// The error of a command that cannot continue, with a message for the user and the exit code; and the translation of
// the library's messages into the words of the command line.

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

/** Options of the library, and the flags that set them. */
const flags: Readonly<Record<string, string>> = {
  'batch.maxBytes': '--batch-bytes',
  'batch.maxDelayMs': '--batch-delay',
  'timeouts.pageMs': '--timeout',
  'tls.ca': '--ca',
  connections: '--connections',
  'discovery.dpr': '--dpr',
  extraHeaders: '--header',
  holdLine: '--hold-line',
  maxAgeSeconds: '--max-age',
  maxRequestsPerConnection: '--requests-per-connection',
  refusePrivateAddresses: '--public-only',
  tls: '--tls-key and --tls-cert',
};

/** Two of the names are also ordinary words; they are options only where a rule follows. */
const optionNames =
  /(?:\boption )?\b(batch\.maxBytes|batch\.maxDelayMs|discovery\.dpr|holdLine|timeouts\.pageMs|tls\.ca|extraHeaders|maxAgeSeconds|maxRequestsPerConnection|refusePrivateAddresses|(?:connections|tls)(?= must be))\b(\.(?=\S))?/g;

/** `timeouts.pageMs must be ...` becomes `--timeout must be ...`. */
export function inFlags(message: string): string {
  // Users cannot type null; they leave the flag out.
  const typed = message.replace(/, or null(?=, not )/, '');
  const named = typed.replace(/\bstudy\[\d+\](?= must be)/, '--study');
  return named.replace(optionNames, (_, name: string, part: string | undefined) => {
    return `${flags[name]}${part === undefined ? '' : ' '}`;
  });
}
