import assert from 'node:assert/strict';
import { ownNameOf, spokenLanguage } from '../../../src/transcripts/frontMatter.ts';

describe('spokenLanguage', () => {
  const cases = [
    ['a code', 'language: de', 'de'],
    ['a code of a region', 'language: "pt-br"', 'pt-BR'],
    ['an English name, as Whisper writes it', 'language: german', 'de'],
    ['a translation, which is in English', 'operation: translate\nlanguage: german', 'en'],
    ['a name that is none', 'language: "x\\" onload"', undefined],
    ['nothing', 'source: "call.mp3"', undefined],
  ] as const;
  for (const [name, matter, expected] of cases) {
    it(`reads ${name}`, () => assert.equal(spokenLanguage(`---\n${matter}\n---\n\nlanguage: fr\n`), expected));
  }

  it('reads no language from a text without front matter', () =>
    assert.equal(spokenLanguage('language: fr\n'), undefined));

  it('knows what a language calls itself', () => {
    assert.equal(ownNameOf('de'), 'Deutsch');
    assert.equal(ownNameOf('pt-BR'), 'português (Brasil)');
  });
});
