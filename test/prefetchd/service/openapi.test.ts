// docs/openapi.json against the service: the routes it names are those of the app, every answer it documents
// is given by a real service and fits its schema, every example it gives is taken.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { Engine } from '../../../prefetchd/engine/engine.ts';
import type { NotLearned } from '../../../prefetchd/engine/prefetchd.ts';
import { dropReasons } from '../../../prefetchd/rules/eligibility.ts';
import { problems } from '../../../prefetchd/service/problem.ts';
import { createService } from '../../../prefetchd/service/service.ts';
import { listening } from '../../server/listening.ts';
import {
  access,
  ask,
  type Question,
  type Running,
  running,
  runningTaught,
  type Said,
} from './ask.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document
type Json = any;

const file = new URL('../../../docs/openapi.json', import.meta.url);
const document: Json = JSON.parse(readFileSync(file, 'utf8'));
const methods = ['get', 'post', 'put', 'patch', 'delete'];
const ajv = new Ajv2020({ strict: false }).addSchema({ $id: 'openapi', ...document });

/** What a $ref points to. */
function resolved(node: Json): Json {
  if (node?.$ref === undefined) return node;
  const steps: string[] = node.$ref.split('/').slice(1);
  return steps.reduce((at, step) => at[step], document);
}

function expectFits(value: unknown, schema: Json): void {
  const absolute = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  const validate = ajv.compile(JSON.parse(absolute));
  const isValid = validate(value);
  expect(validate.errors ?? [], JSON.stringify(value)).toEqual([]);
  expect(isValid).toBe(true);
}

const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  methods
    .filter((method) => item[method] !== undefined)
    .map((method) => ({ path, method, operation: item[method], any: item['x-any-method'] })),
);

const token = 'a-token-of-the-tests';
let open: Running;
let locked: Running;
let broken: Running;

beforeAll(async () => {
  const small = withConstants({ maxBodyBytes: 4096 });
  open = await runningTaught({ service: small, prefetchd: { holdback: 50 } });
  locked = await running({ service: { token } });
  const load = () => {
    throw new Error('a fault');
  };
  broken = await running({ prefetchd: { load } });
});
afterAll(async () => {
  for (const service of [open, locked, broken]) await service[Symbol.asyncDispose]();
});

/** For each operation the target and body of a request that is right. */
const right: Record<string, { target: string; body?: unknown; headers?: Record<string, string> }> =
  {
    'post /v1/accesses': { target: '/v1/accesses', body: [access('a x', '/a'), 7] },
    'post /v1/hints': { target: '/v1/hints?limit=2', body: access('a x', '/a') },
    'get /v1/hints': { target: '/v1/hints?url=/a' },
    'get /v1/speculation-rules': { target: '/v1/speculation-rules?url=/a' },
    'get /v1/prefetch.js': { target: '/v1/prefetch.js' },
    'get /v1/prefetch-beacon.js': { target: '/v1/prefetch-beacon.js' },
    'post /v1/prefetch-beacon': {
      target: '/v1/prefetch-beacon',
      body: { moment: 'shown', page: '/a', navigation: 'navigate' },
      headers: { 'X-Original-URI': '/prefetch-beacon' },
    },
    'get /v1/config': { target: '/v1/config' },
    'patch /v1/config': { target: '/v1/config', body: { limit: 3 } },
    'get /metrics': { target: '/metrics' },
    'get /healthz': { target: '/healthz' },
    'get /readyz': { target: '/readyz' },
    'get /': { target: '/' },
    'get /v1/overview': { target: '/v1/overview' },
    'get /v1/pages': { target: '/v1/pages?url=/a' },
    'get /v1/left-out': { target: '/v1/left-out' },
    'get /v1/report': { target: '/v1/report' },
    'get /dashboard/{file}': { target: '/dashboard/style.css' },
    'get /v1/page-rules': { target: '/v1/page-rules' },
    'get /v1/headers': { target: '/v1/headers', headers: { 'X-Original-URI': '/a' } },
    'get /v1/mirror': { target: '/v1/mirror', headers: { 'X-Original-URI': '/a' } },
  };

