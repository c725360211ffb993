// Declares the flags that `load`, `audit`, `browse` and `record` share: which resources are requested, how, and for which
// screen.

import type { Command } from 'commander';
import { type LoaderOptions, loaderTable } from '../../loader/options.ts';
import { authorityFault } from '../../loader/transport/connect/connect-faults.ts';
import { CommandError } from '../command-error.ts';
import { readGiven } from '../flag-values.ts';
import { addOptionFlags, optionsOfFlags } from '../option-flags.ts';

/** The flags that commands read by name; the others become options by their rows (`loaderTable`). */
export interface LoaderFlags {
  header?: string[];
  ca?: string;
  insecure?: false;
  json?: boolean;
}

/** Adds the loader's flags to a command. */
export function addLoaderFlags(command: Command): Command {
  const add = (heading: string, ...places: string[]) =>
    addOptionFlags(command.optionsGroup(heading), loaderTable, ...places);
  add('Connections:', 'protocol', 'connections', 'timeouts.pageMs');
  add('What is fetched:', 'discovery.viewport', 'discovery.also', 'discovery.exclude');
  add('Fields of requests:', 'extraHeaders', 'headers', 'cookies');
  add('Extensions of HTTP:', 'holdLine', 'getAll', 'dictionaries');
  return add('Certificates and addresses:', 'tls.ca', 'tls.verify', 'refusePrivateAddresses');
}

/** Makes the loader's options from the flags. @throws CommandError */
export async function loaderOptions(flags: LoaderFlags): Promise<LoaderOptions> {
  const { header = [], insecure } = flags;
  const options = optionsOfFlags(loaderTable, flags);
  const ca = flags.ca === undefined ? undefined : await readAuthority(flags.ca);
  if (insecure === false)
    process.stderr.write('loadahead: certificates are not verified (--insecure)\n');
  return {
    ...options,
    extraHeaders: header.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
    tls: { ...options.tls, ca },
  };
}

async function readAuthority(file: string): Promise<Buffer> {
  const pem = await readGiven(file, '--ca');
  const fault = authorityFault(pem);
  if (fault !== null) throw new CommandError(`--ca: ${file} ${fault}`, 2);
  return pem;
}
