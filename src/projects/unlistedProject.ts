import { posix } from 'node:path';
import {
  type AssetRoot,
  codes,
  foldersAbove,
  isInside,
  isMarkdown,
  isVueElement,
  markdowns,
  type PlacedDocument,
  type Project,
  type ProjectFiles,
  type Rules,
  styles,
  vueTag,
} from './Project.ts';
import { type ServedFolders, servedFolders } from './servedFolders.ts';

/** A project whose addresses are relative, or start with a slash at the top of the repository. */
export function plainProject(folder: string, { path }: PlacedDocument): Project {
  return {
    framework: 'plain',
    folder,
    roots: [{ folder, prefix: '/' }, ...foundRoots(folder, path)],
    rules: () => ({ relative: 'file', usesRoots: false }),
  };
}

/** Folders that may be served: their files are found. */
function foundRoots(folder: string, path: string): readonly AssetRoot[] {
  return foldersAbove(path, folder)
    .flatMap((above) =>
      ['.', 'public', 'static'].map((name) => ({ folder: posix.join(above, name), prefix: '/', isOnlyFound: true })),
    )
    .filter((root) => root.folder !== folder);
}

/**
 * Returns the project of a document of no known framework: what is known to be served, and how addresses are written. Where
 * that is not known, missing files are reported at a guess.
 *
 * @param folder the repository, otherwise the workspace folder
 * @param chosen what the person says is served; nothing else then counts
 */
export async function unlistedProject(
  folder: string,
  document: PlacedDocument,
  { files, chosen }: { readonly files: ProjectFiles; readonly chosen: readonly AssetRoot[] },
): Promise<Project> {
  const plain = plainProject(folder, document);
  if (![...codes, ...markdowns].includes(document.language)) return plain;
  const above = foldersAbove(document.path, folder);
  const shown = await servedFolders(document, above, files);
  const served = chosen.length > 0 ? { ...shown, roots: chosen, isShown: true } : shown;
  if (isMarkdown(document) && (chosen.length > 0 || !isPage(document, served))) return plain;
  const start = await startOfPages(document, above, files);
  // A page may belong to a plain site that stands apart from what the server serves.
  const isApart =
    start !== undefined && !served.roots.some(({ folder }) => isInside(start, folder) || isInside(folder, start));
  const roots = isApart && !served.isShown ? [{ folder: start, prefix: '/' }] : served.roots;
  const guess = { folder: served.marker ?? folder, prefix: '/', isGuess: true };
  return {
    ...plain,
    roots: [
      ...roots,
      ...(roots.some(({ prefix }) => prefix === '/') ? [] : [guess]),
      ...foundRoots(folder, document.path),
    ],
    assets: isPlainPage(document) ? undefined : served.roots[0]?.folder,
    rules:
      served.roots.length > 0
        ? (form, element) => rulesOfSite(document, served, form, element)
        : (form) => ({ ...plain.rules(form), isGuess: form === 'tag' && isResolvedElsewhere(document) }),
  };
}

/** Returns the topmost folder with an `index.html` above a page or its style sheet, which is the top of a plain site. */
async function startOfPages({ language }: PlacedDocument, above: readonly string[], files: ProjectFiles) {
  if (!['html', ...styles].includes(language)) return undefined;
  const there = await Promise.all(above.map((folder) => files.exists(posix.join(folder, 'index.html'))));
  return above.findLast((_, index) => there[index]);
}

/** Whether Markdown is a page of the site. What is about the project itself is read on the repository's host instead. */
function isPage({ path, language }: PlacedDocument, { marker, roots, isShown }: ServedFolders): boolean {
  if (/^readme\b/i.test(posix.basename(path))) return false;
  if (isShown || language === 'mdx') return true;
  const [root] = roots;
  if (root === undefined || marker === undefined) return false;
  if (posix.dirname(root.folder) !== marker) return true;
  const inside = posix.relative(marker, path);
  return inside.includes('/') && !/^(?:docs\/|\.)/.test(inside);
}

/** Whether something other than the file's own folder decides where the addresses of its tags lead. */
function isResolvedElsewhere(document: PlacedDocument): boolean {
  return !isPlainPage(document) && !isMarkdown(document) && document.language !== 'vue';
}

/** Whether it is HTML that no server puts together. */
function isPlainPage({ path, language }: PlacedDocument): boolean {
  return language === 'html' && /\.html?$/i.test(path) && !/\/(?:templates?|views|layouts?|partials)\//.test(path);
}

const bundled: Rules = { relative: 'file', usesRoots: true };

/** How a site of which something is known to be served resolves an address. */
function rulesOfSite(document: PlacedDocument, { imports }: ServedFolders, form: string, element = 'img'): Rules {
  const { language } = document;
  if (form === 'module') return { relative: 'file', usesRoots: false, needsDot: true };
  if (form === 'style') return bundled;
  if (isMarkdown(document) && (form !== 'tag' || element === 'img')) return { ...bundled, needsDot: true };
  if (language === 'vue' && isVueElement(element)) return vueTag;
  if (isPlainPage(document)) return { relative: 'file', usesRoots: false };
  return { relative: 'root', usesRoots: true, wrapper: language === 'jsx' && imports ? 'import' : undefined };
}
