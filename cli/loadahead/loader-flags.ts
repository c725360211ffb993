// Declares the flags that `load`, `audit`, `browse` and `record` share: which resources are requested, how, and for which
// screen.

import type { Command } from 'commander';
import { type DiscoveryOptions, discoveryTable, screenOf } from '../../loader/discovery-options.ts';
import { type LoaderOptions, loaderTable, resolveOptions } from '../../loader/options.ts';
import { authorityFault } from '../../loader/transport/connect/connect-faults.ts';
import { usualConnections } from '../../loader/transport/pool/concurrency.ts';
import { defaultsOf } from '../../options/options.ts';
import { CommandError, type FlagNames } from '../command-error.ts';
import {
  collect,
  commaSeparated,
  density,
  holdSeconds,
  pick,
  readGiven,
  repeated,
  time,
  usualOf,
  whole,
  wordFlag,
} from '../flag-values.ts';

export interface LoaderFlags
  extends DiscoveryOptions,
    Pick<LoaderOptions, 'protocol' | 'connections' | 'holdLine' | 'headers'>,
    Pick<LoaderOptions, 'cookies' | 'getAll' | 'dictionaries'> {
  /** Device pixels per CSS pixel. This flag and `mobile` become parts of the option `viewport`. */
  dpr?: number;
  mobile?: boolean;
  timeout?: number;
  header?: string[];
  ca?: string;
  insecure?: boolean;
  publicOnly?: boolean;
  json?: boolean;
}

const discoveryDefaults = defaultsOf(discoveryTable);

/** The flags, also those of `load` alone, whose option has another name: `--timeout` for `timeouts.pageMs`. */
export const loaderFlagNames: FlagNames = {
  'batch.maxBytes': '--batch-bytes',
  'batch.flush': '--batch-flush',
  'timeouts.pageMs': '--timeout',
  extraHeaders: '--header',
  refusePrivateAddresses: '--public-only',
};

/** Adds the loader's flags to a command. @param receivers Who gets the fields of `--header`, in words for the help */
export function addLoaderFlags(command: Command, receivers: string): Command {
  const { pageMs } = usualOf(resolveOptions().timeouts);
  const { closing, serial, far, pipelined } = usualConnections;
  return command
    .optionsGroup('Connections:')
    .addOption(wordFlag('--protocol <name>', 'how pages are fetched', loaderTable.protocol))
    .option(
      '--connections <n>',
      `connections per origin (http1.0: ${closing}, persistent: ${serial}, auto: ${far} to a server far away, else ${pipelined})`,
      whole,
    )
    .option('--timeout <time>', `give up on a page after this time (${pageMs})`, time)
    .optionsGroup('What is fetched:')
    .option('--viewport <size>', `size of the view in CSS pixels (${discoveryDefaults.viewport})`)
    .option(
      '--dpr <n>',
      `device pixels per CSS pixel (${screenOf(discoveryDefaults).dpr})`,
      density,
    )
    .option('--mobile', 'the view is that of a phone, which heeds <meta name=viewport>')
    .option(
      '--also <what>',
      'fetch more: icons (and the manifest), media (audio, video), frames; several: icons,media',
      commaSeparated,
    )
    .option(
      '--exclude <part>',
      'no URL with this part (* for any characters), or cross-origin, cross-site or all-images; repeatable',
      repeated,
    )
    .optionsGroup('Fields of requests:')
    .option('--header <field>', `send 'Name: value' to ${receivers}; repeatable`, collect)
    .addOption(
      wordFlag(
        '--headers <set>',
        'request headers: few, or those Chromium sends',
        loaderTable.headers,
      ),
    )
    .option('--no-cookies', 'neither keep nor send cookies')
    .optionsGroup('Extensions of HTTP:')
    .option(
      '--hold-line [seconds]',
      'ask servers to hold idle connections (1994); put it after the URL, or write --hold-line=5',
      holdSeconds,
    )
    .option('--get-all', 'ask for a page and what it names in one response (Get-All)')
    .option('--no-get-all', 'never; default: of servers that said they can, on first visits')
    .option('--no-dictionaries', 'offer no cached page for the next to differ from (RFC 9842)')
    .optionsGroup('Certificates and addresses:')
    .option('--ca <file>', 'trust the certificate authorities in this PEM file')
    .option('--insecure', 'accept any certificate; a warning goes to stderr')
    .option('--public-only', 'refuse private addresses, also after redirects');
}

/** Makes the loader's options from the flags. @throws CommandError */
export async function loaderOptions(flags: LoaderFlags): Promise<LoaderOptions> {
  const { also, exclude, dpr } = flags;
  const pixels = dpr === undefined ? '' : `@${dpr}`;
  const viewport = `${flags.viewport ?? discoveryDefaults.viewport}${pixels}${flags.mobile ? ' mobile' : ''}`;
  const ca = flags.ca === undefined ? undefined : await readAuthority(flags.ca);
  if (flags.insecure) {
    process.stderr.write('loadahead: certificates are not verified (--insecure)\n');
  }
  return {
    ...pick(flags, 'protocol', 'headers', 'cookies', 'connections', 'holdLine'),
    ...pick(flags, 'getAll', 'dictionaries'),
    extraHeaders: (flags.header ?? []).map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
    timeouts: { pageMs: flags.timeout },
    tls: { ca, verify: !flags.insecure },
    discovery: { viewport, also, exclude },
    refusePrivateAddresses: flags.publicOnly,
  };
}

async function readAuthority(file: string): Promise<Buffer> {
  const pem = await readGiven(file, '--ca');
  const fault = authorityFault(pem);
  if (fault !== null) throw new CommandError(`--ca: ${file} ${fault}`, 2);
  return pem;
}
