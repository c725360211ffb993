// Tables of options as JSON Schema: for tables of documents, for editors, for docs/openapi.json.

import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Comments } from './row-comments.ts';

/** As far as our tables come to. */
export interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  maxItems?: number;
  pattern?: string;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean;
  description?: string;
  default?: unknown;
}

type LibrarySchema = ReturnType<NonNullable<ConversionConfig['overrideSchema']>>;

/** What is no JSON (functions, what createHttpCache returns) is any value there. */
export function jsonSchemaOf(kind: GenericSchema): JsonSchema {
  const overrideSchema: ConversionConfig['overrideSchema'] = ({ valibotSchema }) =>
    'describes' in valibotSchema
      ? (jsonSchemaOf(valibotSchema.describes as GenericSchema) as LibrarySchema)
      : null;
  const { $schema: _, ...schema } = toJsonSchema(
    kind as never,
    { typeMode: 'input', errorMode: 'ignore', overrideSchema } as ConversionConfig,
  );
  return plain(schema as JsonSchema);
}

/** Without bounds that bound nothing, and without what is for our tables alone; `null` as one type of several. */
function plain(schema: JsonSchema): JsonSchema {
  return mapped(schema) as JsonSchema;
}

function mapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapped);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, each]) => !isVoid(name, each));
  const { anyOf = [], ...rest }: JsonSchema = Object.fromEntries(
    kept.map(([name, each]) => [name, mapped(each)]),
  );
  const [one, other] = anyOf;
  if (anyOf.length === 2 && one?.type !== undefined && other?.type === 'null') {
    return { ...one, type: [one.type, 'null'].flat(), ...rest };
  }
  return anyOf.length === 0 ? rest : { ...rest, anyOf };
}

function isVoid(name: string, value: unknown): boolean {
  if (name === 'shownDefault') return true;
  if (name === 'pattern') return value === '^';
  if (name === 'required') return Array.isArray(value) && value.length === 0;
  const isBound = /^(?:maximum|minimum|maxItems)$/.test(name);
  return isBound && Math.abs(value as number) >= Number.MAX_SAFE_INTEGER;
}

/** With the comments of its rows. */
export function described(schema: JsonSchema, comments: Comments, place = ''): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const description = comments(place + name);
    const inside = property.properties
      ? described(property, comments, `${place}${name}.`)
      : property;
    return [name, { ...inside, ...(description !== '' && { description }) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
