// What a service may fetch or send to: gateways take webhooks, callbacks and the addresses of pictures in any of their fields.

/** Where an address begins: `scheme:/`, also percent-encoded, a scheme that needs no slash, or `//host`. */
const begins =
  /(?<=[a-z0-9+.-])(?::|%3a)(?:[\\/]|%2f|%5c)|(?<![a-z0-9+.-])(?:https?|wss?|ftps?|file|mailto):(?=\S)|(?<![\p{L}\p{N}_/\\:.%-])[\\/]{2,}(?=[\p{L}\p{N}_[%])/giu;

/**
 * Returns the words of a text that hold an address, in whatever scheme, each as it stands there. A line break or tab inside
 * of an address does not hide it, since programs leave these out.
 */
export function addressesIn(text: string): readonly string[] {
  const found = wordsWithAddress(text);
  return found.length > 0 ? found : wordsWithAddress(text.replace(/[\t\n\r]/g, ''));
}

function wordsWithAddress(text: string): readonly string[] {
  // `search` has no state, unlike `test` with a global expression.
  return text.split(/\s+/).filter((word) => word.search(begins) >= 0);
}

/** Returns all strings in a value of JSON. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/**
 * Yields an address for each host that a word from {@link addressesIn} names, also one behind another; undefined in place
 * of a file of the service's computer, and of what no program could read.
 */
export function* hostsOf(word: string): Generator<URL | undefined> {
  const plain = decoded(word);
  for (const { index, 0: start } of plain.matchAll(begins)) {
    const isFile = /(?<![a-z0-9+.-])file$/i.test(plain.slice(Math.max(0, index - 5), index)) || /^file:/i.test(start);
    // Only in http are numbers read as programs read them, such as 0x7f.1.
    const address = `http://${plain.slice(index + start.length).replace(/^[\\/]+/, '')}`;
    yield isFile ? undefined : (URL.parse(address) ?? undefined);
  }
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
