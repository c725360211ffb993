// Hauck's own client of 1994 sends HTTP/1.0 and Hold-Line but no keep-alive, which came later. Node's parser reads no
// request after an HTTP/1.0 request without keep-alive, so `Connection: keep-alive` is added before the parser reads.

/** @param bytes First bytes of a request; they are changed only if they contain its whole head. */
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
