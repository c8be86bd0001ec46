import type { Socket } from 'node:net';

/** A longer head is passed on as it is. */
const maxHeadBytes = 64 * 1024;

/**
 * Changes what is read from a socket until the first final head is complete, so that undici also reads what it refuses
 * although HTTP allows it: `100 Continue` that nobody asked for (RFC 9110, 15.2), and the same length twice (8.6). Call it
 * before each request: what arrives between them belongs to none, and undici then closes the connection.
 */
export function tidyHead(socket: Socket): void {
  const read = socket.read.bind(socket);
  let held = Buffer.alloc(0);
  const passOn = (bytes: Buffer) => {
    Reflect.deleteProperty(socket, 'read');
    return bytes;
  };
  socket.read = (size?: number) => {
    const chunk: unknown = read(size);
    if (!Buffer.isBuffer(chunk)) return chunk;
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const isHttp = held.subarray(0, 7).toString('latin1') === 'HTTP/1.'.slice(0, held.length);
      const end = held.indexOf('\r\n\r\n');
      if (!isHttp || (end < 0 && held.length > maxHeadBytes)) return passOn(held);
      if (end < 0) return null;
      const head = held.toString('latin1', 0, end);
      const rest = held.subarray(end + 4);
      if (!/^HTTP\/1\.\d 1\d\d/.test(head))
        return passOn(Buffer.concat([Buffer.from(withOneLength(head), 'latin1'), rest]));
      held = rest;
      if (held.length === 0) return null;
    }
  };
}

/** Leaves out each `Content-Length` that repeats the one before. */
function withOneLength(head: string): string {
  const seen = new Set<string>();
  const lines = head.split('\r\n').filter((line) => {
    const [, length] = /^content-length:\s*(\d+)\s*$/i.exec(line) ?? [];
    if (length === undefined) return true;
    const isNew = !seen.has(length);
    seen.add(length);
    return isNew;
  });
  return `${lines.join('\r\n')}\r\n\r\n`;
}
