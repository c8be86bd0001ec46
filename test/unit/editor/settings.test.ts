import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { contributedSettings, type Setting, type SettingName, section } from '../../../src/contributions.ts';
import { fieldTable, withFolder } from '../../../src/operations/declarations.ts';
import { type OperationId, operationIds, operations } from '../../../src/operations/operations.ts';
import { transcriptFormats } from '../../../src/transcripts/formatTranscript.ts';
import { importWithEditor } from '../../support/editorStub.ts';

interface Schema {
  readonly order?: number;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Schema>> }[];
  };
};
const contributed = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties)) as Readonly<
  Record<string, Schema>
>;
const all = Object.entries(contributedSettings) as [SettingName, Setting][];

describe('the settings of package.json', () => {
  it('are written out in full, one of each kind', () => {
    const schemas = {
      hover: { type: 'boolean', default: true, scope: 'window' },
      fileName: { type: 'string', default: '${prompt}', scope: 'resource' },
      service: {
        type: 'string',
        enum: ['remote', 'sandbox'],
        enumDescriptions: ['%setting.service.remote%', '%setting.service.sandbox%'],
        default: 'remote',
        scope: 'machine',
        tags: ['usesOnlineServices'],
      },
      missingMedia: { type: 'string', enum: ['off', 'hint', 'warning'], default: 'hint', scope: 'resource' },
      'speech.responseFormat': {
        type: 'string',
        examples: ['mp3', 'wav', 'opus', 'aac', 'flac', 'pcm'],
        default: 'mp3',
        scope: 'window',
      },
      maxConcurrentJobs: { type: 'integer', minimum: 1, default: 3, scope: 'window' },
      'transcript.maxMegabytes': { type: 'number', minimum: 0, default: 0, scope: 'window' },
      references: {
        anyOf: [
          { type: 'string', enum: ['auto', 'relative'] },
          { type: 'object', additionalProperties: { type: 'string' } },
        ],
        default: 'auto',
        scope: 'resource',
      },
      confirmAbove: {
        type: 'object',
        properties: {
          images: { type: 'integer', minimum: 0, default: 4 },
          videos: { type: 'integer', minimum: 0, default: 1 },
          characters: { type: 'integer', minimum: 0, default: 20000 },
          minutes: { type: 'number', minimum: 0, default: 60 },
          requests: { type: 'integer', minimum: 0, default: 20 },
        },
        additionalProperties: false,
        default: { images: 4, videos: 1, characters: 20000, minutes: 60, requests: 20 },
        scope: 'window',
      },
    };
    for (const [name, schema] of Object.entries(schemas)) {
      // The order is that of the table.
      const { order: _, ...written } = contributed[`${section}.${name}`] ?? {};
      assert.deepEqual(written, { ...schema, markdownDescription: `%setting.${name}%` });
    }
  });

  it('list the models of each operation', () => {
    assert.deepEqual(Object.keys(contributed['unifiedMedia.models']?.properties ?? {}), operationIds);
  });

  it('offer what the code can do', () => {
    assert.deepEqual(contributed['unifiedMedia.transcript.format']?.enum, transcriptFormats);
    for (const id of operationIds) {
      for (const one of operations[id].fields) {
        if (!('setting' in one)) continue;
        const { default: preset, choices }: Setting = contributedSettings[one.setting];
        assert.equal(preset, one.default, one.setting);
        if (choices) assert.deepEqual(choices, 'options' in one && one.options, one.setting);
      }
    }
  });
});

