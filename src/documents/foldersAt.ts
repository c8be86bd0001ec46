import { findReferences } from './findReferences.ts';
import type { Language } from './Language.ts';

/** The folders that a document names for the media of references at an offset: `\graphicspath`, `:imagesdir:`. */
export function foldersAt(text: string, language: Language, offset: number): readonly string[] {
  if (language !== 'latex' && language !== 'asciidoc') return [];
  // A reference that stood there would tell.
  const reference = language === 'latex' ? '\n\\includegraphics{x}' : '\n\nimage::x.png[]';
  return findReferences(text.slice(0, offset) + reference, language).at(-1)?.folders ?? [];
}
