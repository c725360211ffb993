// Hauck's own client of 1994 says HTTP/1.0 and Hold-Line, and nothing of keep-alive, which came later. Node's parser
// reads no further request behind one of HTTP/1.0 that does not say keep-alive, so that is added before it reads.

/** @param bytes The first of a request; changed only if its whole head is among them. */
export function withKeepAlive(bytes: Buffer): Buffer {
  const end = bytes.indexOf('\r\n\r\n');
  const [requestLine = '', ...fields] = bytes.toString('latin1', 0, Math.max(0, end)).split('\r\n');
  const has = (name: RegExp) => fields.some((field) => name.test(field));
  if (!requestLine.endsWith(' HTTP/1.0') || !has(/^hold-line:/i) || has(/^connection:/i))
    return bytes;
  const fieldsAt = requestLine.length + 2;
  const added = Buffer.from('Connection: keep-alive\r\n');
  return Buffer.concat([bytes.subarray(0, fieldsAt), added, bytes.subarray(fieldsAt)]);
}
