import assert from 'node:assert/strict';
import { readInput } from '../../../src/agents/toolInput.ts';
import { paidTool } from '../../../src/agents/tools.ts';
import { entryFields } from '../../../src/manifest/entryFields.ts';
import {
  isRecording,
  mapFiles,
  mayHoldPicture,
  nameIn,
  typedValue,
  valueForPath,
} from '../../../src/operations/fields.ts';
import { type Field, field, type OperationId, operationIds, operations } from '../../../src/operations/operations.ts';
import { toRequest } from '../../../src/operations/toRequest.ts';
import { validateRequest } from '../../../src/operations/validateRequest.ts';

const values: Readonly<Record<string, unknown>> = {
  model: 'm',
  prompt: 'a fox',
  input: 'Hello.',
  image_urls: ['https://example.com/a.png'],
  image_url: 'https://example.com/a.png',
  file: '/a.mp3',
  video_id: 'video_1',
};

function inputOf(id: OperationId) {
  return Object.fromEntries(
    operations[id].fields.flatMap(({ name }) => (name in values ? [[name, values[name]]] : [])),
  );
}

describe('the order of a table of fields', () => {
  for (const id of operationIds) {
    it(`changes nothing in a request of ${id}`, () => {
      const sent = JSON.stringify(validateRequest(id, inputOf(id)));
      assert.equal(JSON.stringify(validateRequest(id, inputOf(id), [...operations[id].fields].reverse())), sent);
    });
  }

  it('changes no name on any surface', () => {
    const names = (fields: readonly Field[]) =>
      [
        ...entryFields('speak', fields).map(({ name }) => name),
        ...Object.keys(paidTool('speak', fields).inputSchema.properties),
      ].sort();
    const { fields } = operations.speak;
    assert.deepEqual(names([...fields].reverse()), names(fields));
  });
});

describe('the fields of', () => {
  for (const id of operationIds) {
    it(`${id} have names of their own on every surface`, () => {
      const entry = entryFields(id).map(({ name }) => name);
      const again = entry.filter((name, index) => entry.indexOf(name) !== index);
      assert.deepEqual(again, [], 'the manifest has a field of that name: set `names.manifest`');
      const inputs = operations[id].fields.map((one) => nameIn('tools', one));
      const common = paidTool(id, []).inputSchema.properties;
      assert.deepEqual(
        inputs.filter((name) => name in common),
        [],
        'every tool has an input of that name: set `names.tools`',
      );
    });
  }
});

describe('fields that are known only when the program runs', () => {
  const mood: Field = {
    type: 'choice',
    name: 'mood',
    label: 'Mood',
    options: ['calm', 'loud'],
    default: 'calm',
  };
  const steps: Field = {
    type: 'integer',
    name: 'num_steps',
    names: { manifest: 'steps', tools: 'steps' },
    label: 'Steps',
    minimum: 4,
    maximum: 50,
    default: 20,
  };
  const avoid: Field = { type: 'text', name: 'negative_prompt', label: 'Avoid', placeholder: 'What it must not show' };
  const fields = [...operations.generateImage.fields, mood, steps, avoid];

  it('are validated, have their defaults and are sent after the others', () => {
    const given = { model: 'm', prompt: 'a fox', negative_prompt: 'snow' };
    const request = validateRequest('generateImage', given, fields);
    assert.equal(
      JSON.stringify(request),
      '{"model":"m","prompt":"a fox","n":1,"output_format":"url","mood":"calm","negative_prompt":"snow","num_steps":20}',
    );
    assert.throws(() => validateRequest('generateImage', { ...given, mood: 'png' }, fields), {
      message: 'Mood (mood) must be one of calm, loud, not "png".',
    });
    assert.throws(() => validateRequest('generateImage', { ...given, num_steps: 3 }, fields), { field: 'num_steps' });
  });

  it('are fields of an entry in the manifest', () => {
    const named = new Map(entryFields('generateImage', fields).map((one) => [one.name, one]));
    assert.deepEqual(named.get('mood'), {
      name: 'mood',
      type: 'choice',
      description: 'Mood',
      isRequired: false,
      hasDefault: true,
      options: ['calm', 'loud'],
      isOpen: undefined,
    });
    assert.deepEqual([named.get('steps')?.minimum, named.get('steps')?.type], [4, 'integer']);
    assert.equal(named.get('negative_prompt')?.isRequired, true);
  });

  it('are inputs of a tool, and checked by its schema', () => {
    const tool = paidTool('generateImage', fields);
    const { mood: choice, steps: whole } = tool.inputSchema.properties;
    assert.deepEqual(choice?.type === 'string' && choice.enum, ['calm', 'loud']);
    assert.deepEqual(whole, { type: 'integer', description: 'Steps', minimum: 4, maximum: 50, default: 20 });
    const given = { prompt: 'a fox', negative_prompt: 'snow,\nrain' };
    assert.equal(readInput(tool, given).steps, 20);
    assert.throws(() => readInput(tool, { ...given, mood: 'png' }), { field: 'mood' });
    assert.throws(() => readInput(tool, { prompt: 'a fox' }), { field: 'negative_prompt' });
  });
});

