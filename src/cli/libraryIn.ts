import { join } from 'node:path';
import { LocalFolder } from '../files/LocalFolder.ts';
import { Library } from '../library/Library.ts';

/** Returns the library of a project. */
export function libraryIn(root: string): Library {
  return new Library(new LocalFolder(join(root, '.unified-media'), root));
}
