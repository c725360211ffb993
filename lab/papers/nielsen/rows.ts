// What was measured for Tables 4 to 11: rows of `loadahead compare`, and rows of the same form of the robot.

import { fileURLToPath } from 'node:url';
import type { LinkSettings } from '../../link/link.ts';
import { microscape, sourceCommand } from '../../paths.ts';
import { run } from '../../processes.ts';
import type { ServerName } from '../robot-place.ts';

type Figure = 'completeMs' | 'packetsUp' | 'packetsDown' | 'bytesUp' | 'bytesDown';
type More = 'overheadPercent' | 'packetBytes' | 'packetsPerConnection';

export type Row = { way: string; visit: 'first' | 'revalidate' } & {
  [Name in Figure | More]: { median: number };
};

export interface RobotRows {
  link: LinkSettings;
  server: ServerName;
  /** Rounds; 0: one, without one before it that does not count. */
  rounds: number;
}

/** Rows of all ways and both visits. */
export async function compared(flags: readonly string[]): Promise<Row[]> {
  const visits = ['--visits', 'first,revalidate', '--json'];
  const args = [sourceCommand, 'compare', microscape, ...visits, ...flags];
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout).rows;
}

/** The robot's rows, measured by a process of its own. */
export async function byRobot(wanted: RobotRows): Promise<Row[]> {
  const file = fileURLToPath(new URL('robot-rows.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [file, JSON.stringify(wanted)]);
  return JSON.parse(stdout);
}

export const packets = ({ packetsUp, packetsDown }: Row): number =>
  packetsUp.median + packetsDown.median;

/** Bytes without the headers of TCP and IP. */
export const payload = ({ bytesUp, bytesDown, overheadPercent }: Row): number =>
  (bytesUp.median + bytesDown.median) * (1 - overheadPercent.median / 100);

export const seconds = ({ completeMs }: Row): number => completeMs.median / 1000;

/** The row of a way and a visit. @throws Error if there is none */
export function rowOf(rows: readonly Row[], way: string, visit: Row['visit']): Row {
  const found = rows.find((row) => row.way === way && row.visit === visit);
  if (found === undefined) throw new Error(`no row ${way}, ${visit}`);
  return found;
}
