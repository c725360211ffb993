// All that is written of the tables of options: tables of docs/, schema/ for editors of the configuration file, and of
// docs/openapi.json what is in tables. `npm run options` writes it.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fileKind } from '../../cli/prefetchd/read-settings.ts';
import {
  meaningFor,
  type Serving,
  type Setting,
  type SettingName,
  settings,
  settingsFor,
} from '../../cli/prefetchd/settings.ts';
import { wholeNumber } from '../../options/kinds.ts';
import { checked } from '../../options/options.ts';
import { accessKind } from '../../prefetchd/access.ts';
import { tuningChangeKind } from '../../prefetchd/engine/prefetchd-options.ts';
import { limitKind, limitRange, thresholdKind } from '../../prefetchd/model/model-kinds.ts';
import { problems } from '../../prefetchd/service/problem.ts';
import { tuningLasts } from '../../prefetchd/service/routes/watching-routes.ts';
import { leftOutKind } from '../../prefetchd/wire/left-out-json.ts';
import { described, type JsonSchema, jsonSchemaOf } from './json-schema.ts';
import { madeTables } from './made-tables.ts';
import { type Column, markdownTable, withTables } from './option-tables.ts';
import { RowComments } from './row-comments.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const short: Column[] = ['option', 'default', 'meaning'];
const limits: Column[] = ['limit', 'default', 'range', 'unit', 'meaning'];
const long: Column[] = ['option', 'default', 'unit', 'meaning', 'range'];

const commands: readonly Serving[] = ['serve', 'proxy'];

/** As `npm run format` leaves it. */
function formatted(document: object): string {
  const biome = `${root}node_modules/@biomejs/biome/bin/biome`;
  const args = [biome, 'format', '--stdin-file-path', 'document.json'];
  const input = JSON.stringify(document, null, 2);
  return execFileSync(process.execPath, args, { cwd: root, input, encoding: 'utf8' });
}

/** What a setting must be, as a refusal says it: `must be a whole number from 0 to 65535`. */
function ruleOf(name: SettingName): string {
  try {
    checked(settings[name].kind, Symbol(), (_, __, ___, rule) => {
      throw new Error(rule);
    });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`${name} takes anything`);
}

function settingTable(): string {
  const rows = (Object.keys(settings) as SettingName[]).map((name) => {
    const { meaning, option = name }: Setting = settings[name];
    const ofWhich = commands.filter((command) => settingsFor(command).includes(name));
    const said =
      typeof meaning === 'string'
        ? meaning
        : commands.map((command) => `${command}: ${meaning[command]}`).join('; ');
    const set = option === name ? '' : `\`${option}\``;
    return [`\`${name}\``, ofWhich.join(', '), set, ruleOf(name), said];
  });
  const head = ['setting', 'of', 'sets', 'rule', 'meaning (default)'];
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/</g, '&lt;');

/** For editors; each command has its own, for it refuses what is of the other. */
function fileSchema(command: Serving): string {
  const { properties = {}, ...schema } = jsonSchemaOf(fileKind(settingsFor(command)));
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    { description: meaningOf(name, command), ...property },
  ]);
  const document = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `Configuration file of prefetchd ${command}`,
    ...schema,
    properties: Object.fromEntries(described),
  };
  return formatted(document);
}

function meaningOf(name: string, command: Serving): string {
  if (name === '$schema') return 'Where this schema is, for editors.';
  return meaningFor(command, name as SettingName);
}

/** Of the API what is in tables; the rest of the document is written by hand. */
function openApi(document: string, comments: RowComments): string {
  const api = JSON.parse(document);
  const { schemas, parameters } = api.components;
  const schemaOf = (kind: Parameters<typeof jsonSchemaOf>[0], file: string, name: string) =>
    described(jsonSchemaOf(kind), comments.of(`prefetchd/${file}`, name));
  const change = schemaOf(tuningChangeKind, 'engine/prefetchd-options.ts', 'tuningChangeKind');
  const access = schemaOf(accessKind, 'access.ts', 'accessKind');
  const fields = access.properties as Record<string, JsonSchema>;
  const { enum: known, type: _, ...saidOfKind } = fields.kind as JsonSchema;
  schemas.Kind.enum = known;
  const kind = { $ref: '#/components/schemas/Kind', ...saidOfKind };
  schemas.Access = { ...access, properties: { ...fields, kind } };
  const leftOut = schemaOf(leftOutKind, 'wire/left-out-json.ts', 'leftOutKind');
  const leftOutFields = leftOut.properties as Record<string, JsonSchema>;
  const kindLeftOut = { $ref: '#/components/schemas/Kind' };
  schemas.LeftOutAccess = { ...leftOut, properties: { ...leftOutFields, kind: kindLeftOut } };
  schemas.Change = change;
  const tuning = Object.keys(change.properties ?? {});
  schemas.Tuning = { ...change, required: tuning };
  schemas.Tuned = {
    ...change,
    properties: { ...change.properties, lasts: { const: tuningLasts } },
    required: [...tuning, 'lasts'],
  };
  schemas.Problem.properties.code.enum = Object.keys(problems);
  parameters.Threshold.schema = jsonSchemaOf(thresholdKind);
  // In a query there is no null.
  parameters.Limit.schema = { oneOf: [jsonSchemaOf(wholeNumber(limitRange)), { const: 'inf' }] };
  schemas.HintRequest = withQuestion(schemas.HintRequest);
  return formatted(api);
}

