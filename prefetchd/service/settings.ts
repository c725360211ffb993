// The settings of `prefetchd serve` and `prefetchd proxy`, defined once for flags, environment and file. Each has its
// kind, as JSON in a file, and a conversion from text to that JSON. Error messages are therefore the same for all
// three sources, and the file has a JSON Schema (schema/). A wrong name or value in it is refused and its location
// reported, so that no setting is silently ignored.

import { readFile } from 'node:fs/promises';
import {
  duration,
  either,
  listOf,
  oneOf,
  orInfinite,
  text,
  wholeNumber,
  wordOf,
} from '../../options/kinds.ts';
import {
  checked,
  isOf,
  type Kind,
  objectOf,
  optionWithoutDefault,
  type ValuesOf,
} from '../../options/options.ts';
import { withoutValue } from '../../options/refusal.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { sitesKind } from '../engine/prefetchd-options.ts';
import { PrefetchdError } from '../errors.ts';
import {
  holdbackRange,
  limitRange,
  minClientsKind,
  predictorNames,
  thresholdKind,
  windowKind,
} from '../model/model-kinds.ts';
import { originKind, queryKind } from '../normalise-url.ts';
import { speculationKinds } from '../wire/speculation-settings.ts';
import { connectionsKind, listOfTexts, portKind, prefixRule, tokenRule } from './service-kinds.ts';

