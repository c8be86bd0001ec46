// Prints the milliseconds for a Markdown document of 10,000 lines with 1,000 references:
//   first    to find them in a fresh process
//   again    to find them again, as after each pause in typing
//   missing  to find them, resolve them in a Docusaurus project, and list the missing half

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findReferences } from '../../src/documents/findReferences.ts';
import { findMissing, Places } from '../../src/projects/Places.ts';

const lines = Array.from({ length: 10_000 }, (_, index) => {
  if (index % 10 === 5) return `![A fox, number ${index}](/img/fox-${index}.png "Fox")`;
  if (index % 10 === 6 || index % 50 === 1) return '';
  if (index % 50 === 0) return `## Chapter ${index}`;
  return `Words with *emphasis*, \`code\` and a [link](https://example.org/${index}), as they stand in a line.`;
});
const text = lines.join('\n');

function milliseconds(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function find(): void {
  const found = findReferences(text, 'markdown').length;
  if (found !== 1000) throw new Error(`Found ${found} references.`);
}

async function missing(): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), 'references-'));
  try {
    mkdirSync(join(root, 'static/img'), { recursive: true });
    writeFileSync(join(root, 'docusaurus.config.js'), '');
    for (let index = 5; index < 5000; index += 10) writeFileSync(join(root, `static/img/fox-${index}.png`), '');
    const places = new Places(root, {
      exists: async (path) => existsSync(path),
      names: async (path) => new Set(existsSync(path) ? readdirSync(path) : []),
      readText: async (path) => readFileSync(path, 'utf8'),
    });
    const document = { path: join(root, 'docs/a.md'), language: 'markdown' } as const;
    const start = performance.now();
    const files = await findMissing(findReferences(text, 'markdown'), {
      resolve: (reference) => places.resolve(document, reference),
      filesNamed: async () => [],
    });
    const time = performance.now() - start;
    if (files.length !== 500) throw new Error(`Listed ${files.length} missing files.`);
    return time;
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function again(): Promise<number> {
  for (let run = 0; run < 10; run++) find();
  return milliseconds(find);
}

const measures: Readonly<Record<string, () => number | Promise<number>>> = {
  first: () => milliseconds(find),
  again,
  missing,
};
const measure = measures[process.argv[3] ?? ''];
if (!measure) throw new Error('Usage: references.ts client first|again|missing');
console.log(await measure());
