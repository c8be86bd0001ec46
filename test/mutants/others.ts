import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of the other folders: mistakes that once went unnoticed. */
export const otherMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/sandbox/ResultStore.ts',
    ['sandbox/ResultStore'],
    [
      ['results do not expire', 'result && result.expires > this.#options.now() ? result : undefined', 'result'],
      [
        'a result is found at the moment when it expires',
        'result.expires > this.#options.now() ? result',
        'result.expires >= this.#options.now() ? result',
      ],
      ['expired results stay on disk', 'await rm(path, { force: true });', ''],
    ],
  ),
  ...mutantsOf(
    'src/documents/latex.ts',
    ['features/assets/formatReference'],
    ['\\\\', '{}', '%', '#', '$', '&', '_', '^', '~'].map(
      (character) =>
        [
          `LaTeX: ${character} is not escaped`,
          '/[\\\\{}%#$&_^~]/g',
          `/[${'\\\\{}%#$&_^~'.replace(character, '')}]/g`,
        ] as const,
    ),
  ),
  ...mutantsOf(
    'src/documents/speakableText.ts',
    ['documents/speech/speakableText'],
    ['noscript', 'iframe', 'textarea', 'select', 'style'].map(
      (element) => [`the content of ${element} is spoken`, ` ${element} `, ' '] as const,
    ),
  ),
];
