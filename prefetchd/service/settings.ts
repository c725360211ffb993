// The settings of `prefetchd serve` and `prefetchd proxy`, once for flags, environment and file: how each is
// read from a text and from JSON. What their values may be is checked by those who take them (options.ts, service-options.ts).

/** A kind of value: what it must be, and how it is read; undefined: it is not that. */
export interface SettingKind<T> {
  rule: string;
  ofText: (text: string) => T | undefined;
  ofJson: (value: unknown) => T | undefined;
}

const text: SettingKind<string> = {
  rule: 'a text',
  ofText: (given) => given,
  ofJson: (value) => (typeof value === 'string' ? value : undefined),
};

const number: SettingKind<number> = {
  rule: 'a number',
  ofText: (given) => (/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(given) ? Number(given) : undefined),
  ofJson: (value) => (typeof value === 'number' ? value : undefined),
};

const isProbability = (value: number | undefined) =>
  value !== undefined && value >= 0 && value <= 1;

const probability: SettingKind<number> = {
  rule: 'a number between 0 and 1',
  ofText: (given) => (isProbability(number.ofText(given)) ? Number(given) : undefined),
  ofJson: (value) => (isProbability(number.ofJson(value)) ? Number(value) : undefined),
};

/** `inf` on the command line, `null` or "inf" in JSON. */
const numberOrInf: SettingKind<number | null> = {
  rule: 'a number, or inf',
  ofText: (given) => (given === 'inf' ? null : number.ofText(given)),
  ofJson: (value) => (value === null || value === 'inf' ? null : number.ofJson(value)),
};

const list: SettingKind<string[]> = {
  rule: 'a list of texts',
  ofText: (given) => given.split(',').map((item) => item.trim()),
  ofJson: (value) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined,
};

/** Paths may have commas in them: one in a text. */
const paths: SettingKind<string[]> = {
  rule: 'a list of paths',
  ofText: (given) => (given === '' ? undefined : [given]),
  ofJson: list.ofJson,
};

const onOff: SettingKind<boolean> = {
  rule: 'on or off',
  ofText: (given) => (given === 'on' ? true : given === 'off' ? false : undefined),
  ofJson: (value) => (typeof value === 'boolean' ? value : undefined),
};

/** One of some words, which stand for values. */
function wordOf<T>(words: Readonly<Record<string, T>>): SettingKind<T> {
  const named = new Map(Object.entries(words));
  return {
    rule: [...named.keys()].join(', ').replace(/, (\S+)$/, ' or $1'),
    ofText: (given) => named.get(given),
    ofJson: (value) => named.get(value === true ? 'on' : value === false ? 'off' : String(value)),
  };
}

/** A path of the site. */
const sitePath: SettingKind<string> = {
  rule: 'a path that begins with /',
  ofText: (given) => (given.startsWith('/') ? given : undefined),
  ofJson: (value) => (typeof value === 'string' ? sitePath.ofText(value) : undefined),
};

const onOffOrPath: SettingKind<boolean | string> = {
  rule: 'on, off or a path that begins with /',
  ofText: (given) => onOff.ofText(given) ?? sitePath.ofText(given),
  ofJson: (value) => onOff.ofJson(value) ?? sitePath.ofJson(value),
};

const places = ['end', 'start'] as const;

const place: SettingKind<(typeof places)[number]> = {
  rule: 'end or start',
  ofText: (given) => places.find((name) => name === given),
  ofJson: (value) => places.find((name) => name === value),
};

const queryRules = ['drop-from-hints', 'keep', 'strip'] as const;

/** A rule by its name, or names of the parameters that count. */
const query: SettingKind<(typeof queryRules)[number] | string[]> = {
  rule: 'drop-from-hints, keep, strip, or a list of parameter names',
  ofText: (given) => queryRules.find((rule) => rule === given) ?? list.ofText(given),
  ofJson: (value) => queryRules.find((rule) => rule === value) ?? list.ofJson(value),
};

const msOfUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function duration(given: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(given) ?? [];
  return amount === undefined ? undefined : Number(amount) * (msOfUnit[unit] as number);
}

const durationMs: SettingKind<number> = {
  rule: 'a time such as 500ms, 90s, 15m, 12h, 7d',
  ofText: duration,
  ofJson: (value) => (typeof value === 'string' ? duration(value) : undefined),
};

const durationMsOrInf: SettingKind<number | null> = {
  rule: 'a time such as 12h or 7d, or inf',
  ofText: (given) => (given === 'inf' ? null : duration(given)),
  ofJson: (value) => (value === null || value === 'inf' ? null : durationMs.ofJson(value)),
};

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const logLevel: SettingKind<(typeof logLevels)[number]> = {
  rule: `one of ${logLevels.join(', ')}`,
  ofText: (given) => logLevels.find((level) => level === given),
  ofJson: (value) => logLevels.find((level) => level === value),
};

/** By the name in a file; the flag is the same with dashes, the variable PREFETCHD_ and underscores. */
export const settingKinds = {
  port: number,
  host: text,
  socket: text,
  store: text,
  predictor: text,
  threshold: probability,
  window: number,
  limit: numberOrInf,
  minClients: number,
  ipv6Prefix: wordOf({ 48: 48, 56: 56, 64: 64 } as const),
  halfLife: durationMsOrInf,
  flushInterval: durationMs,
  query,
  deny: list,
  allow: list,
  origin: text,
  token: text,
  tokenFile: text,
  trust: list,
  dashboard: onOff,
  logLevel,
  follow: paths,
  followFrom: place,
  format: text,
  hintsFile: text,
  hintsMap: text,
  hintsPages: number,
  upstream: text,
  adminPort: number,
  maxConnections: number,
  maxConnectionsPerAddress: number,
  maxUpstreamConnections: number,
  responseTimeout: durationMs,
  forwarded: wordOf({
    trusted: 'trusted',
    append: 'append',
    replace: 'replace',
    none: 'none',
  } as const),
  earlyHints: wordOf({ h2: 'h2', on: true, off: false } as const),
  speculationRules: onOffOrPath,
  speculationScript: sitePath,
  hintHeader: wordOf({ 'on-request': 'on request', on: true, off: false } as const),
} as const;

export type SettingName = keyof typeof settingKinds;

/** Those of one command alone; the file of the other refuses them. */
const ofProxy: readonly SettingName[] = [
  'upstream',
  'adminPort',
  'maxConnectionsPerAddress',
  'maxUpstreamConnections',
  'responseTimeout',
  'forwarded',
  'earlyHints',
  'speculationRules',
  'speculationScript',
  'hintHeader',
];
const ofServe: readonly SettingName[] = ['socket', 'token', 'tokenFile'];
const names = Object.keys(settingKinds) as SettingName[];

export const settingNames = {
  serve: names.filter((name) => !ofProxy.includes(name)),
  proxy: names.filter((name) => !ofServe.includes(name)),
} as const;

export type Settings = {
  [Name in SettingName]?: Exclude<ReturnType<(typeof settingKinds)[Name]['ofJson']>, undefined>;
};
