import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import * as l10n from '@vscode/l10n';
import { transformSync } from 'esbuild';
import { agentTools } from '../../src/agents/tools.ts';
import { MediaError } from '../../src/operations/MediaError.ts';
import { operations } from '../../src/operations/operations.ts';
import { presetIds, presetOf } from '../../src/operations/presets.ts';
import { validateRequest } from '../../src/operations/validateRequest.ts';

type Texts = Readonly<Record<string, string>>;

const literal = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`/.source;

/**
 * Source code without types, comments and white space. Left out are the sandbox, which is a separate service that
 * speaks English, and the tools for agents, whose texts are read by models, except for what connects an agent.
 */
const sources = new Map(
  [
    ...globSync('src/**/*.{ts,tsx}', { exclude: ['src/sandbox/**', 'src/agents/**', 'src/**/*.d.ts'] }),
    'src/agents/mcp/clientFile.ts',
  ].map((file) => [
    file,
    transformSync(readFileSync(file, 'utf8'), { loader: 'tsx', charset: 'utf8', minifyWhitespace: true }).code,
  ]),
);

/** Texts of the operations, which are translated where they are shown. */
const ofOperations = Object.values(operations).flatMap(({ title, fields, ...buttons }) => [
  title,
  ...('button' in buttons ? [buttons.button] : []),
  ...('buttonForMany' in buttons ? [buttons.buttonForMany] : []),
  ...fields.flatMap((field) => [
    field.label,
    ...('placeholder' in field ? [field.placeholder] : []),
    ...('descriptions' in field ? Object.values(field.descriptions) : []),
  ]),
]);

/** Labels and descriptions of the presets' fields, which are translated where they are shown. */
const ofPresets = presetIds
  .flatMap((id) => Object.values(presetOf(id).fields).flatMap((fields) => Object.values(fields)))
  .flatMap((one) => (one === false ? [] : [one.label, one.description].filter((text) => text !== undefined)));

/** Shown by VS Code, in German as `npm run generate` writes them into package.nls.de.json. */
const ofTools = agentTools.flatMap(({ title, userDescription }) => [title, userDescription]);

const german = readTexts('l10n/bundle.l10n.de.json');

describe('the texts of the code', () => {
  const texts = new Set([...[...sources.values()].flatMap(textsIn), ...ofOperations, ...ofPresets, ...ofTools]);

  it('are found', () => {
    assert(texts.size > 200);
    for (const text of ['Prompt', 'Speak', 'What the image shows', 'storytelling', 'Set API Key']) {
      assert(texts.has(text), text);
    }
  });

  it('are string literals in the calls that translate them', () => {
    const other = new RegExp(
      `\\bl10n\\.t\\((?!${literal})(?![\\w.[\\]]*\\b(?:title|label|placeholder|description|button|buttonForMany)[),]).*`,
      'g',
    );
    assert.deepEqual(matchesOf(other), []);
  });

  it('are translated when they are sentences', () => {
    const sentence = /(?<!\b(?:l10n\.t|log\.\w+)\()(["'`])[A-Z“](?:(?!\1)[^\\\n]|\\.)* (?:(?!\1)[^\\\n]|\\.)*[.!?]\1/g;
    assert.deepEqual(matchesOf(sentence), []);
  });

  it('are all in German', () => {
    const missing = Object.fromEntries([...texts].filter((text) => !(text in german)).map((text) => [text, '']));
    assert.deepEqual(missing, {}, `Missing in l10n/bundle.l10n.de.json:\n${JSON.stringify(missing, undefined, 2)}`);
  });

  it('have no unused German translation', () => {
    assert.deepEqual(
      Object.keys(german).filter((text) => !texts.has(text)),
      [],
    );
  });

  it('have the same placeholders in German', () => assertSameParts(german, (text) => text, /\{\w+\}/g));

  it('are translated in code that does not use VS Code', () => {
    l10n.config({ contents: german });
    try {
      assert.throws(
        () => validateRequest('generateImage', { model: 'm' }),
        (error) => error instanceof MediaError && error.message === 'Prompt (prompt) fehlt.',
      );
    } finally {
      l10n.config({ contents: {} });
    }
  });
});

describe('the texts of package.json', () => {
  const english = readTexts('package.nls.json');
  const translated = readTexts('package.nls.de.json');

  it('are all in German, and no others', () => {
    const missing = Object.fromEntries(Object.entries(english).filter(([name]) => !(name in translated)));
    assert.deepEqual(missing, {}, `Missing in package.nls.de.json:\n${JSON.stringify(missing, undefined, 2)}`);
    assert.deepEqual(Object.keys(translated).sort(), Object.keys(english).sort());
  });

  it('have the same code, variables and links in German', () => {
    const parts = /`[^`]*`|\$\{\w+\}|\{\d\}|\]\([^)]*\)|\bhttps?:\/\/[\w.]+/g;
    assertSameParts(translated, (name) => english[name] ?? '', parts);
  });
});

function readTexts(file: string): Texts {
  return JSON.parse(readFileSync(file, 'utf8')) as Texts;
}

function textsIn(code: string): readonly string[] {
  // Questions of commands have titles and placeholders, like the fields of operations.
  const texts = new RegExp(`(?:\\bl10n\\.t\\(|\\b(?:title|placeholder):)(${literal})`, 'g');
  return [...code.matchAll(texts)].map(([, text = '']) => String(runInNewContext(text)));
}

function matchesOf(pattern: RegExp): readonly string[] {
  return [...sources].flatMap(([file, code]) => [...code.matchAll(pattern)].map(([text]) => `${file}: ${text}`));
}

/** Compares the parts of a text that must not be translated. */
function assertSameParts(texts: Texts, originalOf: (key: string) => string, parts: RegExp): void {
  const partsOf = (text: string) => [...new Set(text.match(parts))].sort();
  for (const [key, text] of Object.entries(texts)) assert.deepEqual(partsOf(text), partsOf(originalOf(key)), text);
}
