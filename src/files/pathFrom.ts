import { isAbsolute, posix, sep, type win32 } from 'node:path';

/**
 * Returns the path of a file relative to a folder, as the library records it. Programs name the drives of Windows in upper
 * case, and VS Code in lower case.
 *
 * @param folder path of a URI, such as `/c:/work`
 * @param file path of a URI
 */
export function pathFrom(folder: string, file: string): string {
  return posix.relative(withDrive(folder), withDrive(file));
}

/** Returns the name of the file with this URI, as people write it. */
export function nameIn(uri: string): string {
  return decodeURIComponent(posix.basename(uri.split(/[?#]/, 1)[0] ?? uri));
}

/** Whether a path as people and programs write it is absolute: also `C:\a`, `\\server\share\a` and `/c:/a`. */
export function isAbsolutePath(path: string): boolean {
  return /^([a-z]:)?[\\/]/i.test(path);
}

/** Whether a path relative to a folder leads out of it. Between two drives of Windows such a path is absolute. */
export function isOutside(
  inside: string,
  system: Pick<typeof win32, 'sep' | 'isAbsolute'> = { sep, isAbsolute },
): boolean {
  return inside === '..' || inside.startsWith(`..${system.sep}`) || system.isAbsolute(inside);
}

function withDrive(path: string): string {
  return path.replace(/^\/[A-Z]:/, (drive) => drive.toLowerCase());
}
