/** What is read for a formula that stands by itself. */
export const formula = 'Formula.';

const greek =
  'alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi varphi chi psi omega';
const words: Readonly<Record<string, string>> = {
  ...Object.fromEntries(greek.split(' ').map((name) => [`\\${name}`, name.replace(/^var/, '')])),
  '=': 'equals',
  '+': 'plus',
  '-': 'minus',
  '/': 'over',
  '*': 'times',
  '<': 'is less than',
  '>': 'is greater than',
  '\\cdot': 'times',
  '\\times': 'times',
  '\\div': 'divided by',
  '\\pm': 'plus or minus',
  '\\le': 'is at most',
  '\\leq': 'is at most',
  '\\ge': 'is at least',
  '\\geq': 'is at least',
  '\\ne': 'is not equal to',
  '\\neq': 'is not equal to',
  '\\approx': 'is about',
  '\\to': 'to',
  '\\infty': 'infinity',
  '\\%': 'percent',
  '^2': 'squared',
  '^3': 'cubed',
};

/** A longer one is not understood by ear. In characters. */
const maxLength = 60;

/** Returns a formula in a sentence: in words where it is simple, else the word “formula”. */
export function inlineFormula(tex: string): string {
  const compact = tex.trim();
  if (compact === '' || compact.length > maxLength) return 'formula';
  if (/^[a-zA-Z]+$/.test(compact)) return compact;
  const spoken: string[] = [];
  for (const token of compact.match(/\\[a-zA-Z]+|\\.|\^[23](?!\d)|\d+(?:[.,]\d+)*|\S/g) ?? []) {
    const word = Object.hasOwn(words, token)
      ? words[token]
      : /^(?:[a-zA-Z]|\d+(?:[.,]\d+)*)$/.test(token)
        ? token
        : undefined;
    if (word === undefined) return 'formula';
    spoken.push(word);
  }
  return spoken.join(' ');
}