describe('Settings', () => {
  /** Values by where they are set, as VS Code reports them. */
  const set: { user: Record<string, unknown>; workspace: Record<string, unknown> } = { user: {}, workspace: {} };
  let inspections = 0;
  let tellChange: () => void;
  let settings: import('../../../src/editor/Settings.ts').Settings;

  before(async () => {
    const inspect = (name: string) => {
      inspections++;
      return {
        defaultValue: contributedSettings[name as SettingName]?.default,
        globalValue: set.user[name],
        workspaceValue: set.workspace[name],
      };
    };
    const get = (name: string) => {
      const { defaultValue, globalValue, workspaceValue } = inspect(name);
      return workspaceValue ?? globalValue ?? defaultValue;
    };
    const { Settings } = await importWithEditor<typeof import('../../../src/editor/Settings.ts')>(
      new URL('../../../src/editor/Settings.ts', import.meta.url),
      {
        workspace: {
          isTrusted: true,
          getConfiguration: () => ({ inspect, get }),
          onDidChangeConfiguration: (listener: () => void) => {
            tellChange = listener;
          },
        },
      },
    );
    settings = new Settings();
  });

  beforeEach(() => change({ user: {}, workspace: {} }));

  function change(values: Partial<typeof set>): void {
    Object.assign(set, values);
    tellChange();
  }

  /** What Settings makes of the values. */
  const read = () => {
    // Only the stub above sees it.
    const scope = {} as Parameters<typeof settings.fileName>[0];
    return {
      sandbox: settings.usesSandbox,
      service: settings.service,
      hover: settings.get('hover'),
      jobs: settings.maxConcurrentJobs,
      characters: settings.get('speech.maxCharacters'),
      folder: settings.get('outputFolder', scope),
      fileName: settings.fileName(scope),
      pronunciations: settings.pronunciations(scope),
      format: settings.get('transcript.format', scope),
      soundOnly: settings.get('transcript.soundOnly'),
      maxBytes: settings.transcriptMaxBytes,
      references: settings.references(scope),
      missing: settings.get('missingMedia', scope),
      lens: settings.get('narration.codeLens'),
      keepsPrivate: settings.keepsLibraryPrivate,
      opens: settings.get('openAfterSave'),
      agents: [settings.get('agents.enabled'), settings.get('agents.server'), settings.get('agents.preview')],
    };
  };

  it('takes the default of a setting whose value is not valid', () => {
    const defaults = read();
    assert.deepEqual(defaults.service.paths, {
      transcribe: '/v1/audio/transcriptions',
      translate: '/v1/audio/translations',
    });
    for (const value of [null, -1, [], { image: 7 }, true, 'neither', 0.5]) {
      const wrong = all
        // What is wrong with headers is said when something is to be sent.
        .filter(([name, row]) => name !== 'headers' && (typeof row.default !== typeof value || row.choices))
        .map(([name]) => [name, value]);
      change({ user: typeof value === 'number' ? { maxConcurrentJobs: value } : Object.fromEntries(wrong) });
      assert.deepEqual(read(), defaults, JSON.stringify(value));
    }
    change({
      user: { 'speech.maxCharacters': -1, 'transcript.maxMegabytes': -1, fileName: '', maxConcurrentJobs: 0 },
    });
    assert.deepEqual(read(), defaults);
  });

  it('takes valid values', () => {
    const user = {
      service: 'sandbox',
      imageBaseUrl: ' https://images.example.com ',
      timeoutSeconds: { image: 5 },
      maxConcurrentJobs: 2.5,
      'transcript.maxMegabytes': 1.5,
      'transcript.format': 'srt',
      references: { '/': 'site/static', '/x': 1 },
      'agents.server': true,
    };
    change({ user, workspace: { hover: false, missingMedia: 'warning', 'speech.maxCharacters': 0 } });
    const found = read();
    assert.deepEqual(
      [found.sandbox, found.hover, found.missing, found.format, found.characters, found.agents],
      [true, false, 'warning', 'srt', 0, [true, true, true]],
    );
    assert.deepEqual([found.jobs, found.maxBytes, found.references], [2, 1_500_000, { '/': 'site/static' }]);
    assert.equal(found.service.hosts.image, 'https://images.example.com');
    assert.deepEqual(found.service.timeoutSeconds, { image: 5, audio: 900, video: 1800 });
  });

  it('gives each field of a request the value of its own setting', () => {
    change({
      user: {
        models: { speak: ['reader'] },
        'image.count': 3,
        'image.outputFormat': 'b64_json',
        'speech.voice': 'nova',
        'speech.responseFormat': 'wav',
      },
    });
    const valuesOf = (id: OperationId) => operations[id].fields.map((field) => settings.valueFor(id, field));
    assert.deepEqual(valuesOf('generateImage'), [undefined, undefined, 3, 'b64_json']);
    assert.deepEqual(valuesOf('editImage'), [undefined, undefined, undefined, 3, 'b64_json']);
    assert.deepEqual(valuesOf('speak'), ['reader', undefined, 'nova', 'wav']);
    assert.deepEqual(valuesOf('animateImage'), [undefined, undefined, undefined, undefined]);
  });

  it('never reads from the workspace where keys, prompts and budgets go', () => {
    const machine = all.filter(([, { scope }]) => scope === 'machine' || scope === 'application');
    assert.equal(machine.length, 18);
    const values = { boolean: (preset: unknown) => !preset, string: () => 'sandbox', object: () => ({ images: 1000 }) };
    const defaults = [read(), settings.agentBudget];
    const other = Object.fromEntries(
      machine.map(([name, { default: preset }]) => [name, values[typeof preset as keyof typeof values](preset)]),
    );
    change({ workspace: other });
    assert.deepEqual([read(), settings.agentBudget], defaults);
    change({ user: other });
    assert.notDeepEqual(read(), defaults[0]);
  });

  it('inspects a user setting again only after a change', () => {
    const host = () => settings.hosts.image;
    const before = inspections;
    assert.equal(host(), '');
    const first = inspections;
    assert(first > before);
    assert.equal(host(), '');
    assert.equal(inspections, first);
    change({ user: { imageBaseUrl: 'https://images.example.com' } });
    assert.equal(host(), 'https://images.example.com');
  });

  it('lets a folder make its library more private, never less (promises 4, 12)', () => {
    const isPrivate = (user: string, workspace: string | undefined) => {
      change({ user: { 'library.location': user }, workspace: { 'library.location': workspace } });
      return settings.keepsLibraryPrivate;
    };
    assert.deepEqual(
      [isPrivate('private', 'workspace'), isPrivate('workspace', 'private'), isPrivate('workspace', undefined)],
      [true, true, false],
    );
  });

  it('lets a folder narrow the declarations of a person, never widen them (promise 4)', () => {
    const hook = { type: 'string', default: 'https://collector.example/hook' };
    const user = {
      speak: { speed: { type: 'number', minimum: 1, default: 1 }, tone: { type: 'string', values: ['a', 'b'] } },
    };
    const workspace = {
      preset: 'openai',
      generateImage: { webhook: hook },
      speak: {
        speed: { type: 'number', minimum: 0, maximum: 2, default: 2 },
        tone: { type: 'string', values: ['b', 'c'] },
      },
    };
    change({ user: { fields: user }, workspace: { fields: workspace } });
    const { declaredFields } = settings;
    assert.deepEqual(
      fieldTable('speak', declaredFields).further.map(({ label: _, ...one }) => one),
      [
        { name: 'speed', type: 'number', minimum: 1, maximum: 2, default: 1 },
        { name: 'tone', type: 'string', values: ['b'] },
      ],
    );
    assert.deepEqual(fieldTable('generateImage', declaredFields).further, []);
    assert.deepEqual(withFolder(declaredFields).left, ['preset', 'generateImage.webhook', 'speak.speed.default']);
  });
});
