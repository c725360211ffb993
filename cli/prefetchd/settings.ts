// Lists the settings of `prefetchd serve` and `prefetchd proxy`. One that is written as a library's option has its flag,
// kind and meaning in that option's row (`settingOf`), the others have them here. Flags, variables, the file of
// --config, its JSON Schema (schema/), the table of docs/protocol.md and all error messages come from this table.

import { filePath, listOf, oneOf, onOff, portKind, text } from '../../options/kinds.ts';
import {
  type Kind,
  type Table,
  type ValueOf,
  type ValuesOf,
  withoutDefault,
} from '../../options/options.ts';
import { prefetchdTable } from '../../prefetchd/engine/prefetchd-options.ts';
import { logTable } from '../../prefetchd/log/log-table.ts';
import { denyLists } from '../../prefetchd/rules/deny-list.ts';
import { usualPort } from '../../prefetchd/service/listening.ts';
import { serviceTable } from '../../prefetchd/service/service-options.ts';
import { keptStoreForms, storeForms, storePattern } from '../../prefetchd/store/store-location.ts';
import { usualHost } from '../../process/listen-on.ts';
import { hintsTable } from '../../server/hints/hint-options.ts';
import { proxyTable } from '../../server/proxy/proxy.ts';
import { proxyRules } from '../../server/proxy/upstream-limits.ts';
import { flagOf } from '../command-error.ts';
import { tlsTable } from '../flag-values.ts';
import { helpOf } from '../option-flags.ts';
import { logLevels, usualLevel } from './log.ts';

export type Serving = 'serve' | 'proxy';

interface SettingRow {
  /** What the value is, for the help: `<file>`; in brackets if the flag may stand without a value. */
  value: string;
  /** Meaning of the setting, with the default in parentheses; it may differ for `serve` and `proxy`. */
  meaning: string | Readonly<Record<Serving, string>>;
  /** The command that has the setting; absent: `prefetchd serve` and `prefetchd proxy` have it. */
  of?: Serving;
  /** The library's option that the setting sets, if it has another name. */
  option?: string;
}

export interface Setting<Settled extends Kind<unknown> = Kind<unknown>> extends SettingRow {
  kind: Settled;
}

function setting<Settled extends Kind<unknown>>(
  kind: Settled,
  value: string,
  meaning: SettingRow['meaning'],
  more: Pick<SettingRow, 'of' | 'option'> = {},
): Setting<Settled> {
  return { kind, value, meaning, ...more };
}

/** Makes the setting of an option: its flag, meaning and kind are in the option's row. */
function settingOf<Rows extends Table, Name extends keyof Rows & string>(
  table: Rows,
  option: Name,
  more: Pick<SettingRow, 'of' | 'option'> = {},
): Setting<Kind<ValueOf<Rows[Name]>>> {
  const row = table[option] as Kind<unknown>;
  const [, value = ''] = (row.flag ?? '').split(/ (.*)/);
  const kind = (row.written ?? withoutDefault(row)) as Kind<ValueOf<Rows[Name]>>;
  return { kind, value, meaning: helpOf(option, row), option, ...more };
}

/** Paths may contain commas, so the text of a flag is a single path. */
const paths = { ...listOf(filePath, 'a list of paths'), isRepeated: true };
export const defaultPorts: Readonly<Record<Serving, number>> = { serve: usualPort, proxy: 8080 };
/** The default store, a file in the current folder. */
export const defaultStore = 'sqlite:prefetchd.db';

const ofProxy = { of: 'proxy' } as const;
const ofServe = { of: 'serve' } as const;

/** Settings by their name in the file of --config. The flag is this name with dashes; the environment variable,
 *  with PREFETCHD_ before it and with underscores. */
