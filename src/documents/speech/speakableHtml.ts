import { Parser } from 'htmlparser2';
import type { SpokenParagraph } from './SpokenLines.ts';
import { isTranscript, SpokenLines } from './SpokenLines.ts';

/** Elements that are not spoken. `head` is not listed: HTML may omit its end tag, and all text would be in it. */
const silent = words(
  'audio canvas datalist embed iframe math noembed noframes noscript object pre rp rt script select style svg',
  'template textarea title video',
);
const headings = words('h1 h2 h3 h4 h5 h6');
const pausing = words('caption dd dt figcaption legend li summary tr');
const groups = words('dl menu ol table ul');
const blocks = words(
  'address article aside blockquote body center details dialog div fieldset figure footer form header hgroup hr html',
  'main nav p search section tbody tfoot thead',
);
const inline = words(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rb ruby s samp small span strike',
  'strong sub sup time tt u var wbr',
);

interface Options {
  /** Whether `<template>` contains the visible content, as in Vue. */
  readonly speaksTemplates?: boolean;
}

/** Returns what a person reads aloud from HTML or an HTML fragment. */
export function speakableHtml(html: string, { speaksTemplates = false }: Options = {}): readonly SpokenParagraph[] {
  const lines = new SpokenLines();
  // Open silent elements, with everything in them.
  let silence = 0;
  const open: boolean[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const isSilent =
          isHidden(attributes) ||
          (silent.has(name) && !(speaksTemplates && name === 'template')) ||
          (name === 'a' && isTranscript(attributes.href ?? ''));
        open.push(isSilent);
        if (isSilent) silence++;
        if (silence === 0) begin(lines, name, attributes);
        else if (silence === 1 && isSilent && endsLine(name)) lines.end();
      },
      ontext(text) {
        if (silence === 0) lines.add(text);
      },
      onclosetag(name) {
        if (open.pop()) silence--;
        else if (silence === 0) finish(lines, name);
      },
    },
    { recognizeSelfClosing: true },
  );
  parser.end(html);
  return lines.finish();
}

function endsLine(name: string): boolean {
  return name === 'pre' || blocks.has(name) || pausing.has(name) || headings.has(name);
}

function begin(lines: SpokenLines, name: string, attributes: Readonly<Record<string, string>>): void {
  if (name === 'br') lines.breakLine();
  else if (name === 'img') lines.add(` ${attributes.alt ?? ''} `);
  else if (name === 'td' || name === 'th') lines.beginCell();
  else if (groups.has(name)) lines.beginGroup();
  else if (headings.has(name)) lines.beginHeading();
  else if (pausing.has(name)) lines.beginPausing();
  else if (blocks.has(name)) lines.end();
  else if (!inline.has(name)) lines.add(' ');
}

function finish(lines: SpokenLines, name: string): void {
  if (name === 'td' || name === 'th') lines.endCell();
  else if (groups.has(name)) lines.endGroup();
  else if (headings.has(name)) lines.endHeading();
  else if (pausing.has(name)) lines.endPausing();
  else if (blocks.has(name)) lines.end();
  else if (!inline.has(name) && name !== 'br' && name !== 'img') lines.add(' ');
}

function isHidden({ hidden, 'aria-hidden': ariaHidden }: Readonly<Record<string, string>>): boolean {
  return hidden !== undefined || ariaHidden === 'true';
}

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.join(' ').split(' '));
}
