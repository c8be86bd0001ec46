/**
 * Removes expressions in braces, which MDX and Svelte mix with text: `{name}`, `{#if …}`, `{/* … *\/}`. Braces in code
 * spans, escaped and unclosed braces stay.
 */
export function withoutExpressions(text: string): string {
  let kept = '';
  let from = 0;
  let opened = 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/\\[{}]|(`+)[\s\S]*?\1|[{}]/g)) {
    if (token === '{') {
      if (depth === 0) opened = index;
      depth++;
    } else if (token === '}' && depth > 0) {
      depth--;
      if (depth > 0) continue;
      // The attribute gets a value, so that the tag stays valid.
      kept += text.slice(from, opened) + (text[opened - 1] === '=' ? '""' : '');
      from = index + 1;
    }
  }
  return kept + text.slice(from);
}
