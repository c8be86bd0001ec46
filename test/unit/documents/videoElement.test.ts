import assert from 'node:assert/strict';
import { findReferences } from '../../../src/documents/findReferences.ts';
import type { Language } from '../../../src/documents/Language.ts';
import { trackIn, videoElementsIn } from '../../../src/documents/videoElement.ts';
import { staysInProportion } from '../../support/growsLinearly.ts';

function withTrack(text: string, language: Language = 'html', track = '<track>'): string | undefined {
  const reference = findReferences(text, language).find(({ kind }) => kind === 'video');
  assert(reference, 'the document shows a video');
  const change = videoElementsIn(text, [reference])[0]?.element.insert(track);
  return change && text.slice(0, change.start) + change.text + text.slice(change.end);
}

function tracksOf(text: string, language: Language = 'html'): readonly string[] | undefined {
  const reference = findReferences(text, language).find(({ kind }) => kind === 'video');
  return reference && videoElementsIn(text, [reference])[0]?.element.tracks;
}

describe('videoElementsIn', () => {
  const cases: readonly (readonly [name: string, language: Language, before: string, after: string])[] = [
    ['one line', 'html', '<video src="a.mp4"></video>', '<video src="a.mp4"><track></video>'],
    ['Markdown', 'markdown', 'A\n\n<video src="a.mp4">no</video>\n', 'A\n\n<video src="a.mp4"><track>no</video>\n'],
    ['an element without content', 'jsx', 'f(<video src="a.mp4" />)', 'f(<video src="a.mp4"><track></video>)'],
    [
      'letters that are longer in lower case before it',
      'markdown',
      `${'İ'.repeat(40)}\n\n<VIDEO src="a.mp4" controls></VIDEO>\n\n<video src="b.mp4"></video>\n`,
      `${'İ'.repeat(40)}\n\n<VIDEO src="a.mp4" controls><track></VIDEO>\n\n<video src="b.mp4"></video>\n`,
    ],
    [
      'a directive that compares',
      'vue',
      '<video @play="a > b" src="a.mp4"/>',
      '<video @play="a > b" src="a.mp4"><track></video>',
    ],
    [
      'a function in an attribute',
      'jsx',
      'f(<video onPlay={() => x} src="a.mp4"></video>)',
      'f(<video onPlay={() => x} src="a.mp4"><track></video>)',
    ],
    [
      'a required file',
      'jsx',
      "f(<video src={require('./a.mp4').default}></video>)",
      "f(<video src={require('./a.mp4').default}><track></video>)",
    ],
    [
      'files inside, with their indentation',
      'html',
      '<video controls>\n    <source src="a.webm">\n    <source src="a.mp4">\n    Sorry.\n  </video>',
      '<video controls>\n    <source src="a.webm">\n    <source src="a.mp4">\n    <track>\n    Sorry.\n  </video>',
    ],
    [
      'closed files inside',
      'svelte',
      '<video><source src="a.mp4"></source></video>',
      '<video><source src="a.mp4"></source><track></video>',
    ],
    [
      'another track, not one in a comment',
      'html',
      '<video src="a.mp4">\r\n  <track src="de.vtt">\r\n  <!-- <track src="fr.vtt"> -->\r\n</video>',
      '<video src="a.mp4">\r\n  <track src="de.vtt">\r\n  <track>\r\n  <!-- <track src="fr.vtt"> -->\r\n</video>',
    ],
    [
      'files around an element in a comment',
      'html',
      '<video src="a.mp4"><!-- <video src="b.mp4"></video> --></video>',
      '<video src="a.mp4"><track><!-- <video src="b.mp4"></video> --></video>',
    ],
    [
      'an empty element on two lines',
      'html',
      '  <video src="a.mp4">\n  </video>',
      '  <video src="a.mp4">\n    <track>\n  </video>',
    ],
  ];
  for (const [name, language, before, after] of cases) {
    it(`has a place for a track: ${name}`, () => assert.equal(withTrack(before, language), after));
  }

  it('is missing where another form or element shows the video, or where it does not end', () => {
    assert.equal(withTrack('![A film](a.mp4)', 'markdown'), undefined);
    assert.equal(withTrack('<video src="b.ogv"></video> <embed src="a.mp4">'.replace('b.ogv', 'b.txt')), undefined);
    assert.equal(withTrack('<video src="a.mp4">'), undefined);
    assert.equal(withTrack('<video src="a.txt" /> <embed src="a.mp4"></video>'), undefined);
    assert.equal(withTrack('<video-player src="a.mp4"></video-player>'), undefined);
  });

  it('knows the addresses of its tracks, except those in comments', () => {
    const tracks = '<track kind=captions src="a&amp;b.vtt" default><!-- <track src="c.vtt"> -->';
    assert.deepEqual(tracksOf(`<video src="a.mp4">${tracks}</video><track src="d.vtt">`), ['a&b.vtt']);
    const required = '<track kind="captions" src={require(\'./a.vtt\').default} />';
    assert.deepEqual(tracksOf(`f(<video src="a.mp4">${required}</video>)`, 'jsx'), ['./a.vtt']);
  });
});

describe('videoElementsIn, of a line', () => {
  const lines = [
    '<video src="a.mp4"></video>',
    '<video>',
    '<source src="b.mp4">',
    '<source src="c.mp4">',
    '</video>',
    '',
  ];
  const text = lines.join('\n');
  const videos = findReferences(text, 'html');
  const shownOn = (line: number) => {
    const start = lines.slice(0, line).reduce((length, one) => length + one.length + 1, 0);
    const within = { start, end: start + (lines[line] ?? '').length };
    return videoElementsIn(text, videos, within).map(({ reference }) => reference.address);
  };

  it('finds the elements on a line, with all their files', () => {
    const both = ['b.mp4', 'c.mp4'];
    assert.deepEqual([0, 1, 2, 4, 5].map(shownOn), [['a.mp4'], both, both, both, []]);
  });

  const shapes: Readonly<Record<string, (count: number) => string>> = {
    'different videos': (count) => '<video src="a.mp4"></video>\n'.repeat(count),
    'videos on one line': (count) => '<video src="a.mp4"></video>'.repeat(count),
    'sources of one video': (count) => `<video>${'<source src="a.mp4">\n'.repeat(count)}</video>`,
    'videos that do not end': (count) => '<video src="a.mp4">\n'.repeat(count),
    'open tags that do not end': (count) => '<video src="a.mp4" {\n'.repeat(count),
  };
  for (const [name, textOf] of Object.entries(shapes)) {
    it(`takes time in proportion to the document with ${name} (promise 17)`, async () => {
      const prepare = async (count: number) => {
        const html = textOf(count);
        const references = Array.from(html.matchAll(/a\.mp4/g), ({ index }) => ({
          range: { start: index, end: index + 5 },
        }));
        return () => videoElementsIn(html, references);
      };
      assert(await staysInProportion(prepare, 4000));
    });
  }
});

describe('trackIn', () => {
  const track = { source: '"a.vtt"', language: 'de', label: 'Deutsch' };

  it('writes an element of HTML, and one of JSX with the names of its attributes', () => {
    assert.equal(trackIn('html', track), '<track kind="captions" src="a.vtt" srclang="de" label="Deutsch">');
    assert.equal(trackIn('mdx', track), '<track kind="captions" src="a.vtt" srcLang="de" label="Deutsch" />');
  });

  it('names no language that is not known', () => {
    const unknown = { ...track, language: undefined, label: 'Captions' };
    assert.equal(trackIn('markdown', unknown), '<track kind="captions" src="a.vtt" label="Captions">');
  });
});
