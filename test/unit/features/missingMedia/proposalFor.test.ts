import assert from 'node:assert/strict';
import { findReferences } from '../../../../src/documents/findReferences.ts';
import { fieldsOf, proposalFor } from '../../../../src/features/missingMedia/proposalFor.ts';

describe('proposalFor', () => {
  /** Every reference in the text points to the same file. */
  const wish = (path: string, text: string) => proposalFor({ path, references: findReferences(text, 'markdown') });

  it('uses the alternative text of the first reference that has one', () => {
    assert.deepEqual(wish('/w/img/a.png', '# Boats\n\n![](a.png) ![A *harbour*](a.png) ![A ship](a.png)'), {
      operation: 'generateImage',
      prompt: 'A harbour',
      start: 'Boats',
    });
  });

  it('uses the title of a sound or video', () => {
    assert.partialDeepStrictEqual(wish('/w/a.mp3', '<audio src="a.mp3" title="Good morning"></audio>'), {
      operation: 'speak',
      prompt: 'Good morning',
    });
    assert.partialDeepStrictEqual(wish('/w/a.mp4', '<video src="a.mp4" title="A fox runs"></video>'), {
      operation: 'generateVideo',
      prompt: 'A fox runs',
    });
  });

  const silent = ['', 'image', 'An image', 'Screenshot 2', 'alt text', 'hero.png', 'hero', 'Hero', 'img/other.jpg'];
  for (const alt of silent) {
    it(`has no prompt when the alternative text is “${alt}”`, () => {
      assert.equal(wish('/w/img/hero.png', `![${alt}](hero.png)`)?.prompt, undefined);
    });
  }

  const computed = [
    ['markdown', '# Boats\n\n![{{ page.title }}](/img/hero.png)'],
    ['html', '<h1>Boats</h1><img src="/img/hero.png" alt="{{ .Title }}">'],
    ['html', '<h1>Boats</h1><img src="/img/hero.png" alt="{% t %}">'],
    ['html', '<h1>Boats</h1><img src="/img/hero.png" alt="<?= $page->title ?>">'],
    ['svelte', '<h1>Boats</h1><img src="/img/hero.png" alt="{title}">'],
    ['svelte', '<h1>Boats</h1><img src="/img/hero.png" alt="Portrait of {name}">'],
  ] as const;
  for (const [language, text] of computed) {
    it(`has no prompt when a template computes the alternative text: ${text}`, () => {
      const [reference] = findReferences(text, language);
      assert(reference);
      assert.deepEqual(proposalFor({ path: '/w/img/hero.png', references: [reference] }), {
        operation: 'generateImage',
        prompt: undefined,
        start: 'Boats',
      });
    });
  }

  it('uses the words of the file name only when an author wrote them as a sentence', () => {
    assert.equal(wish('/w/red-fox.png', '![A red fox](red-fox.png)')?.prompt, 'A red fox');
    assert.equal(wish('/w/red-fox.png', '![red fox](red-fox.png)')?.prompt, undefined);
  });

  it('suggests the nearest heading, the title or the words of the file name as a start', () => {
    assert.equal(wish('/w/a.png', '# Boats\n\n## At dusk\n\n![](a.png)')?.start, 'At dusk');
    assert.equal(wish('/w/a.png', '---\ntitle: Boats\n---\n\n![](a.png)')?.start, 'Boats');
    assert.equal(wish('/w/red-fox_2.png', '![](red-fox_2.png)')?.start, 'red fox 2');
  });

  it('returns undefined for drawings and icons', () => {
    assert.equal(wish('/w/a.svg', '![A fox](a.svg)'), undefined);
    assert.equal(wish('/w/favicon.ico', '![A fox](favicon.ico)'), undefined);
  });

  it('requests one image, and sound in the format of the file extension (fieldsOf)', () => {
    const speak = { operation: 'speak', prompt: undefined, start: '' } as const;
    const image = { ...speak, operation: 'generateImage' } as const;
    assert.deepEqual(fieldsOf(image, 'A fox', '/w/a.jpg'), { prompt: 'A fox', n: 1 });
    assert.deepEqual(fieldsOf(speak, 'Hello.', '/w/a.FLAC'), { input: 'Hello.', response_format: 'flac' });
    assert.deepEqual(fieldsOf(speak, 'Hello.', '/w/a.oga'), { input: 'Hello.', response_format: 'opus' });
  });
});
