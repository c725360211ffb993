// Flags of `prefetchd serve` and `prefetchd proxy`, and their help. A flag is stronger than its variable (PREFETCHD_ and the name),
// that than the file of --config, that than the default; so no flag has a default here.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { type SettingName, settingNames, settingOfText } from '../../prefetchd/service/settings.ts';

type Serving = keyof typeof settingNames;
/** One for both commands, or each its own. */
type Meaning = string | Readonly<Record<Serving, string>>;

export const settingHelp: ReadonlyArray<
  readonly [name: SettingName, value: string, meaning: Meaning]
> = [
  [
    'port',
    'n',
    {
      serve: 'TCP port; 0 takes a free one (7733)',
      proxy: 'TCP port; 0 takes a free one (8080)',
    },
  ],
  [
    'host',
    'name',
    {
      serve: 'address to listen on (127.0.0.1); needs a token where others reach it',
      proxy: 'address to listen on (127.0.0.1)',
    },
  ],
  ['socket', 'path', 'listen on a unix socket instead, for its user and group'],
  [
    'upstream',
    'url',
    'the site in front of which it stands: http://host:port, https://, unix:/path',
  ],
  ['adminPort', 'n', 'the hint service too, on this port of loopback: metrics, tuning, hints'],
  [
    'maxConnections',
    'n',
    {
      serve: 'connections at once (as many as open files and memory allow); more are closed',
      proxy:
        'connections at once (as many as open files and memory allow); more are answered with 503',
    },
  ],
  [
    'maxConnectionsPerAddress',
    'n',
    'of one address, but not of loopback and --trust (three quarters of these)',
  ],
  [
    'maxUpstreamConnections',
    'n',
    'to the site; more requests wait their turn (as many as open files and memory allow)',
  ],
  [
    'responseTimeout',
    'time',
    'how long the site may take to answer, and a request to wait for its turn, before 504 (60s)',
  ],
  [
    'store',
    'store',
    'where the graph is kept: memory, sqlite:FILE, redis://... (sqlite:prefetchd.db)',
  ],
  [
    'predictor',
    'name',
    {
      serve: 'how next URLs are predicted (that of the store, else dependency-graph)',
      proxy: 'how next URLs are predicted (that of the store, else double-graph)',
    },
  ],
  ['threshold', 'p', 'hint what is more probable than this (0.5)'],
  ['window', 'w', 'accesses looked back at, 2 looks one step ahead (that of the store, else 4)'],
  ['limit', 'i', 'hints at most; inf: no limit (3)'],
  ['minClients', 'k', 'distinct clients an arc needs before it is a hint (3)'],
  ['ipv6Prefix', 'bits', 'bits of an IPv6 address that one subscriber has: 48, 56 or 64 (48)'],
  ['halfLife', 'time', 'what was learned counts half after this time; inf: for ever (7d)'],
  ['query', 'rule', 'drop-from-hints, keep, strip, or names of parameters that count'],
  ['deny', 'pattern', 'neither learned nor hinted: a word, or a /path; repeatable'],
  ['allow', 'pattern', 'never denied: a word, or a /path; repeatable'],
  ['origin', 'url', 'origin of the site: its absolute URLs become paths, others are refused'],
  ['token', 'token', 'what callers must send as Authorization: Bearer; better by variable or file'],
  ['tokenFile', 'file', 'the token is in this file'],
  ['trust', 'address', 'proxies whose X-Forwarded-For is believed; repeatable'],
  [
    'forwarded',
    'mode',
    'X-Forwarded-* for the site: append to what came, replace it, none; trusted: append from loopback and --trust, replace from strangers (trusted)',
  ],
  [
    'speculationRules',
    'on|off|path',
    'a Speculation-Rules field too, and the rules at this path, on: /speculation-rules.json (off)',
  ],
  [
    'speculationScript',
    'path',
    'there a script that does the same in browsers that know no such rules; turns them on',
  ],
  [
    'earlyHints',
    'h2|on|off',
    '103 with what a page embeds: over HTTP/2, wherever it can be said, or never (h2)',
  ],
  [
    'hintHeader',
    'when',
    'Prefetch-Hints fields with probabilities: on-request, on or off (on-request)',
  ],
  [
    'follow',
    'file',
    'learn from this access log as it is written, rotated or truncated; repeatable',
  ],
  [
    'followFrom',
    'place',
    'end: learn what comes; start: what is there first, at every start (end)',
  ],
  ['format', 'name', 'format of these logs (by their first lines)'],
  ['hintsFile', 'file', 'write the hints of all pages there as JSON, whenever they changed'],
  ['hintsMap', 'file', 'the same as lines for a map of nginx'],
  ['hintsPages', 'n', 'pages in these files at most, those asked for most (10000)'],
  ['dashboard', 'on|off', 'the page for people at / (on)'],
  ['logLevel', 'level', 'debug, info, warn, error, silent (info)'],
  ['flushInterval', 'time', 'what was learned goes to the store this often (1s)'],
];

