// Does what both commands share: makes control characters in output harmless, and handles closed pipes, the width of
// the help, usage errors with a pointer to the help, and exit codes.

import { type Command, CommanderError } from 'commander';
import { columnsOf, guardOutput } from './output-terminal.ts';

/** Width of the help without a terminal and without COLUMNS. */
const helpColumns = 80;

/** Makes the action of a command: it loads the command's function by `find`, and calls it with the arguments and the
 *  flags; the function returns the exit code. */
export type CommandAction = (
  find: () => Promise<(...given: never[]) => Promise<number>>,
) => (...given: unknown[]) => Promise<void>;

export interface CommandFrame {
  /** Name of the command as users type it. */
  name: 'loadahead' | 'prefetchd';
  /** Creates commander's program with all commands and flags; `run` makes the action of each command. */
  create: (run: CommandAction) => Command;
  /** Message and exit code of an error; undefined for a bug, which is rethrown. */
  explain: (error: unknown) => { message: string; exitCode: number } | undefined;
}

/** Runs a command. @returns the exit code; 2 for bad usage */
export async function runCommand(argv: string[], frame: CommandFrame): Promise<number> {
  const { name, create, explain } = frame;
  guardOutput();
  // A closed pipe (`| head`) is not an error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      if (stream === process.stdout) {
        process.stderr.write(`${name}: cannot write the output: ${error.message}\n`);
      }
      process.exit(1);
    });
  }
  let exitCode = 0;
  const program = create((find) => async (...given) => {
    const command = await find();
    exitCode = await command(...(given as never[]));
  });
  for (const command of [program, ...program.commands]) {
    command.configureOutput({
      getOutHelpWidth: () => columnsOf(process.stdout, helpColumns),
      getErrHelpWidth: () => columnsOf(process.stderr, helpColumns),
    });
    const help = command === program ? '--help' : `${command.name()} --help`;
    command.showHelpAfterError(`(${nextCommand(name, help)} lists all options)`);
  }
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const told = explain(error);
    if (told === undefined) throw error;
    process.stderr.write(`${name}: ${told.message}\n`);
    return told.exitCode;
  }
}

/**
 * Returns a command that the user is told to run next, as it must be typed. The help calls commands by their names, but
 * a command to be copied has to work: `npx` finds it where the package is installed, and a clone has a script for it.
 */
export function nextCommand(name: 'loadahead' | 'prefetchd', args: string): string {
  return import.meta.url.endsWith('.ts') ? `npm run -s ${name} -- ${args}` : `npx ${name} ${args}`;
}
