import assert from 'node:assert/strict';
import { fieldTable, withAccepts, withoutFiles } from '../../../src/operations/declarations.ts';
import { type MediaRequest, type OperationId, operationIds, operations } from '../../../src/operations/operations.ts';
import { presetIds, presetOf } from '../../../src/operations/presets.ts';
import { recheckRequest, sentValues, toRequest } from '../../../src/operations/toRequest.ts';

const own: Readonly<Record<string, unknown>> = {
  model: 'gpt-image-2',
  prompt: 'a fox',
  input: 'Hello.',
  image_urls: ['https://example.com/a.png'],
  image_url: 'https://example.com/a.png',
  file: '/recordings/a.mp3',
  video_id: 'v1',
};

interface Ask {
  readonly declared?: unknown;
  readonly fields?: unknown;
  readonly given?: Readonly<Record<string, unknown>>;
}

function request<Id extends OperationId>(id: Id, { declared, fields, given }: Ask): Promise<MediaRequest<Id>> {
  const all = { ...own, ...given };
  return toRequest(id, ({ name }) => all[name as keyof typeof all], { declared, fields });
}

const size = { type: 'string', values: ['1024x1024', '1536x1024'] };

describe('declared fields', () => {
  it('leave every request as it is where nothing is declared', async () => {
    for (const id of operationIds) {
      const plain = await toRequest(id, ({ name }) => own[name]);
      for (const declared of [undefined, {}, { preset: 'none' }, { [id]: {} }]) {
        assert.equal(JSON.stringify(await request(id, { declared })), JSON.stringify(plain), id);
      }
      assert.deepEqual(Object.keys(sentValues(plain)).sort(), operations[id].fields.map(({ name }) => name).sort());
    }
  });

  it('are sent after the fields of the operation, in the order of their names', async () => {
    const declared = { generateImage: { size, seed: { type: 'integer' }, background: { type: 'string' } } };
    const fields = { size: '1536x1024', background: 'transparent', seed: 7 };
    const made = await request('generateImage', { declared, fields });
    assert.equal(
      JSON.stringify(sentValues(made)),
      '{"model":"gpt-image-2","prompt":"a fox","n":1,"output_format":"url","background":"transparent","seed":7,"size":"1536x1024"}',
    );
    assert.deepEqual(recheckRequest('generateImage', made), made);
  });

  it('have their default sent, but only with a model that takes them', async () => {
    const declared = { generateImage: { size: { ...size, default: '1024x1024', models: ['gpt-image-*'] } } };
    const sizeWith = async (model: string) =>
      sentValues(await request('generateImage', { declared, given: { model } })).size;
    assert.equal(await sizeWith('gpt-image-2'), '1024x1024');
    assert.equal(await sizeWith('flux'), undefined);
    assert.equal(await sizeWith('my-gpt-image-2'), undefined);
  });

  it('replace a field of the operation, or leave it out', async () => {
    const declared = {
      generateImage: { output_format: { type: 'string', values: ['png', 'webp'] }, n: false },
      speak: { voice: { type: 'string', values: ['marin', 'cedar'] } },
    };
    const image = await request('generateImage', { declared, given: { output_format: 'webp' } });
    assert.equal(JSON.stringify(sentValues(image)), '{"model":"gpt-image-2","prompt":"a fox","output_format":"webp"}');
    assert.equal(image.n, 1, 'it still counts');
    assert.deepEqual(recheckRequest('generateImage', image), image);
    assert.equal(sentValues(await request('generateImage', { declared })).output_format, 'png');
    assert.equal(sentValues(await request('speak', { declared, given: { voice: 'cedar' } })).voice, 'cedar');
    await assert.rejects(request('speak', { declared, given: { voice: 'alloy' } }), { field: 'voice' });
  });

  it('of a manifest are added to those of the settings, field by field', () => {
    const merged = withAccepts(
      { preset: 'openai', generateImage: { size, seed: { type: 'integer' } } },
      { generateImage: { seed: { type: 'string' } }, speak: { speed: { type: 'number' } } },
    );
    assert.deepEqual(merged, {
      preset: 'openai',
      generateImage: { size, seed: { type: 'string' } },
      speak: { speed: { type: 'number' } },
    });
    assert.deepEqual(withAccepts(undefined, { preset: 'gateway' }), { preset: 'gateway' });
  });

  const invalid: readonly (readonly [string, Ask, RegExp])[] = [
    ['no object', { declared: 'openai' }, /^fields: .*object/],
    ['an unknown operation', { declared: { paint: {} } }, /^fields\.paint: There is no operation "paint"/],
    [
      'an unknown preset',
      { declared: { preset: 'x' } },
      /^fields\.preset: preset must be one of none, openai, gateway/,
    ],
    [
      'an unknown type',
      { declared: { generateImage: { a: { type: 'colour' } } } },
      /^fields\.generateImage\.a: The type/,
    ],
    [
      'an unknown property',
      { declared: { generateImage: { a: { type: 'string', max: 1 } } } },
      /may have only these properties/,
    ],
    ['a wrong default', { declared: { generateImage: { a: { ...size, default: 'x' } } } }, /The default is not valid/],
    [
      'values of another type',
      { declared: { generateImage: { a: { type: 'integer', values: ['x'] } } } },
      /of the type/,
    ],
    ['crossed limits', { declared: { generateImage: { a: { type: 'integer', minimum: 2, maximum: 1 } } } }, /larger/],
    [
      'a name of an object',
      { declared: { generateImage: JSON.parse('{"__proto__":{"type":"string"}}') } },
      /has only letters/,
    ],
    ...['constructor', 'toString', 'hasOwnProperty'].map((name): readonly [string, Ask, RegExp] => [
      `a name of every object: ${name}`,
      { declared: { generateImage: { [name]: { type: 'string' } } } },
      new RegExp(`cannot be named ${name}`),
    ]),
    [
      'a file that would be sent with every request',
      { declared: { generateImage: { a: { type: 'file', default: 'file:///home/me/.ssh/id_rsa' } } } },
      /^fields\.generateImage\.a: A file cannot be the default/,
    ],
    [
      'half a number as a limit',
      { declared: { generateImage: { n: { type: 'integer', minimum: 1.5 } } } },
      /must be whole numbers/,
    ],
    [
      'a limit below that of the operation',
      { declared: { generateImage: { n: { type: 'integer', maximum: 0 } } } },
      /The minimum is larger/,
    ],
    ['a default of no images', { declared: { generateImage: { n: { type: 'integer', default: 0 } } } }, /at least 1/],
    ['a collision', { declared: { generateImage: { prompt: { type: 'integer' } } } }, /has a field of this name/],
    ['no prompt', { declared: { generateImage: { prompt: false } } }, /cannot do without/],
    ['an undeclared field', { fields: { size: '1' } }, /There is no field "size": no further fields are declared/],
    [
      'another field',
      { declared: { generateImage: { size } }, fields: { seed: 1 } },
      /the further fields of .* are size/,
    ],
    [
      'a field of the operation',
      { declared: { generateImage: { size } }, fields: { n: 2 } },
      /Give it beside "fields"/,
    ],
    [
      'another value',
      { declared: { generateImage: { size } }, fields: { size: '1x1' } },
      /size must be one of 1024x1024/,
    ],
    ['a value out of range', { declared: { preset: 'openai' }, fields: { output_compression: 101 } }, /at most 100/],
    ['half a number', { declared: { preset: 'gateway' }, fields: { seed: 1.5 } }, /must be a whole number/],
    [
      'a text as file',
      { declared: { generateImage: { a: { type: 'file' } } }, fields: { a: '/etc/passwd' } },
      /a file/,
    ],
    [
      'a file of more than 50 MB, written as data',
      {
        declared: { generateImage: { a: { type: 'file' } } },
        fields: { a: `data:image/png;base64,${'A'.repeat(66_700_000)}` },
      },
      /a is larger than 50 MB/,
    ],
    ['too many images', { declared: { preset: 'openai' }, given: { n: 11 } }, /at most 10/],
    [
      'a model that does not take it',
      {
        declared: { generateImage: { size: { ...size, models: ['gpt-*'] } } },
        fields: { size: '1' },
        given: { model: 'm' },
      },
      /does not take the field "size", which is declared for gpt-\*/,
    ],
  ];
  for (const [name, ask, sentence] of invalid) {
    it(`name ${name} before anything is sent`, async () => {
      await assert.rejects(request('generateImage', ask), { kind: 'invalidInput', message: sentence });
    });
  }

  it('of the presets are valid, and know when and where they were read', () => {
    for (const preset of presetIds) {
      const { date, source, fields } = presetOf(preset);
      assert.match(date, /^\d{4}-\d\d-\d\d$/);
      assert(source.length > 20);
      for (const id of operationIds) {
        const declared = fields[id] ?? {};
        const { own: known, further, without } = fieldTable(id, { [id]: declared });
        const names = Object.keys(declared);
        const taken = [...known, ...further].map(({ name }) => name);
        for (const one of names) assert(taken.includes(one) || without.includes(one), `${preset} ${id}.${one}`);
      }
    }
  });
});

