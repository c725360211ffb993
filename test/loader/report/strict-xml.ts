// A reader for the part of XML 1.0 our SVG uses, which forgives nothing: tags must nest, attributes
// be quoted and named once, `&` start a character reference, and every character be allowed.

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  /** Character data directly within, references resolved. */
  characters: string;
}

const tag = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y;
const characters = /[^<]+/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 (2.2) forbids.
const forbidden = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** Every element in document order; throws an Error that tells what is wrong where. */
export function elementsOf(xml: string): XmlElement[] {
  if (forbidden.test(xml) || !xml.isWellFormed()) throw new Error('a character XML forbids');
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(declaration)) throw new Error('no XML declaration');
  const elements: XmlElement[] = [];
  const open: XmlElement[] = [];
  let at = declaration.length;
  const fail = (what: string): never => {
    throw new Error(`${what} at ${at}: ${xml.slice(at, at + 80)}`);
  };
  while (at < xml.length) {
    const pattern = xml[at] === '<' ? tag : characters;
    pattern.lastIndex = at;
    const match = pattern.exec(xml) ?? fail('not a tag');
    const [all, closes, name = '', attributes = '', selfCloses] = match;
    if (/&(?!#\d+;)/.test(all)) fail('bare ampersand');
    if (pattern === characters) {
      const within = open.at(-1);
      if (within !== undefined) within.characters += resolved(all);
      else if (all.trim() !== '') fail('text outside the root');
    } else if (closes) {
      if (open.pop()?.name !== name) fail('wrong end tag');
    } else {
      if (open.length === 0 && elements.length > 0) fail('second root');
      const element = { name, attributes: readAttributes(attributes), characters: '' };
      elements.push(element);
      if (!selfCloses) open.push(element);
    }
    at += all.length;
  }
  if (open.length > 0) fail(`<${open.map(({ name }) => name).join('><')}> left open`);
  return elements;
}

function resolved(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

function readAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    if (name in attributes) throw new Error(`${name} twice`);
    attributes[name] = value;
  }
  return attributes;
}
