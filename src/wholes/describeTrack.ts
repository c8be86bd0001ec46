import * as l10n from '@vscode/l10n';
import { shortLine } from '../foreign/plainText.ts';
import type { TrackFacts } from '../sound/readRecording.ts';
import { clockTime } from '../transcripts/formatTranscript.ts';

const maxNameLength = 80;

/**
 * Describes a sound track for people, such as `Track 2: German, “Commentary”, 01:30`.
 *
 * @param locale that its language is named in; that of the system if absent
 */
export function describeTrack({ number, language, name, seconds }: TrackFacts, locale?: string): string {
  const facts = [
    ...(language === undefined ? [] : [languageName(language, locale)]),
    ...(name === undefined ? [] : [`“${shortLine(name, maxNameLength)}”`]),
    ...(seconds === undefined ? [] : [clockTime(Math.round(seconds))]),
  ];
  return facts.length === 0 ? l10n.t('Track {0}', number) : l10n.t('Track {0}: {1}', number, facts.join(', '));
}

function languageName(code: string, locale: string | undefined): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(code) ?? shortLine(code, maxNameLength);
  } catch {
    // A file may have written anything there.
    return shortLine(code, maxNameLength);
  }
}
