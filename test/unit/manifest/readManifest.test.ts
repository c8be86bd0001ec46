import assert from 'node:assert/strict';
import { inputsOf, outputProblem, pathProblem } from '../../../src/manifest/Manifest.ts';
import { readManifest } from '../../../src/manifest/readManifest.ts';
import { growsLinearly } from '../../support/growsLinearly.ts';

const linesOf = (text: string) => readManifest(text, '/p/media.jsonc').problems.map(({ line, field }) => [line, field]);

describe('readManifest (promises 30, 33, 38)', () => {
  it('accepts comments and trailing commas, and applies the defaults', () => {
    const { manifest, problems } = readManifest(
      `// words
{
  "defaults": { "speak": { "model": "t", "voice": "nova" }, },
  "assets": { "a.wav": { "operation": "speak", "input": "Hello." }, /* more */ },
}`,
      '/p/media.jsonc',
    );
    assert.deepEqual(problems, []);
    const [entry] = manifest.entries;
    assert(entry?.type === 'request');
    assert.deepEqual([entry.path, entry.line, entry.model, entry.values.voice], ['a.wav', 4, 't', 'nova']);
  });

  it('reads the fields of each entry as its own model takes them', () => {
    const accepts = { generateImage: { seed: { type: 'integer', models: ['b'] } } };
    const entryWith = (model: string) => ({ operation: 'generateImage', prompt: 'a fox', model, fields: { seed: 1 } });
    const assets = { '1.png': entryWith('a'), '2.png': entryWith('b'), '3.png': entryWith('a') };
    const { manifest, problems } = readManifest(JSON.stringify({ accepts, assets }), '/p/media.jsonc');
    assert.deepEqual(
      manifest.entries.map(({ path }) => path),
      ['2.png'],
    );
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['1.png', '3.png'],
    );
  });

  it('leaves the style out of an entry, reads a size as one writes it, and names the operations that may be missing', () => {
    const picture = { operation: 'generateImage', prompt: 'a fox', model: 'm' };
    const read = (entry: object) => {
      const text = JSON.stringify({ style: 'flat', assets: { 'a.png': entry } });
      return readManifest(text, '/p/media.jsonc');
    };
    const entryOf = (entry: object) => {
      const [found] = read(entry).manifest.entries;
      assert(found?.type === 'request');
      return found;
    };
    assert.deepEqual([entryOf(picture).style, entryOf({ ...picture, style: false }).style], ['flat', undefined]);
    assert.deepEqual(entryOf({ ...picture, size: '1200x630' }), entryOf({ ...picture, size: [1200, 630] }));
    const [problem] = read({ prompt: 'a fox' }).problems;
    assert.deepEqual(
      [problem?.field, problem?.sentence],
      ['operation', 'The field "operation" is missing. For this path it is one of: generateImage, editImage.'],
    );
  });

  it('reports line and field of every problem, not only the first', () => {
    const text = `{
  "colour": 1,
  "defaults": {
    "generateImage": { "voice": "nova" },
    "paint": {}
  },
  "assets": {
    "a.png": { "operation": "generateImage", "prompt": 7 },
    "b.png": { "operation": "generateImage" },
    "c.png": { "operation": "paint" },
    "d.gif": { "operation": "generateImage", "prompt": "p" },
    "e.mp3": { "operation": "speak", "input": "i", "document": "d.md" },
    "f.png": { "from": "a.png", "size": [0, 1] },
    "A.PNG": { "from": "f.png" },
    "g.mp3": { "operation": "speak", "input": "i", "voice": "nobody" },
    "h.png": 5
  }
}`;
    assert.deepEqual(linesOf(text), [
      [2, 'colour'],
      [4, 'voice'],
      [5, 'paint'],
      [8, 'prompt'],
      [9, 'prompt'],
      [10, 'operation'],
      [11, undefined],
      [12, 'input'],
      [13, 'size'],
      [14, undefined],
      [15, 'voice'],
      [16, undefined],
      [16, 'operation'],
    ]);
  });

  it('reports captions in the place of the times that they are made with', () => {
    const text = `{ "assets": {
  "call.md": { "operation": "transcribe", "model": "m", "file": "call.wav" },
  "Call.vtt": { "captions": "call.md" },
  "call.captions.vtt": { "captions": "call.md" },
  "call.srt": { "captions": "call.md" } } }`;
    const { problems } = readManifest(text, '/p/media.jsonc');
    assert.deepEqual(problems, [
      {
        line: 3,
        path: 'Call.vtt',
        field: 'captions',
        sentence: 'call.vtt holds the times of call.md, which captions are made with. Use another path.',
      },
    ]);
  });

  it('reports a transcript or captions of another recording in the place of the times of a transcript', () => {
    const text = `{ "assets": {
  "C.vtt": { "operation": "transcribe", "model": "m", "file": "a.mp3" },
  "c.md": { "operation": "transcribe", "model": "m", "file": "b.mp3" },
  "c.srt": { "captions": "C.md" },
  "d.txt": { "operation": "translate", "model": "m", "file": "b.mp3" },
  "d.vtt": { "captions": "e.md" },
  "d.captions.vtt": { "captions": "d.txt" },
  "f.vtt": { "operation": "transcribe", "model": "m", "file": "a.mp3" },
  "f.txt": { "operation": "transcribe", "model": "m", "file": "a.mp3" },
  "f.mp3": { "operation": "speak", "model": "m", "input": "i" } } }`;
    assert.deepEqual(linesOf(text), [
      [2, 'operation'],
      [6, 'captions'],
    ]);
  });

  it('takes an input by the spelling of the entry that makes it', () => {
    const accepts = { generateImage: { mask: { type: 'file' } } };
    const assets = {
      'hero.png': { operation: 'generateImage', prompt: 'p', fields: { mask: 'MASK.png' } },
      'mask.png': { from: 'Photo.png' },
      'hero.webp': { from: 'HERO.png' },
      'night.png': { operation: 'editImage', prompt: 'p', images: ['Hero.PNG', 'Photo.png'] },
      'clip.mp4': { operation: 'animateImage', prompt: 'p', image: 'HERO.PNG' },
      'again.mp4': { operation: 'remixVideo', prompt: 'p', video: 'CLIP.mp4' },
      'call.md': { operation: 'transcribe', file: 'CALL.mp3' },
      'call.mp3': { operation: 'speak', document: 'Guide.md' },
      'read.mp3': { operation: 'speak', document: 'CALL.md' },
      'call.srt': { captions: 'Call.md' },
    };
    const { manifest, problems } = readManifest(JSON.stringify({ accepts, assets }), '/p/media.jsonc');
    assert.deepEqual(problems, []);
    assert.deepEqual(manifest.entries.map(inputsOf), [
      ['mask.png'],
      ['Photo.png'],
      ['hero.png'],
      ['hero.png', 'Photo.png'],
      ['hero.png'],
      ['clip.mp4'],
      ['call.mp3'],
      ['Guide.md'],
      ['call.md'],
      ['call.md'],
    ]);
  });

  it('reports a format that is not that of the path, and lets the path win over the defaults', () => {
    const text = `{
  "defaults": { "speak": { "response_format": "wav" } },
  "assets": {
    "a.mp3": { "operation": "speak", "input": "i" },
    "a.wav": { "operation": "speak", "input": "i" },
    "a.ogg": { "operation": "speak", "input": "i", "response_format": "opus" },
    "b.mp3": { "operation": "speak", "input": "i", "response_format": "own" },
    "c.mp3": {
      "operation": "speak", "input": "i",
      "response_format": "wav"
    }
  }
}`;
    const { manifest, problems } = readManifest(text, '/p/media.jsonc');
    assert.deepEqual(problems, [
      {
        line: 10,
        path: 'c.mp3',
        field: 'response_format',
        sentence: 'response_format is wav, but the path ends in .mp3. Remove the field, or change the path.',
      },
    ]);
    const formats = manifest.entries.map((entry) => entry.type === 'request' && entry.values.response_format);
    assert.deepEqual(formats, [undefined, 'wav', 'opus', 'own']);
  });

  it('reports an entry below the file of another one', () => {
    const paths = ['img/A.png/b/c.png', 'img/a.png', 'img/a.png/b.png', 'img/a.png-2.png', 'img/a-2.png', 'img.png'];
    const assets = paths.map((path) => `"${path}": { "from": "in.png" }`).join(',\n');
    const { problems } = readManifest(`{ "assets": {\n${assets} } }`, '/p/media.jsonc');
    const sentence =
      'img/a.png is a file that another entry makes, so it cannot be a folder as well. Use another path.';
    assert.deepEqual(problems, [
      { line: 2, path: 'img/A.png/b/c.png', sentence },
      { line: 4, path: 'img/a.png/b.png', sentence },
    ]);
  });

  it('looks for entries below others in linear time', () => {
    const read = (text: string) => readManifest(text, '/p/media.jsonc');
    const entries = (length: number) => Array.from({ length }, (_, index) => `"${index}.png": { "from": "in.jpg" }`);
    assert(growsLinearly(read, (length) => `{ "assets": { ${entries(length).join()} } }`, 8_000));
  });

  it('reports a field of the manifest that stands there twice', () => {
    const text = `{
  "assets": { "a.png": { "operation": "generateImage", "prompt": "a" } },
  "assets": {}
}`;
    assert.deepEqual(linesOf(text), [[3, 'assets']]);
  });

  it('reports a field of an entry or of the defaults that stands there twice', () => {
    const text = `{
  "defaults": {
    "speak": { "voice": "nova",
      "voice": "alloy" },
    "editImage": {},
    "editImage": {}
  },
  "assets": {
    "a.png": {
      "operation": "generateImage",
      "prompt": "a",
      "prompt": "b",
      "operation": "generateImage"
    },
    "b.png": {
      "from": "a.png",
      "from": "c.png"
    }
  }
}`;
    assert.deepEqual(linesOf(text), [
      [4, 'voice'],
      [6, 'editImage'],
      [12, 'prompt'],
      [13, 'operation'],
      [17, 'from'],
    ]);
  });

  it('reports a further field, or a declaration of one, that stands there twice', () => {
    const text = `{
  "accepts": { "preset": "openai",
    "preset": "openai",
    "speak": { "pace": { "type": "number",
        "type": "string" },
      "pace": { "type": "string" } } },
  "defaults": { "generateImage": { "fields": { "quality": "low",
    "quality": "high" } } },
  "assets": {
    "a.png": { "operation": "generateImage", "prompt": "a", "fields": { "quality": "low",
      "quality": "high" } }
  }
}`;
    assert.deepEqual(linesOf(text), [
      [3, 'preset'],
      [5, 'type'],
      [6, 'pace'],
      [8, 'quality'],
      [11, 'quality'],
    ]);
  });

  it('reports the marks of a merge conflict once, with their line', () => {
    const text = '{\n"assets": {\n<<<<<<< HEAD\n"a.png": {},\n=======\n"b.png": {},\n>>>>>>> theirs\n}}';
    const [first, ...more] = readManifest(text, '/p/media.jsonc').problems;
    assert.deepEqual([first?.line, more], [3, []]);
    assert.match(first?.sentence ?? '', /unresolved merge conflict/);
  });

  it('reports the line of a JSON syntax error', () => {
    assert.deepEqual(linesOf('{\n  "assets": {\n    "a.png"\n  }\n}'), [[4, undefined]]);
    assert.deepEqual(linesOf(''), [[1, undefined]]);
    assert.deepEqual(linesOf('[]'), [[1, undefined]]);
  });
});

