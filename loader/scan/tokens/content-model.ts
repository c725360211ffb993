// How the text after a start tag is read, which the tree builder decides (HTML 13.2.6). The tokenizer asks its
// consumer, because an element's meaning depends on its place: <style> is raw text in HTML and markup in SVG.

/** The state in which the text after a start tag is read (HTML 13.2.5.1 to 13.2.5.5). */
export type ContentModel = 'data' | 'rcdata' | 'rawtext' | 'script' | 'plaintext';

const contentModels: Readonly<Record<string, ContentModel>> = {
  title: 'rcdata',
  textarea: 'rcdata',
  style: 'rawtext',
  xmp: 'rawtext',
  iframe: 'rawtext',
  noembed: 'rawtext',
  noframes: 'rawtext',
  script: 'script',
  plaintext: 'plaintext',
};

/** The content model of an HTML element in its usual place (HTML 13.2.6.4.4 and 13.2.6.4.7). */
export function contentModelOf(name: string): ContentModel {
  return Object.hasOwn(contentModels, name) ? (contentModels[name] ?? 'data') : 'data';
}
