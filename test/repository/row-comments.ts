// The comments of the rows of option tables, as TypeScript knows them and editors show them.

import { fileURLToPath } from 'node:url';
import {
  API,
  type Symbol as Declared,
  type Type,
  type UnionOrIntersectionType,
} from 'typescript/unstable/sync';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The comment of an option by its place, `batch.maxBytes`; '' if it has none. */
export type Comments = (place: string) => string;

/** Reads the comments of tables, and of kinds of objects, by the file and the name that it exports. */
export class RowComments {
  readonly #api = new API({ cwd: root });
  readonly #project;

  constructor(tsconfig = `${root}tsconfig.build.json`) {
    this.#project = this.#api.updateSnapshot({ openProject: tsconfig }).getProjects()[0];
  }

  of(file: string, name: string): Comments {
    const { checker, program } = this.#project ?? {};
    const source = program?.getSourceFile(root + file);
    const module = source && checker?.getSymbolAtLocation(source);
    const table = module && checker?.getMemberInModuleExports(module, name);
    if (table === undefined || checker === undefined) throw new Error(`${file} has no ${name}`);
    const typeOf = (symbol: Declared) => checker.getTypeOfSymbol(symbol) as Type;
    /** What may be given for an option, or the rows of a table. */
    const inside = (type: Type): Type => {
      const types = checker.getPropertyOfType(type, '~types');
      const given = types && checker.getNonNullableType(typeOf(types));
      const input = given && checker.getPropertyOfType(given, 'input');
      return input === undefined ? type : typeOf(input);
    };
    const member = (type: Type, of: string): Declared | undefined => {
      const kinds = (type as UnionOrIntersectionType).getTypes?.() ?? [type];
      return kinds.map((kind) => checker.getPropertyOfType(kind, of)).find(Boolean);
    };
    return (place) => {
      let type = /^[A-Z]/.test(name)
        ? checker.getDeclaredTypeOfSymbol(table)
        : inside(typeOf(table));
      let found: Declared | undefined;
      for (const part of place.split('.')) {
        found = member(type, part);
        if (found === undefined) throw new Error(`${name} has no ${place}`);
        type = inside(typeOf(found));
      }
      return found?.getDocumentationComment(checker).replaceAll('\n', ' ') ?? '';
    };
  }

  [Symbol.dispose](): void {
    this.#api.close();
  }
}
