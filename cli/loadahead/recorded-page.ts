// Reads recorded pages for commands that take their FILE in place of a folder or URL.

import { stat } from 'node:fs/promises';
import { plural } from '../../loader/report/units.ts';
import { type Recording, readRecording } from '../../server/recorded/read-recording.ts';
import { CommandError } from '../command-error.ts';

/** Returns whether a path is that of a file with the name of a recorded page, whatever the file contains. */
export async function isRecording(path: string): Promise<boolean> {
  return /\.(?:har|json)$/i.test(path) && (await stat(path).catch(() => null))?.isFile() === true;
}

/** Reads a recorded page, and reports what of it cannot be served. @throws CommandError */
export async function readRecordedPage(file: string): Promise<Recording> {
  const recording = await readRecording(file).catch((cause: Error) => {
    throw new CommandError(cause.message, 2, { cause });
  });
  const { bodies, failed, methods, schemes } = recording.leftOut;
  const parts = [
    bodies > 0 && `${plural(bodies, 'response')} without body (answered 404)`,
    failed > 0 && `${plural(failed, 'entry', 'entries')} without response`,
    methods > 0 && `${plural(methods, 'request')} of other methods than GET`,
    schemes > 0 && `${plural(schemes, 'URL')} of other schemes than http and https`,
  ].filter((part) => part !== false);
  const told = `loadahead: left out of ${file}: ${parts.join(', ')}\n`;
  if (parts.length > 0) process.stderr.write(told);
  return recording;
}
