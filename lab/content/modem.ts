// A pair of modems that compress, for the emulated link (`lineCoder` in cli/compare/link-process.ts): each direction has
// a V.42bis coder, which sends a packet to its end before the next one comes. The frames of PPP and of the modem's own
// protocol are not counted, as on the link without modems.

import { usualParameters, V42bisCoder } from './v42bis.ts';

export function lineCoder(): (packet: Buffer) => number {
  const coder = new V42bisCoder(usualParameters);
  return (packet) => coder.code(packet).length;
}
