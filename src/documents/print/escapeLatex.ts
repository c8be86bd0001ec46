/** A backslash before these three would break the line or put an accent on what follows. */
const names: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
};

/** Text that LaTeX prints as it is. */
export function escapeLatex(text: string): string {
  return text.replace(/[\\{}%#$&_^~]/g, (character) => names[character] ?? `\\${character}`);
}
