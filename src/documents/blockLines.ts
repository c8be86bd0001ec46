import type { StateBlock } from 'markdown-it';

// What the block rules of Markdown ask of a line, and add.

export function startOf(state: StateBlock, line: number): number {
  return (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
}

/** Number of columns in front of a line. */
export function indentOf(state: StateBlock, line: number): number {
  return (state.sCount[line] ?? 0) - state.blkIndent;
}

export function matchAt(state: StateBlock, pattern: RegExp, line: number): RegExpExecArray | undefined {
  pattern.lastIndex = startOf(state, line);
  return pattern.exec(state.src) ?? undefined;
}

export function pushInline(state: StateBlock, tag: string, content: string, line: number): void {
  const map: [number, number] = [line, line + 1];
  state.push('paragraph_open', tag, 1).map = map;
  const inline = state.push('inline', '', 0);
  inline.content = content;
  inline.map = map;
  inline.children = [];
  state.push('paragraph_close', tag, -1);
}
