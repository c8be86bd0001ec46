import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { analyse } from 'scslre';
import { growsLinearly, isQuickWhenShort, millisecondsFor } from '../support/growsLinearly.ts';
import { type Pattern, patternsIn } from '../support/patternsIn.ts';
import { repeatedFragments } from '../support/repeatedFragments.ts';

/** Patterns that may search the same characters again from each of them, because their texts are short. */
const exceptions: Readonly<Record<string, string>> = {
  'src/service/ServiceSetup.ts /\\/+$/': 'an address that a person types',
  'src/foreign/nameOf.ts /[?#].*$/s': 'the address of one result',
  'src/library/fileName.ts /\\..*$/': 'a name that is cut before',
  'src/library/fileName.ts /^[.\\s-]+|[.\\s-]+$/g': 'hyphens are joined before',
  'src/wholes/NarrationBlock.ts /(?:<\\/[^<>]*>|-->|\\*\\/\\}|::|[|\\s])*$/': 'at most 500 characters are read',
  'src/service/ServiceConfiguration.ts /\\/+$/': 'a setting of the user',
  'src/service/problemIn.ts /<[^>]*>/g': 'at most 8192 characters are read',
  'src/service/problemIn.ts /\\S*$/': 'at most 8192 characters are read',
  'src/foreign/privateAddress.ts /^\\[|\\]$|%.*$/g': 'the name of a host',
};

/** Patterns that are slow with a long text, but never get one. */
const slow: Readonly<Record<string, string>> = {
  'src/transcripts/subtitles.ts /<v(?:\\.[^ \\t>]*)?[ \\t]([^>]+)>/': 'tested through readSubtitles',
  'src/files/lfsPointer.ts /^version https:\\/\\/git-lfs\\.github\\.com\\/spec\\/v1\\r?\\n[\\s\\S]*^oid sha256:([0-9a-f]{64})\\r?$/m':
    'less than 1024 characters are read',
  'src/projects/configuration.ts /(?:^|\\s)#.*$/': 'reads one line, which the first match uses up',
  'src/service/problemIn.ts /<(style|script)[\\s\\S]*?<\\/\\1>/gi': 'at most 8192 characters are read',
  'src/service/problemIn.ts /<title[^>]*>([^<]+)<\\/title>/i': 'at most 8192 characters are read',
  'src/service/errors.ts /\\b(https?:\\/\\/[^\\s"\'<>?#]+)[?#][^\\s"\'<>]*/gi': 'at most 4096 characters are read',
  'src/webview/parts/Icon.tsx /<path[^>]*? d="([^"]+)"/g': 'an icon of our own',
};

describe('the patterns of the code (promise 17)', () => {
  const patterns = globSync('src/**/*.{ts,tsx}', { exclude: ['**/*.d.ts'] }).flatMap((file) =>
    patternsIn(file.replaceAll('\\', '/')),
  );

  it('have no nested or adjacent quantifiers over overlapping characters', () => {
    assert(patterns.length > 500);
    assert.deepEqual(
      patterns.filter((pattern) => isReported(pattern, false)).map(({ file, line }) => `${file}:${line}`),
      [],
    );
  });

  it('do not search the same characters again from each of them, except in short texts', () => {
    const names = patterns.filter((pattern) => isReported(pattern, true)).map(nameOf);
    assert.deepEqual(new Set(names), new Set(Object.keys(exceptions)));
  });

  it('take time that grows at most linearly with what makes them search again', function () {
    this.timeout(120_000);
    // Those of documents are tested through the functions that read them, which search line by line.
    const others = patterns.filter(({ file }) => !file.startsWith('src/documents/'));
    const known = { ...exceptions, ...slow };
    const texts = others
      .filter((pattern) => !(nameOf(pattern) in known))
      .flatMap((pattern) => {
        const { source, flags } = pattern;
        const searched = new RegExp(source, `${flags.replace('g', '')}g`);
        const read = (text: string) => text.replace(searched, '');
        return repeatedFragments(source, flags).map(({ before, part }) => {
          const textOf = (length: number) => `${before}${part.repeat(Math.ceil(length / part.length))}\n"x`;
          const label = `${nameOf(pattern)} ${JSON.stringify([before, part])}`;
          assert(isQuickWhenShort(read, textOf), label);
          return { label, read, textOf, time: millisecondsFor(read, textOf(12_000)) };
        });
      });
    // Quadratic time makes a text one of the slowest long before it has its full length.
    const slowest = texts.toSorted((a, b) => b.time - a.time).slice(0, 60);
    const quadratic = slowest.filter(
      // Quadratic time is found at the tenth of the length, where it still ends soon.
      ({ read, textOf }) => !growsLinearly(read, textOf, 30_000) || !growsLinearly(read, textOf, 300_000),
    );
    assert.deepEqual(
      quadratic.map(({ label }) => label),
      [],
    );
  });

  it('are checked by a checker that finds exponential and quadratic time', () => {
    assert(isReported({ source: '(?:[ \\t]*-[ \\t]+)+x', flags: '' }, false));
    assert(isReported({ source: '^\\s*(\\d+)\\s*%?\\s*$', flags: '' }, false));
    assert(isReported({ source: ' +$', flags: '' }, true));
    assert(!isReported({ source: '^[ \\t]*-[ \\t]', flags: '' }, false));
  });
});

function nameOf({ file, source, flags }: Pattern): string {
  return `${file} /${source}/${flags}`;
}

/** @param isMoved whether to look for the time of a search instead of that of one attempt to match */
function isReported({ source, flags }: { readonly source: string; readonly flags: string }, isMoved: boolean): boolean {
  const reportTypes = { Move: isMoved, Self: !isMoved, Trade: !isMoved };
  return analyse({ source, flags }, { reportTypes }).reports.length > 0;
}
