import { posix } from 'node:path';
import { languages } from '../documents/Language.ts';
import {
  type MediaKind,
  type MediaReference,
  mediaKindOf,
  type ReferenceForm,
  withoutQuery,
} from '../documents/MediaReference.ts';
import { findProject } from './findProject.ts';
import {
  type AssetRoot,
  folderOfPage,
  foldersAbove,
  isInside,
  type PlacedDocument,
  type Project,
  type ProjectFiles,
  type Rules,
  usualNames,
  type Wrapper,
} from './Project.ts';
import { foldersToServe } from './servedFolders.ts';
import { plainProject } from './unlistedProject.ts';

/** Most marks that may end an alias at the beginning of an address. */
const maxMarks = 10;

/**
 * Returns the longest alias that an address begins with. Each ends with a slash, or with a mark of Antora's before it, so
 * that a configuration may have any number of them.
 */
function aliasIn(aliases: Readonly<Record<string, string>>, address: string): string | undefined {
  const [head = ''] = /^[^/]{0,300}\/?/.exec(address) ?? [];
  const ends = Array.from(head.matchAll(/[/$:]/g), ({ index }) => index + 1).slice(0, maxMarks);
  const end = ends.findLast((one) => Object.hasOwn(aliases, head.slice(0, one)));
  return end === undefined ? undefined : head.slice(0, end);
}

/** Decodes a URL into a path; returns undefined if it is not a path. */
export function decodeAddress(
  address: string,
  { language }: PlacedDocument,
  { isPath, aliases = {} }: Pick<Rules, 'isPath'> & Pick<Project, 'aliases'>,
): string | undefined {
  // Antora's modules look like the scheme of a URL.
  const isAlias = aliasIn(aliases, address) !== undefined;
  if (address.includes('\0') || (!isAlias && /^\/\/|^(?!res:)[a-z][a-z\d+.-]*:/i.test(address))) return undefined;
  if (languages[language].hasPaths) return address;
  // A directive ignores spaces that are not escaped.
  const written = language === 'restructuredtext' ? address.replace(/\\(\s)|\s+/g, '$1') : address;
  if (isPath) return written;
  const path = withoutQuery(written);
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
  readonly element?: string;
  readonly address: string;
  /** Folders that the document sets for its media: `\graphicspath`, `:imagesdir:`. */
  readonly folders?: readonly string[];
}

/** The file that an address leads to, whether it exists or not. */
export interface AddressTarget {
  readonly path: string;
  readonly exists: boolean;
  /** Whether it lies in a folder of build output or dependencies. */
  readonly isOutput: boolean;
  /**
   * Why readers would not get the file: the site does not serve it at this address, or its name is spelled differently,
   * which only some systems forgive; see {@link isSpelledAlike}.
   */
  readonly fault?: 'notServed' | 'otherSpelling';
  /** Whether nothing shows that readers would get a file there. */
  readonly isGuess?: true;
}

/** Whether two names differ at most in case and in the Unicode form of their accents: macOS often writes NFD. */
export function isSpelledAlike(one: string, other: string): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase();
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
  /** Whether the site serves the file at the address. */
  readonly isServed: boolean;
  /** Whether nothing shows that the address leads there. */
  readonly isGuess?: boolean;
}

