// What a service may fetch or send to: gateways take webhooks, callbacks and the addresses of pictures in any of their fields.

/**
 * Where an address begins: `scheme:/`, also percent-encoded, a scheme that needs no slash, or `//host`. A scheme has a
 * letter, unlike the ratio `1:/2`, and a drive such as `C:/` is none.
 */
const begins =
  /(?::|%3a)(?<=[a-z][a-z0-9+.-]*(?::|%3a))(?:[\\/]|%2f|%5c)(?:(?<=[a-z0-9+.-]{2}(?::|%3a)(?:[\\/]|%2f|%5c))|(?=[\\/]|%2f|%5c))|(?<![a-z0-9+.-])(?:https?|wss?|ftps?|file|mailto):(?=\S)|(?<![\p{L}\p{N}_/\\:.%-])[\\/]{2,}(?=[\p{L}\p{N}_[%])/giu;

/**
 * Returns the words of a text that hold an address, in whatever scheme, each as it stands there. A line break or tab inside
 * of an address does not hide it, since programs leave these out.
 */
export function addressesIn(text: string): readonly string[] {
  // What follows a line break may change the host, as in `https://a.example\n@b.example`.
  const joined = text.replace(/[\t\n\r]/g, '');
  return [...new Set([...wordsWithAddress(text), ...(joined === text ? [] : wordsWithAddress(joined))])];
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
 * Yields an address for each host that a word from {@link addressesIn} names, also one behind another, and for each that
 * only some programs read there; undefined in place of a file of the service's computer, and of what no program could read.
 */
export function* hostsOf(word: string): Generator<URL | undefined> {
  const plain = decoded(word);
  const known = new Set<string>();
  // Decoding moves the host where what is encoded would end it, as in `https://a.example%2F@b.example`.
  for (const text of new Set([plain, word])) {
    for (const { index, 0: start } of text.matchAll(begins)) {
      const isFile = /(?<![a-z0-9+.-])file$/i.test(text.slice(Math.max(0, index - 5), index)) || /^file:/i.test(start);
      const all = isFile ? [] : readingsOf(text.slice(index + start.length).replace(/^[\\/]+/, ''));
      if (all.length === 0 && (isFile || text === plain)) yield undefined;
      yield* text === plain ? all : all.filter(({ hostname }) => !known.has(hostname));
      for (const { hostname } of all) known.add(hostname);
    }
  }
}

/** Returns an address for each host that programs may read at the beginning of a text. */
function readingsOf(text: string): readonly URL[] {
  const readings = [
    text,
    // Not every program takes a backslash for a slash.
    text.replaceAll('\\', '%5C'),
    // Quotes and brackets may be those around the address.
    text.split(/["'`<>(){}|^,;]/, 1).join(''),
  ];
  // Only in http are numbers read as programs read them, such as 0x7f.1.
  const addresses = readings.flatMap((one) => URL.parse(`http://${one}`) ?? []);
  return [...new Map(addresses.map((address) => [address.hostname, address])).values()];
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
