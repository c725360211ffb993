// A reader of HTTP/1.1 requests, and of responses, that forgives nothing (RFC 9112 in its narrowest form): every byte
// that arrives belongs to exactly one message, or the reader says what is wrong and reads no further. It is code of its
// own, so that what the proxy writes is not judged by the parser the proxy reads with.

export interface StrictRequest {
  readonly method: string;
  readonly target: string;
  /** As they came. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Without the marks of the chunks. */
  readonly content: string;
  readonly trailers: readonly (readonly [name: string, value: string])[];
}

export class StrictReader {
  readonly #onRequest: (request: StrictRequest) => void;
  #bytes = '';
  /** What is wrong with the bytes; then nothing more is read. */
  problem: string | undefined;

  constructor(onRequest: (request: StrictRequest) => void) {
    this.#onRequest = onRequest;
  }

  /** Of a request that is not complete. */
  get left(): string {
    return this.#bytes;
  }

  read(chunk: Buffer): void {
    this.#bytes += chunk.toString('latin1');
    try {
      for (let one = readOne(this.#bytes); one && !this.problem; one = readOne(this.#bytes)) {
        this.#bytes = this.#bytes.slice(one.length);
        this.#onRequest(one.request);
      }
    } catch (error) {
      this.problem ??= `${(error as Error).message} in ${JSON.stringify(this.#bytes.slice(0, 400))}`;
    }
  }
}

/** The first request and its length; undefined when it is not complete. @throws what is wrong with it */
function readOne(bytes: string): { request: StrictRequest; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) {
    // A head is not judged before it is there, but its line is.
    const line = bytes.split('\r\n', 1)[0] ?? '';
    if (/[^!-~ ]/.test(line)) throw new Error('a request line with other octets');
    return undefined;
  }
  const [line = '', ...lines] = bytes.slice(0, headEnd).split('\r\n');
  const [, method, target] = /^([A-Z][A-Z-]*) (\/[!-~]*|\*) HTTP\/1\.1$/.exec(line) ?? [];
  if (method === undefined || target === undefined) throw new Error('no request line');
  const fields = lines.map(readField);
  const of = (wanted: string) =>
    fields.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  if (of('host').length !== 1) throw new Error('not one Host');
  const [lengths, codings] = [of('content-length'), of('transfer-encoding')];
  if (lengths.length + codings.length > 1) throw new Error('two framings');
  const start = headEnd + 4;
  const made = (content: string, end: number, trailers: StrictRequest['trailers'] = []) => ({
    request: { method, target, fields, content, trailers },
    length: end,
  });
  if (codings[0] !== undefined) {
    if (codings[0] !== 'chunked') throw new Error('a coding that is not chunked');
    return readChunks(bytes, start, made);
  }
  if (lengths[0] === undefined) return made('', start);
  if (!/^(0|[1-9]\d*)$/.test(lengths[0])) throw new Error('a length that is none');
  const end = start + Number(lengths[0]);
  return bytes.length < end ? undefined : made(bytes.slice(start, end), end);
}

function readField(line: string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([\t -~\x80-\xff]*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`no field: ${line}`);
  return [name, value];
}

function readChunks<Made>(
  bytes: string,
  start: number,
  made: (content: string, end: number, trailers: StrictRequest['trailers']) => Made,
): Made | undefined {
  let content = '';
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = bytes.slice(at, lineEnd);
    if (!/^[0-9a-fA-F]{1,8}$/.test(size)) throw new Error(`no chunk size: ${size.slice(0, 40)}`);
    const dataStart = lineEnd + 2;
    const dataEnd = dataStart + Number.parseInt(size, 16);
    if (dataEnd === dataStart) {
      if (bytes.startsWith('\r\n', dataStart)) return made(content, dataStart + 2, []);
      const trailersEnd = bytes.indexOf('\r\n\r\n', dataStart);
      if (trailersEnd === -1) return undefined;
      const trailers = bytes.slice(dataStart, trailersEnd).split('\r\n').map(readField);
      return made(content, trailersEnd + 4, trailers);
    }
    if (bytes.length < dataEnd + 2) return undefined;
    if (!bytes.startsWith('\r\n', dataEnd)) throw new Error('a chunk longer than its size');
    content += bytes.slice(dataStart, dataEnd);
    at = dataEnd + 2;
  }
}

export interface StrictAnswer {
  /** Of interim responses, then of the final one. */
  readonly statuses: readonly number[];
  readonly fields: StrictRequest['fields'];
  readonly content: string;
  readonly length: number;
}

/**
 * The first response to `method` with the interim ones before it; undefined when it is not complete.
 * @throws what is wrong with it
 */
export function readAnswer(
  bytes: string,
  method: string,
  { isEnded }: { isEnded: boolean },
): StrictAnswer | undefined {
  const statuses: number[] = [];
  for (let at = 0; ; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd === -1) return undefined;
    const [line = '', ...lines] = bytes.slice(at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\t -~\x80-\xff]*$/.exec(line)?.[1]);
    if (!(status >= 100)) throw new Error(`no status line: ${line}`);
    const fields = lines.map(readField);
    const of = (wanted: string) =>
      fields.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
    const [lengths, codings] = [of('content-length'), of('transfer-encoding')];
    statuses.push(status);
    at = headEnd + 4;
    // RFC 9110 8.6, RFC 9112 6.1; 101 only to who asked for it (RFC 9110 15.2.2).
    const isFramed = lengths.length + codings.length > 0;
    if ((status < 200 || status === 204) && isFramed) throw new Error(`a ${status} with framing`);
    if (status === 101) throw new Error('a 101 that nobody asked for');
    if (status < 200) continue;
    const made = (content: string, length: number) => ({ statuses, fields, content, length });
    if (lengths.length + codings.length > 1) throw new Error('two framings');
    if (method === 'HEAD' || status === 204 || status === 304) return made('', at);
    if (codings[0] !== undefined) {
      if (codings[0] !== 'chunked') throw new Error('a coding that is not chunked');
      return readChunks(bytes, at, made);
    }
    if (lengths[0] === undefined) return isEnded ? made(bytes.slice(at), bytes.length) : undefined;
    if (!/^(0|[1-9]\d*)$/.test(lengths[0])) throw new Error('a length that is none');
    const end = at + Number(lengths[0]);
    return bytes.length < end ? undefined : made(bytes.slice(at, end), end);
  }
}
