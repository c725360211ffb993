// Tables of docs/ that are made of what the code says beside its names: error codes and reasons in their lists, endpoints
// and fields in docs/openapi.json, problems, metrics with their help. A table stands between `<!-- made: NAME -->` and
// `<!-- end of made -->`.

import { readFileSync } from 'node:fs';
import { createPrefetchd } from '../../prefetchd/index.ts';
import { createService } from '../../prefetchd/service/index.ts';
import { problems } from '../../prefetchd/service/problem.ts';
import type { JsonSchema } from './json-schema.ts';

const root = new URL('../../', import.meta.url);

function tableOf(...[head = [], ...rows]: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ').replaceAll('\n', ' ')} |`).join('\n');
}

/** Of a list of names, each with a comment behind it: `'too-slow', // Why.` */
function listedNames(file: string, name: string): string {
  const lines = [...readFileSync(new URL(file, root), 'utf8').matchAll(/^ {2}'([a-z-]+)',(.*)$/gm)];
  const rows = lines.map(([, listed, comment = '']) => {
    if (!comment.startsWith(' // ')) throw new Error(`${file} says nothing of ${listed}`);
    return [`\`${listed}\``, comment.slice(4)];
  });
  return tableOf([name, 'meaning'], ...rows);
}

function endpoints(paths: Record<string, Record<string, { summary?: string }>>): string {
  const rows = Object.entries(paths).flatMap(([path, { 'x-any-method': any, ...methods }]) =>
    Object.entries(methods).map(([method, { summary = '' }]) => {
      const how = any ? 'any' : method.toUpperCase();
      return [`\`${how} ${path.replace(/\{(\w+)\}/g, ':$1')}\``, summary];
    }),
  );
  return tableOf(['endpoint', 'does'], ...rows);
}

function fields({ properties }: { properties: Record<string, JsonSchema> }): string {
  const rows = Object.entries(properties).map(([name, { description, default: byDefault }]) => {
    const absent = byDefault === undefined ? '' : `; absent: ${byDefault}`;
    return [`\`${name}\``, `${description}${absent}`];
  });
  return tableOf(['field', 'meaning'], ...rows);
}

async function metrics(): Promise<string> {
  const service = createService(createPrefetchd());
  const { url } = await service.listen({ port: 0 });
  const text = await (await fetch(new URL('/metrics', url))).text();
  await service.close();
  const rows = [...text.matchAll(/^# HELP (prefetchd_\S+) (.*)$/gm)];
  return tableOf(
    ['metric', 'meaning'],
    ...rows.map(([, name, help]) => [`\`${name}\``, `${help}`]),
  );
}

/** Of each document the name of each table, and the table. */
export async function madeTables(openApi: string) {
  const { paths, components } = JSON.parse(openApi);
  const codes = Object.entries(problems).map(([code, said]) => [
    `\`${code}\``,
    ...said.map(String),
  ]);
  return {
    'docs/errors.md': {
      LoaderError: listedNames('loader/errors.ts', 'code'),
      ServerError: listedNames('server/errors.ts', 'code'),
      PrefetchdError: listedNames('prefetchd/errors.ts', 'code'),
    },
    'docs/protocol.md': {
      endpoints: endpoints(paths),
      fields: fields(components.schemas.Access),
      reasons: listedNames('prefetchd/rules/eligibility.ts', 'reason'),
      problems: tableOf(['code', 'status', 'meaning'], ...codes),
      metrics: await metrics(),
    },
  };
}