const alwaysOutput = new Set(['node_modules', '.git', 'build', 'dist', 'out', '_site', '.next']);
/** Extensions that LaTeX tries; those that a new picture can have come first. */
const pictureExtensions = ['.png', '.jpg', '.jpeg', '.pdf', '.eps', '.svg'];
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
  /** The names of each listing by how they are spelled alike, so that many missing files need one pass over a folder. */
  readonly #spellings = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, string>>();

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
  async resolve(document: PlacedDocument, reference: Address): Promise<AddressTarget | undefined> {
    const placed = { ...document, path: normal(document.path) };
    const project = await this.#projectOf(placed);
    const folders = foldersOf(project, reference);
    const rules = rulesFor(project, reference);
    const way = decodeAddress(reference.address, placed, { ...project, ...rules });
    if (way === undefined) return undefined;
    const ways = folders.length > 0 && !way.startsWith('/') ? folders.map((folder) => posix.join(folder, way)) : [];
    const all = (placed.language === 'latex' || ways.length === 0 ? [...ways, way] : ways)
      .flatMap((one) => this.#candidates(placed, project, { reference, rules, way: one }))
      .flatMap((candidate) => withExtensions(candidate, placed))
      .filter(({ path }) => isInside(this.#root, path));
    const there = await Promise.all(all.map(({ path }) => this.#files.exists(path)));
    const existing = all.filter((_, index) => there[index]);
    const found = existing.find(({ isServed }) => isServed) ?? existing[0];
    if (found) return targetAt(found, true, project);
    const right = all.filter(({ isRight }) => isRight);
    for (const { path } of right) {
      const other = await this.#inOtherSpelling(path);
      if (other !== undefined) {
        return { path: other, exists: true, isOutput: isOutput(other, project), fault: 'otherSpelling' };
      }
    }
    return right[0] && targetAt(right[0], false, project);
  }

  /** Returns an address as a path without query and fragment; undefined if it is none, such as a web address. */
  async decode(document: PlacedDocument, reference: Address): Promise<string | undefined> {
    const placed = { ...document, path: normal(document.path) };
    const project = await this.#projectOf(placed);
    return decodeAddress(reference.address, placed, { ...project, ...rulesFor(project, reference) });
  }

  /** Returns the existing path whose names are those of this one but for their spelling; see {@link isSpelledAlike}. */
  async #inOtherSpelling(path: string): Promise<string | undefined> {
    let found = this.#root;
    for (const name of posix.relative(this.#root, path).split('/')) {
      const names = await this.#files.names(found);
      const other = names.has(name) ? name : this.#spellingsOf(names).get(keyOf(name));
      if (other === undefined) return undefined;
      found = posix.join(found, other);
    }
    return found;
  }

  #spellingsOf(names: ReadonlySet<string>): ReadonlyMap<string, string> {
    const known = this.#spellings.get(names);
    if (known) return known;
    const spellings = new Map<string, string>();
    for (const name of names) if (!spellings.has(keyOf(name))) spellings.set(keyOf(name), name);
    this.#spellings.set(names, spellings);
    return spellings;
  }

  /**
   * Returns how a document refers to a file.
   *
   * @param reference its form, and the folders that the document sets for its media
   */
  async write(
    document: PlacedDocument,
    file: string,
    { form, element, ...own }: Omit<Address, 'address'>,
  ): Promise<WrittenReference> {
    const placed = { ...document, path: normal(document.path) };
    const path = normal(file);
    const project = await this.#projectOf(placed);
    const folders = foldersOf(project, { form, ...own });
    const start = project.start ?? posix.dirname(placed.path);
    const mapped = this.#rootsOfSetting().find(({ folder }) => isInside(folder, path));
    if (mapped) return { address: addressIn(mapped, path), isServed: true };
    const named = folders.map((folder) => posix.join(start, folder)).find((folder) => isInside(folder, path));
    if (named !== undefined) return { address: posix.relative(named, path), isServed: true };
    if (driveOf(path) !== driveOf(placed.path)) return { address: path.slice(1), isServed: false };
    const [imagesFolder = ''] = placed.language === 'asciidoc' ? folders : [];
    const isOfSite = imagesFolder.startsWith('/');
    const from = imagesFolder === '' || isOfSite ? start : posix.join(start, imagesFolder);
    const written = writtenFor(project, rulesFor(project, { form, element }), { start: from, path });
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
    const project = await this.#projectOf(placed);
    const assets = project.assetsByKind?.[kind] ?? project.assets;
    if (assets === undefined || !isInside(this.#root, assets)) return undefined;
    if (assets === posix.dirname(placed.path)) return assets;
    for (const name of usualNames[kind]) {
      const folder = posix.join(assets, name);
      if (await this.#files.exists(folder)) return folder;
    }
    return assets;
  }

  /** Returns the folders from which the site of a document may be served, relative to the workspace folder. */
  async foldersToServe(document: PlacedDocument): Promise<readonly string[]> {
    const path = normal(document.path);
    const folders = await foldersToServe(foldersAbove(path, this.#root), this.#files);
    return folders.map((folder) => posix.relative(this.#root, folder));
  }

  /** Returns whether a sound in this document needs an element `<source>` of its own. */
  async needsSource(document: PlacedDocument): Promise<boolean> {
    return (await this.#projectOf({ ...document, path: normal(document.path) })).needsSource === true;
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
    const plain = plainProject(this.#root, document);
    if (this.#style === 'relative') return plain;
    const chosen = this.#rootsOfSetting().filter(({ prefix }) => prefix.startsWith('/'));
    const found = await findProject(document, { root: this.#root, files: this.#files, chosen });
    if (this.#style === 'auto') return asItIs(found, document);
    return found.framework === 'plain' ? found : { ...plain, output: found.output ?? [] };
  }

  /** Returns the roots of the setting, longest prefix first, without those outside the workspace folder. */
  #rootsOfSetting(): readonly AssetRoot[] {
    if (typeof this.#style === 'string') return [];
    return Object.entries(this.#style)
      .filter(([prefix]) => prefix !== '')
      .map(([prefix, folder]) => ({
        prefix: prefix.endsWith('/') ? prefix : `${prefix}/`,
        folder: normal(posix.join(this.#root, folder)),
      }))
      .filter(({ folder }) => isInside(this.#root, folder))
      .sort((a, b) => b.prefix.length - a.prefix.length);
  }

  #candidates(
    document: PlacedDocument,
    project: Project,
    { reference, rules, way }: { readonly reference: Address; readonly rules: Rules; readonly way: string },
  ): readonly Candidate[] {
    const { form, element } = reference;
    const mapped = filesIn(this.#rootsOfSetting(), way);
    if (mapped.length > 0) return mapped.map(({ path }) => ({ path, isRight: true, isServed: true }));
    // Themes and components treat addresses as they like.
    const isLenient =
      (form === 'frontMatter' && !rules.isSure) ||
      (isComponent(element) && !project.components?.includes(element ?? ''));
    const candidate = (path: string, isRight: boolean, isServed: boolean): Candidate => ({
      path,
      isRight,
      isServed: isServed || isLenient,
    });
    const { aliases = {} } = project;
    // Loaders of webpack want a tilde in front of an alias.
    for (const named of way.startsWith('~') ? [way, way.slice(1)] : [way]) {
      const alias = aliasIn(aliases, named);
      if (alias === undefined) continue;
      // Aliases such as `~` or `@` work only where a bundler resolves them. Antora's aliases always work.
      const isResolved = rules.relative === 'file' || !/^[~@$#]/.test(alias);
      return [candidate(posix.join(aliases[alias] ?? '', named.slice(alias.length)), true, isResolved)];
    }
    if (/^\w+:\/\//.test(way)) return filesIn(project.roots, way).map(({ path }) => candidate(path, true, true));
    // A file beside the document counts as existing, even if the site resolves the address differently.
    const beside = posix.join(project.start ?? posix.dirname(document.path), way);
    // An unknown alias, or a package.
    const isPackage = /^(?:~@?|[@$#])[\w-]*\//.test(way) || (form === 'module' && !/^[./]/.test(way));
    if (isPackage) return [candidate(beside, false, true)];
    const inRoots = (address: string, isRight: boolean, isServed = true, relative = rules.relative) =>
      filesIn(rules.roots ?? project.roots, address).map(({ path, root }) => ({
        ...candidate(
          path,
          isRight && !root.isOnlyFound,
          (isServed || root.addsBase === true) && serves(root, path, relative),
        ),
        isGuess: root.isGuess,
      }));
    if (way.startsWith('/')) {
      const { base = '/' } = project;
      const hasBase = base !== '/' && way.startsWith(base);
      const bare = hasBase ? way.slice(base.length - 1) : way;
      if (rules.needsBase) return inRoots(bare, true, hasBase || base === '/');
      return [...inRoots(way, true), ...(rules.doublesBase && hasBase ? inRoots(bare, false, false) : [])];
    }
    const isBare = form === 'frontMatter' && !way.startsWith('.');
    const { page } = project;
    if (rules.relative === 'file') {
      // What the bundler does not find reaches the browser, which starts from the page.
      const isElsewhere = rules.isBareElsewhere === true && !way.startsWith('.');
      const reachesBrowser = isElsewhere || !rules.failsUnfound;
      const fromPage =
        page === undefined || leadsOut(page, way) ? [] : inRoots(posix.join(page, way), false, reachesBrowser, 'page');
      const isFound = reaches(rules, beside) && !isElsewhere;
      const own = { ...candidate(beside, !(isBare && rules.isBareFromRoot), isFound), isGuess: rules.isGuess };
      return [own, ...fromPage, ...(isBare ? inRoots(`/${way}`, rules.isBareFromRoot === true) : [])];
    }
    const start = rules.relative === 'page' ? page : rules.relative === 'root' ? '/' : undefined;
    const from = start ?? (isBare ? '/' : undefined);
    // Browsers ignore steps above the top of a host, but most sites lie below it, or may one day.
    const isInSite = from !== undefined && !leadsOut(from, way);
    // The browser starts from the page, so that what is meant to lie at the top is not found there.
    const { route = '/' } = form === 'tag' || form === 'inline' ? project : {};
    const isNested = rules.relative === 'root' && route !== '/';
    const served = [
      ...(isNested && !leadsOut(route, way) ? inRoots(posix.join(route, way), !isInSite) : []),
      ...(from === undefined ? [] : inRoots(posix.join(from, way), isInSite, isInSite && !isNested)),
    ];
    const isUnknown = rules.relative === 'page' && page === undefined;
    return [...served, candidate(beside, false, isUnknown)];
  }
}

/** The form `site` is the same in all projects. */
const siteRules: Rules = { relative: 'root', usesRoots: true };

function rulesFor(project: Project, { form, element }: Pick<Address, 'form' | 'element'>): Rules {
  return form === 'site' ? siteRules : project.rules(form, element);
}

/** Returns the folders for media. Links of LaTeX and AsciiDoc do not look there. */
function foldersOf(project: Project, { form, folders = [] }: Pick<Address, 'form' | 'folders'>): readonly string[] {
  if (form !== 'macro') return [];
  return folders.length > 0 ? folders : (project.folders ?? []);
}

/** Returns the project for a document that the site serves unchanged, such as a style sheet: the browser resolves all. */
function asItIs(project: Project, { language, path }: PlacedDocument): Project {
  const root = project.roots.find(
    ({ folder, isOnlyRead, isOnlyFound, holdsPages }) =>
      !isOnlyRead && !isOnlyFound && !holdsPages && folder !== project.folder && isInside(folder, path),
  );
  if (!root || !['html', 'css'].includes(language)) return project;
  const page = folderOfPage(addressIn(root, path).replace(/^\//, ''));
  return { ...project, page, rules: () => ({ relative: 'page', usesRoots: false, needsBase: true }) };
}

/** Whether an element is not one of HTML or SVG. */
function isComponent(element = ''): boolean {
  return /[.:-]/.test(element) || (/[A-Z]/.test(element) && element !== element.toUpperCase());
}

/** Returns where the roots' prefixes lead; the root for new media comes first. */
function filesIn(
  roots: readonly AssetRoot[],
  way: string,
): readonly { readonly path: string; readonly root: AssetRoot }[] {
  return roots.flatMap((root) => {
    const { folder, prefix, isFile } = root;
    // Authors write it with or without the leading slash.
    const plain = [prefix, `/${prefix}`].find((start) => (isFile ? way === start : way.startsWith(start)));
    return plain === undefined ? [] : [{ path: posix.join(folder, way.slice(plain.length)), root }];
  });
}

/** Whether a root serves one of its files. Those of a bundler serve only what it resolves itself. */
function serves({ folder, isOnlyRead, skipsHidden }: AssetRoot, path: string, relative: Rules['relative']): boolean {
  if (isOnlyRead && relative !== 'file') return false;
  return !skipsHidden || !/(?:^|\/)[._]/.test(posix.relative(folder, path));
}

/** Whether `relative: 'file'` leads to a file that the site copies. */
function reaches({ within, copies }: Rules, path: string): boolean {
  return (
    (within?.some((folder) => isInside(folder, path)) ?? true) &&
    (copies?.some((ending) => path.endsWith(ending)) ?? true)
  );
}

function targetAt({ path, isServed, isGuess }: Candidate, exists: boolean, project: Project): AddressTarget {
  const isUnknown = isGuess === true && !exists;
  const target = { path, exists, isOutput: isOutput(path, project), ...(isUnknown ? { isGuess: isUnknown } : {}) };
  return isServed ? target : { ...target, fault: 'notServed' };
}

/** Wrappers of addresses that start at the top of the site. */
const siteWrappers: readonly (Wrapper | undefined)[] = ['relativeUrl', 'url'];
/** Wrappers of files that relative addresses do not reach. */
const fileWrappers: readonly (Wrapper | undefined)[] = ['require', 'import', 'native'];

function writtenFor(
  project: Project,
  rules: Rules,
  { start, path }: { readonly start: string; readonly path: string },
): WrittenReference {
  const { wrapper } = rules;
  const root = (rules.roots ?? project.roots)
    .filter(
      (one) => !one.isOnlyRead && !one.isOnlyFound && isInside(one.folder, path) && serves(one, path, rules.relative),
    )
    .sort((a, b) => b.folder.length - a.folder.length)[0];
  const isNear = reaches(rules, path);
  // What relative addresses do not reach may have one that starts at the top of the site.
  if (root && (rules.usesRoots || !isNear)) {
    const address = addressIn(root, path);
    if (rules.isBareFromRoot) return { address: address.slice(1), isServed: true };
    if (wrapper && siteWrappers.includes(wrapper)) return { address, wrapper, isServed: true };
    // An address without a slash starts at the base.
    const needsBase = rules.needsBase && !root.addsBase && address.startsWith('/');
    const base = needsBase && project.base ? project.base.slice(0, -1) : '';
    return { address: base + address, isServed: true };
  }
  if (rules.relative === 'page' && root && project.page !== undefined) {
    return { address: posix.relative(project.page, addressIn(root, path)), isServed: true };
  }
  const relative = posix.relative(start, path);
  const dotted = relative.startsWith('.') ? relative : `./${relative}`;
  if (rules.relative === 'file') {
    // Without the dot, a name with a colon would be read as a URL.
    const address = rules.needsDot || /^[a-z][a-z\d+.-]*:/i.test(relative) ? dotted : relative;
    const isServed = isNear && !(rules.needsPlainName && encodeURI(address) !== address);
    return wrapper === 'assetPath' && isServed ? { address, wrapper, isServed } : { address, isServed };
  }
  const query = mediaKindOf(path) === undefined ? (rules.fileQuery ?? '') : '';
  return wrapper && fileWrappers.includes(wrapper) && isNear
    ? { address: dotted + query, wrapper, isServed: true }
    : { address: rules.needsDot ? dotted : relative, isServed: false };
}

function addressIn({ folder, prefix }: AssetRoot, path: string): string {
  return prefix + posix.relative(folder, path);
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
  /** Those among them at whose address the site would not serve the file. */
  readonly unserved: readonly MediaReference[];
  /** Whether nothing shows that readers would get it there. */
  readonly isGuess: boolean;
  /** Existing files of the same name, nearest first. */
  readonly candidates: readonly string[];
}

/** Returns the missing files that references lead to, each once. Files that a build creates are not missing. */
export async function findMissing(
  references: readonly MediaReference[],
  {
    resolve,
    filesNamed,
    isIgnored = async () => false,
  }: {
    /** Returns where a reference leads; see `Places.resolve`. */
    resolve(reference: MediaReference): Promise<AddressTarget | undefined>;
    /** Returns the files in the workspace with this name, in any spelling; see {@link isSpelledAlike}. */
    filesNamed(name: string): Promise<readonly string[]>;
    /** Returns whether a path is ignored, such as by git. */
    isIgnored?(path: string): Promise<boolean>;
  },
): Promise<readonly MissingFile[]> {
  const targets = await Promise.all(
    references.map(async (reference) => ({ reference, target: await resolve(reference) })),
  );
  const missing = new Map<string, { references: MediaReference[]; unserved: MediaReference[]; isGuess: boolean }>();
  for (const { reference, target } of targets) {
    if (!target || target.exists || target.isOutput) continue;
    const file = missing.get(target.path) ?? { references: [], unserved: [], isGuess: true };
    missing.set(target.path, file);
    file.isGuess &&= target.isGuess === true;
    file.references.push(reference);
    if (target.fault) file.unserved.push(reference);
  }
  const files: MissingFile[] = [];
  for (const [path, leading] of missing) {
    if (await isIgnored(path)) continue;
    const named = await filesNamed(posix.basename(path));
    files.push({ path, ...leading, candidates: byDistance(named, path) });
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
