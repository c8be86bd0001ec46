import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { languageOf } from '../../../src/documents/Language.ts';
import { mediaKindOf } from '../../../src/documents/MediaReference.ts';
import { speakableText } from '../../../src/documents/speakableText.ts';
import { extensionsOf } from '../../../src/operations/fields.ts';
import {
  field,
  imageExtensions,
  isEditableImage,
  narratedExtensions,
  outputExtensions,
  spokenExtensions,
} from '../../../src/operations/operations.ts';

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly contributes: {
    readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when: string }[]>>;
  };
};

describe('the extensions of files', () => {
  it('are those that the menus of the Explorer match', () => {
    const recordings = extensionsOf(field('transcribe', 'file'));
    const expected: Readonly<Record<string, readonly string[]>> = {
      editImage: imageExtensions,
      animateImage: imageExtensions,
      transcribe: recordings,
      translate: recordings,
      transcribeIntoDocument: recordings,
      transformImage: outputExtensions.images,
      addToManifest: Object.values(outputExtensions).flat(),
      saveSubtitles: outputExtensions.transcripts,
      useSubtitles: ['srt', 'vtt'],
      narrateDocument: narratedExtensions,
      narrateDocuments: narratedExtensions,
    };
    const items = contributes.menus['explorer/context']?.filter(({ when }) => when.includes('resourceExtname')) ?? [];
    assert(items.length >= 6);
    for (const { command, when } of items) {
      const [, alternatives = ''] = /resourceExtname =~ \/\^\\\.\((.*?)\)\$\/i/.exec(when) ?? [];
      const named = alternatives.replace('jpe?g', 'jpg|jpeg').split('|');
      const id = command.replace('unifiedMedia.', '');
      assert.deepEqual(named.sort(), [...(expected[id] ?? [])].sort(), id);
    }
  });

  it('of documents to read aloud are those of languages, or plain text', () => {
    for (const extension of spokenExtensions) {
      assert.equal(languageOf('', `a.${extension}`) === 'other', extension === 'txt', extension);
      if (extension === 'tex') continue;
      const isRemoved = speakableText('<b>word</b>', '', `a.${extension}`) !== '<b>word</b>';
      const isMarkup = !['txt', 'rst', 'adoc', 'asciidoc'].includes(extension);
      assert.equal(isRemoved, isMarkup, extension);
    }
  });

  it('are found as media in documents', () => {
    for (const extension of imageExtensions) assert.equal(mediaKindOf(`a.${extension}`), 'image');
    for (const extension of outputExtensions.videos) assert.equal(mediaKindOf(`a.${extension}`), 'video');
    // Raw PCM plays nowhere.
    const sounds = outputExtensions.speech.filter((extension) => extension !== 'pcm');
    for (const extension of sounds) assert.equal(mediaKindOf(`a.${extension}`), 'audio');
  });

  it('recognise images that can be edited here, in upper and lower case', () => {
    for (const name of ['a.png', 'file:///w/b.JPG', 'c.jpeg', 'd.webp']) assert(isEditableImage(name), name);
    for (const name of ['a.gif', 'png', 'a.png.txt', 'folder.png/a']) assert(!isEditableImage(name), name);
  });
});
