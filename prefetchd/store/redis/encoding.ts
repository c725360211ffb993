// Encodes a delta as chunks, small enough that Redis never works on one for long, each complete in itself. A script
// adds a chunk to the counters and appends the same bytes to the stream for other nodes.
//
// Chunk format, little endian: era, number of URLs; each URL as length, UTF-8, kind, accesses; number of graphs; for
// each graph the number of arcs; each arc as from, to (indexes into the chunk's URLs), count, seen, number of
// fingerprints, fingerprints. Each access is in one chunk only; a URL included just for its arcs has 0 accesses.
//
// Arcs are cut from the end: of two equal arcs, the earlier row was credited later, so its chunk must come later.

import {
  type ArcColumns,
  fingerprintsPerArc,
  type GraphDelta,
} from '../../model/delta/graph-delta.ts';

const maxArcsPerChunk = 1000;
const maxUrlsPerChunk = 1000;
const maxBytesPerChunk = 128 * 1024;
const maxBytesPerArc = 2 + 2 + 8 + 1 + 1 + 2 * fingerprintsPerArc;

/** Empty if the delta contains neither URLs nor arcs. */
export function chunksOf(delta: GraphDelta): Buffer[] {
  const chunks: Buffer[] = [];
  let chunk = new Chunk(delta);
  const next = () => {
    chunks.push(chunk.encode());
    chunk = new Chunk(delta);
  };
  for (let url = 0; url < delta.urls.length; url++) {
    if (chunk.urls >= maxUrlsPerChunk || chunk.bytes > maxBytesPerChunk) next();
    chunk.addUrl(url, delta.accesses[url] as number);
  }
  delta.graphs.forEach(({ counts }, graph) => {
    for (let row = counts.length - 1; row >= 0; row--) {
      if (chunk.arcs >= maxArcsPerChunk || chunk.bytes > maxBytesPerChunk) next();
      chunk.addArc(graph, row);
    }
  });
  if (chunk.urls > 0) next();
  return chunks;
}

/** The columns of a chunk; predictor and window are stored beside it. */
export function deltaOfChunk(bytes: Buffer): Omit<GraphDelta, 'predictor' | 'window'> {
  const read = new ChunkReader(bytes);
  const era = read.uint32();
  const urls = new Array<string>(read.uint32());
  const kinds = new Uint8Array(urls.length);
  const accesses = new Float64Array(urls.length);
  for (let url = 0; url < urls.length; url++) {
    urls[url] = read.text(read.uint32());
    kinds[url] = read.uint8();
    accesses[url] = read.double();
  }
  const graphs = Array.from({ length: read.uint8() }, () => {
    const arcs = emptyArcs(read.uint32());
    for (let row = 0; row < arcs.counts.length; row++) {
      arcs.from[row] = read.uint16();
      arcs.to[row] = read.uint16();
      arcs.counts[row] = read.double();
      arcs.seen[row] = read.uint8();
      const prints = read.uint8();
      for (let i = 0; i < prints; i++) arcs.clients[fingerprintsPerArc * row + i] = read.uint16();
    }
    return arcs;
  });
  return { era, urls, kinds, accesses, graphs };
}

export function emptyArcs(length: number): ArcColumns {
  return {
    from: new Uint32Array(length),
    to: new Uint32Array(length),
    counts: new Float64Array(length),
    clients: new Uint16Array(length * fingerprintsPerArc),
    seen: new Uint8Array(length),
  };
}

class Chunk {
  bytes = 0;
  arcs = 0;
  readonly #delta: GraphDelta;
  /** By index in the delta: index in the chunk. */
  readonly #places = new Map<number, number>();
  readonly #accesses: number[] = [];
  readonly #rows: number[][];

  constructor(delta: GraphDelta) {
    this.#delta = delta;
    this.#rows = delta.graphs.map(() => []);
  }

  get urls(): number {
    return this.#places.size;
  }

  addUrl(url: number, accesses: number): number {
    const known = this.#places.get(url);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(url, place);
    this.#accesses.push(accesses);
    this.bytes += 3 * (this.#delta.urls[url] as string).length + 13;
    return place;
  }

  addArc(graph: number, row: number): void {
    const { from, to } = this.#delta.graphs[graph] as ArcColumns;
    this.addUrl(from[row] as number, 0);
    this.addUrl(to[row] as number, 0);
    this.#rows[graph]?.push(row);
    this.arcs++;
    this.bytes += maxBytesPerArc;
  }

  encode(): Buffer {
    const { era, urls, kinds, graphs } = this.#delta;
    const bytes = Buffer.allocUnsafe(this.bytes + 9 + 4 * graphs.length);
    let at = bytes.writeUInt32LE(era, 0);
    at = bytes.writeUInt32LE(this.#places.size, at);
    for (const [url, place] of this.#places) {
      const length = bytes.write(urls[url] as string, at + 4);
      bytes.writeUInt32LE(length, at);
      at = bytes.writeUInt8(kinds[url] as number, at + 4 + length);
      at = bytes.writeDoubleLE(this.#accesses[place] as number, at);
    }
    at = bytes.writeUInt8(graphs.length, at);
    graphs.forEach(({ from, to, counts, clients, seen }, graph) => {
      const rows = this.#rows[graph]?.toReversed() ?? [];
      at = bytes.writeUInt32LE(rows.length, at);
      for (const row of rows) {
        at = bytes.writeUInt16LE(this.#places.get(from[row] as number) as number, at);
        at = bytes.writeUInt16LE(this.#places.get(to[row] as number) as number, at);
        at = bytes.writeDoubleLE(counts[row] as number, at);
        at = bytes.writeUInt8(seen[row] as number, at);
        const first = fingerprintsPerArc * row;
        let prints = 0;
        // Without an era, fingerprints have no meaning.
        while (era !== 0 && prints < fingerprintsPerArc && clients[first + prints] !== 0) prints++;
        at = bytes.writeUInt8(prints, at);
        for (let i = 0; i < prints; i++) {
          at = bytes.writeUInt16LE(clients[first + i] as number, at);
        }
      }
    });
    return bytes.subarray(0, at);
  }
}

class ChunkReader {
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint8(): number {
    return this.#bytes.readUInt8(this.#pass(1));
  }

  uint16(): number {
    return this.#bytes.readUInt16LE(this.#pass(2));
  }

  uint32(): number {
    return this.#bytes.readUInt32LE(this.#pass(4));
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#pass(8));
  }

  text(length: number): string {
    const start = this.#pass(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  #pass(length: number): number {
    this.#at += length;
    return this.#at - length;
  }
}
