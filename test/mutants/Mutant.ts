/** One plausible mistake in the code, and the tests that must detect it. */
export interface Mutant {
  /** What goes wrong because of the mistake. */
  readonly name: string;
  /** Relative to the project, with forward slashes. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly text: string;
  readonly replacement: string;
  /** Patterns of test files in `test/unit`, without `.test.ts` or `.slow.test.ts`. They run in this order, so put fast ones first. */
  readonly tests: readonly string[];
}

/** Name, text, replacement and, where they differ from the file's, the tests. */
export type Row = readonly [name: string, text: string, replacement: string, tests?: readonly string[]];

/** Returns the mutants of one file. @param tests used for rows that name none */
export function mutantsOf(file: string, tests: readonly string[], rows: readonly Row[]): readonly Mutant[] {
  return rows.map(([name, text, replacement, own = tests]) => ({ name, file, text, replacement, tests: own }));
}

/** Applies a mutant to the source of its file. @throws Error when its text does not occur exactly once */
export function mutate(source: string, { name, file, text, replacement }: Mutant): string {
  const pieces = source.split(text);
  if (pieces.length !== 2) {
    const count = pieces.length - 1;
    throw new Error(`${file} holds the text of the mutant “${name}” ${count} times instead of once: ${text}`);
  }
  return pieces.join(replacement);
}
