/** Maximum number of characters to read; configurations written by hand are shorter. */
const maxLength = 200_000;
/** Unclosed strings and comments extend to the end, which keeps the search linear. */
const stringsAndComments =
  /("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?)|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;

/**
 * Returns a property's string from a configuration in JavaScript or TypeScript. Configurations are read as text and
 * never run, so computed values are unknown and the framework's default applies. Parsers of JavaScript, YAML and TOML
 * would be larger than all of `src/places`. If several properties have the name, the outermost one counts.
 */
export function readScriptText(source: string, property: string): string | undefined {
  const value = outermost(source, property);
  return /^(["'`])([^"'`\\$]*)\1/.exec(value ?? '')?.[2];
}

/** Returns the strings of a list; undefined if there is no list or not all its items are literals. */
export function readScriptList(source: string, property: string): readonly string[] | undefined {
  const list = /^\[([^\]]*)\]/.exec(outermost(source, property) ?? '')?.[1];
  if (list === undefined) return undefined;
  const items = list.split(',').map((item) => item.trim());
  const texts = items.filter((item) => item !== '').map((item) => /^(["'`])([^"'`\\$]*)\1$/.exec(item)?.[2]);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Returns the strings of a property, wherever it occurs. */
export function readScriptTexts(source: string, property: string): readonly string[] {
  const pairs = withoutComments(source).matchAll(
    new RegExp(`(?<![\\w$.-])(["']?)${property}\\1\\s{0,50}:\\s{0,50}(["'\`])([^"'\`\\\\$\\n]*)\\2`, 'g'),
  );
  return Array.from(pairs, ([, , , text = '']) => text);
}

/** Removes comments from JavaScript. */
export function withoutComments(source: string): string {
  return source.slice(0, maxLength).replace(stringsAndComments, (_, text?: string) => text ?? ' ');
}

/** Returns the text after the colon of the least nested property with this name. */
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