describe('toRequest', () => {
  it('asks a way in for each field once, and fills in what it does not hold', async () => {
    const asked: string[] = [];
    const request = await toRequest('speak', ({ name }) => {
      asked.push(name);
      return Promise.resolve(values[name]);
    });
    assert.deepEqual(request, { model: 'm', input: 'Hello.', voice: 'alloy', response_format: 'mp3' });
    assert.deepEqual(asked.sort(), ['input', 'model', 'response_format', 'voice']);
  });

  it('names the field that is missing', () =>
    assert.rejects(
      toRequest('speak', () => undefined),
      { kind: 'invalidInput', field: 'model' },
    ));
});

describe('a field', () => {
  it('has its own name on each surface, or that of the request', () => {
    const count = field('generateImage', 'n');
    assert.deepEqual([nameIn('manifest', count), nameIn('tools', count)], ['variants', 'n']);
  });

  it('gives all its files to a change, one after the other', async () => {
    const given: string[] = [];
    const change = (file: string) => {
      given.push(file);
      return Promise.resolve(`${file}!`);
    };
    assert.deepEqual(await mapFiles(field('editImage', 'image_urls'), ['a', 'b'], change), ['a!', 'b!']);
    assert.equal(await mapFiles(field('transcribe', 'file'), 'c', change), 'c!');
    assert.equal(await mapFiles(field('speak', 'input'), 'd', change), 'd');
    assert.deepEqual(given, ['a', 'b', 'c']);
  });

  it('makes a number of what a person types, and leaves other text to validation', () => {
    const count = field('generateImage', 'n');
    assert.deepEqual(
      [' 3 ', '1.5', 'three', ''].map((text) => typedValue(count, text)),
      [3, 1.5, 'three', ''],
    );
    assert.equal(typedValue(field('speak', 'input'), '3'), '3');
  });

  it('takes its value from the path only if it is an audio format', () => {
    const format = field('speak', 'response_format');
    assert.deepEqual(
      ['a.mp3', 'b/a.OGG', 'a.m4a', 'a.png', 'a'].map((path) => valueForPath(format, path)),
      ['mp3', 'opus', 'aac', undefined, undefined],
    );
    assert.equal(valueForPath(field('generateImage', 'output_format'), 'a.url'), undefined);
  });
});

describe('the name of a file', () => {
  it('says whether it is a recording that can be transcribed, and whether it may be a video', () => {
    const names = ['a.MP3', 'talk.m4a', 'a.mp4', 'a.webm', 'a.MKV', 'a.aac', 'a.md', 'mp3'];
    assert.deepEqual(names.filter(isRecording), ['a.MP3', 'talk.m4a', 'a.mp4', 'a.webm', 'a.MKV']);
    assert.deepEqual(names.filter(mayHoldPicture), ['a.mp4', 'a.webm', 'a.MKV']);
  });
});
