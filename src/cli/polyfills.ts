// Functions that Node 20 lacks.

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

if (!('groupBy' in Map)) {
  Object.defineProperty(Map, 'groupBy', {
    value: (items: Iterable<unknown>, keyOf: (item: unknown, index: number) => unknown) => {
      const groups = new Map<unknown, unknown[]>();
      let index = 0;
      for (const item of items) {
        const key = keyOf(item, index++);
        const group = groups.get(key);
        if (group) group.push(item);
        else groups.set(key, [item]);
      }
      return groups;
    },
  });
}

if (!('transfer' in ArrayBuffer.prototype)) {
  Object.defineProperty(ArrayBuffer.prototype, 'transfer', {
    // We only use it to release memory, so the result may be empty.
    value(this: ArrayBuffer) {
      structuredClone(this, { transfer: [this] });
      return new ArrayBuffer(0);
    },
  });
}
