// Finds the static imports of a module, which a browser fetches before it runs the module (ECMAScript 16.2.2). The
// lexer is loaded on demand, in its form without WebAssembly, because that form is synchronous.

import { createRequire } from 'node:module';
import type { ReferenceKind } from '../reference.ts';

export interface StaticImport {
  specifier: string;
  /** Kind of the imported module by its type attribute: a script, JSON, or a style sheet. */
  kind: Extract<ReferenceKind, 'script' | 'fetch' | 'stylesheet'>;
  /** Offset of the import statement, characters from the start of the source. */
  offset: number;
}

type Lexer = typeof import('es-module-lexer/js');

let lexer: Lexer | null = null;

const kinds: Readonly<Record<string, StaticImport['kind']>> = { json: 'fetch', css: 'stylesheet' };

/** Returns the static imports in order, each once; [] if the source is not a valid module. */
export function staticImports(source: string): StaticImport[] {
  if (!/\b(?:import|export)\b/.test(source)) return [];
  lexer ??= createRequire(import.meta.url)('es-module-lexer/js') as Lexer;
  const found = new Map<string, StaticImport>();
  try {
    for (const each of lexer.parse(source)[0]) {
      if (each.type !== 'static' && each.type !== 'reexport-star') continue;
      const type = each.attributes?.find(([key]) => key === 'type')?.[1] ?? '';
      const kind = Object.hasOwn(kinds, type) ? kinds[type] : 'script';
      if (found.has(each.specifier)) continue;
      found.set(each.specifier, {
        specifier: each.specifier,
        kind: kind ?? 'script',
        offset: each.importStart,
      });
    }
  } catch {
    return []; // after a syntax error a browser fetches no imports
  }
  return [...found.values()];
}
