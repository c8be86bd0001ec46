/** Decodes text to bytes, piece by piece. */
export interface DataDecoder {
  /** @throws RangeError for invalid text */
  decode(piece: string): Uint8Array;
  /** Returns the bytes of the remaining characters. Throws like {@link decode}. */
  end(): Uint8Array;
}

/** Decodes base64 and base64url, with or without padding and white space. */
export class Base64Decoder implements DataDecoder {
  /** Characters that do not yet form a group of four. */
  #rest = '';
  #isPadded = false;

  decode(piece: string): Uint8Array {
    const text = this.#rest + piece;
    // White space and padding are rare, so try to decode the piece as it is first.
    const plain = this.#isPadded ? undefined : this.#decodeGroups(text);
    if (plain) return plain;
    const dense = text.replace(/\s+/g, '');
    const data = withoutPadding(dense);
    const isLate = this.#isPadded && data.length > this.#rest.length;
    this.#isPadded ||= data.length < dense.length;
    return (isLate ? undefined : this.#decodeGroups(data)) ?? fail();
  }

  end(): Uint8Array {
    // A single character encodes only 6 bits.
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

/** Decodes hexadecimal, two digits per byte. */
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

/** Returns undefined for invalid text: Buffer.from skips it or stops there, so the result is too short. */
function decodeWhole(text: string, encoding: 'base64' | 'hex', length: number): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.length === length ? bytes : undefined;
}

function withoutPadding(text: string): string {
  // A regular expression would take quadratic time on a long run of "=".
  let end = text.length;
  while (text[end - 1] === '=') end--;
  return text.slice(0, end);
}

function fail(): never {
  throw new RangeError('invalid data');
}