/** How each status but those of success is brought about. */
const wrong: Record<string, (target: string, question: Question) => Promise<Said>> = {
  400: (target, question) =>
    question.body === undefined
      ? ask(open.url, `${target}${target.includes('?') ? '&' : '?'}unknown=1`, question)
      : ask(open.url, target, { ...question, body: '{' }),
  304: async (target, question) => {
    const { headers } = await ask(open.url, target, question);
    return ask(open.url, target, { headers: { 'If-None-Match': headers.etag as string } });
  },
  401: (target, question) => ask(locked.url, target, question),
  403: (target, question) =>
    ask(open.url, target, { ...question, headers: { Host: 'evil.example' } }),
  404: (target, question) => ask(open.url, `${target}s`, question),
  413: (target, question) => ask(open.url, target, { ...question, body: ' '.repeat(5000) }),
  415: (target, question) =>
    ask(open.url, target, { ...question, headers: { 'Content-Type': 'text/plain' } }),
  500: (target, question) =>
    /^\/v1\/(?:config|accesses|left-out|report|pages)/.test(target)
      ? faultyStores(target, question)
      : ask(broken.url, target, question),
  503: async (target, question) => {
    const prefetchd = new Engine({});
    const service = createService(prefetchd);
    const port = await listening(createServer(service.app));
    await service.close();
    await prefetchd.close();
    return ask(`http://127.0.0.1:${port}`, target, question);
  },
};

/** A prefetchd whose every call fails, for routes that ask it for nothing that can. */
async function faultyStores(target: string, question: Question): Promise<Said> {
  const fail = () => {
    throw new Error('a fault');
  };
  const prefetchd = new Engine({});
  const { site } = prefetchd;
  const known: Json = { site, holdback: null, watch: { page: fail } };
  const faulty = new Proxy(prefetchd, {
    get: (_, name) => (name in known ? known[name] : fail()),
  });
  const service = createService(faulty);
  const { url } = await service.listen({ port: 0 });
  const said = await ask(url, target, question);
  await service.close();
  await prefetchd.close();
  return said;
}

