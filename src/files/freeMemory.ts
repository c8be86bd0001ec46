/** Buffers that may be freed as soon as their content has been read. */
const given = new WeakSet<ArrayBuffer>();

/**
 * Marks a chunk as given away: its producer does not keep it, so its last reader may free its memory. Readers in
 * between must copy what they keep.
 */
export function giveAway(chunk: Uint8Array): Uint8Array {
  const { buffer, byteLength } = chunk;
  // A view of a larger buffer does not own the rest of it.
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) given.add(buffer);
  return chunk;
}

/**
 * Frees the memory of a chunk if it was given away. The garbage collector sees few objects and would let a hundred MiB
 * of buffers pile up. That is also twice as slow, because fresh memory is never in the CPU's cache.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength && given.delete(buffer)) buffer.transfer(0);
}
