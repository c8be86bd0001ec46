/** A backslash before these characters would break the line or add an accent to the next character. */
const names: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
};

/** Escapes text so that LaTeX prints it literally. */
export function escapeLatex(text: string): string {
  return text.replace(/[\\{}%#$&_^~]/g, (character) => names[character] ?? `\\${character}`);
}
