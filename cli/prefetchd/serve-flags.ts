// Declares flags of `prefetchd serve` and `prefetchd proxy`, and their help. A flag overrides its variable (PREFETCHD_
// and the name), a variable overrides the file of --config, and the file the default: so no flag has a default here.

import { type Command, Option } from 'commander';
import { nearest } from '../../options/refusal.ts';
import { flagOf } from '../command-error.ts';
import { settingOfText } from './read-settings.ts';
import { meaningFor, type Serving, type SettingName, settings, settingsFor } from './settings.ts';

export function addServeFlags(command: Command): Command {
  return addSettingFlags(command, 'serve').addHelpText(
    'after',
    `${commonHelp('PREFETCHD_MIN_CLIENTS', 'minClients')}

Examples:
  prefetchd serve
  prefetchd serve --store sqlite:site.db --origin https://example.org
  prefetchd serve --follow /var/log/nginx/access.log --hints-file hints.map
  prefetchd serve --host unix:/run/prefetchd.sock --config /etc/prefetchd.json
  PREFETCHD_TOKEN=$(openssl rand -hex 16) prefetchd serve --host 0.0.0.0`,
  );
}

export function addProxyFlags(command: Command): Command {
  return addSettingFlags(command, 'proxy').addHelpText(
    'after',
    `${commonHelp('PREFETCHD_UPSTREAM, PREFETCHD_PORT', 'upstream, port')}

A visitor's address is that of the connection. Name a proxy in front of this one
with --trust.

Examples:
  prefetchd proxy --upstream http://127.0.0.1:3000 --port 80 --host 0.0.0.0
  prefetchd proxy --upstream unix:/run/site.sock --port 8000 --admin-port 7733
  prefetchd proxy --upstream http://127.0.0.1:3000 --store redis://localhost`,
  );
}

/** The headings of the help, each by the first setting below it. */
const groups: Partial<Record<SettingName, string>> = {
  port: 'Address and site:',
  maxConnections: 'Connections:',
  store: 'Learning and hints:',
  query: 'What is learned and hinted:',
  trust: 'Proxies in front, and callers:',
  speculationRules: 'How hints are sent:',
  follow: 'Logs and files:',
};

function addSettingFlags(command: Command, serving: Serving): Command {
  // The flags are described without their variables: the text below them explains once how variables are named.
  command.configureHelp({ optionDescription: ({ description }) => description });
  for (const name of settingsFor(serving)) {
    const { value } = settings[name];
    const flag = flagOf(name);
    if (groups[name] !== undefined) command.optionsGroup(groups[name]);
    const option = new Option(`${flag} ${value}`, meaningFor(serving, name))
      .env(variableOf(flag))
      .argParser((given: string, before: unknown) => settingOfText(name, given, before));
    command.addOption(value.startsWith('[') ? option.preset('on') : option);
  }
  command.hook('preAction', () => warnOfVariables(command));
  return command.addOption(
    new Option('--config <file>', 'settings as JSON: { "threshold": 0.4, "halfLife": "7d" }').env(
      variableOf('--config'),
    ),
  );
}

function commonHelp(variables: string, names: string): string {
  return `
Each flag is also an environment variable (${variables})
and a name in the file of --config (${names}). A flag overrides the
variable, which overrides the file.
Prints "listening on URL" when ready; logs to stderr, as JSON if that is no
terminal. SIGTERM or SIGINT ends it once requests in flight are answered and the
store is written; a second one ends it at once. SIGHUP rereads from the file
what PATCH /v1/config changes, and the proxy's key and certificate.
Exit code: 0 ended by a signal, 1 store, log or hints file unusable, 2 bad usage
or cannot listen.`;
}

/**
 * Warns of misspelt environment variables, which would be ignored silently; but not of those that Kubernetes sets for a
 * service named prefetchd.
 */
function warnOfVariables({ options }: Command): void {
  const known = options.flatMap(({ envVar = [] }) => envVar);
  const isForeign = /_SERVICE_(?:HOST|PORT)|_PORT_\d/;
  for (const name of Object.keys(process.env)) {
    if (!name.startsWith('PREFETCHD_') || known.includes(name) || isForeign.test(name)) continue;
    const near = nearest(name, known);
    const advice = near === undefined ? '--help has all settings' : `is it ${near}?`;
    process.stderr.write(
      `prefetchd: the variable ${name} is no setting here and ignored; ${advice}\n`,
    );
  }
}

function variableOf(flag: string): string {
  return `PREFETCHD${flag.toUpperCase().replace(/-+/g, '_')}`;
}
