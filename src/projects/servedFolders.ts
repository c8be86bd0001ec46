import { posix } from 'node:path';
import { mediaExtensions } from '../documents/MediaReference.ts';
import { isRecord, readJson } from './configuration.ts';
import type { AssetRoot, PlacedDocument, ProjectFiles } from './Project.ts';

/** Folders that servers serve, with the prefix of their addresses, by the files that mark a project of their kind. */
const conventions: readonly {
  readonly markers: readonly string[];
  readonly folders: Readonly<Record<string, string>>;
}[] = [
  {
    markers: ['manage.py', 'app.py', 'wsgi.py', 'pyproject.toml', 'requirements.txt', 'setup.py', 'Pipfile'],
    folders: { static: '/static/' },
  },
  { markers: ['mix.exs'], folders: { 'priv/static': '/' } },
  {
    markers: ['pom.xml', 'build.gradle', 'build.gradle.kts'],
    folders: { 'src/main/resources/static': '/', 'src/main/resources/public': '/', 'src/main/webapp': '/' },
  },
  { markers: ['Program.cs', 'appsettings.json'], folders: { wwwroot: '/' } },
  { markers: ['composer.json', 'Gemfile', 'config.ru'], folders: { public: '/' } },
  { markers: ['go.mod', 'Cargo.toml'], folders: { public: '/', static: '/static/' } },
  { markers: ['package.json', 'deno.json', 'deno.jsonc'], folders: { public: '/', static: '/', wwwroot: '/' } },
];
const usualFolders = [...new Set(conventions.flatMap(({ folders }) => Object.keys(folders)))];

/** Most documents in the folder of a document that are read for addresses that work. */
const maxSiblings = 5;
/** How much of a document is read for them, in characters. */
const maxCharacters = 100_000;
const maxAddresses = 50;
/** Most names in a base path. */
const maxBase = 2;
/** Most folders of the project that are tried because an address leads to none of the usual ones. */
const maxFolders = 40;

export interface ServedFolders {
  /** The nearest folder above the document with a file that marks a project; undefined if there is none. */
  readonly marker?: string;
  /** What is known to be served; the folder for new media comes first. */
  readonly roots: readonly AssetRoot[];
  /** Whether addresses that work in the document, or in others beside it, show the roots. */
  readonly isShown: boolean;
  /** Whether the document, or others beside it, import media. */
  readonly imports: boolean;
}

/**
 * Says what a project serves that nobody listed: what the addresses that already work show, then the folders that servers
 * of its kind serve.
 *
 * @param above the folders from the document's own up to the last that may be read
 */
export async function servedFolders(
  document: PlacedDocument,
  above: readonly string[],
  files: ProjectFiles,
): Promise<ServedFolders> {
  const { marker, folders } = await markerOf(above, files);
  const within = marker === undefined ? above : above.slice(0, above.indexOf(marker) + 1);
  const usual: AssetRoot[] = [];
  for (const folder of within) {
    for (const [name, prefix] of Object.entries(folders)) {
      if (await files.exists(posix.join(folder, name))) usual.push({ folder: posix.join(folder, name), prefix });
    }
  }
  if (marker !== undefined && (await dependsOnParcel(marker, files))) usual.unshift({ folder: marker, prefix: '/' });
  let isShown = false;
  let imports = false;
  let shown: readonly AssetRoot[] = [];
  for await (const text of textsNear(document, files)) {
    imports ||= importsMedia.test(text);
    if (isShown) continue;
    shown = await rootsShownBy(addressesIn(text), within, files);
    isShown = shown.length > 0;
  }
  const others = usual.filter(
    ({ folder, prefix }) => !shown.some((root) => root.folder === folder || root.prefix === prefix),
  );
  return { marker, roots: [...shown, ...others], isShown, imports };
}

/** Returns the nearest marker, and the folders that servers of all kinds that it names serve. */
async function markerOf(above: readonly string[], files: ProjectFiles) {
  for (const marker of above) {
    const there = await existing(
      conventions.flatMap(({ markers }) => markers.map((name) => posix.join(marker, name))),
      files,
    );
    const names = new Set(there.map((path) => posix.basename(path)));
    const fitting = conventions.filter(({ markers }) => markers.some((name) => names.has(name)));
    // The first kind that names a folder decides: Django's own comes before that of its tools in JavaScript.
    const folders = Object.fromEntries(fitting.toReversed().flatMap((kind) => Object.entries(kind.folders)));
    if (fitting.length > 0) return { marker, folders };
  }
  return { marker: undefined, folders: {} };
}

/** Parcel looks for addresses with a slash at the top of the project. */
async function dependsOnParcel(marker: string, files: ProjectFiles): Promise<boolean> {
  const manifest = readJson((await files.readText(posix.join(marker, 'package.json'))) ?? '');
  return ['dependencies', 'devDependencies'].some((group) => {
    const packages = isRecord(manifest) ? manifest[group] : undefined;
    return isRecord(packages) && Object.hasOwn(packages, 'parcel');
  });
}

/** Yields the text of a document, then of some beside it with the same extension. */
async function* textsNear({ path }: PlacedDocument, files: ProjectFiles): AsyncGenerator<string> {
  const folder = posix.dirname(path);
  const own = posix.basename(path);
  const names = [...(await files.names(folder))].filter((name) => posix.extname(name) === posix.extname(own)).sort();
  for (const name of [own, ...names.filter((other) => other !== own).slice(0, maxSiblings)]) {
    yield ((await files.readText(posix.join(folder, name))) ?? '').slice(0, maxCharacters);
  }
}

