/** Memory that nobody needs when what it holds has been read. */
const given = new WeakSet<ArrayBuffer>();

/**
 * Says of a chunk on its way that its maker does not keep it: whoever reads it last may free its memory. Others on the
 * way copy what they want to keep.
 */
export function giveAway(chunk: Uint8Array): Uint8Array {
  const { buffer, byteLength } = chunk;
  // A part of something larger says nothing of the rest.
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) given.add(buffer);
  return chunk;
}

/**
 * Frees the memory of a chunk if it was given away, and leaves it empty. The collector would let a hundred MiB pile up,
 * since it counts objects more than what they hold, and each new chunk would lie in memory that is in no cache.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength && given.delete(buffer)) buffer.transfer(0);
}
