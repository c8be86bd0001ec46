import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { manifestSchema } from '../../../src/manifest/manifestSchema.ts';
import { readManifest } from '../../../src/manifest/readManifest.ts';

describe('media/media.schema.json', () => {
  it('matches the operations', () => {
    const written = JSON.parse(readFileSync('media/media.schema.json', 'utf8')) as unknown;
    assert.deepEqual(written, JSON.parse(JSON.stringify(manifestSchema())), 'run npm run generate');
  });

  const image = { operation: 'generateImage', prompt: 'a fox' };
  const speech = { operation: 'speak', input: 'Hello.' };
  const transcript = { operation: 'transcribe', file: 'a.mp3' };
  const assets = (path: string, entry: object = image) => ({ assets: { [path]: entry } });
  const declared = { generateImage: { size: { type: 'string', values: ['1x1'] } } };

  const accepted: Readonly<Record<string, unknown>> = {
    'an image': assets('static/hero.png'),
    'an image in capitals': assets('HERO.PNG'),
    'a name with dots and spaces': assets('a b/v1.2 c.webp'),
    'another script': assets('bilder/狐.jpg'),
    speech: assets('a.mp3', speech),
    'a document': assets('a.ogg', { operation: 'speak', document: 'a.md' }),
    'a transcript': assets('a.srt', { operation: 'transcribe', file: 'a.mp3' }),
    'a video': assets('a.mp4', { operation: 'remixVideo', video: 'b.mp4', prompt: 'rain' }),
    'a size as one writes it': assets('a.webp', { from: 'b.png', size: '1200x630' }),
    'the largest size': assets('a.png', { ...image, size: '16383x1' }),
    'no style': assets('a.png', { ...image, style: false }),
    'a derived image': assets('a.webp', { from: 'b.png', size: [8, 4], quality: 80 }),
    subtitles: assets('a.srt', { captions: 'a.md' }),
    'a voice that the manifest declares': {
      ...assets('a.mp3', { ...speech, voice: 'brook' }),
      accepts: { speak: { voice: { type: 'string', open: true } } },
    },
    'a format of a preset': { ...assets('a.png', { ...image, output_format: 'png' }), accepts: { preset: 'openai' } },
    defaults: { ...assets('a.png'), defaults: { generateImage: { model: 'm', fields: {} } }, style: 'flat' },
    'a $schema of any type': { ...assets('a.png'), $schema: 3 },
    'the format of the path': assets('a.ogg', { ...speech, response_format: 'opus' }),
    'a format that the path does not decide': assets('a.mp3', { ...speech, response_format: 'mp3_44100' }),
    'an image that is named as what agents read': assets('.github/AGENTS.png'),
    'a text in a folder that is named as what agents read': assets('agents.x/notes.md', transcript),
    'an input that agents read': assets('a.mp3', { operation: 'speak', document: '.github/AGENTS.md' }),
    'one narration per document': assets('a/{name}.mp3', { operation: 'speak', document: 'docs/*.md' }),
    'names like reserved ones': assets('git/.gitx/context~1.png'),
    'declared fields': { ...assets('a.png', { ...image, fields: { size: '1x1' } }), accepts: declared },
    'the fields of a preset': {
      ...assets('a.png', { ...image, fields: { background: 'transparent' } }),
      accepts: { preset: 'openai' },
    },
  };

  const refused: Readonly<Record<string, unknown>> = {
    'no assets': {},
    'an unknown field': { ...assets('a.png'), more: 1 },
    'an absolute path': assets('/a.png'),
    'a path out of the folder': assets('../a.png'),
    'a path out of the folder, later': assets('b/../../a.png'),
    'a reserved folder': assets('.git/a.png'),
    'a reserved folder in capitals': assets('b/.VSCode/a.png'),
    'an address': assets('https://x/a.png'),
    'a drive': assets('c:a.png'),
    'a home folder': assets('~/a.png'),
    'a backslash': assets('b\\a.png'),
    'an empty segment': assets('b//a.png'),
    'a dot': assets('./a.png'),
    'a name of Windows': assets('b/con.png'),
    'a folder that ends in a dot': assets('b./a.png'),
    'a sound for an image': assets('a.mp3'),
    'an image for speech': assets('a.png', speech),
    'no extension': assets('a'),
    'a text for a video': assets('a.txt', { operation: 'generateVideo', prompt: 'a' }),
    'a derived sound': assets('a.mp3', { from: 'b.png' }),
    'from beside operation': assets('a.png', { ...image, from: 'b.png' }),
    'neither from nor operation': assets('a.png', { prompt: 'a' }),
    'subtitles as an image': assets('a.png', { captions: 'a.md' }),
    'subtitles as a text': assets('a.md', { captions: 'a.md' }),
    'an image as subtitles': assets('a.vtt', { from: 'b.png' }),
    'from beside captions': assets('a.srt', { from: 'b.png', captions: 'a.md' }),
    'a blank prompt': assets('a.png', { ...image, prompt: ' ' }),
    'a blank model': assets('a.png', { ...image, model: '\t' }),
    'another image format': assets('a.png', { ...image, output_format: 'tiff' }),
    'another image format by default': { ...assets('a.png'), defaults: { generateImage: { output_format: 'tiff' } } },
    'a blank voice': {
      ...assets('a.mp3', { ...speech, voice: ' ' }),
      accepts: { speak: { voice: { type: 'string', open: true } } },
    },
    'a short name of Windows': assets('GIT~1/a.png'),
    'a device of Windows': assets('b/conin$.png'),
    'an invisible character': assets('a\u200cb.png'),
    'a character that turns the text around': assets('a\u202eb.png'),
    'an Arabic letter mark': assets('a\u061cb.png'),
    'a blank letter': assets('a\u3164b.png'),
    'an invisible tag': assets('a\u{e0041}b.png'),
    'a text that agents read': assets('docs/Agents.md', transcript),
    'a text that tools read': assets('docs/x.instructions.txt', transcript),
    'a text in a hidden folder': assets('.claude/a.md', transcript),
    'a hidden text': assets('b/.txt', transcript),
    'a short name of another folder': assets('b/unifie~12/a.png'),
    'another format than that of the path': assets('a.mp3', { ...speech, response_format: 'wav' }),
    'another format than that of the path in capitals': assets('a.OGG', { ...speech, response_format: 'mp3' }),
    'no prompt': assets('a.png', { operation: 'generateImage' }),
    'another operation': assets('a.png', { operation: 'paint', prompt: 'a' }),
    'a text and a document': assets('a.mp3', { ...speech, document: 'a.md' }),
    'documents of several folders': assets('a/{name}.mp3', { operation: 'speak', document: 'docs/*/a.md' }),
    'documents of all folders': assets('a/{name}.mp3', { operation: 'speak', document: 'docs/**.md' }),
    'documents out of the folder': assets('a/{name}.mp3', { operation: 'speak', document: '../*.md' }),
    'recordings of several names': assets('a/{name}.md', { ...transcript, file: 'a/*.wav' }),
    'no text': assets('a.mp3', { operation: 'speak' }),
    'an input out of the folder': assets('a.png', { operation: 'editImage', prompt: 'a', images: ['../b.png'] }),
    'no input': assets('a.png', { operation: 'editImage', prompt: 'a', images: [] }),
    'many variants': assets('a.png', { ...image, variants: 1001 }),
    'a size that is too large': assets('a.png', { ...image, size: '16384x1' }),
    'a size of 0': assets('a.png', { ...image, size: '0x1' }),
    'a size of words': assets('a.png', { ...image, size: '8 x 8' }),
    'a style of its own': assets('a.png', { ...image, style: 'flat' }),
    'style that is true': assets('a.png', { ...image, style: true }),
    'style where nothing is styled': assets('a.md', { operation: 'transcribe', file: 'a.wav', style: false }),
    'half a size': assets('a.png', { ...image, size: [8] }),
    'fields as a text': assets('a.png', { ...image, fields: 'size' }),
    'an unknown type': { ...assets('a.png'), accepts: { generateImage: { size: { type: 'colour' } } } },
    'an unknown preset': { ...assets('a.png'), accepts: { preset: 'x' } },
    'fields of an unknown operation': { ...assets('a.png'), accepts: { paint: {} } },
  };

  // Any warning of the strict mode is an error.
  const validate = new Ajv({ strict: true, allErrors: true }).compile(JSON.parse(JSON.stringify(manifestSchema())));
  const problemsOf = (manifest: unknown) => readManifest(JSON.stringify(manifest), '/project/media.jsonc').problems;

  for (const [name, manifest] of Object.entries(accepted)) {
    it(`accepts ${name}, as the command line does`, () => {
      assert(validate(manifest), JSON.stringify(validate.errors));
      assert.deepEqual(problemsOf(manifest), []);
    });
  }

  for (const [name, manifest] of Object.entries(refused)) {
    it(`refuses ${name}, as the command line does`, () => {
      assert.notEqual(problemsOf(manifest).length, 0, 'command line');
      assert(!validate(manifest), 'schema');
    });
  }
});
