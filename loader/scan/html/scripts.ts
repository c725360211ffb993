// Reads the script elements of HTML (4.12.1) and of SVG.

import { staticImports } from '../modules/static-imports.ts';
import type { StartTag } from '../tokenizer.ts';
import {
  crossOriginOf,
  type ElementRule,
  essenceOf,
  type Found,
  found,
  type ModuleFetch,
  nothing,
  prioritised,
} from './found.ts';

/** The JavaScript MIME type essences (MIME Sniffing 4.6). */
const javascript = new Set(
  [
    'application/ecmascript application/javascript application/x-ecmascript application/x-javascript text/ecmascript',
    'text/javascript text/javascript1.0 text/javascript1.1 text/javascript1.2 text/javascript1.3 text/javascript1.4',
    'text/javascript1.5 text/jscript text/livescript text/x-ecmascript text/x-javascript',
  ].flatMap((types) => types.split(' ')),
);

/** Whether the type is JavaScript. @param type MIME type in lower case, without parameters. */
export const isJavaScript = (type: string): boolean => javascript.has(type);

/** Implements "prepare the script element" (HTML 4.12.1.1), steps 8 to 14. @returns null for a data block */
export function scriptTypeOf(attributes: ReadonlyMap<string, string>): 'classic' | 'module' | null {
  const type = attributes.get('type');
  const language = attributes.get('language');
  if (type === '' || (type === undefined && (language === undefined || language === ''))) {
    return 'classic';
  }
  const named = (type ?? `text/${language}`).trim().toLowerCase();
  if (isJavaScript(named)) return 'classic';
  return named === 'module' ? 'module' : null;
}

/** Returns how the scanner reads the text of a script element; null if it does not read it. */
export function inlineTypeOf({ attributes }: StartTag): 'module' | 'importmap' | null {
  if (attributes.has('src')) return null;
  const isImportMap = attributes.get('type')?.trim().toLowerCase() === 'importmap';
  if (isImportMap) return 'importmap';
  return scriptTypeOf(attributes) === 'module' ? 'module' : null;
}

/** Returns the CORS mode of a module, which is fetched with CORS even without the attribute (HTML 8.1.4.2). */
export const moduleCrossOrigin = ({ attributes }: StartTag): 'anonymous' | 'use-credentials' =>
  crossOriginOf(attributes.get('crossorigin')) ?? 'anonymous';

/** Returns the fetch options that the imports of an inline module script inherit. */
export const inlineModule = (tag: StartTag): ModuleFetch => {
  const nonce = tag.attributes.get('nonce');
  return { crossOrigin: moduleCrossOrigin(tag), ...(nonce !== undefined && { nonce }) };
};

/** Returns the references of a module's static imports. */
export function foundInModule(
  source: string,
  { crossOrigin = 'anonymous', nonce }: ModuleFetch,
): Array<Found & { offset: number }> {
  return staticImports(source).map(({ specifier, kind, offset }) => ({
    kind,
    written: specifier,
    named: 'import',
    offset,
    crossOrigin,
    isSpecifier: true,
    priority: 'high',
    ...(nonce !== undefined && { nonce }),
    ...(kind === 'script' && { isModule: true }),
  }));
}

export const script: ElementRule = (tag) => {
  const { attributes } = tag;
  const src = attributes.get('src');
  if (src === undefined) return nothing;
  const one = (more: Partial<Found>) => [found('script', 'src', src, tag, more)];
  const type = scriptTypeOf(attributes);
  if (type === null) {
    return one({ skipped: `type ${essenceOf(attributes.get('type')) || 'unknown'} is no script` });
  }
  if (type === 'module') {
    const crossOrigin = moduleCrossOrigin(tag);
    return one({ crossOrigin, isModule: true, priority: prioritised('high', tag) });
  }
  if (attributes.has('nomodule')) return one({ skipped: 'nomodule' });
  const waits = !attributes.has('async') && !attributes.has('defer');
  return one({ priority: prioritised(waits ? 'high' : 'low', tag), isBlocking: waits });
};

/** Returns the name of the attribute with the URL: href, or else xlink:href (SVG 2, 16.2); null: there is neither. */
export const svgHref = ({ attributes }: { attributes: ReadonlyMap<string, string> }) =>
  attributes.has('href') ? 'href' : attributes.has('xlink:href') ? 'xlink:href' : null;

export const svgScript: ElementRule = (tag) => {
  const attribute = svgHref(tag);
  if (attribute === null || scriptTypeOf(tag.attributes) === null) return nothing;
  const written = tag.attributes.get(attribute) ?? '';
  return [found('script', attribute, written, tag, { priority: 'high', isBlocking: true })];
};