const filePath = text({ rule: 'the path of a file', pattern: /^(?!https?:\/\/)./s });
/** Paths may contain commas, so a text is a single path. */
const filePaths = listOf(filePath, 'a list of paths');
const patterns = listOf(
  text({
    rule: 'a word of letters, or a path that begins with /',
    pattern: /^(?:\/|[\p{L}_-]+$)/u,
  }),
  'a list of words and paths',
);
const onOff = wordOf({ on: true, off: false });
const pathOfSite = (rule: string) => text({ rule, pattern: /^\// });

/** Settings by their name in the file; the flag has dashes, the variable PREFETCHD_ and underscores. */
export const settingKinds = {
  port: portKind,
  host: text({ rule: 'a host name or an address', pattern: /./ }),
  socket: filePath,
  // The value may contain a password.
  store: text({
    rule: 'memory, sqlite:FILE or redis://[user:password@]host[:port][/db][?prefix=NAME]',
    pattern: /^(?:memory$|sqlite:.|rediss?:\/\/)/s,
    isSecret: true,
  }),
  predictor: oneOf(predictorNames),
  threshold: thresholdKind,
  objectThreshold: thresholdKind,
  window: windowKind,
  limit: orInfinite(wholeNumber, limitRange),
  ...speculationKinds,
  minClients: minClientsKind,
  trial: wordOf({ on: true, off: false, everywhere: 'everywhere' }),
  holdback: wholeNumber(holdbackRange),
  holdbackFile: filePath,
  halfLife: orInfinite(duration, {}),
  flushInterval: duration(),
  query: queryKind,
  deny: patterns,
  allow: patterns,
  respectGpc: onOff,
  origin: originKind({}),
  sites: sitesKind,
  token: text(tokenRule),
  tokenFile: filePath,
  prefix: text(prefixRule),
  trust: listOfTexts('an address or a network', 'a list of addresses and networks'),
  dashboard: onOff,
  logLevel: oneOf(['debug', 'info', 'warn', 'error', 'silent']),
  follow: filePaths,
  followFrom: oneOf(['end', 'start']),
  format: text({ rule: 'the name of a log format', pattern: /./ }),
  fields: text({
    rule: 'pairs as client=ip,time=ts,url=path',
    pattern: /=/,
  }),
  hintsFile: filePath,
  hintsMap: filePath,
  upstream: text({
    rule: 'http://host:port, https://host:port or unix:/path',
    pattern: /^(?:https?:\/\/.|unix:\/.)/,
  }),
  adminPort: portKind,
  maxConnections: connectionsKind,
  maxUpstreamConnections: connectionsKind,
  maxRequestBodyBytes: wholeNumber({ most: 2 ** 40 }),
  requestTimeout: orInfinite(duration, {}),
  responseTimeout: duration(),
  changeOrigin: onOff,
  upstreamCa: filePath,
  tlsKey: filePath,
  tlsCert: filePath,
  forwarded: wordOf({
    trusted: 'trusted',
    append: 'append',
    replace: 'replace',
    none: 'none',
  }),
  earlyHints: wordOf({ h2: 'h2', on: true, off: false }),
  speculationRules: either([onOff, pathOfSite('on, off or a path that begins with /')]),
  speculationScript: pathOfSite('a path that begins with /'),
  dictionaries: onOff,
  beacon: wordOf({ on: 'on', off: 'off', inject: 'inject' }),
};

export type SettingName = keyof typeof settingKinds;

export type Settings = Partial<ValuesOf<typeof settingKinds>>;

/** Limits of the proxy; each is an option of createProxy whose name ends in `Ms`. */
export const proxyTimes = ['requestTimeout', 'responseTimeout'] as const;

/** Settings of one command only; the file of the other refuses them. */
const ofProxy: readonly SettingName[] = [
  'upstream',
  'adminPort',
  'maxUpstreamConnections',
  'maxRequestBodyBytes',
  ...proxyTimes,
  'changeOrigin',
  'upstreamCa',
  'tlsKey',
  'tlsCert',
  'forwarded',
  'earlyHints',
  'speculationRules',
  'speculationScript',
  'dictionaries',
  'beacon',
];
const ofServe: readonly SettingName[] = ['socket', 'token', 'tokenFile'];
const names = Object.keys(settingKinds) as SettingName[];

export const settingNames = {
  serve: names.filter((name) => !ofProxy.includes(name)),
  proxy: names.filter((name) => !ofServe.includes(name)),
} as const;

/** A file with these settings; editors find the schema by `$schema`. */
export function fileKind(known: readonly SettingName[]) {
  const schema = text({ rule: 'the place of a JSON Schema' });
  const named = known.map((name) => [
    name,
    optionWithoutDefault(settingKinds[name] as Kind<unknown>),
  ]);
  return objectOf({ $schema: optionWithoutDefault(schema), ...Object.fromEntries(named) });
}

/** Values that are never shown in messages; the code that uses them checks them. */
const secrets: readonly SettingName[] = ['token', 'store'];

const lists: readonly SettingName[] = ['deny', 'allow', 'trust'];

/** Possible meanings of a text as a value in the file, likeliest first. */
function readings(name: SettingName, given: string): unknown[] {
  const items = given.split(',').map((item) => item.trim());
  if (lists.includes(name)) return [items];
  if (name === 'follow') return [[given]];
  if (name === 'query' || name === 'sites') return [given, items];
  const isNumber = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(given);
  return isNumber ? [given, Number(given)] : [given];
}

/** A setting from a flag or a variable. @throws the result of `fail`, which receives the rule */
export function settingOfText(
  name: SettingName,
  given: string,
  fail: (rule: string) => never,
): unknown {
  if (secrets.includes(name)) return given;
  const kind = settingKinds[name];
  const all = readings(name, given);
  const value = all.find((reading) => isOf(kind, reading)) ?? all.at(-1);
  return checked(kind, value, (_, wrong) => fail(`It ${withoutValue(wrong)}`));
}

/** Reads a configuration file: a JSON object. @param known the permitted settings. @throws PrefetchdError `config-unreadable` */
export async function readConfigFile(
  path: string,
  known: readonly SettingName[] = settingNames.serve,
): Promise<Settings> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (cause) {
    throw unreadable(fileFailure(path, 'read', cause), cause);
  }
  return parseConfig(content, path, known);
}

/** @param name file name for messages. @throws PrefetchdError `config-unreadable` */
export function parseConfig(
  content: string,
  name: string,
  known: readonly SettingName[] = settingNames.serve,
): Settings {
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw unreadable(`${name} is not JSON: ${(cause as Error).message}`, cause);
  }
  const { $schema: _, ...settings } = checked(
    fileKind(known),
    value,
    (sentence) => {
      throw unreadable(`${name}: ${sentence}`);
    },
    { name: 'it', noun: '' },
  );
  return settings;
}

function unreadable(message: string, cause?: unknown): PrefetchdError {
  return new PrefetchdError('config-unreadable', message, { cause });
}
