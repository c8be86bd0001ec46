import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Generator } from '../Generator.ts';
import { image, picture } from './references.ts';

/** Whether a file was read, by the list that LaTeX records. */
function isRecorded(name: string, output: string): boolean {
  const list = join(output, 'main.fls');
  return (
    existsSync(list) &&
    readFileSync(list, 'utf8')
      .split('\n')
      .some((line) => line.startsWith('INPUT') && line.includes(name))
  );
}

function graphics(path: string, file: string) {
  return { text: `\\includegraphics{${path}}`, file };
}

const build = [['pdflatex', '-interaction=nonstopmode', '-halt-on-error', '-recorder', 'main.tex']] as const;

export const latex: Generator = {
  name: 'latex',
  program: { command: 'pdflatex', debian: 'texlive-latex-base' },
  sites: {
    'chapters and folders': {
      files: {},
      pages: [
        {
          path: 'main.tex',
          text: '\\documentclass{article}\n\\usepackage{graphicx}\n\\graphicspath{{figures/}{pictures/}}\n\\begin{document}\n\n%HERE%\n\n\\input{chapters/one}\n\\end{document}\n',
          inserts: ['images'],
          from: ['figures'],
          references: [
            graphics('§.png', 'figures/§.png'),
            graphics('§', 'pictures/§.png'),
            graphics('other/§.png', 'other/§.png'),
          ],
        },
        {
          path: 'chapters/one.tex',
          text: '% !TeX root = ../main.tex\n\\section{One}\n\n%HERE%\n',
          inserts: ['images'],
          from: ['figures'],
          references: [graphics('figures/§.png', 'figures/§.png'), graphics('chapters/§.png', 'chapters/§.png')],
        },
      ],
      build,
      output: '.',
      shows: isRecorded,
    },
  },
};

export const pandoc: Generator = {
  name: 'pandoc',
  program: { command: 'pandoc', debian: 'pandoc' },
  sites: {
    'a page of its own': {
      files: {},
      pages: [
        {
          path: 'paper.md',
          text: '---\ntitle: Paper\n---\n\n# Paper\n\n%HERE%\n',
          from: ['figures'],
          references: [
            picture('§.png', '§.png'),
            picture('figures/§.png', 'figures/§.png'),
            image('figures/§.png', 'figures/§.png'),
          ],
        },
      ],
      build: [['pandoc', '--standalone', '--output', 'paper.html', 'paper.md']],
      output: '.',
    },
  },
};