const extensions = mediaExtensions.join('|');
const fromRoot = new RegExp(`(?<=["'\`(\\s])/(?!/)[^\\s"'\`()<>{}?#\\\\]{1,200}\\.(?:${extensions})(?![\\w.])`, 'gi');
const importsMedia = new RegExp(`\\bfrom\\s{0,20}["'](?:\\.|@|~)[^"'\\n]{1,200}\\.(?:${extensions})["'?]`, 'i');

/** Returns the addresses in a text that start at the top of the site, each once. */
function addressesIn(text: string): readonly string[] {
  const all = new Set(Array.from(text.matchAll(fromRoot), ([address]) => decoded(address)));
  return [...all].filter((address) => !/(?:^|\/)\.\.?\//.test(address)).slice(0, maxAddresses);
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Returns the roots through which addresses lead to existing files, the most used first. */
async function rootsShownBy(
  addresses: readonly string[],
  above: readonly string[],
  files: ProjectFiles,
): Promise<readonly AssetRoot[]> {
  const found = new Map<string, { readonly root: AssetRoot; count: number; readonly needed: number }>();
  for (const address of addresses) {
    const shown = (await inUsualFolders(address, above, files)) ?? (await inAnyFolder(address, above, files));
    for (const { root, needed } of shown) {
      const key = `${root.prefix} ${root.folder}`;
      const known = found.get(key) ?? { root, count: 0, needed };
      found.set(key, { ...known, count: known.count + 1 });
    }
  }
  return [...found.values()]
    .filter(({ count, needed }) => count >= needed)
    .sort((a, b) => b.count - a.count)
    .map(({ root }) => root);
}

/** A root that an address may show, and how many addresses must agree. */
interface Shown {
  readonly root: AssetRoot;
  readonly needed: number;
}

/** Returns what an address shows that leads to a file in a usual folder, below a base path or not, or from a folder above. */
async function inUsualFolders(
  address: string,
  above: readonly string[],
  files: ProjectFiles,
): Promise<readonly Shown[] | undefined> {
  const names = address.slice(1).split('/');
  const usual = above.flatMap((folder) => usualFolders.map((name) => posix.join(folder, name)));
  const there = await existing(usual, files);
  for (let cut = 0; cut < Math.min(names.length, maxBase + 1); cut++) {
    const prefix = prefixOf(names.slice(0, cut));
    for (const folder of there) {
      if (!(await files.exists(posix.join(folder, ...names.slice(cut))))) continue;
      // A base path of any name may be a chance.
      const isSure = cut === 0 || names[cut - 1] === posix.basename(folder);
      return [{ root: { folder, prefix }, needed: isSure ? 1 : 2 }];
    }
    if (cut > 0) continue;
    for (const folder of above) {
      const [first = ''] = names;
      if (!(await files.exists(posix.join(folder, ...names)))) continue;
      // It shows no more than that its first folder is served.
      const root =
        names.length === 1 ? { folder, prefix: '/' } : { folder: posix.join(folder, first), prefix: `/${first}/` };
      return [{ root, needed: 1 }];
    }
  }
  return undefined;
}

/** Returns the folders beside the marker that hold the file of an address, below a base path or not. */
async function inAnyFolder(address: string, above: readonly string[], files: ProjectFiles): Promise<readonly Shown[]> {
  const folders = await foldersIn(above.at(-1) ?? '', files);
  const names = address.slice(1).split('/');
  for (let cut = 0; cut < Math.min(names.length, maxBase + 1); cut++) {
    const holding = await existing(
      folders.map((folder) => posix.join(folder, ...names.slice(cut))),
      files,
    );
    const prefix = prefixOf(names.slice(0, cut));
    const found = folders.filter((folder) => holding.includes(posix.join(folder, ...names.slice(cut))));
    if (found.length > 0) return found.map((folder) => ({ root: { folder, prefix }, needed: 2 }));
  }
  return [];
}

function prefixOf(names: readonly string[]): string {
  return `/${names.map((name) => `${name}/`).join('')}`;
}

async function existing(paths: readonly string[], files: ProjectFiles): Promise<readonly string[]> {
  const there = await Promise.all(paths.map((path) => files.exists(path)));
  return paths.filter((_, index) => there[index]);
}

async function foldersIn(top: string, files: ProjectFiles): Promise<readonly string[]> {
  const names = [...(await files.names(top))].filter((name) => !/\.|^(?:node_modules|build|dist|out)$/.test(name));
  return names.slice(0, maxFolders).map((name) => posix.join(top, name));
}

/** Returns the folders that a person may mean: the usual ones, those of the project, and the project itself. */
export async function foldersToServe(above: readonly string[], files: ProjectFiles): Promise<readonly string[]> {
  const { marker = above.at(-1) ?? '' } = await markerOf(above, files);
  const within = above.slice(0, above.indexOf(marker) + 1);
  const usual = within.flatMap((folder) => usualFolders.map((name) => posix.join(folder, name)));
  const all = [...new Set([...(await existing(usual, files)), ...(await foldersIn(marker, files)), marker])];
  const names = await Promise.all(all.map((folder) => files.names(folder)));
  return all.filter((_, index) => (names[index]?.size ?? 0) > 0);
}
