/** The part of Node's WebAssembly that is used here: its types have none, and those of browsers are not loaded. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
    static imports(module: Module): readonly unknown[];
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function instantiate(bytes: Uint8Array): Promise<{ readonly instance: Instance }>;
}
