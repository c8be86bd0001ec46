import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { extension } from '../../esbuild.mjs';

/**
 * Names in VS Code's proposed API that agent tools would benefit from. The VS Code of the tests allows all of them;
 * a released VS Code throws or ignores them.
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
    // Libraries, and code that esbuild adds for older engines, use other names.
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

  it('requests no proposal in package.json', () => {
    assert.doesNotMatch(readFileSync('package.json', 'utf8'), /enabledApiProposals|languageModelToolSets/);
  });

  it('registers tools, which the list above concerns', () => {
    assert(texts.some((text) => text.includes('registerTool')));
    assert(texts.some((text) => text.includes('confirmationMessages')));
  });
});
