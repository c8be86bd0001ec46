import { posix } from 'node:path';
import type { MediaKind, MediaReference, ReferenceForm } from '../documents/MediaReference.ts';
import { withoutQuery } from '../documents/MediaReference.ts';
import { findProject, isInside, plainProject } from './findProject.ts';
import type { AssetRoot, PlacedDocument, Project, ProjectFiles, Rules, Wrapper } from './Project.ts';

/** Languages whose references are paths, not URLs. */
const withoutEncoding = new Set(['latex', 'gdscript', 'dart']);

/** Decodes a URL into a path; returns undefined if it is not a path. */
function decodeAddress(address: string, { language }: PlacedDocument): string | undefined {
  if (address.includes('\0') || /^\/\/|^(?!res:)[a-z][a-z\d+.-]*:/i.test(address)) return undefined;
  if (withoutEncoding.has(language)) return address;
  const path = withoutQuery(address);
  let text = path;
  try {
    text = decodeURIComponent(path);
  } catch {
    // The percent sign belongs to the name.
  }
  if (text === '' || text.includes('\0')) return undefined;
  // Browsers treat backslashes as slashes, and Windows users write them.
  return text.replaceAll('\\', '/');
}

/** The setting `references`: by project, always relative, or workspace folders by address prefix. */
export type ReferenceStyle = 'auto' | 'relative' | Readonly<Record<string, string>>;

/** An address as written in a document. */
export interface Address {
  readonly form: ReferenceForm;
  readonly address: string;
  /** Folders that the document sets for its media: `\graphicspath`, `:imagesdir:`. */
  readonly folders?: readonly string[];
}

/** The file that an address leads to, whether it exists or not. */
export interface Target {
  readonly path: string;
  readonly exists: boolean;
  /** Whether it lies in a folder of build output or dependencies. */
  readonly isOutput: boolean;
}

export interface WrittenReference {
  /** Address, not percent-encoded. */
  readonly address: string;
  /** Expression that the address needs around it. */
  readonly wrapper?: Wrapper;
  /** Whether the site serves the file. If not, it must be moved into one of the project's folders. */
  readonly isServed: boolean;
}

interface Candidate {
  readonly path: string;
  /** Whether a new file at this path is the one that the document refers to. */
  readonly isRight: boolean;
}

const alwaysOutput = new Set(['node_modules', '.git', 'build', 'dist', 'out', '_site', '.next']);
/** Extensions that LaTeX tries; those that a new picture can have come first. */
const pictureExtensions = ['.png', '.jpg', '.jpeg', '.pdf', '.eps', '.svg'];
const usualNames: Readonly<Record<MediaKind, readonly string[]>> = {
  image: ['images', 'img', 'assets/images', 'assets/img', 'assets'],
  audio: ['audio', 'sounds', 'assets/audio', 'assets'],
  video: ['videos', 'video', 'assets/videos', 'assets'],
};
/**
 * Says where media for documents in one workspace folder belong, and how documents refer to them. Paths are absolute
 * with forward slashes; a Windows drive is `/c:/`.
 */
export class Places {
  readonly #root: string;
  readonly #files: ProjectFiles;
  readonly #style: ReferenceStyle;
  /** Projects by language and path of the document, so that a thousand references need one search. */
  readonly #projects = new Map<string, Promise<Project>>();

  /** @param root the workspace folder; nothing above it is read */
  constructor(root: string, files: ProjectFiles, style: ReferenceStyle = 'auto') {
    this.#root = normal(root);
    this.#files = files;
    this.#style = style;
  }

  /** Discards the known projects, because their configurations may have changed. */
  forgetProjects(): void {
    this.#projects.clear();
  }

