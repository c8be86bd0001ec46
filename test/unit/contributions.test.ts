import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import {
  codeLanguages,
  commandIds,
  commandOf,
  containerId,
  contextKeys,
  contributedSettings,
  documentFiles,
  documentLanguages,
  playerContainerId,
  section,
  viewIds,
} from '../../src/contributions.ts';
import { extensionsIn, languageIds } from '../../src/documents/Language.ts';
import { operationIds } from '../../src/operations/operations.ts';
import { generatedManifest, generatedTexts, germanTitle } from '../support/generatedManifest.ts';

interface Step {
  readonly description: string;
  readonly media: { readonly image: string };
  readonly completionEvents: readonly string[];
}

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<
      Record<string, readonly { readonly command: string; readonly when?: string; readonly group?: string }[]>
    >;
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly viewsContainers: Readonly<Record<'activitybar' | 'panel', readonly { readonly id: string }[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
    readonly walkthroughs: readonly { readonly steps: readonly Step[] }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, { readonly scope: string }>> }[];
  };
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
}

const text = readFileSync('package.json', 'utf8');
const { activationEvents, contributes, capabilities } = JSON.parse(text) as Manifest;
const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties)) as Readonly<
  Record<string, { readonly scope: string }>
>;

const commands: readonly string[] = [...Object.values(commandIds), ...operationIds.map(commandOf)];

