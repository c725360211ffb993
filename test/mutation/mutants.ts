// Small faults put into a source file, one at a time: each is a place in its text and what stands there instead.

import { parseAst } from 'rolldown/parseAst';

export interface Mutant {
  file: string;
  /** From 1. */
  line: number;
  start: number;
  end: number;
  before: string;
  after: string;
}

/** A node of the ESTree, as far as it is looked at. */
interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const swapped: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
};

/** All that can be put into this file. Types and what is thrown are left as they are. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const found: Mutant[] = [];
  const add = ({ start, end }: Pick<Node, 'start' | 'end'>, after: string): void => {
    const line = text.slice(0, start).split('\n').length;
    found.push({ file, line, start, end, before: text.slice(start, end), after });
  };
  const visit = (node: Node): void => {
    const { type } = node;
    if (type === 'ThrowStatement' || /^(?:TS|Import|Export(?:All|Specifier))/.test(type)) return;
    if (type === 'BinaryExpression' || type === 'LogicalExpression') {
      const { left, right, operator } = node as Node & {
        left: Node;
        right: Node;
        operator: string;
      };
      const other = swapped[operator];
      const isText = [left, right].some(
        (side) => side.type === 'TemplateLiteral' || typeof side.value === 'string',
      );
      const start = text.indexOf(operator, left.end);
      if (other !== undefined && !(isText && operator === '+')) {
        add({ start, end: start + operator.length }, other);
      }
    } else if (type === 'Literal' && typeof node.value === 'boolean') add(node, `${!node.value}`);
    else if (type === 'Literal' && typeof node.value === 'number') add(node, `(${node.raw} + 1)`);
    else if (type === 'IfStatement') {
      const test = node.test as Node;
      add(test, `!(${text.slice(test.start, test.end)})`);
    } else if (type === 'ExpressionStatement') {
      const { type: what, callee } = node.expression as Node & { callee?: Node };
      if (what === 'CallExpression' && callee?.type !== 'Super') add(node, ';');
    }
    for (const value of Object.values(node))
      for (const child of [value].flat()) if (isNode(child)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }, file) as unknown as Node);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === 'string';
}

export function applied(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end);
}
