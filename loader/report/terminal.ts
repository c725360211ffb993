// Options, colouring and tables that the terminal reports share. The caller decides whether to use colour (terminal,
// NO_COLOR); nothing here checks a stream or the environment.

import util from 'node:util'; // a named import fails on old Node before needs-node.ts reports it
import { trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import { checked, type OptionsOf, objectOf, required } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';

export const terminalTable = {
  /** Width of the terminal in characters; no line is longer, if this is 20 or more. */
  columns: required(wholeNumber({ least: 1 })),
  /** Whether to use ANSI colours. */
  color: required(trueOrFalse()),
};

export type TerminalOptions = OptionsOf<typeof terminalTable>;

/** Checks the options of a report. @throws LoaderError `invalid-option` */
export function terminalOptions(options: TerminalOptions): TerminalOptions {
  return checked(objectOf(terminalTable), options, invalidOption);
}

export type Style = Parameters<typeof util.styleText>[0];
export type Paint = (style: Style, text: string) => string;

export function painter(color: boolean): Paint {
  return (style, text) => {
    if (!color || text === '') return text;
    return util.styleText(style, text, { validateStream: false });
  };
}

/**
 * Renders rows of cells as lines, in columns two spaces apart that are as wide as their widest cell.
 * @param left Number of columns, from the first, that are aligned to the left; the others are aligned to the right.
 */
export function textTable(rows: readonly (readonly string[])[], left: number): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < left ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
