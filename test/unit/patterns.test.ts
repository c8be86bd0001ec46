import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { analyse } from 'scslre';
import { patternsIn } from '../support/patternsIn.ts';

/** Patterns that may search the same characters again from each of them, because their texts are short. */
const exceptions: Readonly<Record<string, string>> = {
  'src/editor/ServiceSetup.ts /\\/+$/': 'an address that a person types',
  'src/features/create/jobCards.ts /[?#].*$/s': 'the address of one result',
  'src/features/recordings/findSpeakers.ts /(?<=<v(?:\\.[^ \\t>\\n]*)?[ \\t]+)[^>\\n]+(?=>)/g':
    'runs only when a person renames speakers',
  'src/library/fileName.ts /\\..*$/': 'a name that is cut before',
  'src/library/fileName.ts /^[.\\s-]+|[.\\s-]+$/g': 'hyphens are joined before',
  'src/manifest/Manifest.ts /[. ]+$/': 'one name of a path',
  'src/places/Project.ts /[?#].*$/': 'the base path of a site’s configuration, which is read up to a limit',
  'src/service/ServiceConfiguration.ts /\\/+$/': 'a setting of the user',
  'src/service/errors.ts /<[^>]*>/g': 'at most 8192 characters are read',
  'src/service/errors.ts /\\S*$/': 'at most 8192 characters are read',
  'src/network/privateAddress.ts /^\\[|\\]$|%.*$/g': 'the name of a host',
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
    const names = patterns
      .filter((pattern) => isReported(pattern, true))
      .map(({ file, source, flags }) => `${file} /${source}/${flags}`);
    assert.deepEqual(new Set(names), new Set(Object.keys(exceptions)));
  });

  it('are checked by a checker that finds exponential and quadratic time', () => {
    assert(isReported({ source: '(?:[ \\t]*-[ \\t]+)+x', flags: '' }, false));
    assert(isReported({ source: '^\\s*(\\d+)\\s*%?\\s*$', flags: '' }, false));
    assert(isReported({ source: ' +$', flags: '' }, true));
    assert(!isReported({ source: '^[ \\t]*-[ \\t]', flags: '' }, false));
  });
});

/** @param isMoved whether to look for the time of a search instead of that of one attempt to match */
function isReported({ source, flags }: { readonly source: string; readonly flags: string }, isMoved: boolean): boolean {
  const reportTypes = { Move: isMoved, Self: !isMoved, Trade: !isMoved };
  return analyse({ source, flags }, { reportTypes }).reports.length > 0;
}
