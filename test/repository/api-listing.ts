// All that programs may import, as its declarations say it, without comments: docs/api.txt. A change of the public surface
// is a change of that file. `npm run api` writes it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
export const listingFile = join(root, 'docs/api.txt');

export function apiListing(): string {
  const out = mkdtempSync(join(tmpdir(), 'loadahead-api-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const project = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly'];
    execFileSync(process.execPath, [compiler, ...project, '--outDir', out]);
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const doors = Object.entries(exports as Record<string, { types?: string }>).flatMap(
      ([door, { types }]) => (types === undefined ? [] : [{ door, types }]),
    );
    const sections = doors.map(({ door, types }) => {
      const names = exportsOf(join(out, types.replace('./dist/', '')));
      const title = `# loadahead${door.slice(1)}`;
      return [title, ...[...names].sort(byName).map(([, text]) => text)].join('\n\n');
    });
    return `${sections.join('\n\n\n')}\n`;
  } finally {
    rmSync(out, { recursive: true });
  }
}

const byName = ([one]: [string, string], [other]: [string, string]) => (one < other ? -1 : 1);

/** Name -> declaration, of all that a file exports. */
function exportsOf(file: string): Map<string, string> {
  const text = withoutComments(readFileSync(file, 'utf8'));
  const found = new Map<string, string>();
  for (const [, list = '', from] of text.matchAll(
    /export (?:type )?\{([^}]*)\}(?: from '([^']+)')?;/g,
  )) {
    for (const part of list.split(',')) {
      const [name = '', as = name] = part
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      if (name === '') continue;
      const declared =
        from === undefined ? declaration(file, text, name) : imported(file, from, name);
      found.set(as, declared);
    }
  }
  for (const [, name = ''] of text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)/gm,
  )) {
    found.set(name, declaration(file, text, name));
  }
  return found;
}

function imported(file: string, from: string, name: string): string {
  const target = join(dirname(file), from.replace(/\.(?:js|ts)$/, '.d.ts'));
  const declared = exportsOf(target).get(name);
  if (declared === undefined) throw new Error(`${target} does not export ${name}`);
  return declared;
}

/** From its first word to the end of its statement. */
function declaration(file: string, text: string, name: string): string {
  const start = new RegExp(
    `^(?:export )?(?:declare )?(?:abstract )?(interface|type|class|function|const) ${name}\\b`,
    'm',
  ).exec(text);
  if (start === null) {
    // Imported, and handed on.
    const imports = new RegExp(`import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from '([^']+)'`);
    const from = imports.exec(text)?.[1];
    if (from === undefined) throw new Error(`no declaration of ${name} in ${file}`);
    return imported(file, from, name);
  }
  const endsWithBrace = start[1] === 'interface' || start[1] === 'class';
  let depth = 0;
  for (let at = start.index; at < text.length; at++) {
    const character = text[at] as string;
    if ('{(['.includes(character)) depth++;
    if ('})]'.includes(character)) depth--;
    const isEnd = endsWithBrace ? character === '}' : character === ';';
    if (isEnd && depth === 0) {
      const said = text.slice(start.index, at + 1);
      const own = said.replace(/^(?:export )?(?:declare )?/, '').replace(/\n\s*\n/g, '\n');
      return [own, ...rowsIn(own, file, text)].join('\n');
    }
  }
  throw new Error(`the declaration of ${name} does not end`);
}

/** The tables that a type of options is made of; a value and what is given for it are said once if equal. */
function rowsIn(said: string, file: string, text: string): string[] {
  if (!said.startsWith('type ')) return [];
  const names = [...said.matchAll(/\b(?:OptionsOf|ValuesOf)<typeof (\w+)>/g)].map(
    ([, name]) => name as string,
  );
  return names.map((name) =>
    declaration(file, text, name)
      .replaceAll(/import\("[^"]*"\)\./g, '')
      .replaceAll(/\b(Option|OptionWithoutDefault|Kind)<(.+), \2>;/g, '$1<$2>;'),
  );
}

function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*\*?[\s\S]*?\*\/\n?/gm, '').replace(/^\s*\/\/.*\n/gm, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(listingFile, apiListing());
