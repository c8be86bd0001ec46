import type { StateBlock } from 'markdown-it';
import { indentOf, matchAt, pushInline, startOf } from './blockLines.ts';

const marker = /:[ \t]+(?=\S)/my;
/** Terms of one definition. */
const maxTerms = 3;

/** @param outer columns in front of the list */
function isDefinition(state: StateBlock, line: number, end: number, outer = state.blkIndent): boolean {
  const indent = (state.sCount[line] ?? 0) - outer;
  return line < end && indent >= 0 && indent < 4 && matchAt(state, marker, line) !== undefined;
}

/** Returns the line of the first definition of the terms that begin at a line. */
function definitionBelow(state: StateBlock, startLine: number, endLine: number): number | undefined {
  let line = startLine + 1;
  while (line < endLine && line - startLine < maxTerms && !state.isEmpty(line) && !isDefinition(state, line, endLine)) {
    line++;
  }
  if (line === startLine + 1 && line < endLine && state.isEmpty(line)) line++;
  return isDefinition(state, line, endLine) ? line : undefined;
}

/** Reads terms, each on a line, and the definitions below them, each behind a colon. */
export class DefinitionLists {
  /** Columns in front of the list that is being read. */
  #outer: number | undefined;

  /** Is a rule of markdown-it. Within a definition, the next one ends a paragraph, and so does the next term. */
  readonly read = (state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean => {
    if (isSilent) {
      if (state.parentType !== 'paragraph' || this.#outer === undefined) return false;
      const isAt = (line: number) => isDefinition(state, line, endLine, this.#outer);
      return isAt(startLine) || isAt(startLine + 1);
    }
    if (indentOf(state, startLine) >= 4 || isDefinition(state, startLine, endLine)) return false;
    const first = definitionBelow(state, startLine, endLine);
    if (first === undefined) return false;
    state.push('definitions_open', 'dl', 1);
    for (let line = startLine; line < first; line++) {
      const term = state.src.slice(startOf(state, line), state.eMarks[line]).trim();
      if (term !== '') pushInline(state, 'dt', term, line);
    }
    state.line = first;
    while (isDefinition(state, state.line, endLine)) this.#readDefinition(state, state.line, endLine);
    state.push('definitions_close', 'dl', -1);
    return true;
  };

  #readDefinition(state: StateBlock, line: number, endLine: number): void {
    const { blkIndent } = state;
    const outer = this.#outer;
    const [tShift, sCount] = [state.tShift[line] ?? 0, state.sCount[line] ?? 0];
    const width = matchAt(state, marker, line)?.[0].length ?? 0;
    state.push('definition_open', 'dd', 1);
    this.#outer = blkIndent;
    state.tShift[line] = tShift + width;
    state.sCount[line] = sCount + width;
    state.blkIndent = sCount + Math.min(width, 4);
    state.md.block.tokenize(state, line, endLine);
    state.tShift[line] = tShift;
    state.sCount[line] = sCount;
    state.blkIndent = blkIndent;
    this.#outer = outer;
    state.push('definition_close', 'dd', -1);
  }
}
