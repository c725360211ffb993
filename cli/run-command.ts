// What both commands do around their own: a closed pipe, errors of usage and where to read on, the exit code.

import { type Command, CommanderError } from 'commander';
import { npxCommand } from './npx-command.ts';

export interface CommandFrame {
  /** As the user calls it. */
  name: 'loadahead' | 'prefetchd';
  /** The program; what its action ends with goes to `setExitCode`. */
  create: (setExitCode: (code: number) => void) => Command;
  /** What to tell of an error, and the exit code; undefined: it is a fault of ours and is thrown on. */
  explain: (error: unknown) => { message: string; exitCode: number } | undefined;
}

/** @returns the exit code; 2 for bad usage */
export async function runCommand(argv: string[], frame: CommandFrame): Promise<number> {
  const { name, create, explain } = frame;
  // A closed pipe (`| head`) is no fault of ours.
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
  const program = create((code) => {
    exitCode = code;
  });
  for (const command of [program, ...program.commands]) {
    const help = command === program ? '--help' : `${command.name()} --help`;
    command.showHelpAfterError(`(${npxCommand(`${name} ${help}`)} lists what there is)`);
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
