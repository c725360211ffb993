// Options and colouring that the terminal reports share. The caller decides whether to use colour (terminal,
// NO_COLOR); nothing here checks a stream or the environment.

import util from 'node:util'; // a named import fails on old Node before needs-node.ts reports it

export interface TerminalOptions {
  /** Width of the terminal in characters; lines fit it from 20 up. */
  columns: number;
  /** Whether to use ANSI colours. */
  color: boolean;
}

export type Style = Parameters<typeof util.styleText>[0];
export type Paint = (style: Style, text: string) => string;

export function painter(color: boolean): Paint {
  return (style, text) => {
    if (!color || text === '') return text;
    return util.styleText(style, text, { validateStream: false });
  };
}
