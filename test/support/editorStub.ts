import { registerHooks } from 'node:module';
import { posix, sep } from 'node:path';
import type * as vscode from 'vscode';

/** As much of a URI as the tests need: the scheme, the path and the fragment. */
export class Uri implements vscode.Uri {
  readonly scheme: string;
  readonly authority: string = '';
  readonly query: string;
  readonly fragment: string;
  readonly path: string;

  private constructor(path: string, scheme: string, fragment = '', query = '') {
    this.path = path;
    this.scheme = scheme;
    this.fragment = fragment;
    this.query = query;
  }

  static file(path: string): Uri {
    return new Uri(posix.join('/', path.replaceAll(sep, '/')), 'file');
  }

  static parse(address: string): Uri {
    const { protocol, pathname } = new URL(address);
    return new Uri(decodeURIComponent(pathname), protocol.slice(0, -1));
  }

  static joinPath(uri: Uri, ...names: readonly string[]): Uri {
    return uri.with({ path: posix.join(uri.path, ...names) });
  }

  get fsPath(): string {
    return this.path.replace(/^\/(?=[a-z]:)/i, '').replaceAll('/', sep);
  }

  with({
    path = this.path,
    scheme = this.scheme,
    fragment = this.fragment,
    query = this.query,
  }: Partial<Pick<Uri, 'path' | 'scheme' | 'fragment' | 'query'>>): Uri {
    return new Uri(path, scheme, fragment, query);
  }

  toString(): string {
    const path = this.path.split('/').map(encodeURIComponent).join('/');
    return `${this.scheme}://${path}${this.query && `?${this.query}`}${this.fragment && `#${this.fragment}`}`;
  }

  toJSON(): object {
    return { ...this };
  }
}

export class Position {
  readonly line: number;
  readonly character: number;

  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...numbers: readonly [Position, Position] | readonly [number, number, number, number]) {
    if (numbers.length === 2) [this.start, this.end] = numbers;
    else [this.start, this.end] = [new Position(numbers[0], numbers[1]), new Position(numbers[2], numbers[3])];
  }

  get isEmpty(): boolean {
    return this.start.line === this.end.line && this.start.character === this.end.character;
  }
}

export class Disposable {
  readonly dispose: () => void;

  constructor(dispose: () => void) {
    this.dispose = dispose;
  }

  static from(...all: readonly { dispose(): void }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) one.dispose();
    });
  }
}

class EventEmitter {
  readonly #listeners = new Set<(value: unknown) => void>();

  readonly event = (listener: (value: unknown) => void): Disposable => {
    const called = (value: unknown) => listener(value);
    this.#listeners.add(called);
    return new Disposable(() => this.#listeners.delete(called));
  };

  fire(value: unknown): void {
    for (const called of [...this.#listeners]) called(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

class RelativePattern {
  readonly base: Uri;
  readonly pattern: string;

  constructor(base: Uri, pattern: string) {
    this.base = base;
    this.pattern = pattern;
  }
}

class Kind {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  append(...names: readonly string[]): Kind {
    return new Kind([this.value, ...names].join('.'));
  }

  intersects({ value }: Kind): boolean {
    return value.startsWith(this.value) || this.value.startsWith(value);
  }
}

/** What VS Code has in English, as far as tests need it but are hardly about it. */
export const commonEditor = {
  ...{ Uri, Position, Range, Disposable, EventEmitter, RelativePattern },
  ...{ ThemeColor: class {}, ThemeIcon: class {}, DecorationRangeBehavior: {}, ProgressLocation: {} },
  ...{ TabInputText: class {}, TabInputTextDiff: class {}, TabInputCustom: class {}, TabInputNotebook: class {} },
  DocumentDropOrPasteEditKind: { Empty: new Kind('') },
  CodeActionKind: { QuickFix: new Kind('quickfix') },
  FileType: { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 },
  env: { language: 'en' },
  l10n: {
    t: (text: string, ...values: readonly unknown[]) =>
      text.replace(/{(\d)}/g, (mark, index) => String(values[index] ?? mark)),
  },
};

let stubs = 0;

/**
 * Imports a module that imports VS Code, with {@link commonEditor} and an object in its place. For code that needs
 * little of the editor; the integration tests run the real one. Of the rooms that import VS Code, each call loads its
 * own copies.
 *
 * @param file URL of the module
 * @param own goes before what is common. The objects in it stay the same, so that a test may change them later.
 */
export async function importWithEditor<Module>(file: URL, own: Readonly<Record<string, unknown>>): Promise<Module> {
  const key = `editor ${++stubs}`;
  const editor = { ...commonEditor, ...own };
  Object.assign(globalThis, { [key]: editor });
  const names = Object.keys(editor).map((name) => `export const ${name} = editor.${name};`);
  const source = `const editor = globalThis[${JSON.stringify(key)}]; ${names.join(' ')}`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === 'vscode') {
        return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true };
      }
      const resolved = next(specifier, context);
      const { url } = resolved;
      return /\/src\/(?:editor|features)\//.test(url) ? { ...resolved, url: `${url}?stub=${stubs}` } : resolved;
    },
  });
  try {
    return await import(file.href);
  } finally {
    hooks.deregister();
  }
}
