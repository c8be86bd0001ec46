import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { extension } from '../../esbuild.mjs';

/**
 * Names of VS Code's proposed API that tools for agents would like to use. VS Code for the tests lets all of it through;
 * that of a person throws, or leaves it out.
 */
const proposed = [
  'pastTenseMessage',
  'toolResultMessage',
  'toolResultDetails',
  'hasError',
  'approveCombination',
  'handleToolStream',
  'registerToolDefinition',
  'languageModelToolResultAudience',
  'enabledApiProposals',
  'startMcpGateway',
  'mcpServerDefinitions',
  'registerChatOutputRenderer',
  'registerSkillProvider',
  'registerPromptFileProvider',
] as const;

describe('the extension', () => {
  let texts: readonly string[];

  before(async () => {
    // Libraries, and what esbuild adds for older engines, have names of their own.
    const own = { packages: 'external', alias: {}, target: 'esnext' } as const;
    const options = { ...extension, ...own, write: false as const, sourcemap: false as const };
    const { outputFiles, metafile } = await build(options);
    const files = Object.entries(metafile.outputs).filter(([, { imports }]) =>
      imports.some(({ path }) => path === 'vscode'),
    );
    texts = files.map(
      ([file]) => outputFiles.find(({ path }) => path.replaceAll('\\', '/').endsWith(file))?.text ?? '',
    );
    assert(texts.length > 3 && texts.every((text) => text.length > 0));
  });

  it('uses no proposed API of VS Code', () => {
    for (const name of proposed) {
      const found = texts.filter((text) => new RegExp(`\\b${name}\\b`).test(text));
      assert.equal(found.length, 0, name);
    }
  });

  it('asks for no proposal in its manifest', () => {
    assert.doesNotMatch(readFileSync('package.json', 'utf8'), /enabledApiProposals|languageModelToolSets/);
  });

  it('has tools, which the list above is about', () => {
    assert(texts.some((text) => text.includes('registerTool')));
    assert(texts.some((text) => text.includes('confirmationMessages')));
  });
});
