import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** Text that makes a pattern search again and again: a part that is repeated after a beginning. */
export interface Repeated {
  readonly before: string;
  readonly part: string;
}

const common = ['a', 'Z', '7', ' ', '\n', '\t', '_', 'é', '狐', '\r', '\u2028'];
const characters = [
  ...common,
  ...Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index)),
  ...['\u3000', '\uff01', '\u0e01', '\u0915', '—', '”', '\uE000', '\uFEFF', '\u0301'],
];

/**
 * Returns what may make a pattern slow when it is repeated: each beginning of an alternative, which then has no end, and
 * whatever a quantifier repeats, after what precedes it.
 */
export function repeatedFragments(source: string, flags: string): readonly Repeated[] {
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const found = new Map<string, Repeated>();
  for (const isLast of [false, true]) {
    const samples = new Samples(flags, isLast);
    const add = (before: string, part: string) => {
      if (part !== '') found.set(JSON.stringify([before, part]), { before, part });
    };
    const visit = (alternatives: readonly AST.Alternative[], outside: string) => {
      for (const { elements } of alternatives) {
        let before = '';
        for (const element of elements) {
          const inner = element.type === 'Quantifier' ? element.element : element;
          if (element.type === 'Quantifier') add(outside + before, samples.of(inner));
          if ('alternatives' in inner) visit(inner.alternatives, outside + before);
          before += samples.of(element);
          add('', before);
        }
      }
    };
    visit(pattern.alternatives, '');
  }
  return [...found.values()];
}

/** Makes text that parts of a pattern match. */
class Samples {
  readonly #flags: string;
  readonly #isLast: boolean;

  /** @param isLast whether to prefer the last alternative and character of a class instead of the first */
  constructor(flags: string, isLast: boolean) {
    this.#flags = flags.replace(/[gy]/g, '');
    this.#isLast = isLast;
  }

  of(node: AST.Element): string {
    switch (node.type) {
      case 'Character':
        return String.fromCodePoint(node.value);
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#characterOf(node.raw);
      case 'Quantifier':
        return this.of(node.element).repeat(Math.min(Math.max(node.min, 1), 4));
      case 'CapturingGroup':
      case 'Group':
        return this.#alternativeOf(node.alternatives);
      case 'Backreference':
        return [node.resolved].flat().map((group) => this.#alternativeOf(group.alternatives))[0] ?? '';
      default:
        return '';
    }
  }

  #alternativeOf(alternatives: readonly AST.Alternative[]): string {
    const chosen = alternatives.at(this.#isLast ? -1 : 0);
    return (chosen?.elements ?? []).map((element) => this.of(element)).join('');
  }

  #characterOf(raw: string): string {
    const pattern = new RegExp(`^(?:${raw})$`, this.#flags);
    const matches = (character: string) => pattern.test(character);
    return (this.#isLast ? characters.findLast(matches) : characters.find(matches)) ?? '';
  }
}
