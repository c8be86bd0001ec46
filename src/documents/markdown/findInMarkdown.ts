import type { Findings } from '../Findings.ts';
import { hidePairs, Mask, templatePairs } from '../Mask.ts';
import { findInScript } from '../web/findInScript.ts';
import { findInTags } from '../web/findInTags.ts';
import { BlockReader } from './BlockReader.ts';
import { codeSpansIn } from './codeSpans.ts';
import { findInFrontMatter } from './frontMatter.ts';
import { InlineReader } from './InlineReader.ts';

/** Finds references in Markdown or MDX: front matter, text, definitions and tags. */
export function findInMarkdown(text: string, isMdx: boolean, findings: Findings): void {
  const body = findInFrontMatter(text, findings);
  const blocks = new Mask(text);
  blocks.hide(0, body);
  new BlockReader(text, blocks, findings, !isMdx).read(body);
  const withoutBlocks = blocks.apply();
  const mask = new Mask(withoutBlocks);
  hideCodeSpans(withoutBlocks, mask);
  hidePairs(withoutBlocks, templatePairs, mask);
  const withoutCode = mask.apply();
  const masked = isMdx ? withoutExpressions(withoutCode, findings) : withoutCode;
  new InlineReader(masked, findings).read(body);
  findInTags(masked, findings, body);
}

function hideCodeSpans(text: string, mask: Mask): void {
  // A paragraph ends at a blank line or a hidden block.
  const breaks = /\n[ \t>]*(?=\r?\n|\uE000)/g;
  let backtick = text.indexOf('`');
  while (backtick !== -1) {
    breaks.lastIndex = backtick;
    const end = breaks.exec(text)?.index ?? text.length;
    for (const span of codeSpansIn(text, backtick, end)) mask.hide(span.start, span.end);
    backtick = text.indexOf('`', end);
  }
}

/** Hides the JavaScript of MDX: imports, exports and expressions in braces, except attribute values. */
function withoutExpressions(text: string, findings: Findings): string {
  const mask = new Mask(text);
  // They begin after a blank line, or after front matter or a code block, whose lines are hidden.
  const modules = /(?:^|\n[ \t]*\r?\n|\n\uE000+\r?\n)(?=(?:import|export)\b)/g;
  for (let match = modules.exec(text); match; match = modules.exec(text)) {
    const start = match.index + match[0].length;
    const blank = /\n[ \t]*(?=\r?\n)/g;
    blank.lastIndex = start;
    const end = blank.exec(text)?.index ?? text.length;
    findInScript(text.slice(start, end), false, findings, start);
    mask.hide(start, end);
    modules.lastIndex = Math.max(end, modules.lastIndex);
    if (modules.lastIndex >= text.length) break;
  }
  const withoutModules = mask.apply();
  const open: number[] = [];
  for (const { 0: brace, index } of withoutModules.matchAll(/\\[{}]|[{}]/g)) {
    if (brace === '{') open.push(index);
    const start = brace === '}' ? open.pop() : undefined;
    if (start !== undefined && withoutModules[start - 1] !== '=') mask.hide(start, index + 1);
  }
  return mask.apply();
}
