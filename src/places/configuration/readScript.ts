/** Longer configurations are not written by hand. */
const longest = 200_000;
/** What is never closed goes on to the end, so that it is looked for once. */
const stringsAndComments =
  /("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?)|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;

/**
 * The text of a string that stands for a property in a configuration in JavaScript or TypeScript. The text is read, never
 * run: what is computed is not known. Of several properties of that name the outermost one counts.
 */
export function readScriptText(source: string, property: string): string | undefined {
  const value = outermost(source, property);
  return /^(["'`])([^"'`\\$]*)\1/.exec(value ?? '')?.[2];
}

/** The strings of a list; undefined where there is no list, or one that is not all literal. */
export function readScriptList(source: string, property: string): readonly string[] | undefined {
  const list = /^\[([^\]]*)\]/.exec(outermost(source, property) ?? '')?.[1];
  if (list === undefined) return undefined;
  const items = list.split(',').map((item) => item.trim());
  const texts = items.filter((item) => item !== '').map((item) => /^(["'`])([^"'`\\$]*)\1$/.exec(item)?.[2]);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** The strings that stand for a property, wherever it occurs. */
export function readScriptTexts(source: string, property: string): readonly string[] {
  const pairs = withoutComments(source).matchAll(
    new RegExp(`(?<![\\w$.-])(["']?)${property}\\1\\s{0,50}:\\s{0,50}(["'\`])([^"'\`\\\\$\\n]*)\\2`, 'g'),
  );
  return Array.from(pairs, ([, , , text = '']) => text);
}

/** What a property is set to when it is `true` or `false`. */
export function readScriptFlag(source: string, property: string): boolean | undefined {
  const flag = /^(true|false)\b/.exec(outermost(source, property) ?? '')?.[1];
  return flag === undefined ? undefined : flag === 'true';
}

/** JavaScript without its comments. */
export function withoutComments(source: string): string {
  return source.slice(0, longest).replace(stringsAndComments, (_, text?: string) => text ?? ' ');
}

/** What follows the colon of the property that stands in the fewest braces. */
function outermost(source: string, property: string): string | undefined {
  const text = withoutComments(source);
  const tokens = new RegExp(`(?<![\\w$.-])(["']?)${property}\\1\\s{0,50}:\\s{0,50}|"[^"\\n]*"|'[^'\\n]*'|[{}]`, 'g');
  let [depth, least] = [0, Number.POSITIVE_INFINITY];
  let found: string | undefined;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '{') depth++;
    else if (token === '}') depth--;
    else if (token.trimEnd().endsWith(':') && depth < least) {
      least = depth;
      found = text.slice(index + token.length, index + token.length + 2000);
    }
  }
  return found;
}
