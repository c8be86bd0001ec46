import assert from 'node:assert/strict';
import type { Json } from '../../../src/service/Answer.ts';
import { readModelList } from '../../../src/service/withoutCost.ts';
import { fc } from '../../support/fastCheck.ts';

function namesIn(value: Json): readonly string[] | undefined {
  return readModelList(value)?.map(({ name }) => name);
}

function kindsOf(facts: Record<string, Json>): readonly string[] | undefined {
  return readModelList([{ id: 'm', ...facts }])?.[0]?.kinds;
}

describe('readModelList', () => {
  const shapes: readonly (readonly [string, Json])[] = [
    ['objects with an id as data', { object: 'list', data: [{ id: 'b', object: 'model' }, { id: 'a' }] }],
    ['names as data', { data: ['b', 'a'], success: true }],
    ['objects with a name as models', { models: [{ name: 'b' }, { name: 'a' }] }],
    ['names as models', { models: ['b', 'a'] }],
    ['objects with a model name', { models: [{ model: 'b', name: 'The second' }, { model: 'a' }] }],
    ['results', { results: [{ id: 'b' }, { id: 'a' }] }],
    ['an array inside data', { data: { models: [{ id: 'b' }, { id: 'a' }] } }],
    ['a bare array of names', ['b', 'a']],
    ['a bare array of objects', [{ id: 'b' }, { name: 'a' }]],
  ];
  for (const [name, value] of shapes) {
    it(`reads ${name}`, () => assert.deepEqual(namesIn(value), ['a', 'b']));
  }

  it('prefers the id to a display name', () => {
    assert.deepEqual(namesIn({ data: [{ name: 'Painter One', id: 'painter-1' }] }), ['painter-1']);
  });

  it('lists each name once in natural order, with all of its kinds', () => {
    assert.deepEqual(readModelList([{ id: 'm-10', type: 'image' }, 'm-9', ' m-9 ', { id: 'm-10', type: 'video' }]), [
      { name: 'm-9', kinds: [] },
      { name: 'm-10', kinds: ['image', 'video'] },
    ]);
  });

  it('ignores invalid names', () => {
    assert.deepEqual(namesIn({ data: ['', 'a', null, 7, {}, { id: 'x'.repeat(201) }, 'b\u0007'] }), ['a']);
  });

  it('returns at most 10,000 names', () => {
    assert.equal(namesIn(Array.from({ length: 10_001 }, (_, index) => `m-${index}`))?.length, 10_000);
  });

  it('accepts an empty list', () => assert.deepEqual(namesIn({ data: [] }), []));

  for (const value of [null, 'ok', 7, {}, { data: 'x' }, { error: { message: 'no' } }, { data: [{ url: 'x' }] }]) {
    it(`returns undefined for ${JSON.stringify(value)}`, () => assert.equal(namesIn(value), undefined));
  }

  it('never throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void readModelList(value as Json)));
  });

  const kinds: readonly (readonly [Record<string, Json>, readonly string[]])[] = [
    [{ type: 'image' }, ['image']],
    [{ type: 'transcribe' }, ['transcription']],
    [{ type: 'audio' }, ['speech', 'transcription']],
    [{ pipeline_tag: 'text-to-image' }, ['image']],
    [{ pipeline_tag: 'automatic-speech-recognition' }, ['transcription']],
    [{ task: 'Text-to-Speech' }, ['speech']],
    [{ task: 'image-to-video' }, ['video']],
    [{ sub_type: 'image-to-image' }, ['image']],
    [{ model_info: { mode: 'image_generation' } }, ['image']],
    [{ mode: 'audio_speech' }, ['speech']],
    [{ mode: 'audio_transcription' }, ['transcription']],
    [{ mode: 'video_generation' }, ['video']],
    [{ endpoints: ['/v1/images/generations', '/v1/images/edits'] }, ['image']],
    [{ endpoints: ['/v1/audio/speech'] }, ['speech']],
    [{ output_modalities: ['audio', 'text'] }, ['speech']],
    [{ architecture: { input_modalities: ['text', 'image'], output_modalities: ['image', 'text'] } }, ['image']],
    [{ architecture: { modality: 'text+image->video' } }, ['video']],
    [{ capabilities: { 'text-to-speech': true, transcription: false } }, ['speech']],
    // Input modalities do not count.
    [{ architecture: { modality: 'text+image->text' } }, []],
    [{ input_modalities: ['image', 'audio', 'video'], output_modalities: ['text'] }, []],
    [{ pipeline_tag: 'image-to-text' }, []],
    [{ type: 'chat', object: 'model' }, []],
    [{}, []],
  ];
  for (const [facts, expected] of kinds) {
    it(`returns ${expected.join(' and ') || 'no kind'} for ${JSON.stringify(facts)}`, () => {
      assert.deepEqual(kindsOf(facts), expected);
    });
  }
});
