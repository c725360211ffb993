// What the terminal reports share: their options and their colouring. Whether to colour is the
// caller's decision (a terminal, NO_COLOR); nothing here looks at a stream or the environment.

import util from 'node:util'; // by its name an old Node would stop here, before needs-node.ts speaks

export interface TerminalOptions {
  /** Width of the terminal, in characters; lines are held to it from 20 up. */
  columns: number;
  /** Whether to colour with ANSI escapes. */
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