describe('package.json and contributions.ts (promises 4, 26)', () => {
  it('name the same commands', () => {
    assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), [...commands].sort());
  });

  it('agree on what npm run generate writes', () => {
    assert.deepEqual(JSON.parse(generatedManifest()), JSON.parse(text));
    for (const [file, titleOf] of [
      ['package.nls.json', String],
      ['package.nls.de.json', germanTitle],
    ] as const) {
      const texts = readFileSync(file, 'utf8');
      assert.deepEqual(JSON.parse(generatedTexts(texts, titleOf)), JSON.parse(texts), file);
    }
  });

  it('get what is generated where it is missing', () => {
    const byHand = { capabilities: {}, contributes: {} };
    const made = JSON.parse(generatedManifest(JSON.stringify(byHand))) as Manifest;
    for (const name of ['commands', 'menus', 'configuration'] as const) {
      assert.deepEqual(made.contributes[name], contributes[name], name);
    }
    const texts = JSON.parse(generatedTexts('{}', germanTitle)) as Readonly<Record<string, string>>;
    const [id] = operationIds;
    assert.deepEqual([texts[`command.${id}`], texts[`tool.${id}`]], ['Bild generieren…', 'Bild generieren']);
  });

  it('name the same views: the player in the panel, the others in one container', () => {
    assert.deepEqual(Object.keys(contributes.views), [containerId, playerContainerId]);
    const { activitybar, panel } = contributes.viewsContainers;
    assert.deepEqual(
      [...activitybar, ...panel].map(({ id }) => id),
      [containerId, playerContainerId],
    );
    assert.deepEqual(
      contributes.views[playerContainerId]?.map(({ id }) => id),
      [viewIds.player],
    );
    const ids = Object.values(contributes.views).flatMap((views) => views.map(({ id }) => id));
    assert.deepEqual(ids.sort(), Object.values(viewIds).sort());
  });

  it('look for missing media in every document and style sheet, and in code only by its language', () => {
    const code = ['jsx', 'script', 'gdscript', 'dart'];
    assert.equal(documentFiles, `**/*.{${extensionsIn((language) => !code.includes(language)).join(',')}}`);
  });

  it('start with documents, but neither with code nor with every window', () => {
    const languages = activationEvents.flatMap((event) => /^onLanguage:(.*)/.exec(event)?.[1] ?? []);
    assert.deepEqual(languages, ['jsonc', ...documentLanguages]);
    for (const language of codeLanguages) assert(!languages.includes(language), language);
    // Code that refers to media rarely, or whose references are not found.
    const others = ['vue-html', 'php', 'razor', 'erb', 'twig', 'postcss', 'stylus', 'gdscript', 'dart'];
    assert.deepEqual([...documentLanguages, ...codeLanguages, ...others].sort(), languageIds.toSorted());
    assert.deepEqual(
      activationEvents.filter((event) => !event.startsWith('onLanguage:')),
      [
        'workspaceContains:.unified-media/library.jsonl',
        'workspaceContains:.unified-media/jobs',
        'workspaceContains:media.jsonc',
        'onWebviewPanel:unifiedMedia.library',
      ],
    );
  });

  it('hide commands in the palette that cannot work now', () => {
    const conditions = new Map(contributes.menus.commandPalette?.map(({ command, when }) => [command, when]));
    const always = commands.filter((command) => !conditions.has(command));
    const ofOperations = operationIds.map(commandOf);
    assert.deepEqual(
      ofOperations.filter((command) => !always.includes(command)),
      [],
    );
    assert.equal(always.length - ofOperations.length, 11);
    const listed = (jobs: readonly string[], hasManifest: boolean) =>
      [...conditions]
        .filter(([, when = '']) => {
          const traits = /^unifiedMedia\.jobs =~ \/(.*)\/$/.exec(when)?.[1];
          if (traits === undefined) return hasManifest && when === contextKeys.hasManifest;
          return new RegExp(traits).test(jobs.join(' '));
        })
        .map(([command]) => command.replace(`${section}.`, ''));
    assert.deepEqual(listed([], false), []);
    assert.deepEqual(listed(['running'], false), ['cancelJob']);
    assert.deepEqual(listed(['waits'], false), ['cancelJob', 'answerAgents']);
    assert.deepEqual(listed(['done'], false), ['dismissJob']);
    assert.deepEqual(listed(['answer', 'ended', 'raw'], false), [
      ...['runAgain', 'downloadAgain', 'saveElsewhere', 'saveRawAnswer', 'dismissJob'],
    ]);
    assert.deepEqual(listed([], true), ['planAssets', 'applyAssets', 'checkAssets', 'pruneAssets', 'addWorkflow']);
  });

  it('list at most 26 commands in an empty workspace, with those that VS Code adds for the views', () => {
    const keys = new Map<string, unknown>([
      ['config.unifiedMedia.service', 'remote'],
      ['workspaceFolderCount', 1],
    ]);
    const isTrue = (term: string): boolean => {
      const [, key = '', operator, value] = /^([\w.]+)(?: (==|!=|=~) (.*))?$/.exec(term.replace(/^!/, '')) ?? [];
      assert(key, term);
      const held = keys.get(key);
      if (operator === '=~') return held !== undefined;
      if (operator) return (String(held) === value?.replaceAll("'", '')) === (operator === '==');
      return term.startsWith('!') !== Boolean(held);
    };
    const holds = (when: string) => when.split(' || ').some((part) => part.split(' && ').every(isTrue));
    const conditions = new Map(contributes.menus.commandPalette?.map(({ command, when = '' }) => [command, when]));
    const listed = commands.filter((command) => {
      const when = conditions.get(command);
      return when === undefined || holds(when);
    });
    const views = Object.keys(viewIds).filter((name) => name !== 'assets' && name !== 'player');
    assert(listed.length + views.length <= 26, listed.join('\n'));
    for (const name of ['createManifest', 'useSandbox', 'saveFaviconSet'])
      assert(listed.includes(`${section}.${name}`), name);
  });

  it('have the words in their titles that people look for', () => {
    const titles = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
    for (const [word, name] of [
      ['favicon', 'saveFaviconSet'],
      ['icon', 'saveFaviconSet'],
      ['subtitles', 'saveSubtitles'],
      ['captions', 'addCaptions'],
      ['crop', 'transformImage'],
    ] as const) {
      assert(titles[`command.${name}`]?.toLowerCase().includes(word), word);
    }
  });

  it('link welcome views only to existing views and commands', () => {
    const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
    for (const { view, contents } of contributes.viewsWelcome) {
      assert(Object.values<string>(viewIds).includes(view), view);
      const used = [...(texts[contents.replaceAll('%', '')] ?? '').matchAll(/\(command:([\w.]+)\)/g)];
      assert(used.length > 0, contents);
      for (const [, command = ''] of used) assert(commands.includes(command), command);
    }
  });

  it('illustrate the walkthrough with existing pictures and commands', () => {
    const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
    const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    const [service] = steps;
    assert(service && service.completionEvents.length > 0);
    // A form that was only opened connects nothing.
    for (const event of service.completionEvents) assert.match(event, /^onContext:/, event);
    for (const { description, media, completionEvents } of steps) {
      for (const event of completionEvents) {
        const [, made] = /made-(\w+)/.exec(event) ?? [];
        assert(made === undefined || operationIds.some((id) => id === made), event);
      }
      assert(existsSync(media.image), `${media.image} is made by npm run pictures`);
      const text = texts[description.replaceAll('%', '')];
      assert(text, description);
      const used = [...text.matchAll(/\(command:([\w.]+)/g)];
      const own = [...commands, ...Object.values(viewIds).map((id) => `${id}.focus`)];
      for (const [, command = ''] of used) {
        assert(own.includes(command), command);
      }
    }
  });

  it('list a command at most once in each part of a menu', () => {
    for (const [menu, items] of Object.entries(contributes.menus)) {
      const entries = items.map(({ command, when, group = '' }) => {
        const view = /view == [\w.]+/.exec(when ?? '')?.[0];
        return [menu, command, view, group.startsWith('inline')].join();
      });
      assert.deepEqual(entries, [...new Set(entries)]);
    }
  });

  it('list only existing commands in menus', () => {
    for (const { command } of Object.values(contributes.menus).flat()) {
      assert(commands.includes(command), command);
    }
  });

  it('restrict settings to machine scope that decide where keys, prompts and downloads go', () => {
    for (const name of [
      'service',
      'imageBaseUrl',
      'audioBaseUrl',
      'videoBaseUrl',
      'insecureHosts',
      'authorizationScheme',
      'headers',
      'transcriptionPath',
      'translationPath',
      'imageStatusPath',
      'videoStatusPath',
      'modelListPath',
      'allowPrivateResultAddresses',
    ]) {
      assert.equal(settings[`${section}.${name}`]?.scope, 'machine', name);
    }
    const restricted = capabilities.untrustedWorkspaces.restrictedConfigurations;
    // None of the remaining settings decides what is bought, where it is saved or how long to wait for it.
    const harmless = [
      'openAfterSave',
      'transcript.format',
      'transcript.times',
      'library.location',
      'references',
      'missingMedia',
      'hover',
      'narration.codeLens',
      'narration.playsAtOnce',
    ].map((name) => `${section}.${name}`);
    const open = Object.keys(settings).filter((name) => settings[name]?.scope !== 'machine');
    assert.deepEqual([...restricted, ...harmless].sort(), open.sort());
  });

  it('declare no unused id', () => {
    const code = globSync('src/**/*.ts')
      .filter((file) => !file.endsWith('contributions.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    for (const name of Object.keys(commandIds)) assert(code.includes(`commandIds.${name}`), name);
    for (const name of Object.keys(viewIds)) assert(code.includes(`viewIds.${name}`), name);
    for (const name of Object.keys(contributedSettings)) {
      assert(
        new RegExp(`\\b(?:(?:(?:settings|this)\\.get|rawValue|valueInUserSettings)\\(|setting: )'${name}'`).test(code),
        name,
      );
    }
  });

  it('define every placeholder, and no text without a placeholder', () => {
    const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
    const used = [...text.matchAll(/"%([\w.]+)%"/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(texts).sort());
  });
});