  /**
   * Returns the file that an address leads to, whether it exists or not.
   *
   * @returns undefined if that is unknown: a web address, an unknown alias, a relative address where the framework
   *   supports none, or a file outside the workspace folder
   */
  async resolve(document: PlacedDocument, { form, address, folders = [] }: Address): Promise<Target | undefined> {
    const placed = { ...document, path: normal(document.path) };
    const project = await this.#projectOf(placed);
    const way = decodeAddress(address, placed);
    if (way === undefined) return undefined;
    const ways = folders.length > 0 && !way.startsWith('/') ? folders.map((folder) => posix.join(folder, way)) : [];
    const all = (placed.language === 'latex' || ways.length === 0 ? [...ways, way] : ways)
      .flatMap((one) => this.#candidates(placed, project, form, one))
      .flatMap((candidate) => withExtensions(candidate, placed))
      .filter(({ path }) => isInside(this.#root, path));
    for (const { path } of all) {
      if (await this.#files.exists(path)) return { path, exists: true, isOutput: isOutput(path, project) };
    }
    const right = all.find(({ isRight }) => isRight);
    return right && { path: right.path, exists: false, isOutput: isOutput(right.path, project) };
  }

  /**
   * Returns how a document refers to a file.
   *
   * @param reference its form, and the folders that the document sets for its media
   */
  async write(
    document: PlacedDocument,
    file: string,
    { form, folders = [] }: Pick<Address, 'form' | 'folders'>,
  ): Promise<WrittenReference> {
    const placed = { ...document, path: normal(document.path) };
    const path = normal(file);
    const project = await this.#projectOf(placed);
    const start = project.start ?? posix.dirname(placed.path);
    const mapped = this.#rootsOfSetting().find(({ folder }) => isInside(folder, path));
    if (mapped) return { address: addressIn(mapped, path), isServed: true };
    const named = folders.map((folder) => posix.join(start, folder)).find((folder) => isInside(folder, path));
    if (named !== undefined) return { address: posix.relative(named, path), isServed: true };
    if (driveOf(path) !== driveOf(placed.path)) return { address: path.slice(1), isServed: false };
    const [imagesFolder = ''] = placed.language === 'asciidoc' ? folders : [];
    const isOfSite = imagesFolder.startsWith('/');
    const from = imagesFolder === '' || isOfSite ? start : posix.join(start, imagesFolder);
    const written = writtenFor(project, project.rules(form), { document: placed, start: from, path });
    const prefix = `${imagesFolder.replace(/\/$/, '')}/`;
    const isBelow = isOfSite && written.address.startsWith(prefix);
    return isBelow ? { ...written, address: written.address.slice(prefix.length) } : written;
  }

  /**
   * Returns the folder for new media of a document: the usual one for their kind if it exists.
   *
   * @returns undefined if the project does not define one
   */
  async folderFor(document: PlacedDocument, kind: MediaKind): Promise<string | undefined> {
    const placed = { ...document, path: normal(document.path) };
    const { assets } = await this.#projectOf(placed);
    if (assets === undefined || !isInside(this.#root, assets)) return undefined;
    if (assets === posix.dirname(placed.path)) return assets;
    for (const name of usualNames[kind]) {
      const folder = posix.join(assets, name);
      if (await this.#files.exists(folder)) return folder;
    }
    return assets;
  }

  /** Returns whether a document lies in a folder of build output or dependencies. */
  async isOutput(document: PlacedDocument): Promise<boolean> {
    const placed = { ...document, path: normal(document.path) };
    // A dependency can contain a project of its own.
    const names = posix.relative(this.#root, placed.path).split('/');
    return names.some((name) => alwaysOutput.has(name)) || isOutput(placed.path, await this.#projectOf(placed));
  }

  /** Returns a path relative to the workspace folder. */
  relativePath(path: string): string {
    return posix.relative(this.#root, normal(path));
  }

  /** Returns a path for a person: relative to the document's project, otherwise to the workspace folder. */
  async nameIn(document: PlacedDocument, path: string): Promise<string> {
    const { folder } = await this.#projectOf({ ...document, path: normal(document.path) });
    const file = normal(path);
    return posix.relative(isInside(folder, file) ? folder : this.#root, file);
  }

  #projectOf(document: PlacedDocument): Promise<Project> {
    const key = `${document.language} ${document.path}`;
    const known = this.#projects.get(key) ?? this.#findProject(document);
    this.#projects.set(key, known);
    return known;
  }

  async #findProject(document: PlacedDocument): Promise<Project> {
    if (this.#style === 'relative') return plainProject(this.#root);
    if (this.#style === 'auto') return findProject(document, this.#root, this.#files);
    return { ...plainProject(this.#root), output: (await findProject(document, this.#root, this.#files)).output ?? [] };
  }

  /** Returns the roots of the setting, longest prefix first, without those outside the workspace folder. */
  #rootsOfSetting(): readonly AssetRoot[] {
    if (typeof this.#style === 'string') return [];
    return Object.entries(this.#style)
      .map(([prefix, folder]) => ({ prefix, folder: normal(posix.join(this.#root, folder)) }))
      .filter(({ prefix, folder }) => prefix !== '' && isInside(this.#root, folder))
      .sort((a, b) => b.prefix.length - a.prefix.length);
  }

  #candidates(document: PlacedDocument, project: Project, form: ReferenceForm, way: string): readonly Candidate[] {
    const mapped = filesIn(this.#rootsOfSetting(), way);
    if (mapped.length > 0) return mapped.map((path) => ({ path, isRight: true }));
    for (const [alias, folder] of Object.entries(project.aliases ?? {})) {
      if (way.startsWith(alias)) return [{ path: posix.join(folder, way.slice(alias.length)), isRight: true }];
    }
    if (/^\w+:\/\//.test(way)) return filesIn(project.roots, way).map((path) => ({ path, isRight: true }));
    const rules = project.rules(form);
    // A file beside the document counts as existing, even if the site resolves the address differently.
    const beside = posix.join(project.start ?? posix.dirname(document.path), way);
    // An unknown alias, or a package.
    const isElsewhere = /^[~@$#][\w-]*\//.test(way) || (form === 'module' && !/^[./]/.test(way));
    if (isElsewhere) return [{ path: beside, isRight: false }];
    if (way.startsWith('/')) {
      return filesIn(project.roots, withoutBase(way, project, rules)).map((path) => ({ path, isRight: true }));
    }
    if (rules.relative === 'file') {
      const rooted = form === 'frontMatter' && !way.startsWith('.') ? filesIn(project.roots, `/${way}`) : [];
      return [{ path: beside, isRight: true }, ...rooted.map((path) => ({ path, isRight: false }))];
    }
    const page = rules.relative === 'page' ? project.page : rules.relative === 'root' ? '/' : undefined;
    const isBare = form === 'frontMatter' && !way.startsWith('.');
    const from = page ?? (isBare ? '/' : undefined);
    const served = from === undefined || leadsOut(from, way) ? [] : filesIn(project.roots, posix.join(from, way));
    return [...served.map((path) => ({ path, isRight: true })), { path: beside, isRight: false }];
  }
}

/** Returns where the roots' prefixes lead; the root for new media comes first. */
function filesIn(roots: readonly AssetRoot[], way: string): readonly string[] {
  return roots.flatMap(({ folder, prefix }) => {
    // Authors write it with or without the leading slash.
    const plain = [prefix, `/${prefix}`].find((start) => way.startsWith(start));
    return plain === undefined ? [] : [posix.join(folder, way.slice(plain.length))];
  });
}

function writtenFor(
  project: Project,
  rules: Rules,
  { document, start, path }: { readonly document: PlacedDocument; readonly start: string; readonly path: string },
): WrittenReference {
  const root = project.roots
    .filter(({ folder, isOnlyRead }) => isInside(folder, path) && (!isOnlyRead || rules.relative === 'page'))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
  // A document that is itself served unchanged, such as a style sheet, refers to its neighbours by relative addresses.
  const isServedAsItIs =
    root !== undefined &&
    root.folder !== project.folder &&
    ['html', 'css'].includes(document.language) &&
    isInside(root.folder, document.path);
  if (root && rules.usesRoots && !isServedAsItIs) {
    const { wrapper } = rules;
    const base = rules.needsBase && project.base ? project.base.slice(0, -1) : '';
    const address = { address: base + addressIn(root, path), isServed: true };
    return wrapper === 'relativeUrl' ? { ...address, wrapper } : address;
  }
  const relative = posix.relative(start, path);
  if (rules.relative === 'page' && root && project.page !== undefined) {
    return { address: posix.relative(project.page, addressIn(root, path)), isServed: true };
  }
  // Without the dot, a name with a colon would be read as a URL.
  const needsDot = rules.needsDot || /^[a-z][a-z\d+.-]*:/i.test(relative);
  const address = needsDot && !relative.startsWith('.') ? `./${relative}` : relative;
  if (rules.relative === 'file' || isServedAsItIs) return { address, isServed: true };
  const { wrapper } = rules;
  if (wrapper === undefined || wrapper === 'relativeUrl') return { address, isServed: false };
  return { address: relative.startsWith('.') ? relative : `./${relative}`, wrapper, isServed: true };
}

function addressIn({ folder, prefix }: AssetRoot, path: string): string {
  return prefix + posix.relative(folder, path);
}

/** Removes the site's base path, which authors write if the framework does not add it. */
function withoutBase(way: string, { base = '/' }: Project, { needsBase }: Rules): string {
  return needsBase && way.startsWith(base) ? way.slice(base.length - 1) : way;
}

function withExtensions(candidate: Candidate, { language }: PlacedDocument): readonly Candidate[] {
  if (language !== 'latex' || /\.\w{2,4}$/.test(candidate.path)) return [candidate];
  return pictureExtensions.map((extension) => ({ ...candidate, path: candidate.path + extension }));
}

function isOutput(path: string, project: Project): boolean {
  if (project.output?.some((name) => isInside(posix.join(project.folder, name), path))) return true;
  return posix
    .relative(project.folder, path)
    .split('/')
    .some((name) => alwaysOutput.has(name));
}

function driveOf(path: string): string | undefined {
  return /^\/([a-z]):/.exec(path)?.[1];
}

function leadsOut(page: string, way: string): boolean {
  const depth = page.split('/').length - 2;
  let level = depth;
  for (const name of way.split('/')) {
    if (name === '..') level--;
    else if (name !== '.' && name !== '') level++;
    if (level < 0) return true;
  }
  return false;
}

/** Normalises a path: forward slashes, no trailing slash, lower-case drive letter. */
function normal(path: string): string {
  const plain = posix.normalize(path).replace(/^\/([A-Z]):/, (_, drive: string) => `/${drive.toLowerCase()}:`);
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

/** A file that a document refers to and that does not exist. */
export interface MissingFile {
  readonly path: string;
  /** All references to it, in document order. */
  readonly references: readonly MediaReference[];
  /** Existing files of the same name, nearest first. */
  readonly candidates: readonly string[];
}

export interface MissingFiles {
  /** Returns where a reference leads; see `Places.resolve`. */
  resolve(reference: MediaReference): Promise<Target | undefined>;
  /** Returns the files in the workspace with this name, ignoring case. */
  filesNamed(name: string): Promise<readonly string[]>;
  /** Returns whether a path is ignored, such as by git. */
  isIgnored?(path: string): Promise<boolean>;
}

/** Returns the missing files that references lead to, each once. Files that a build creates are not missing. */
export async function findMissing(
  references: readonly MediaReference[],
  { resolve, filesNamed, isIgnored = async () => false }: MissingFiles,
): Promise<readonly MissingFile[]> {
  const targets = await Promise.all(
    references.map(async (reference) => ({ reference, target: await resolve(reference) })),
  );
  const missing = new Map<string, MediaReference[]>();
  for (const { reference, target } of targets) {
    if (!target || target.exists || target.isOutput) continue;
    const others = missing.get(target.path);
    if (others) others.push(reference);
    else missing.set(target.path, [reference]);
  }
  const files: MissingFile[] = [];
  for (const [path, leading] of missing) {
    if (await isIgnored(path)) continue;
    const named = await filesNamed(posix.basename(path));
    files.push({ path, references: leading, candidates: byDistance(named, path) });
  }
  return files;
}

function byDistance(candidates: readonly string[], path: string): readonly string[] {
  const distanceOf = (candidate: string) => posix.relative(posix.dirname(path), candidate).split('/').length;
  return candidates
    .filter((candidate) => candidate !== path)
    .map((candidate) => ({ candidate, distance: distanceOf(candidate) }))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
}
