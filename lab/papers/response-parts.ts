// One HTTP/1 response as its bytes come: status, fields, and where it ends.

export class ResponseParts {
  status = 0;
  bodyBytes = 0;
  readonly #hasBody: boolean;
  readonly #fields = new Map<string, string>();
  #head = '';
  #text = '';
  #left: number | null = null;

  constructor(method: 'GET' | 'HEAD') {
    this.#hasBody = method === 'GET';
  }

  /** Returns a field's value, '' if there is none. */
  field(name: string): string {
    return this.#fields.get(name) ?? '';
  }

  /** The body so far. */
  get text(): string {
    return this.#text;
  }

  get isWhole(): boolean {
    return this.status !== 0 && this.#left === 0;
  }

  /** There is no length: the end of the connection ends the body. */
  get endsWithConnection(): boolean {
    return this.status !== 0 && this.#left === null;
  }

  /** @returns the bytes behind the end of this response. @throws Error for a coding of the transfer */
  read(bytes: Buffer): Buffer {
    let body = bytes;
    if (this.status === 0) {
      this.#head += bytes.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return Buffer.alloc(0);
      body = Buffer.from(this.#head.slice(end + 4), 'latin1');
      this.#readHead(this.#head.slice(0, end));
    }
    const own = this.#left === null ? body : body.subarray(0, this.#left);
    this.bodyBytes += own.length;
    this.#text += own.toString('latin1');
    if (this.#left !== null) this.#left -= own.length;
    return body.subarray(own.length);
  }

  #readHead(head: string): void {
    const [first = '', ...lines] = head.split('\r\n');
    this.status = Number(/^HTTP\/1\.\d (\d{3})/.exec(first)?.[1] ?? Number.NaN);
    for (const line of lines) {
      const colon = line.indexOf(':');
      this.#fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    if (this.field('transfer-encoding') !== '') throw new Error('a coding of the transfer');
    const length = this.#fields.get('content-length');
    if (!this.#hasBody || this.status === 304) this.#left = 0;
    else this.#left = length === undefined ? null : Number(length);
  }
}