describe('docs/openapi.json', () => {
  it('names the routes of the app, and the app those of the document', () => {
    const app: Json = open.service.app; // Express does not type its stack
    const layers: Json[] = app.router.stack.filter((layer: Json) => layer.route);
    const routes = layers.flatMap(({ route }) => {
      const named: string[] = route.stack.map((layer: Json) => layer.method).filter(Boolean);
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      return named.length === 0 ? [`any ${path}`] : named.map((m) => `${m} ${path}`);
    });
    const documented = operations.map(({ path, method, any }) => `${any ? 'any' : method} ${path}`);
    expect(routes.sort()).toEqual(documented.sort());
  });

  it('has a right request for each operation', () => {
    const keys = operations.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(right).sort()).toEqual(keys.sort());
  });

  it('names the reasons and problems there are', () => {
    const own = ['malformed', 'query', 'repeat', 'flood'] as const;
    const missing: Exclude<NotLearned, (typeof dropReasons)[number] | (typeof own)[number]>[] = [];
    const known: readonly NotLearned[] = [...dropReasons, ...own, ...missing];
    expect(document.components.schemas.Reason.enum).toEqual(known);
    const codes = document.components.schemas.Problem.properties.code.enum;
    expect(codes.toSorted()).toEqual(Object.keys(problems).sort());
  });

  const documented = operations.flatMap(({ path, method, operation }) =>
    Object.entries<Json>(operation.responses).map(([status, given]) => {
      return { path, method, status, response: resolved(given) };
    }),
  );

  it.each(documented)(
    '$method $path answers $status as described',
    async ({ path, method, status, response }) => {
      const { target, body, headers } = right[`${method} ${path}`] as (typeof right)[string];
      const sent = { ...(body !== undefined && { body }), ...(headers && { headers }) };
      const question: Question = { method: method.toUpperCase(), ...sent };
      const said = await (wrong[status]?.(target, question) ?? ask(open.url, target, question));
      expect(String(said.status)).toBe(status);
      const [type, media] = Object.entries<Json>(response.content ?? {})[0] ?? [];
      expect(said.headers['content-type']?.replace(/;.*/, '')).toBe(type);
      if (media) expectFits(said.json ?? said.text, media.schema);
      for (const [name, header] of Object.entries<Json>(response.headers ?? {})) {
        const value = said.headers[name.toLowerCase()];
        if (header.required || value !== undefined) expectFits(value, header.schema);
      }
    },
  );

  const examples = operations.flatMap(({ path, method, operation }) => {
    const { schema, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
    return Object.entries<Json>(examples).map(([name, { value }]) => {
      return { path, method, name, value, schema };
    });
  });

  it.each(examples)(
    '$method $path: the example $name fits and is taken',
    async ({ path, method, value, schema }) => {
      expectFits(value, schema);
      const { status } = await ask(open.url, path, { method: method.toUpperCase(), body: value });
      expect(status).toBe(200);
    },
  );

  it('every field of an access that is documented is read, and no other field is', async () => {
    const fields = Object.keys(document.components.schemas.Access.properties);
    for (const field of [...fields, 'referer']) {
      const body = [{ ...access('a x', '/a'), [field]: {} }];
      const { json } = await ask(open.url, '/v1/accesses', { method: 'POST', body });
      const place = json.errors?.[0]?.place;
      const read = (place ?? '').split('.').slice(0, 2).join('.');
      expect(read, field).toBe(field === 'referer' ? '' : `accesses[0].${field}`);
    }
  });

  const refusing = operations.filter(
    ({ operation }) => operation.responses[400] && operation.requestBody === undefined,
  );

  it.each(refusing)('$method $path: the parameters are those that are documented', async (one) => {
    const { path, method, operation } = one;
    const question = { method: method.toUpperCase() };
    const { target } = right[`${method} ${path}`] as (typeof right)[string];
    const { json } = await (wrong[400] as (typeof wrong)[string])(target, question);
    const known = /^parameter "unknown" is unknown; there are (.*)$/.exec(json.detail)?.[1];
    const described: Json[] = (operation.parameters ?? []).map(resolved);
    const documented = described.filter((each) => each.in === 'query');
    const names = documented.map(({ name }) => name).sort();
    expect(known?.split(', ').sort()).toEqual(names.length === 0 ? ['none'] : names);
    for (const { name, schema } of documented) {
      const { type, enum: listed = [] } = resolved(schema);
      for (const value of type === 'boolean' ? [true, false] : listed) {
        const { status } = await ask(open.url, `${target}&${name}=${value}`, question);
        expect([name, value, status]).toEqual([name, value, 200]);
      }
    }
  });

  it('which page an object is for is answered as described', async () => {
    await using service = await running({ prefetchd: { predictor: 'double-graph' } });
    const way = ['/a', '/a.png', '/b', '/b.png'].map((url) => ({ client: 'one x', url }));
    await service.post('/v1/accesses', way);
    const { json } = await service.get('/v1/hints?url=/a');
    expectFits(json, document.components.schemas.Hints);
    const told = json.hints.map(({ url, navigation }: Json) => [url, navigation]);
    expect(Object.fromEntries(told)).toEqual({ '/a.png': 'current', '/b.png': 'next' });
  });

  it('what rules say, and who is held back, is answered as described', async () => {
    const target = '/v1/hints?url=/a&rules=true&client=192.0.2.';
    const asking = Array.from({ length: 20 }, (_, at) => open.get(`${target}${at}`));
    const answers = await Promise.all(asking);
    for (const { json } of answers) expectFits(json, document.components.schemas.Hints);
    expect(answers[0]?.json.speculation).toMatchObject({ immediateFrom: 0.75 });
    expect(answers.some(({ json }) => json.heldBack === true)).toBe(true);
    const { status } = await ask(open.url, '/v1/hints?url=/a&limit=0');
    expect(status).toBe(400);
  });

  it('examples of answers fit their schemas', () => {
    for (const { response } of documented) {
      for (const media of Object.values<Json>(response.content ?? {})) {
        if (media.example !== undefined) expectFits(media.example, media.schema);
      }
    }
  });
});
