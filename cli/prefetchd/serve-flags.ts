// Flags of `prefetchd serve` and `prefetchd proxy`, and their help. A flag overrides its variable (PREFETCHD_ and the
// name), a variable overrides the file of --config, and the file overrides the default: so no flag has a default here.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../../options/refusal.ts';
import { prefetchdDefaults as byDefault } from '../../prefetchd/engine/prefetchd-options.ts';
import { type SettingName, settingNames, settingOfText } from '../../prefetchd/service/settings.ts';

type Serving = keyof typeof settingNames;
/** One text for both commands, or one for each. */
type Meaning = string | Readonly<Record<Serving, string>>;

export const settingHelp: ReadonlyArray<
  readonly [name: SettingName, value: string, meaning: Meaning]
> = [
  [
    'port',
    'n',
    {
      serve: 'TCP port; 0: any free port (7733)',
      proxy: 'TCP port; 0: any free port (8080)',
    },
  ],
  [
    'host',
    'name',
    {
      serve: 'address to listen on; beyond loopback it needs a token (127.0.0.1)',
      proxy: 'address to listen on (127.0.0.1)',
    },
  ],
  ['socket', 'path', 'listen on a unix socket instead, open to its user and group'],
  ['upstream', 'url', 'the site: http://host:port, https://host or unix:/path'],
  ['adminPort', 'n', 'also serve hints, metrics and tuning on this loopback port'],
  [
    'maxConnections',
    'n',
    {
      serve: 'simultaneous connections; more are closed (as many as files and memory allow)',
      proxy: 'simultaneous connections; more get 503 (as many as files and memory allow)',
    },
  ],
  [
    'maxUpstreamConnections',
    'n',
    'connections to the site; more requests wait (as many as files and memory allow)',
  ],
  ['maxRequestBodyBytes', 'n', 'content of a request; more gets 413 (1073741824)'],
  ['requestTimeout', 'time', 'for a whole request; inf: an upload may take any time (inf)'],
  [
    'responseTimeout',
    'time',
    'longest wait for the site, and for a connection to it, before 504 (60s)',
  ],
  ['changeOrigin', 'on|off', "send the site's own name as Host, not the visitor's (off)"],
  ['upstreamCa', 'file', "authority of the site's certificate, PEM (those of Node)"],
  ['tlsKey', 'file', 'private key, PEM: serve over TLS, HTTP/2 and 1.1; with --tls-cert'],
  ['tlsCert', 'file', 'certificate chain, PEM'],
  [
    'store',
    'store',
    'where the graph is kept: memory, sqlite:FILE or redis://... (sqlite:prefetchd.db)',
  ],
  ['predictor', 'name', 'how next URLs are predicted (as the store was made, else double-graph)'],
  ['threshold', 'p', `hint pages with a probability above this (${byDefault.threshold})`],
  [
    'objectThreshold',
    'p',
    `the same for embedded objects (${byDefault.objectThreshold}; with --threshold: that)`,
  ],
  [
    'window',
    'w',
    `lookahead window in accesses; 2: the next one (as the store was made, else ${byDefault.window})`,
  ],
  ['limit', 'i', `most hints per response; inf: no limit (${byDefault.limit})`],
  [
    'immediateFrom',
    'p',
    `pages from this probability on are prefetched at once, by rules (${byDefault.immediateFrom})`,
  ],
  [
    'otherLinks',
    'when',
    'rules for links that are not hinted: moderate (pointer rests), conservative (pressed), off (off)',
  ],
  [
    'prerender',
    'when',
    'prerender hinted pages that have the beacon: moderate, immediate or off (off)',
  ],
  [
    'minClients',
    'k',
    `distinct clients that must have gone from one URL to the other (${byDefault.minClients})`,
  ],
  [
    'trial',
    '[where]',
    'to try hints alone: one visitor, on this machine, is enough; everywhere: on any; kept in memory unless --store is given (off)',
  ],
  ['holdback', 'n', 'percent of visitors who get no hints, for prefetchd report; needs the beacon'],
  ['holdbackFile', 'file', 'keep what it counted here over restarts'],
  ['halfLife', 'time', 'an access this old counts half; inf: never less (60d)'],
  [
    'query',
    'rule',
    'queries: evidence, drop-from-hints, keep, strip, or parameters to keep (evidence)',
  ],
  ['deny', 'pattern', 'never learn or hint URLs with this word or below this /path; repeatable'],
  ['allow', 'pattern', 'exception to the built-in and given denials; repeatable'],
  ['respectGpc', 'on|off', 'learn nothing from visitors who send Sec-GPC: 1; they get hints (off)'],
  ['origin', 'url', 'origin of the site: its absolute URLs become paths, others are refused'],
  ['sites', 'hosts', 'each: every host is a site of its own; one; or these hosts alone (each)'],
  [
    'token',
    'token',
    'callers send it as Authorization: Bearer; prefer the variable or --token-file',
  ],
  ['tokenFile', 'file', 'file that contains the token'],
  [
    'trust',
    'address',
    'address or network of a proxy whose X-Forwarded-For is believed; repeatable',
  ],
  [
    'prefix',
    'path',
    'path of the site that a proxy in front takes away, as /shop (X-Forwarded-Prefix of a trusted one)',
  ],
  [
    'forwarded',
    'mode',
    'X-Forwarded-* sent to the site: append, replace or none; trusted: append for loopback and --trust, else replace (trusted)',
  ],
  [
    'speculationRules',
    'on|off|path',
    'send Speculation-Rules and serve the rules at this path; on: /speculation-rules.json (on)',
  ],
  [
    'speculationScript',
    'path',
    'serve a script here that prefetches in browsers without speculation rules; needs the rules',
  ],
  [
    'earlyHints',
    'h2|on|off',
    '103 Early Hints for what a page embeds: over HTTP/2, on any version, or never (h2)',
  ],
  [
    'dictionaries',
    'on|off',
    'send pages as their difference to pages that the client has (RFC 9842) (off)',
  ],
  [
    'beacon',
    'on|off|inject',
    'serve the beacon /prefetch-beacon.js; inject: put its script into pages too (on)',
  ],
  ['follow', 'file', 'learn from this access log as it grows, across rotation; repeatable'],
  ['followFrom', 'place', 'end: new lines only; start: existing lines too, at every start (end)'],
  ['format', 'name', 'format of these logs (detected)'],
  [
    'fields',
    'pairs',
    'where these logs have what, as client=ip,time=ts,url=path; replaces --format',
  ],
  ['hintsFile', 'file', 'write the hints of all pages to this file as JSON, at each change'],
  ['hintsMap', 'file', 'write them to this file as lines for an nginx map'],
  ['dashboard', 'on|off', 'serve the dashboard at / (on)'],
  ['logLevel', 'level', 'debug, info, warn, error, silent (info)'],
  ['flushInterval', 'time', 'how often the store is written (1s)'],
];

