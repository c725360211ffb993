// Copies a typed array to a larger one.

export function growArray<
  T extends Float64Array | Uint8Array | Uint16Array | Int8Array | Int32Array | Uint32Array,
>(from: T, to: T): T {
  to.set(from);
  return to;
}
