// What the terminal reports share: their options and their colouring. Whether to colour is the
// caller's decision (a terminal, NO_COLOR); nothing here looks at a stream or the environment.

import { styleText } from 'node:util';

export interface TerminalOptions {
  /** Width of the terminal, in characters; lines are held to it from 20 up. */
  columns: number;
  /** Whether to colour with ANSI escapes. */
  color: boolean;
}

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

export function painter(color: boolean): Paint {
  return (style, text) => {
    if (!color || text === '') return text;
    return styleText(style, text, { validateStream: false });
  };
}