/** Facts of the package openai 7.59.0, as its types say them. */
describe('the preset openai', () => {
  const all = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'];
  const sizes = ['auto', '1024x1024', '1536x1024', '1024x1536'];
  const older = ['auto', 'low', 'medium', 'high'];
  const cases: readonly (readonly [OperationId, string, string, readonly string[] | 'any' | undefined])[] = [
    ['generateImage', 'output_format', 'gpt-image-1.5', ['png', 'jpeg', 'webp', 'gif']],
    ['generateImage', 'quality', 'gpt-image-1-mini', older],
    ['generateImage', 'quality', 'gpt-image-2', older],
    ['generateImage', 'quality', 'gpt-image-2-2026-04-21', older],
    ['generateImage', 'quality', 'gpt-image-2.5-flare-2026-09-08', [...older, 'xhigh', 'max']],
    ['editImage', 'quality', 'chatgpt-image-latest', older],
    ['generateImage', 'size', 'gpt-image-1.5', sizes],
    ['generateImage', 'size', 'gpt-image-2', 'any'],
    ['editImage', 'input_fidelity', 'gpt-image-1.5', ['low', 'high']],
    ['editImage', 'input_fidelity', 'gpt-image-1-mini', ['low']],
    ['editImage', 'input_fidelity', 'gpt-image-1', undefined],
    ['editImage', 'input_fidelity', 'gpt-image-2', undefined],
    ['editImage', 'markup', 'gpt-image-2.5-sunburst', 'any'],
    ['editImage', 'markup', 'gpt-image-2', undefined],
    ['speak', 'voice', 'tts-1', 'any'],
    ['transcribe', 'response_format', 'gpt-4o-transcribe', ['json']],
    ['transcribe', 'response_format', 'gpt-4o-mini-transcribe-2025-12-15', ['json']],
    ['transcribe', 'response_format', 'gpt-4o-transcribe-diarize', ['json', 'text', 'diarized_json']],
    ['transcribe', 'response_format', 'whisper-1', ['json', 'text', 'srt', 'verbose_json', 'vtt']],
    ['transcribe', 'response_format', 'gpt-transcribe', all],
    ['transcribe', 'response_format', 'another', all],
    ['transcribe', 'prompt', 'whisper-1', 'any'],
    ['transcribe', 'prompt', 'gpt-4o-transcribe-diarize', undefined],
  ];
  for (const [id, name, model, expected] of cases) {
    it(`offers for ${name} of ${model} what ${model} takes (${id})`, () => {
      const { own: known, further } = fieldTable(id, { preset: 'openai' }, model);
      const field = known.find((one) => one.name === name);
      const values = field?.type === 'choice' && !field.open ? field.options : undefined;
      const found = further.find((one) => one.name === name);
      const taken = found && (found.open ? undefined : found.values);
      assert.deepEqual(field || found ? (values ?? taken ?? 'any') : undefined, expected);
    });
  }

  it('names a field that only this model does not take', async () => {
    const ask = {
      declared: { preset: 'openai' },
      fields: { prompt: 'Hi' },
      given: { model: 'gpt-4o-transcribe-diarize' },
    };
    await assert.rejects(request('transcribe', ask), { field: 'prompt', message: /model does not take .* "prompt"/ });
  });

  it('gives way to what a person declares', () => {
    const quality = { type: 'string', values: ['max'] };
    const { further } = fieldTable('generateImage', { preset: 'openai', generateImage: { quality } }, 'gpt-image-2');
    assert.deepEqual(further.find(({ name }) => name === 'quality')?.values, ['max']);
  });

  it('knows when models end, as it was announced', () => {
    const endOf = (id: OperationId, model?: string) => fieldTable(id, { preset: 'openai' }, model).endsOn;
    assert.equal(endOf('speak', 'gpt-4o-mini-tts-2025-12-15'), '2027-01-06');
    assert.equal(endOf('translate', 'whisper-1'), '2027-02-26');
    assert.equal(endOf('transcribe', 'gpt-4o-transcribe-diarize'), '2027-02-26');
    assert.equal(endOf('generateImage', 'gpt-image-1'), '2026-10-23');
    assert.equal(endOf('animateImage', 'sora-2-pro'), '2026-09-24');
    const lasting = [endOf('transcribe', 'gpt-transcribe'), endOf('editImage', 'gpt-image-1.5'), endOf('speak')];
    assert.deepEqual(lasting, [undefined, undefined, undefined]);
  });
});

describe('withoutFiles (promise 12)', () => {
  it('takes no file from a record, for whichever model it is declared', () => {
    const declared = { editImage: { mask: { type: 'file', models: ['painter'] }, style: { type: 'string' } } };
    const values = { mask: 'file:///home/me/.ssh/id_ed25519', style: 'oil', n: 2 };
    assert.deepEqual(withoutFiles(fieldTable('editImage', declared), values), { style: 'oil', n: 2 });
  });
});
