import { findReferences } from './findReferences.ts';
import type { Language } from './Language.ts';

/** Returns the folders that a document sets for media at an offset: `\graphicspath`, `:imagesdir:`. */
export function foldersAt(text: string, language: Language, offset: number): readonly string[] {
  if (language !== 'latex' && language !== 'asciidoc') return [];
  // Reads a reference as if it stood there.
  const reference = language === 'latex' ? '\n\\includegraphics{x}' : '\n\nimage::x.png[]';
  return findReferences(text.slice(0, offset) + reference, language).at(-1)?.folders ?? [];
}
