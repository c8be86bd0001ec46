import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

/** A regular expression of a source file. */
export interface Pattern {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Returns the regular expressions that a file contains as literals. */
export function patternsIn(file: string): readonly Pattern[] {
  const text = readFileSync(file, 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: Pattern[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { regex, start } = node as { regex?: { pattern: string; flags: string }; start?: number };
    if (regex) {
      const line = text.slice(0, start).split('\n').length;
      found.push({ file, line, source: regex.pattern, flags: regex.flags });
    } else for (const child of Object.values(node)) visit(child);
  };
  visit(program);
  return found;
}
