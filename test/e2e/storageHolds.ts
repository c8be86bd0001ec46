/** The parts of IndexedDB that the tests use; the DOM types are not available here. */
interface Storage {
  databases(): Promise<readonly { readonly name: string }[]>;
  open(name: string): Request<{
    readonly objectStoreNames: Iterable<string>;
    transaction(store: string): { objectStore(store: string): { getAll(): Request<readonly unknown[]> } };
    close(): void;
  }>;
}

interface Request<T> {
  readonly result: T;
  onsuccess: () => void;
}

/** Whether anything in IndexedDB contains the text. Runs in the page. */
export async function storageHolds(text: string): Promise<boolean> {
  const { indexedDB } = globalThis as unknown as { readonly indexedDB: Storage };
  const resultOf = <T>(request: Request<T>) =>
    new Promise<T>((resolve) => {
      request.onsuccess = () => resolve(request.result);
    });
  for (const { name } of await indexedDB.databases()) {
    const database = await resultOf(indexedDB.open(name));
    try {
      for (const store of database.objectStoreNames) {
        const values = await resultOf(database.transaction(store).objectStore(store).getAll());
        if (JSON.stringify(values).includes(text)) return true;
      }
    } finally {
      database.close();
    }
  }
  return false;
}
