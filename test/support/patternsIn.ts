import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

/** A regular expression of a source file. */
export interface Pattern {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Sources that only the running code has, as they are for one of its values. */
const builtSources: Readonly<Record<string, string>> = {
  property: 'base',
  object: 'paths',
  name: 'script',
  blanklessScripts: '\\p{Script=Han}\\p{Script=Thai}',
  "mediaExtensions.join('|')": 'avif|png|jpe?g|mp3|mp4',
  "extensions.join('|')": 'png|mp3',
  "escaped.join('|')": '\\{\\{|\\{%|<\\?|`',
  "forms.join('|')": 'k[eE](?:y|%79)|6b[\\s:-]?65[\\s:-]?79|a2V[5-6]',
  'sharedInAsciidoc.source': '-(?=-)|\\$(?=\\$)',
  "[sharedInAsciidoc, markupInAsciidoc, sequencesInAsciidoc, beginningsInAsciidoc].map(({ source }) => source).join('|')":
    '[-.:]|\\.(?=\\.)|\\.(?<=^[ \\t]*(?:\\d+|[a-z])\\.)',
};

/** Returns the regular expressions of a file: its literals, and what it builds with `new RegExp`. */
export function patternsIn(file: string): readonly Pattern[] {
  const text = readFileSync(file, 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const constants: { readonly name: string; readonly init: Node }[] = [];
  const found: Pattern[] = [];
  const add = (source: string, flags: string, start = 0) => {
    found.push({ file, line: text.slice(0, start).split('\n').length, source, flags });
  };
  /** Returns the text that an expression has when the code runs. */
  const textOf = (node: Node): string => {
    if (typeof node.value === 'string') return node.value;
    if (node.type === 'ConditionalExpression' && node.consequent) return textOf(node.consequent);
    if (node.type === 'TemplateLiteral') {
      const { quasis = [], expressions = [] } = node;
      return quasis
        .map(({ value }, index) => value.cooked + (expressions[index] ? textOf(expressions[index]) : ''))
        .join('');
    }
    const source = text.slice(node.start, node.end).replace(/\s+/g, ' ');
    const built = builtSources[source];
    if (built !== undefined) return built;
    // The same name may stand for something else in another function.
    const constant = constants.findLast(({ name, init }) => name === source && init.end < node.start)?.init;
    if (!constant) throw new Error(`${file} builds a pattern from ${source}, which needs an example in patternsIn.ts`);
    return textOf(constant);
  };
  const visit = (value: unknown, work: (node: Node) => void): void => {
    if (typeof value !== 'object' || value === null) return;
    work(value as Node);
    for (const child of Object.values(value)) visit(child, work);
  };
  visit(program, ({ type, id, init }) => {
    if (type === 'VariableDeclarator' && id?.name && init) constants.push({ name: id.name, init });
  });
  visit(program, ({ type, regex, start, callee, arguments: [source, flags] = [] }) => {
    if (regex) add(regex.pattern, regex.flags, start);
    if (type === 'NewExpression' && callee?.name === 'RegExp' && source)
      add(textOf(source), flags ? textOf(flags) : '', start);
  });
  return found;
}

/** What is read of a node of the syntax tree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly id?: Node;
  readonly init?: Node;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly consequent?: Node;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
  readonly expressions?: readonly Node[];
}
