import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { defaultBudget } from '../../../src/agents/AgentBudget.ts';
import type { Field } from '../../../src/operations/operations.ts';
import { operationIds, operations } from '../../../src/operations/operations.ts';
import { settingChoices, settingDefaults } from '../../../src/operations/settingDefaults.ts';
import { transcriptFormats } from '../../../src/transcripts/formatTranscript.ts';

interface Schema {
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly enumDescriptions?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly markdownDescription?: string;
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Schema>> }[];
  };
};
const settings = contributes.configuration.flatMap(({ properties }) =>
  Object.entries(properties).map(([name, schema]) => [name.replace('unifiedMedia.', ''), schema] as const),
);

/** Settings without a default in the code, which uses any valid value unchanged and treats others as not set. */
const withoutFallback = {
  imageBaseUrl: '',
  audioBaseUrl: '',
  videoBaseUrl: '',
  authorizationScheme: '',
  videoStatusPath: '',
  modelListPath: '',
  outputFolder: 'media/${kind}',
  models: {},
  'transcript.maxMegabytes': 0,
};

/** Settings that fill in a field of a request, each with that field. */
const fields = {
  'image.count': fieldOf(operations.generateImage.fields, 'n'),
  'image.outputFormat': fieldOf(operations.generateImage.fields, 'output_format'),
  'speech.voice': fieldOf(operations.speak.fields, 'voice'),
  'speech.responseFormat': fieldOf(operations.speak.fields, 'response_format'),
};

describe('the settings of package.json', () => {
  it('have the same defaults as the code', () => {
    const expected = {
      ...settingDefaults,
      ...withoutFallback,
      ...mapValues(fields, (field) => ('default' in field ? field.default : undefined)),
      transcriptionPath: operations.transcribe.path,
      translationPath: operations.translate.path,
      'agents.budget': defaultBudget,
    };
    assert.deepEqual(Object.fromEntries(settings.map(([name, schema]) => [name, schema.default])), expected);
  });

  it('have the same choices as the code', () => {
    const expected = {
      ...settingChoices,
      'image.outputFormat': optionsOf(fields['image.outputFormat']),
      'speech.voice': optionsOf(fields['speech.voice']),
    };
    const found = settings.flatMap(([name, schema]) => (schema.enum ? [[name, schema.enum]] : []));
    assert.deepEqual(Object.fromEntries(found), expected);
    assert.deepEqual(Object.fromEntries(settings)['speech.responseFormat']?.examples, [
      ...(optionsOf(fields['speech.responseFormat']) ?? []),
    ]);
    assert.deepEqual(settingChoices['transcript.format'], transcriptFormats);
  });

  it('give the properties of an object the same defaults as the object', () => {
    for (const [name, schema] of settings) {
      if (name === 'models' || !schema.properties) continue;
      assert.deepEqual(
        mapValues(schema.properties, (part) => part.default),
        schema.default,
        name,
      );
    }
  });

  it('list the models of each operation', () => {
    assert.deepEqual(Object.keys(Object.fromEntries(settings).models?.properties ?? {}), operationIds);
  });

  it('are each described by the text of their own name', () => {
    for (const [name, { description, markdownDescription, enum: values, enumDescriptions }] of settings) {
      assert.deepEqual([description, markdownDescription].filter(Boolean), [`%setting.${name}%`]);
      if (!enumDescriptions) continue;
      assert.deepEqual(
        enumDescriptions,
        values?.map((value) => `%setting.${name}.${String(value)}%`),
      );
    }
  });
});

function fieldOf(all: readonly Field[], name: string): Field {
  const found = all.find((field) => field.name === name);
  assert(found, name);
  return found;
}

function optionsOf(field: Field): readonly string[] | undefined {
  return field.type === 'choice' ? field.options : undefined;
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
