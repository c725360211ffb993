// `loadahead packets FILE`: shows what a capture of tcpdump or Wireshark tells of its TCP connections, as a table, a
// list of packets, JSON or a picture. What was read before a fault of the file is shown all the same.

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Capture, captureOf } from '../../loader/packets/capture.ts';
import type { TcpConnection } from '../../loader/packets/connections.ts';
import { factsOf } from '../../loader/packets/facts.ts';
import { captureNotes, packetLines, renderConnections } from '../../loader/packets/packets-text.ts';
import { printableText } from '../../loader/report/printable.ts';
import { roundTimes } from '../../loader/report/units.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError } from '../command-error.ts';
import { terminal } from '../output-terminal.ts';
import { checkOutput, writeOutput } from './output-file.ts';

export interface PacketsFlags {
  svg?: string;
  list?: boolean;
  json?: boolean;
  connection?: number;
}

/** Runs `loadahead packets`. @returns the exit code */
export async function packets(file: string, flags: PacketsFlags): Promise<number> {
  await checkOutput('--svg', flags.svg);
  const input = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 2 ** 20 });
  const capture = await captureOf(input).catch((cause) => {
    throw new CommandError(fileFailure(file, 'read', cause), 2, { cause });
  });
  const fault = capture.fault === null ? null : new CommandError(`${file}: ${capture.fault}`, 2);
  if (fault !== null && capture.frames === 0) throw fault;
  const { connections } = capture;
  const wanted = flags.connection;
  const shown = connections.filter(({ number }) => wanted === undefined || number === wanted);
  if (wanted !== undefined && shown.length === 0) {
    throw new CommandError(`--connection: the capture has ${connections.length}, from 1 on`, 2);
  }
  if (flags.svg !== undefined) {
    const { renderPacketsSvg } = await import('../../loader/packets/packets-svg.ts');
    const name = printableText(basename(file));
    await writeOutput(flags.svg, renderPacketsSvg(name, shown), '--svg');
  }
  if (flags.json) printJson(capture, shown, flags.list === true);
  else if (flags.list) {
    for (const note of captureNotes(capture)) process.stdout.write(`# ${note}\n`);
    for (const each of shown) process.stdout.write(`\n${packetLines(each).join('\n')}\n`);
  } else process.stdout.write(renderConnections(capture, shown, terminal(process.stdout)));
  if (fault !== null) throw fault;
  return 0;
}

/** Prints JSON, one connection at a time, because all packets may be too long for one string. */
function printJson(capture: Capture, shown: readonly TcpConnection[], isList: boolean): void {
  const { connections: _, ...whole } = capture;
  process.stdout.write(`${JSON.stringify(roundTimes(whole)).slice(0, -1)},"connections":[`);
  shown.forEach(({ packets, ...connection }, i) => {
    const facts = factsOf({ packets, ...connection });
    const record = { ...connection, ...facts, ...(isList && { packets }) };
    process.stdout.write(`${i === 0 ? '' : ','}\n${JSON.stringify(roundTimes(record))}`);
  });
  process.stdout.write('\n]}\n');
}