export function addServeFlags(command: Command): Command {
  return addSettingFlags(command, 'serve').addHelpText(
    'after',
    `${commonHelp('PREFETCHD_PORT, PREFETCHD_MIN_CLIENTS', 'port, minClients')}

Examples:
  prefetchd serve
  prefetchd serve --port 7733 --store sqlite:site.db --origin https://example.org
  prefetchd serve --follow /var/log/nginx/access.log --hints-map /etc/nginx/hints.map
  prefetchd serve --socket /run/prefetchd.sock --config /etc/prefetchd.json
  PREFETCHD_TOKEN=$(openssl rand -hex 16) prefetchd serve --host 0.0.0.0 --store redis://localhost`,
  );
}

export function addProxyFlags(command: Command): Command {
  return addSettingFlags(command, 'proxy').addHelpText(
    'after',
    `${commonHelp('PREFETCHD_UPSTREAM, PREFETCHD_PORT', 'upstream, port')}

Visitors' addresses are those of their connections; behind another proxy name it with --trust.

Examples:
  prefetchd proxy --upstream http://127.0.0.1:3000 --port 80 --host 0.0.0.0
  prefetchd proxy --upstream unix:/run/site.sock --port 8000 --admin-port 7733
  prefetchd proxy --upstream http://127.0.0.1:3000 --store redis://localhost`,
  );
}

function addSettingFlags(command: Command, serving: Serving): Command {
  const names: readonly SettingName[] = settingNames[serving];
  for (const [name, value, meaning] of settingHelp) {
    if (!names.includes(name)) continue;
    const told = typeof meaning === 'string' ? meaning : meaning[serving];
    const dashed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.addOption(
      new Option(`--${dashed} <${value}>`, told)
        .env(variableOf(dashed))
        .argParser((given: string, before: unknown) => read(name, given, before)),
    );
  }
  command.addOption(new Option('--no-dashboard', 'the same as --dashboard off'));
  return command.addOption(
    new Option('--config <file>', 'settings as JSON: { "threshold": 0.4, "halfLife": "7d" }').env(
      variableOf('config'),
    ),
  );
}

function commonHelp(variables: string, names: string): string {
  return `
Each flag can be an environment variable (${variables}) or stand in the file
(${names}); flag, variable, file, in this order. Prints "listening on URL" when ready; logs JSON
to stderr. SIGTERM and SIGINT end it after what is in flight and a last flush, a second one at once.
SIGHUP reads threshold, window and limit from the file again.
Exit code: 0 ended by a signal, 1 store, log or file of hints cannot be used, 2 bad usage, or it
cannot listen.`;
}

function variableOf(dashed: string): string {
  return `PREFETCHD_${dashed.toUpperCase().replaceAll('-', '_')}`;
}

/** Commander says of which flag or variable, and its value. */
export function refuseArgument(rule: string): never {
  throw new InvalidArgumentError(`${rule}.`);
}

/** Lists grow with each flag. */
function read(name: SettingName, given: string, before: unknown): unknown {
  const value = settingOfText(name, given, refuseArgument);
  if (value === null) return Number.POSITIVE_INFINITY; // of null commander makes ''
  return Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value;
}