describe('an entry with captions', () => {
  it('has no other fields', () => {
    const text = '{"assets": {"a.srt": {"captions": "a.md", "size": [1, 1]}}}';
    const [problem] = readManifest(text, '/p/media.jsonc').problems;
    assert.equal(problem?.sentence, 'There is no field "size": an entry with "captions" has no other fields.');
  });
});

describe('outputProblem (promises 30, 33, 38)', () => {
  for (const path of [
    'AGENTS.md',
    'docs/claude.md',
    'a/SKILL.md',
    'llms.txt',
    'package.json',
    'x.instructions.md',
    'AGENTS.en.md',
    '.claude/rules/talk.md',
    'docs/.clinerules/talk.txt',
    '.github/talk.md',
  ]) {
    it(`rejects ${path}, which agents or tools read as their own [22.22]`, () => {
      assert.match(outputProblem(path) ?? '', /may take instructions or settings from/);
      assert.equal(pathProblem(path), undefined, 'as an input it is fine');
    });
  }
  for (const path of [
    'agents.png',
    'docs/agents-meeting.md',
    'package.mp3',
    'claudette.md',
    '.vuepress/public/a.vtt',
  ]) {
    it(`accepts ${path}`, () => assert.equal(outputProblem(path), undefined));
  }
});

describe('pathProblem (promises 30, 33, 38)', () => {
  it('rejects every format character, and so all that HFS+ ignores in names', () => {
    const ignoredByHfs = [
      ...'\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u206a\u206b\u206c\u206d\u206e\u206f\ufeff',
    ];
    for (const character of [...ignoredByHfs, '\xad', '\u061c', '\u200b', '\u2066', '\u{e0041}']) {
      for (const path of [`.g${character}it/x.png`, `a${character}gnp.png`, `${character}a.png`]) {
        const problem = pathProblem(path) ?? '';
        assert.match(problem, /contains an invisible character/);
        assert.doesNotMatch(problem, /\p{Cf}/u, 'the sentence shows it as a number');
      }
    }
  });

  it('rejects all that shows nothing, except what an emoji or a script needs', () => {
    for (const character of ['\u034f', '\u115f', '\u17b4', '\u180b', '\u2800', '\u3164', '\ufe0f', '\u{e0100}']) {
      const problem = pathProblem(`AGENTS${character}.md`) ?? '';
      assert.match(problem, /contains an invisible character/);
      assert(!problem.includes(character), 'the sentence shows it as a number');
    }
    for (const path of ['❤️.png', '葛󠄀城.png']) assert.equal(pathProblem(path), undefined);
  });

  it('reports that a path leaves the project', () => {
    for (const path of ['..', '../a', 'a/../b']) assert.match(pathProblem(path) ?? '', /leads out/);
  });

  it('reads a name of many dots or spaces in linear time', () => {
    for (const sign of ['.', ' ']) {
      assert(growsLinearly(pathProblem, (length) => `a/${sign.repeat(length)}x.png`, 20_000));
    }
  });

  for (const path of ['a.png', 'static/img/a b.png', 'ä/ö.png', 'a..b/c.png', '.github/a.png', 'git/a.png']) {
    it(`accepts ${path}`, () => assert.equal(pathProblem(path), undefined));
  }
  for (const path of [
    '',
    '..',
    '../a',
    'a/../b',
    'a/..',
    '/a',
    '\\a',
    'a\\b',
    'C:/a',
    'file:a',
    'https://a.example/b',
    'data:,a',
    '~/a',
    'a//b',
    './a',
    'a/',
    '.git/a',
    'x/.GIT/a',
    '.git./a',
    'GIT~1/a',
    '.vscode/a',
    '.unified-media/a',
    'a\0b',
    'a\nb',
    'con.png',
    'COM¹.png',
    'a/lpt³',
    'a?.png',
    'a.',
  ]) {
    it(`rejects ${JSON.stringify(path)}`, () => assert(pathProblem(path)));
  }
});