export function addServeFlags(command: Command): Command {
  return addSettingFlags(command, 'serve').addHelpText(
    'after',
    `${commonHelp('PREFETCHD_MIN_CLIENTS', 'minClients')}

Examples:
  prefetchd serve
  prefetchd serve --store sqlite:site.db --origin https://example.org
  prefetchd serve --follow /var/log/nginx/access.log --hints-map hints.map
  prefetchd serve --socket /run/prefetchd.sock --config /etc/prefetchd.json
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

function addSettingFlags(command: Command, serving: Serving): Command {
  const names: readonly SettingName[] = settingNames[serving];
  // The text below the flags explains once how variables are named.
  command.configureHelp({ optionDescription: ({ description }) => description });
  for (const [name, value, meaning] of settingHelp) {
    if (!names.includes(name)) continue;
    const told = typeof meaning === 'string' ? meaning : meaning[serving];
    const dashed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const isOptional = value.startsWith('[');
    const option = new Option(`--${dashed} ${isOptional ? value : `<${value}>`}`, told)
      .env(variableOf(dashed))
      .argParser((given: string, before: unknown) => read(name, given, before));
    command.addOption(isOptional ? option.preset('on') : option);
  }
  command.hook('preAction', () => warnOfVariables(command));
  command.addOption(new Option('--no-dashboard', 'same as --dashboard off'));
  return command.addOption(
    new Option('--config <file>', 'settings as JSON: { "threshold": 0.4, "halfLife": "7d" }').env(
      variableOf('config'),
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
what PATCH /v1/config changes.
Exit code: 0 ended by a signal, 1 store, log or hints file unusable, 2 bad usage
or cannot listen.`;
}

/**
 * Warns of misspelt variables, which would be ignored silently. Variables that Kubernetes sets for a service of this
 * name are no settings.
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

function variableOf(dashed: string): string {
  return `PREFETCHD_${dashed.toUpperCase().replaceAll('-', '_')}`;
}

/** Commander adds the flag or variable and its value to the message. */
export function refuseArgument(rule: string): never {
  throw new InvalidArgumentError(`${rule}.`);
}

/** A flag with a list adds to the list each time it is used. */
function read(name: SettingName, given: string, before: unknown): unknown {
  const value = settingOfText(name, given, refuseArgument);
  if (value === null) return Number.POSITIVE_INFINITY; // commander turns null into ''
  return Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value;
}
