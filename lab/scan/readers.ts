// Programs that read HTML or CSS, each with as little around it as it needs. The number that each returns is of what it
// found, so that no engine leaves the work out.

import { tokenize as cssTreeTokenize } from 'css-tree/tokenizer';
import { HTMLRewriter } from 'html-rewriter-wasm';
import { Parser } from 'htmlparser2';
import { Tokenizer as Parse5Tokenizer, TokenizerMode } from 'parse5';
import { PageStyles } from '../../loader/scan/css/page-styles.ts';
import { createScanner } from '../../loader/scan/index.ts';
import type { Document } from './documents.ts';

export type Reader = (document: Document) => number | Promise<number>;

const ours: Reader = ({ byteChunks }) => {
  const scanner = createScanner({ url: 'http://site.example/' });
  let count = 0;
  for (const chunk of byteChunks) count += scanner.write(chunk).length;
  return count + scanner.end().length;
};

const htmlparser2: Reader = ({ textChunks }) => {
  let count = 0;
  const parser = new Parser({ onopentag: () => count++ });
  for (const chunk of textChunks) parser.write(chunk);
  parser.end();
  return count;
};

const { RCDATA, RAWTEXT, SCRIPT_DATA, PLAINTEXT } = TokenizerMode;
const modes: Readonly<Record<string, Parse5Tokenizer['state']>> = {
  ...{ title: RCDATA, textarea: RCDATA, script: SCRIPT_DATA, plaintext: PLAINTEXT },
  ...{ style: RAWTEXT, xmp: RAWTEXT, iframe: RAWTEXT, noembed: RAWTEXT, noframes: RAWTEXT },
};

const parse5: Reader = ({ textChunks }) => {
  let count = 0;
  const ignore = () => {};
  const tokenizer = new Parse5Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag({ tagName }) {
        count++;
        tokenizer.state = modes[tagName] ?? tokenizer.state;
      },
      onEndTag: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
  );
  textChunks.forEach((chunk, index) => {
    tokenizer.write(chunk, index === textChunks.length - 1);
  });
  return count;
};

const htmlRewriter: Reader = async ({ byteChunks }) => {
  let count = 0;
  const rewriter = new HTMLRewriter((chunk) => {
    count += chunk.length;
  });
  rewriter.on('img, script, link, source, base, meta', {
    element: (element) => void (element.getAttribute('src') ?? element.getAttribute('href')),
  });
  try {
    for (const chunk of byteChunks) await rewriter.write(chunk);
    await rewriter.end();
  } finally {
    rewriter.free();
  }
  return count;
};

/** By the words of their rows. */
export const htmlReaders: Readonly<Record<string, Reader>> = {
  htmlparser2,
  loadahead: ours,
  parse5,
  'html-rewriter-wasm': htmlRewriter,
};

const screen = { width: 1280, height: 800, dpr: 1 };

const cssScanner: Reader = ({ textChunks }) => {
  let count = 0;
  const styles = new PageStyles({ tree: null, settings: { screen } });
  const scanner = styles.sheet(() => count++, { at: 1, applies: true });
  for (const chunk of textChunks) scanner.write(chunk);
  scanner.end();
  return count;
};

const cssTree: Reader = ({ text }) => {
  let count = 0;
  cssTreeTokenize(text, () => {
    count++;
  });
  return count;
};

export const cssReaders: Readonly<Record<string, Reader>> = {
  'css-tree': cssTree,
  loadahead: cssScanner,
};
