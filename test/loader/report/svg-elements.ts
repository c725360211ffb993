// The elements of an SVG file. A renderer decides elsewhere whether the file is well-formed.

import { parseDocument } from 'htmlparser2';

export interface SvgElement {
  name: string;
  attributes: Record<string, string>;
  /** Character data directly within, references resolved. */
  characters: string;
}

type Node = ReturnType<typeof parseDocument>['children'][number];

/** Every element in document order. */
export function elementsOf(svg: string): SvgElement[] {
  const below = (nodes: readonly Node[]): SvgElement[] =>
    nodes.flatMap((node) => {
      if (!('attribs' in node)) return [];
      const characters = node.children.map((child) => ('data' in child ? child.data : '')).join('');
      return [{ name: node.name, attributes: node.attribs, characters }, ...below(node.children)];
    });
  return below(parseDocument(svg, { xmlMode: true, decodeEntities: true }).children);
}
