// Declares the flags that `load`, `audit`, `browse` and `record` share: which resources are requested, how, and for which
// screen.

import type { Command } from 'commander';
import { discoveryTable } from '../../loader/discovery-options.ts';
import { type LoaderOptions, loaderTable } from '../../loader/options.ts';
import { authorityFault } from '../../loader/transport/connect/connect-faults.ts';
import { also, number, trueOrFalse } from '../../options/kinds.ts';
import { defaultsOf, option, optionWithoutDefault } from '../../options/options.ts';
import { CommandError } from '../command-error.ts';
import { readGiven } from '../flag-values.ts';
import { addOptionFlags, optionsOfFlags } from '../option-flags.ts';

/** The flags that commands read by name; the others become options by their rows (`loaderTable`). */
export interface LoaderFlags {
  viewport?: string;
  dpr?: number;
  mobile?: true;
  header?: string[];
  ca?: string;
  insecure?: false;
  json?: boolean;
}

const discoveryDefaults = defaultsOf(discoveryTable);
const densityRule = 'a number above 0 and below 100';
/** The flags that are parts of the option `viewport`. */
const viewportTable = {
  dpr: optionWithoutDefault(
    also(number({ above: 0 }), (dpr) => dpr < 100, densityRule),
    { flag: '--dpr <n>', help: 'device pixels per CSS pixel (1), as in --viewport <size>@<n>' },
  ),
  mobile: option(trueOrFalse(), false, {
    flag: '--mobile',
    help: "the view is a phone's, which heeds <meta name=viewport>, as in --viewport '<size> mobile'",
  }),
};

/** Adds the loader's flags to a command. */
export function addLoaderFlags(command: Command): Command {
  const add = (heading: string, ...places: string[]) =>
    addOptionFlags(command.optionsGroup(heading), loaderTable, ...places);
  add('Connections:', 'protocol', 'connections', 'timeouts.pageMs');
  addOptionFlags(add('What is fetched:', 'discovery.viewport'), viewportTable, 'dpr', 'mobile');
  addOptionFlags(command, loaderTable, 'discovery.also', 'discovery.exclude');
  add('Fields of requests:', 'extraHeaders', 'headers', 'cookies');
  add('Extensions of HTTP:', 'holdLine', 'getAll', 'dictionaries');
  return add('Certificates and addresses:', 'tls.ca', 'tls.verify', 'refusePrivateAddresses');
}

/** Makes the loader's options from the flags. @throws CommandError */
export async function loaderOptions(flags: LoaderFlags): Promise<LoaderOptions> {
  const { viewport = discoveryDefaults.viewport, dpr, mobile, header = [], insecure } = flags;
  const options = optionsOfFlags(loaderTable, flags);
  const pixels = dpr === undefined ? '' : `@${dpr}`;
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
