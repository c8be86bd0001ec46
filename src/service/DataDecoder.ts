/** Turns text that comes in pieces into the bytes that it stands for. */
export interface DataDecoder {
  /** @throws RangeError for what is damaged */
  decode(piece: string): Uint8Array;
  /** What the last characters stand for. Throws like {@link decode}. */
  end(): Uint8Array;
}

/** Base64 of either alphabet, with or without padding and white space. */
export class Base64Decoder implements DataDecoder {
  /** Characters that make up no whole group of four yet. */
  #rest = '';
  #isPadded = false;

  decode(piece: string): Uint8Array {
    const text = this.#rest + piece;
    // White space and padding are rare: most pieces are looked at only once.
    const plain = this.#isPadded ? undefined : this.#decodeGroups(text);
    if (plain) return plain;
    const dense = text.replace(/\s+/g, '');
    const data = withoutPadding(dense);
    const isLate = this.#isPadded && data.length > this.#rest.length;
    this.#isPadded ||= data.length < dense.length;
    return (isLate ? undefined : this.#decodeGroups(data)) ?? fail();
  }

  end(): Uint8Array {
    // A single character holds no whole byte.
    if (this.#rest.length === 1) fail();
    return decodeWhole(this.#rest, 'base64', Math.floor((this.#rest.length * 3) / 4)) ?? fail();
  }

  #decodeGroups(text: string): Uint8Array | undefined {
    const end = text.length - (text.length % 4);
    const bytes = decodeWhole(text.slice(0, end), 'base64', (end * 3) / 4);
    if (bytes) this.#rest = text.slice(end);
    return bytes;
  }
}

/** Two hexadecimal digits a byte. */
export class HexDecoder implements DataDecoder {
  #rest = '';

  decode(piece: string): Uint8Array {
    const text = this.#rest + piece;
    const end = text.length - (text.length % 2);
    this.#rest = text.slice(end);
    return decodeWhole(text.slice(0, end), 'hex', end / 2) ?? fail();
  }

  end(): Uint8Array {
    return this.#rest === '' ? new Uint8Array() : fail();
  }
}

/** Buffer.from skips or ends at what does not belong there; a shorter result tells. */
function decodeWhole(text: string, encoding: 'base64' | 'hex', length: number): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.length === length ? bytes : undefined;
}

function withoutPadding(text: string): string {
  // A pattern would begin anew at each character of a long row.
  let end = text.length;
  while (text[end - 1] === '=') end--;
  return text.slice(0, end);
}

function fail(): never {
  throw new RangeError('damaged data');
}
