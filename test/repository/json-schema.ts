// Tables of options as JSON Schema: for tables of documents, for editors, for docs/openapi.json.

import type { Kind } from '../../options/options.ts';
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

export function jsonSchemaOf(kind: Kind<unknown>): JsonSchema {
  return mapped(kind.schema) as JsonSchema;
}

/** Without bounds that bound nothing; `null` as one type of several. */
function mapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapped);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== undefined);
  const { anyOf = [], ...rest }: JsonSchema = Object.fromEntries(
    kept.map(([name, each]) => [name, mapped(each)]),
  );
  const [one, other] = anyOf;
  if (anyOf.length === 2 && one?.type !== undefined && other?.type === 'null') {
    return { ...one, type: [one.type, 'null'].flat(), ...rest };
  }
  return anyOf.length === 0 ? rest : { ...rest, anyOf };
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