/** Threshold and limit of one question, wherever they stand in it. */
function withQuestion(schema: unknown): unknown {
  const question: Record<string, JsonSchema> = {
    threshold: jsonSchemaOf(thresholdKind),
    limit: jsonSchemaOf(limitKind),
  };
  return JSON.parse(JSON.stringify(schema), (name, value) => {
    const known = question[name];
    return known === undefined ? value : { ...known, ...pick(value, 'description') };
  });
}

function pick(from: object, name: string): object {
  return name in from ? { [name]: (from as Record<string, unknown>)[name] } : {};
}

/** Of each document the name of each table, with the columns, the file and the name that it exports. */
const tables: Readonly<
  Record<string, Readonly<Record<string, readonly [Column[], string, string]>>>
> = {
  'docs/hints.md': { hints: [short, 'server/hints/hint-options.ts', 'hintsTable'] },
  'docs/loader.md': {
    createScanner: [short, 'loader/scan/scanner-options.ts', 'scannerTable'],
    createHttpCache: [long, 'loader/cache/cache.ts', 'cacheTable'],
    createMemoryStore: [long, 'loader/cache/memory-cache-store.ts', 'memoryTable'],
    createSqliteStore: [long, 'loader/cache/sqlite/sqlite-cache-store.ts', 'sqliteTable'],
  },
  'docs/options.md': { createLoader: [long, 'loader/options.ts', 'loaderTable'] },
  'docs/server.md': {
    createOrigin: [short, 'server/origin/origin-options.ts', 'originTable'],
    limits: [limits, 'server/listen/limits.ts', 'rules'],
    getAll: [short, 'server/get-all/get-all.ts', 'getAllTable'],
    createProxy: [short, 'server/proxy/proxy.ts', 'proxyTable'],
    'limits towards the upstream': [limits, 'server/proxy/upstream-limits.ts', 'upstreamRules'],
  },
  'docs/learning.md': {
    createPrefetchd: [long, 'prefetchd/engine/prefetchd-options.ts', 'prefetchdTable'],
    createService: [long, 'prefetchd/service/service-options.ts', 'serviceTable'],
  },
};

async function tablesOf(file: string, comments: RowComments): Promise<Record<string, string>> {
  const made = Object.entries(tables[file] ?? {}).map(async ([of, [columns, source, name]]) => {
    const { [name]: table } = await import(root + source);
    return [of, markdownTable(table, columns, comments.of(source, name))];
  });
  return Object.fromEntries(await Promise.all(made));
}

/** File -> as it should be. */
export async function optionDocuments(): Promise<Map<string, string>> {
  const read = (file: string) => readFileSync(root + file, 'utf8');
  using comments = new RowComments();
  const api = openApi(read('docs/openapi.json'), comments);
  const documents = new Map([
    ['docs/protocol.md', withTables(read('docs/protocol.md'), { settings: settingTable() })],
    ['schema/prefetchd-serve.json', fileSchema('serve')],
    ['schema/prefetchd-proxy.json', fileSchema('proxy')],
    ['docs/openapi.json', api],
  ]);
  for (const file of Object.keys(tables)) {
    documents.set(file, withTables(read(file), await tablesOf(file, comments)));
  }
  for (const [file, made] of Object.entries(await madeTables(api))) {
    documents.set(file, withTables(documents.get(file) ?? read(file), made, 'made'));
  }
  return documents;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of await optionDocuments()) writeFileSync(root + file, text);
}
