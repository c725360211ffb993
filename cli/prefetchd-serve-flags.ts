// Flags of `prefetchd serve` and their help. A flag is stronger than its variable (PREFETCHD_ and the name),
// that than the file of --config, that than the default; so no flag has a default here.

import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type SettingKind,
  type SettingName,
  type Settings,
  settingKinds,
} from '../prefetchd/service/settings.ts';

export interface ServeFlags extends Settings {
  config?: string;
}

const help: ReadonlyArray<readonly [name: SettingName, value: string, meaning: string]> = [
  ['port', 'n', 'TCP port; 0 takes a free one (7733)'],
  ['host', 'name', 'address to listen on; one that others reach needs a token (127.0.0.1)'],
  ['socket', 'path', 'listen on a unix socket instead, for its user and group'],
  ['store', 'store', 'where the graph is kept: memory, sqlite:FILE, redis://... (memory)'],
  ['predictor', 'name', 'how next URLs are predicted (dependency-graph)'],
  ['threshold', 'p', 'hint what is more probable than this (0.5)'],
  ['window', 'w', 'accesses looked back at, 2 looks one step ahead (4)'],
  ['limit', 'i', 'hints at most; inf: no limit (3)'],
  ['minClients', 'k', 'distinct clients an arc needs before it is a hint (3)'],
  ['halfLife', 'time', 'what was learned counts half after this time; inf: for ever (7d)'],
  ['query', 'rule', 'drop-from-hints, keep, strip, or names of parameters that count'],
  ['deny', 'pattern', 'neither learned nor hinted: a word, or a /path; repeatable'],
  ['allow', 'pattern', 'never denied: a word, or a /path; repeatable'],
  ['origin', 'url', 'origin of the site: its absolute URLs become paths, others are refused'],
  ['token', 'token', 'what callers must send as Authorization: Bearer; better by variable or file'],
  ['tokenFile', 'file', 'the token is in this file'],
  ['trust', 'address', 'proxies whose X-Forwarded-For is believed; repeatable (loopback)'],
  ['logLevel', 'level', 'debug, info, warn, error, silent (info)'],
  ['flushInterval', 'time', 'what was learned goes to the store this often (1s)'],
];

export function addServeFlags(command: Command): Command {
  for (const [name, value, meaning] of help) {
    const dashed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.addOption(
      new Option(`--${dashed} <${value}>`, meaning)
        .env(variableOf(dashed))
        .argParser((given: string, before: unknown) => read(settingKinds[name], given, before)),
    );
  }
  return command
    .addOption(
      new Option('--config <file>', 'settings as JSON: { "threshold": 0.4, "halfLife": "7d" }').env(
        variableOf('config'),
      ),
    )
    .addHelpText(
      'after',
      `
Each flag can be an environment variable (PREFETCHD_PORT, PREFETCHD_MIN_CLIENTS) or stand in the file
(port, minClients); flag, variable, file, in this order. Prints "listening on URL" when ready; logs JSON
to stderr. SIGTERM and SIGINT end it after what is in flight and a last flush, a second one at once.
SIGHUP reads threshold, window and limit from the file again.
Exit code: 0 ended by a signal, 1 the store cannot be used, 2 bad usage, or it cannot listen.

Examples:
  prefetchd serve
  prefetchd serve --port 7733 --store sqlite:site.db --origin https://example.org
  prefetchd serve --socket /run/prefetchd.sock --config /etc/prefetchd.json
  PREFETCHD_TOKEN=$(openssl rand -hex 16) prefetchd serve --host 0.0.0.0 --store redis://localhost`,
    );
}

function variableOf(dashed: string): string {
  return `PREFETCHD_${dashed.toUpperCase().replaceAll('-', '_')}`;
}

/** Lists grow with each flag. */
function read(kind: SettingKind<unknown>, given: string, before: unknown): unknown {
  const value = kind.ofText(given);
  if (value === undefined) throw new InvalidArgumentError(`It must be ${kind.rule}.`);
  if (value === null) return Number.POSITIVE_INFINITY; // of null commander makes ''
  return Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value;
}

/** What the flags say, with `inf` as null again. */
export function settingsOf(flags: Settings): Settings {
  const entries = Object.entries(flags);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === Number.POSITIVE_INFINITY ? null : value]),
  );
}
