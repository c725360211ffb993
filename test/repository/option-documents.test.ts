// What is written of the tables of options says what the code does, and what readers make of it is the same.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../cli/prefetchd/read-settings.ts';
import { type Serving, settingsFor } from '../../cli/prefetchd/settings.ts';
import { fencedBlocks } from '../docs/fenced-blocks.ts';
import { optionDocuments } from './option-documents.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(root + file, 'utf8');

const documents = await optionDocuments();

it.each([...documents.keys()])('%s is current; `npm run options` writes it anew', (file) => {
  expect(read(file)).toBe(documents.get(file));
});

it('no table is cut in two: a blank line would end it for readers', () => {
  for (const file of ['docs/options.md', 'docs/server.md', 'docs/hints.md', 'docs/learning.md']) {
    // Behind a blank line a table begins with its head, and the rule below that.
    expect(read(file), file).not.toMatch(/\n\n\|[^\n]*\n(?!\| ?-)/);
  }
});

it('docs/openapi.json is a valid OpenAPI document', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(read('docs/openapi.json')));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

describe.each(['serve', 'proxy'] as const)('schema/prefetchd-%s.json', (command) => {
  const schema = JSON.parse(read(`schema/prefetchd-${command}.json`));
  const isValid: ValidateFunction = new Ajv({ strictTypes: false }).compile(schema);

  const taken = (file: unknown): boolean => {
    try {
      parseConfig(JSON.stringify(file), 'a.json', settingsFor(command));
      return true;
    } catch {
      return false;
    }
  };

  it('has each setting of the command, and what it means', () => {
    const { $schema, ...properties } = schema.properties;
    expect($schema).toBeDefined();
    expect(Object.keys(properties)).toEqual(settingsFor(command));
    for (const [name, { description }] of Object.entries<{ description: string }>(properties)) {
      expect(description.length, name).toBeGreaterThan(10);
    }
  });

  it('takes the examples of the documents, as the command does', () => {
    const examples = examplesOf(command);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect([isValid(example), taken(example)], JSON.stringify(isValid.errors)).toEqual([
        true,
        true,
      ]);
    }
  });

  const ofBoth: Record<string, { good: unknown[]; bad: unknown[] }> = {
    port: { good: [0, 65_535], bad: [-1, 65_536, 1.5, '80', null] },
    host: { good: ['::1', 'unix:/run/a.sock'], bad: ['', 'unix:a.sock', 1, null] },
    store: {
      good: ['memory', 'sqlite:a b.db', 'redis://a', 'rediss://u:p@a/1?prefix=x'],
      bad: ['sqlite:', 'mysql://a', 'memory:', 1],
    },
    predictor: { good: ['dependency-graph'], bad: ['oracle', '', 1] },
    threshold: { good: [0, 0.4, 2], bad: [-0.1, 2.1, '0.4', null] },
    window: { good: [2, 100], bad: [1, 101, 2.5, '4'] },
    limit: { good: [1, 10_000, null, 'inf'], bad: [0, 10_001, 1.5, 'none', '3'] },
    minClients: { good: [1, 6], bad: [0, 7] },
    halfLife: { good: ['7d', '1.5h', 'inf', null], bad: [7, '7', '-7d', '7 d', ''] },
    flushInterval: { good: ['500ms'], bad: ['inf', null, 500] },
    query: { good: ['keep', ['page', 'lang'], []], bad: ['page', [1], {}] },
    deny: { good: [[], ['vote', '/private', 'straße']], bad: ['vote', [1], ['a b'], [''], null] },
    origin: { good: ['https://example.org'], bad: ['example.org', 'ftp://a', 1] },
    trust: { good: [['10.0.0.0/8'], []], bad: ['10.0.0.0/8', [''], [1]] },
    respectGpc: { good: [true, false, 'on', 'off'], bad: ['yes', 1, null] },
    logLevel: { good: ['silent'], bad: ['loud'] },
    follow: { good: [['/var/log/a, b.log']], bad: ['/var/log/a.log', ['']] },
    maxConnections: { good: [1, 1_000_000], bad: [0, 0.5, 'many'] },
    $schema: { good: ['./a.json'], bad: [1] },
    colour: { good: [], bad: ['red'] },
  };
  const ofOne: Record<Serving, typeof ofBoth> = {
    serve: {
      token: { good: ['a-token-of-the-tests'], bad: ['short', 'with a blank in it', 1] },
      upstream: { good: [], bad: ['http://a'] },
    },
    proxy: {
      upstream: { good: ['http://a:1', 'https://a', 'unix:/a'], bad: ['ftp://a', 'unix:a', 1] },
      responseTimeout: { good: ['2m'], bad: [60, 'inf'] },
      earlyHints: { good: ['h2', 'on', 'off', true, false], bad: ['h3', 1] },
      speculationRules: { good: ['on', false, '/a.js'], bad: ['a.js', 1] },
      token: { good: [], bad: ['a-token-of-the-tests'] },
    },
  };

  it.each(Object.entries({ ...ofBoth, ...ofOne[command] }))(
    'says of %s what the reader of the file says',
    (name, { good, bad }) => {
      for (const value of [...good, ...bad]) {
        const file = { [name]: value };
        const isGood = good.includes(value);
        expect([value, isValid(file), taken(file)]).toEqual([value, isGood, isGood]);
      }
    },
  );
});

/** Blocks of JSON that name the schema of the command. */
function examplesOf(command: Serving): unknown[] {
  return ['docs/protocol.md', 'docs/server.md', 'examples/proxy/README.md'].flatMap((file) =>
    fencedBlocks(read(file))
      .filter(({ text }) => text.includes(`schema/prefetchd-${command}.json`))
      .map(({ text }) => JSON.parse(text)),
  );
}
