// The files of a ZIP archive, one after the other, by fflate: it reads archives from their start, so that standard input
// may be one.

import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';
import { piecesOf, type Unpack } from './decompressed.ts';

const newline = Uint8Array.of(0x0a);

export const unzipped: Unpack = async function* (chunks, file, onRead) {
  let ready: Uint8Array[] = [];
  let isOpen = false;
  let failure: string | undefined;
  const unzip = new Unzip((entry: UnzipFile) => {
    // What macOS adds about a file.
    const isLog = !entry.name.startsWith('__MACOSX/');
    isOpen = true;
    entry.ondata = (error, data, isLast) => {
      if (error !== null) failure ??= error.message;
      else if (isLog) ready.push(data);
      if (!isLast) return;
      isOpen = false;
      if (isLog) ready.push(newline);
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  const push = (piece: Uint8Array, isLast: boolean) => {
    try {
      unzip.push(piece, isLast);
    } catch (error) {
      failure ??= (error as Error).message;
    }
  };
  for await (const piece of piecesOf(chunks)) {
    push(piece, false);
    yield* ready;
    ready = [];
    onRead(piece.length);
    if (failure !== undefined) break;
  }
  if (failure === undefined && isOpen) failure = 'unexpected end of file';
  if (failure !== undefined) file.broken = `zip data: ${failure}`;
};
