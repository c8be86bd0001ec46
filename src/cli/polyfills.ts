// What Node 20 does not have yet.

if (!('withResolvers' in Promise)) {
  Object.defineProperty(Promise, 'withResolvers', {
    value: () => {
      let settle: readonly unknown[] = [];
      const promise = new Promise((...functions) => {
        settle = functions;
      });
      const [resolve, reject] = settle;
      return { promise, resolve, reject };
    },
  });
}

if (!('parse' in URL)) {
  Object.defineProperty(URL, 'parse', {
    value: (url: string, base?: string) => (URL.canParse(url, base) ? new URL(url, base) : null),
  });
}

if (!('transfer' in ArrayBuffer.prototype)) {
  Object.defineProperty(ArrayBuffer.prototype, 'transfer', {
    // Of its uses, all give memory away.
    value(this: ArrayBuffer) {
      structuredClone(this, { transfer: [this] });
      return new ArrayBuffer(0);
    },
  });
}
