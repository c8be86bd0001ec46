import assert from 'node:assert/strict';
import { freeToolIds } from '../../../src/agents/freeTools.ts';
import { readInput } from '../../../src/agents/toolInput.ts';
import { agentTools, type ToolId, toolOf, withDeclared } from '../../../src/agents/tools.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { operationIds } from '../../../src/operations/operations.ts';

describe('agentTools (promises 20, 24)', () => {
  it('has one tool per operation, and the free tools', () => {
    const names = agentTools.map(({ referenceName }) => referenceName);
    for (const name of ['media_generate_image', 'media_edit_image', 'media_speak', 'media_get_job'])
      assert(names.includes(name), name);
    assert.deepEqual(
      agentTools.flatMap(({ operation }) => operation ?? []),
      operationIds,
    );
    assert.deepEqual(
      agentTools.map(({ id }) => id),
      [...operationIds, ...freeToolIds],
    );
  });

  it('describes every tool and property briefly and asks for no secret', () => {
    for (const { name, description, inputSchema } of agentTools) {
      assert(description.length > 40 && description.length <= 600, `${name}: ${description.length}`);
      for (const [property, schema] of Object.entries(inputSchema.properties)) {
        assert(schema.description.length > 0, `${name}.${property}`);
        assert.doesNotMatch(property, /key|token|secret|url|header|bytes|base64/i);
      }
      for (const property of inputSchema.required) assert(property in inputSchema.properties, property);
    }
  });
});

describe('what models are told (promise 20)', () => {
  const inputs = (id: ToolId) => toolOf(id).inputSchema.properties;

  it('promises previews only of images', () => {
    const described = agentTools.filter(({ description }) => description.includes('previews'));
    assert.deepEqual(
      described.map(({ id }) => id),
      ['generateImage', 'editImage'],
    );
  });

  it('says which recordings are taken, and what a new file is named after', () => {
    assert.match(
      inputs('transcribe').file?.description ?? '',
      /webm; also mov and mkv, of which only the sound is sent\.$/,
    );
    assert.match(inputs('transcribe').file_name?.description ?? '', /Defaults to the name of the recording\./);
    assert.match(inputs('editImage').file_name?.description ?? '', /Defaults to the name of the first image/);
    assert.match(inputs('generateVideo').file_name?.description ?? '', /made from the prompt\./);
  });
});

describe('withDeclared (promises 20, 24)', () => {
  it('takes the declared voices, which the published schema allows, and no others', () => {
    const tool = toolOf('speak');
    const { voice } = tool.inputSchema.properties;
    assert(voice && !('enum' in voice));
    assert.match(voice.description, /^For example alloy, .*; media_get_options lists all\./);
    const fields = { speak: { voice: { type: 'string', values: ['Rachel'] } } };
    const declared = withDeclared(tool, { declaredFields: () => fields });
    assert.equal(readInput(declared, { text: 'a', voice: 'Rachel' }).voice, 'Rachel');
    const problem = { kind: 'invalidInput', message: /"voice" must be one of/ };
    assert.throws(() => readInput(declared, { text: 'a', voice: 'nova' }), problem);
    const usual = withDeclared(tool, { declaredFields: () => undefined });
    assert.throws(() => readInput(usual, { text: 'a', voice: 'Rachel' }), problem);
  });

  it('asks for no more pictures than an agent may, though a declared default does', () => {
    const fields = { generateImage: { n: { type: 'integer', maximum: 10, default: 10 } } };
    const declared = withDeclared(toolOf('generateImage'), { declaredFields: () => fields });
    assert.equal(readInput(declared, { prompt: 'a' }).n, 4);
  });
});

describe('readInput (promises 20, 24)', () => {
  const tool = toolOf('generateImage');
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['no object', 'a fox', /takes a JSON object/],
    ['a list', [], /takes a JSON object/],
    ['nothing', {}, /"prompt" is missing/],
    ['null', { prompt: null }, /"prompt" is missing/],
    ['an empty prompt', { prompt: ' ' }, /"prompt" must not be empty/],
    ['a number as prompt', { prompt: 7 }, /"prompt" must be a string, not 7/],
    ['n = 99', { prompt: 'a', n: 99 }, /"n" must be a whole number from 1 to 4, not 99/],
    ['half an image', { prompt: 'a', n: 1.5 }, /"n" must be a whole number/],
    ['an unknown field', { prompt: 'a', size: '1x1' }, /no field "size"/],
    ['a field of Object', { prompt: 'a', constructor: 1 }, /no field "constructor"/],
    ['a long request_id', { prompt: 'a', request_id: 'x'.repeat(65) }, /"request_id" has 65 characters/],
    ['a wait of an hour', { prompt: 'a', wait_seconds: 3600 }, /"wait_seconds" must be a whole number from 0 to 25/],
  ];
  for (const [name, input, sentence] of wrong) {
    it(`rejects ${name} with an error that names the problem`, () => {
      assert.throws(() => readInput(tool, input), { kind: 'invalidInput', message: sentence });
    });
  }

  const invisible = [
    '\n',
    '\r',
    '\t',
    '\0',
    '\u001b',
    '\u0085',
    '\u00ad',
    '\u061c',
    '\u200b',
    '\u200e',
    '\u202e',
    '\u2028',
    '\ufeff',
    '\u{e0041}',
    '\u034f',
    '\u3164',
    '\ufe0f',
    '\u{e0100}',
  ];
  const named = [
    ['generateImage', { prompt: 'a' }, ['model', 'file_name', 'folder', 'alt_text', 'purpose', 'request_id']],
    ['editImage', { prompt: 'a' }, ['images']],
    ['speak', {}, ['file', 'voice', 'response_format']],
    ['findAssets', {}, ['query']],
    ['getJob', {}, ['job_id']],
  ] as const;
  for (const [id, input, names] of named) {
    for (const name of names) {
      it(`rejects all ${invisible.length} kinds of invisible characters in ${name} of ${id}`, () => {
        for (const character of invisible) {
          const value = `a${character}b`;
          const given = { ...input, [name]: name === 'images' ? ['a.png', value] : value };
          assert.throws(
            () => readInput(toolOf(id), given),
            (error) => error instanceof MediaError && error.field === name && error.message.startsWith(`"${name}"`),
            `U+${character.codePointAt(0)?.toString(16)}`,
          );
        }
      });
    }
  }

  it('takes a prompt and a text with lines and joined emoji', () => {
    const text = 'One.\n\tTwo \u{1f469}\u200d\u{1f4bb}.\u202e';
    assert.equal(readInput(tool, { prompt: text }).prompt, text);
    assert.equal(readInput(toolOf('speak'), { text }).text, text);
    assert.equal(
      readInput(tool, { prompt: 'a', purpose: 'for \u{1f469}\u200d\u{1f4bb}' }).purpose,
      'for \u{1f469}\u200d\u{1f4bb}',
    );
  });

  it('fills in the defaults', () => {
    assert.deepEqual(readInput(tool, { prompt: 'a fox' }), {
      prompt: 'a fox',
      n: 1,
      wait_seconds: 25,
    });
  });

  it('rejects an unknown format and lists the valid ones', () => {
    const input = { file: 'a.mp3', format: 'pdf' };
    assert.throws(() => readInput(toolOf('transcribe'), input), {
      message: /"format" must be one of md, txt, srt, vtt, json/,
    });
  });
});