export const settings = {
  port: setting(portKind, '<n>', {
    serve: `TCP port; 0: any free port (${defaultPorts.serve})`,
    proxy: `TCP port; 0: any free port (${defaultPorts.proxy})`,
  }),
  host: setting(
    text({ rule: 'a host name, an address, unix:/path or fd:3', pattern: /^(?!unix:(?!\/))./ }),
    '<host>',
    `address to listen on (beyond loopback, serve needs a token), or unix:/path, a socket open to its user and group, or fd:3, a TCP port that systemd passed (${usualHost})`,
  ),
  upstream: settingOf(proxyTable, 'upstream', ofProxy),
  adminPort: setting(portKind, '<n>', 'hints, metrics, tuning on this loopback port, too', ofProxy),
  maxConnections: {
    ...settingOf(proxyRules, 'maxConnections'),
    meaning: {
      serve: helpOf('', serviceTable.maxConnections),
      proxy: helpOf('', proxyRules.maxConnections),
    },
  },
  maxRequestBodyBytes: settingOf(proxyRules, 'maxRequestBodyBytes', ofProxy),
  requestTimeout: settingOf(proxyRules, 'requestTimeoutMs', ofProxy),
  responseTimeout: settingOf(proxyRules, 'responseTimeoutMs', ofProxy),
  changeOrigin: settingOf(proxyTable, 'changeOrigin', ofProxy),
  ca: settingOf(proxyTable, 'ca', ofProxy) as Setting<typeof filePath>,
  tlsKey: settingOf(tlsTable, 'tlsKey', { ...ofProxy, option: 'tls' }),
  tlsCert: settingOf(tlsTable, 'tlsCert', { ...ofProxy, option: 'tls' }),
  store: setting(
    // The value may contain a password.
    text({ rule: storeForms, pattern: storePattern, isSecret: true }),
    '<store>',
    `where the graph is kept: memory, ${keptStoreForms} (${defaultStore})`,
  ),
  predictor: settingOf(prefetchdTable, 'predictor'),
  threshold: settingOf(prefetchdTable, 'threshold'),
  window: settingOf(prefetchdTable, 'window'),
  limit: settingOf(prefetchdTable, 'limit'),
  otherLinks: settingOf(prefetchdTable, 'otherLinks'),
  prerender: settingOf(prefetchdTable, 'prerender'),
  minClients: settingOf(prefetchdTable, 'minClients'),
  trial: settingOf(prefetchdTable, 'trial'),
  holdback: settingOf(prefetchdTable, 'holdback'),
  halfLife: settingOf(prefetchdTable, 'halfLifeMs'),
  query: settingOf(prefetchdTable, 'query'),
  deny: settingOf(denyLists, 'extra', { option: 'deny.extra' }),
  allow: settingOf(denyLists, 'allow', { option: 'deny.allow' }),
  respectGpc: settingOf(hintsTable, 'respectGpc'),
  origin: settingOf(prefetchdTable, 'origin'),
  sites: settingOf(prefetchdTable, 'sites'),
  trust: settingOf(serviceTable, 'trustProxy'),
  prefix: settingOf(hintsTable, 'prefix'),
  token: settingOf(serviceTable, 'token', ofServe),
  speculationRules: settingOf(hintsTable, 'speculationRules', ofProxy),
  earlyHints: settingOf(hintsTable, 'earlyHints', ofProxy),
  dictionaries: setting(
    onOff(),
    '<on|off>',
    'send pages as their difference to pages that the client has (RFC 9842) (off)',
    ofProxy,
  ),
  beacon: settingOf(hintsTable, 'beacon', ofProxy) as Setting<Kind<boolean | 'inject'>>,
  follow: setting(
    paths,
    '<file>',
    'learn from this access log as it grows, across rotation; repeatable',
  ),
  format: settingOf(logTable, 'format'),
  hintsFile: setting(
    paths,
    '<file>',
    'write the hints of all pages to this file at each change: for nginx (.map), Caddy (.caddy), Apache and HAProxy (.txt), else JSON; repeatable',
  ),
  logLevel: setting(oneOf(logLevels), '<level>', `${logLevels.join(', ')} (${usualLevel})`, {
    option: 'log',
  }),
  flushInterval: settingOf(prefetchdTable, 'flushIntervalMs'),
};

export type SettingName = keyof typeof settings;

type KindsOfSettings = { [Name in SettingName]: (typeof settings)[Name]['kind'] };
export type Settings = Partial<ValuesOf<KindsOfSettings>>;

/** Returns the names of the settings of one command. */
export function settingsFor(serving: Serving): SettingName[] {
  const rows = Object.entries<Setting>(settings);
  const own = rows.filter(([, { of = serving }]) => of === serving);
  return own.map(([name]) => name as SettingName);
}

export function meaningFor(serving: Serving, name: SettingName): string {
  const { meaning }: Setting = settings[name];
  return typeof meaning === 'string' ? meaning : meaning[serving];
}

/** The rows of options by the names that errors of the library have, each with the flag of its setting. */
export const settingRows: Table = {
  ...Object.fromEntries(
    Object.entries<Setting>(settings).map(([name, { kind, value, option = name }]) => [
      option,
      { ...kind, flag: `${flagOf(name)} ${value}` },
    ]),
  ),
  tls: proxyTable.tls,
};
