/**
 * Takes away what stands in braces, as MDX and Svelte write code among text: `{name}`, `{#if …}`, `{/* … *\/}`.
 * Braces in code spans stay, and so does one that is never closed.
 */
export function withoutExpressions(text: string): string {
  let kept = '';
  let from = 0;
  let opened = 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/(`+)[\s\S]*?\1|[{}]/g)) {
    if (token === '{') {
      if (depth === 0) opened = index;
      depth++;
    } else if (token === '}' && depth > 0) {
      depth--;
      if (depth > 0) continue;
      // An attribute keeps a value, so that its tag stays one.
      kept += text.slice(from, opened) + (text[opened - 1] === '=' ? '""' : '');
      from = index + 1;
    }
  }
  return kept + text.slice(from);
}
