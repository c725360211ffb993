// Declares the flags that `load`, `audit`, `browse` and `record` share: which resources are requested, how, and for which
// screen.

import type { Command } from 'commander';
import { discoveryTable, screenOf } from '../../loader/discovery-options.ts';
import { type LoaderOptions, loaderTable } from '../../loader/options.ts';
import { authorityFault } from '../../loader/transport/connect/connect-faults.ts';
import { defaultsOf } from '../../options/options.ts';
import { CommandError } from '../command-error.ts';
import { density, readGiven } from '../flag-values.ts';
import { addOptionFlags, optionsOfFlags } from '../option-flags.ts';

/** The flags that commands read by name; the others become options by their rows (`loaderTable`). */
export interface LoaderFlags {
  viewport?: string;
  /** Device pixels per CSS pixel. This flag and `mobile` become parts of the option `viewport`. */
  dpr?: number;
  mobile?: boolean;
  header?: string[];
  ca?: string;
  insecure?: boolean;
  json?: boolean;
}

const discoveryDefaults = defaultsOf(discoveryTable);

/** Adds the loader's flags to a command. */
export function addLoaderFlags(command: Command): Command {
  const add = (heading: string, ...places: string[]) =>
    addOptionFlags(command.optionsGroup(heading), loaderTable, ...places);
  add('Connections:', 'protocol', 'connections', 'timeouts.pageMs');
  add('What is fetched:', 'discovery.viewport')
    .option(
      '--dpr <n>',
      `device pixels per CSS pixel (${screenOf(discoveryDefaults).dpr})`,
      density,
    )
    .option('--mobile', 'the view is that of a phone, which heeds <meta name=viewport>');
  addOptionFlags(command, loaderTable, 'discovery.also', 'discovery.exclude');
  add('Fields of requests:', 'extraHeaders', 'headers', 'cookies');
  add('Extensions of HTTP:', 'holdLine', 'getAll').option(
    '--no-get-all',
    'never; default: of servers that said they can, on first visits',
  );
  addOptionFlags(command, loaderTable, 'dictionaries');
  add('Certificates and addresses:', 'tls.ca').option(
    '--insecure',
    'accept any certificate; a warning goes to stderr',
  );
  return addOptionFlags(command, loaderTable, 'refusePrivateAddresses');
}

/** Makes the loader's options from the flags. @throws CommandError */
export async function loaderOptions(flags: LoaderFlags): Promise<LoaderOptions> {
  const { dpr, viewport = discoveryDefaults.viewport, mobile, header = [], insecure } = flags;
  const options = optionsOfFlags(loaderTable, flags);
  const pixels = dpr === undefined ? '' : `@${dpr}`;
  const ca = flags.ca === undefined ? undefined : await readAuthority(flags.ca);
  if (insecure) process.stderr.write('loadahead: certificates are not verified (--insecure)\n');
  return {
    ...options,
    extraHeaders: header.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
    tls: { ca, verify: !insecure },
    discovery: {
      ...options.discovery,
      viewport: `${viewport}${pixels}${mobile ? ' mobile' : ''}`,
    },
  };
}

async function readAuthority(file: string): Promise<Buffer> {
  const pem = await readGiven(file, '--ca');
  const fault = authorityFault(pem);
  if (fault !== null) throw new CommandError(`--ca: ${file} ${fault}`, 2);
  return pem;
}
