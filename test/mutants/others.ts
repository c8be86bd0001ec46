import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of the other folders: mistakes that once went unnoticed. */
export const otherMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/features/manifest/addWorkflow.ts',
    ['features/manifest/addWorkflow'],
    [
      ['the workflow is written through a link', '(type & vscode.FileType.SymbolicLink) === 0', 'type >= 0'],
      ['the workflow runs any version', "replaceAll('{version}', version)", "replaceAll('{version}', 'latest')"],
    ],
  ),
  ...mutantsOf(
    'src/editor/PageHost.ts',
    ['editor/PageHost'],
    [
      ['a page may change its base', "    `base-uri 'none'`,\n", ''],
      ['a page may send forms', "    `form-action 'none'`,\n", ''],
    ],
  ),
  ...mutantsOf(
    'src/reading/DocumentReader.ts',
    ['reading/DocumentReader'],
    [
      [
        'a document that took too long is read again',
        'if (this.#slow.size > 0 && this.#slow.has(hashOf(task))) throw tooSlow();',
        '',
      ],
    ],
  ),
  ...mutantsOf(
    'src/manifest/planDocument.ts',
    ['manifest/unasked'],
    [
      [
        'a plan that nobody asked for reads long documents',
        'isUnasked && (await stat(file)).size > maxUnaskedLength',
        'false',
      ],
    ],
  ),
  ...mutantsOf(
    'src/sandbox/picture/imageHandlers.ts',
    ['sandbox/editImages'],
    [['the sandbox fetches from private addresses', 'if (isPrivateAddress(url.hostname))', 'if (false)']],
  ),
  ...mutantsOf(
    'src/sandbox/startSandbox.ts',
    ['sandbox/editImages'],
    [
      [
        'the sandbox fetches from names of private addresses',
        'options.lookup ?? lookupOutside',
        'options.lookup as never',
      ],
    ],
  ),
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
    'src/foreign/plainText.ts',
    ['foreign/foreignText'],
    [['a notification holds a link', "replaceAll('](', '] (')", "replaceAll('](', '](')"]],
  ),
  ...mutantsOf(
    'src/foreign/escape.ts',
    ['features/references/formatReference'],
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
    'src/foreign/escape.ts',
    ['foreign/foreignText'],
    [
      ['two braces stay an expression of Vue', 'replace(/(?<=\\{)(?=\\\\\\{)/g, emptyComment)', "replace(/(?!)/g, '')"],
      ['two references stay an expression of Vue in a page', 'replace(/&#123;(?=&#123;)/g', 'replace(/(?!)/g'],
      [
        'PHP and ERB stay in Markdown',
        ".replace(/<(?=[!?%])/g, '&lt;')\n      .replace(/<(?=[a-z/])/gi",
        '.replace(/<(?=[a-z/])/gi',
      ],
      ['a row of output commands GitHub’s runner', ".replace(/^(\\s*:)(?=:)/, '$1 ')", ''],
      ['a cell mentions people', '@(?=\\w)|#(?=\\d)', '#(?=\\d)'],
      [
        'an annotation holds a command',
        "replace(/%/g, '%25').replace(buildCommand, '## ');",
        "replace(/%/g, '%25');",
        ['cli/check'],
      ],
    ],
  ),
  ...mutantsOf(
    'src/manifest/Manifest.ts',
    ['manifest/readManifest'],
    [['an invisible character is in a path', '/\\p{Cf}/u.test(path) || !isPlainLine(path)', 'false']],
  ),
  ...mutantsOf(
    'src/documents/speakableText.ts',
    ['documents/speech/speakableText'],
    ['noscript', 'iframe', 'textarea', 'select', 'style'].map(
      (element) => [`the content of ${element} is spoken`, ` ${element} `, ' '] as const,
    ),
  ),
];
