import { rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { build, open } from './build.ts';
import type { Extension } from './Extension.ts';
import type { Kind, Page, Reference, Site } from './Generator.ts';
import { type Link, linksIn } from './links.ts';
import { writeMedia } from './media.ts';

/** How many references were right and wrong, and which were wrong. */
export interface Outcome {
  readonly counts: Readonly<Record<Count, number>>;
  readonly problems: readonly string[];
  /** References to existing files that the site does not serve, about which nothing is said or done. */
  readonly silent: readonly string[];
}

export const countNames = [
  'inserted right',
  'inserted wrong',
  'missing agrees',
  'false alarm',
  'missed',
  'fix right',
  'fix wrong',
  'unserved, marked',
  'unserved, silent',
  'corrected right',
  'corrected wrong',
] as const;

export type Count = (typeof countNames)[number];

export interface SiteParts {
  /** Workspace folder. It is emptied first. */
  readonly workspace: string;
  /** Dependencies that package.json declares. */
  readonly packages: Readonly<Record<string, string>>;
  /** Opens the extension in the workspace folder. */
  openExtension(): Extension;
  /** What a person was told so far. */
  messages(): readonly string[];
  readonly build: typeof build;
  readonly open: typeof open;
}

/** One reference in a page. Its file has a name that occurs nowhere else, so that it can be found in the output. */
interface Trial {
  readonly name: string;
  readonly page: string;
  readonly source: Page;
  readonly type: 'inserted' | 'there' | 'corrected' | 'missing';
  /** Path in the workspace folder. */
  readonly file: string;
  reference: Reference;
  text: string;
  /** Whether the extension says that the file is missing. */
  isReported: boolean;
  /** Whether the extension says that the site does not serve the file at this address. */
  isMarked: boolean;
  /** The file that the quick fix made, or what it did. */
  fixed: string | undefined;
}

const allKinds: readonly Kind[] = ['images', 'speech', 'videos'];
const endings: Readonly<Record<Kind, string>> = { images: 'png', speech: 'mp3', videos: 'mp4' };
const maxBuilds = 15;

/** Lets the extension refer to media in all pages of a project, builds it, and compares. */
export async function runSite(site: Site, parts: SiteParts): Promise<Outcome> {
  const project = join(parts.workspace, site.folder ?? '');
  await writeProject(site, project, parts);
  const trials = await trialsOf(site, parts);
  await Promise.all(
    trials.filter(({ type }) => type !== 'missing').map(({ file }) => writeMedia(join(parts.workspace, file))),
  );
  await askExtension(trials, parts);
  for (const trial of trials) {
    if (['missing', 'corrected'].includes(trial.type) && trial.fixed === undefined) await remove(trial, parts);
  }
  const { log, broken } = await buildWithout(site, project, trials, parts);
  const output = join(project, site.output);
  const rendered = await parts.open(site, output);
  const links = site.shows ? [] : linksIn(output, site.base ?? '/', rendered);
  const isShown = ({ name }: Trial) => {
    if (broken.has(name)) return false;
    if (site.shows) return site.shows(name, output, log);
    const own = links.filter(({ address }) => leadsTo(address, name));
    return own.length > 0 && own.every(({ file }) => file !== undefined);
  };
  return judge(trials, isShown, (trial) => describe(trial, links, broken), parts.messages().join('\n'));
}

async function writeProject(site: Site, project: string, { workspace, packages }: SiteParts): Promise<void> {
  rmSync(workspace, { recursive: true, force: true });
  const manifest = JSON.stringify({ name: 'site', private: true, type: 'module', dependencies: packages }, null, 2);
  const files = Object.keys(packages).length > 0 ? { 'package.json': manifest, ...site.files } : site.files;
  for (const [path, text] of Object.entries(files)) await write(join(project, path), text);
  for (const [path, text] of Object.entries(site.around ?? {})) await write(join(workspace, path), text);
  for (const { path, text } of site.pages.filter((page) => !isRepeated(page))) await write(join(project, path), text);
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Returns all references to try, without the texts of those that the extension inserts. */
async function trialsOf({ folder = '', pages }: Site, { openExtension }: SiteParts): Promise<readonly Trial[]> {
  const extension = openExtension();
  const trials: Trial[] = [];
  for (const source of pages) {
    const { path, inserts = allKinds, beside = allKinds, from = [], references = [] } = source;
    const page = posix.join(folder, path);
    const add = (type: Trial['type'], fileOf: (name: string) => string, reference?: Reference) => {
      const name = `q${trials.length + 1}z`;
      const file = fileOf(name);
      const named = (text: string) => text.replaceAll('§', name);
      const own = { text: named(reference?.text ?? ''), file, head: reference?.head && named(reference.head) };
      trials.push({
        name,
        page: named(page),
        source,
        type,
        file,
        reference: own,
        text: own.text,
        isReported: false,
        isMarked: false,
        fixed: undefined,
      });
    };
    const insertIn = (where: string, kinds: readonly Kind[], words = '') => {
      for (const kind of kinds.filter((one) => inserts.includes(one)))
        add('inserted', (name) => posix.join(where, `${words}${name}.${endings[kind]}`));
    };
    for (const kind of inserts) insertIn(await extension.folderFor(page, kind), [kind]);
    insertIn(posix.dirname(page), beside);
    insertIn(posix.dirname(page), ['images'], 'two words ');
    for (const where of from) insertIn(posix.join(folder, where), ['images', 'speech']);
    insertIn('media/images', ['images']);
    insertIn('media/speech', ['speech']);
    for (const reference of references) {
      const fileOf = (name: string) => posix.join(folder, reference.file.replaceAll('§', name));
      add('there', fileOf, reference);
      add('corrected', fileOf, reference);
      add('missing', fileOf, reference);
    }
  }
  extension.dispose();
  return trials;
}

/** Writes the references into the pages, asks which files are missing, and lets the quick fix make them. */
async function askExtension(trials: readonly Trial[], parts: SiteParts): Promise<void> {
  const pages = Map.groupBy(trials, ({ page }) => page);
  const extension = parts.openExtension();
  for (const [page, own] of pages) {
    for (const trial of own.filter(({ type }) => type === 'inserted')) {
      const { text, head } = await extension.insert(page, '%HERE%', trial.file, `A fox ${trial.name}`);
      Object.assign(trial, { text, reference: { ...trial.reference, head } });
    }
    await write(join(parts.workspace, page), filled(own));
  }
  extension.dispose();
  const again = parts.openExtension();
  for (const [page, own] of pages) {
    const [reported, marked] = [await again.missingIn(page), await again.unservedIn(page)];
    for (const trial of own) {
      trial.isReported = reported.some((address) => address.includes(trial.name));
      trial.isMarked = marked.some((address) => address.includes(trial.name));
      if (trial.type === 'missing' && trial.isReported) trial.fixed = await again.generate(page, trial.name);
      if (trial.type === 'corrected' && trial.isMarked) trial.fixed = await again.correct(page, trial.name);
    }
  }
  again.dispose();
}

/** Whether each reference gets a page of its own. */
function isRepeated({ path }: Page): boolean {
  return path.includes('§');
}

function filled(trials: readonly Trial[]): string {
  const { text = '', around = (reference: string) => `\n${reference}\n` } = trials[0]?.source ?? {};
  const heads = trials.flatMap(({ reference }) => reference.head ?? []);
  const bodies = trials.map((trial) => around(trial.text, trial.name));
  return text.replace('%HEAD%', () => heads.join('\n')).replace('%HERE%', () => bodies.join('\n'));
}

/** Removes a reference from its page, or the lines that a quick fix has made of it. */
async function remove({ page, name, text, reference: { head } }: Trial, { workspace }: SiteParts): Promise<void> {
  const path = join(workspace, page);
  const written = await readFile(path, 'utf8');
  const rest = [text, ...(head === undefined ? [] : [head])].reduce((all, one) => all.replace(one, () => ''), written);
  const lines = rest.split('\n').filter((line) => !line.includes(name));
  await writeFile(path, lines.join('\n'));
}

/** Builds the project; a reference that breaks the build is removed, and the rest is built again. */
async function buildWithout(site: Site, project: string, trials: readonly Trial[], parts: SiteParts) {
  const broken = new Map<string, string>();
  for (let count = 1; ; count++) {
    // Some pages are built beside their sources.
    if (site.output !== '.') rmSync(join(project, site.output), { recursive: true, force: true });
    const { log, isBuilt } = await parts.build(site, project);
    if (isBuilt) return { log, broken };
    const culprits = culpritsIn(
      log,
      trials.filter(({ name }) => !broken.has(name)),
    );
    if (culprits.length === 0 || count === maxBuilds) throw new Error(`The build fails:\n${log.slice(-3000)}`);
    for (const trial of culprits) {
      broken.set(trial.name, lineWith(log, trial.name));
      await remove(trial, parts);
    }
  }
}

/** Returns the references that a failed build complains about. */
function culpritsIn(log: string, trials: readonly Trial[]): readonly Trial[] {
  const complaints = log
    .split('\n')
    .filter((line) => /error|fail|not found|could ?n.t|unable|cannot|no such|resolve|exist|missing/i.test(line));
  const named = trials.filter(({ name }) => complaints.some((line) => line.includes(name)));
  const found = named.length > 0 ? named : trials.filter(({ name }) => log.includes(name));
  return found;
}

function lineWith(log: string, name: string): string {
  return (
    log
      .split('\n')
      .find((line) => line.includes(name))
      ?.trim()
      .slice(0, 200) ?? ''
  );
}

/** Whether an address is that of a file, which bundlers give a longer name and another type. */
function leadsTo(address: string, name: string): boolean {
  return new RegExp(`${name}[^/?#&]*\\.(?:png|mp3|mp4|webp|avif|jpe?g)`).test(address);
}

function describe(trial: Trial, links: readonly Link[], broken: ReadonlyMap<string, string>): string {
  const complaint = broken.get(trial.name);
  if (complaint !== undefined) return `the build fails: ${complaint}`;
  const own = links.filter(({ address }) => leadsTo(address, trial.name));
  if (own.length === 0) return 'no address in the output';
  const bad = own.find(({ file }) => file === undefined) ?? own[0];
  return `${bad?.page} has ${bad?.address}`;
}

function judge(
  trials: readonly Trial[],
  isShown: (trial: Trial) => boolean,
  describeBuilt: (trial: Trial) => string,
  messages: string,
): Outcome {
  const counts = Object.fromEntries(countNames.map((name) => [name, 0])) as Record<Count, number>;
  const problems: string[] = [];
  const silent: string[] = [];
  const count = (name: Count, trial: Trial, list?: string[], more = '') => {
    counts[name]++;
    list?.push(
      `${name}: ${trial.page}: ${(trial.reference.head ?? trial.text).replaceAll('\n', '⏎')} with ${trial.file}${more} (${describeBuilt(trial)})`,
    );
  };
  for (const [index, trial] of trials.entries()) {
    const shown = isShown(trial);
    if (trial.type === 'inserted') {
      const isWarned = messages.includes(trial.name);
      if (shown !== isWarned) count('inserted right', trial);
      else count('inserted wrong', trial, problems, isWarned ? ', warned' : '');
      if (shown && (trial.isReported || trial.isMarked)) count('false alarm', trial, problems);
    } else if (trial.type === 'there') {
      if (shown && (trial.isReported || trial.isMarked))
        count('false alarm', trial, problems, trial.isMarked ? ', marked' : '');
      else if (shown || trial.isReported) count('missing agrees', trial);
      else count(trial.isMarked ? 'unserved, marked' : 'unserved, silent', trial, trial.isMarked ? undefined : silent);
    } else if (trial.type === 'corrected') {
      if (trial.fixed === undefined) {
        if (trial.isMarked) silent.push(`marked, not corrected: ${trial.page}: ${trial.text}`);
        continue;
      }
      count(shown ? 'corrected right' : 'corrected wrong', trial, shown ? undefined : problems, `: ${trial.fixed}`);
    } else if (trial.isReported) {
      count('missing agrees', trial);
      if (trial.fixed === undefined) continue;
      count(shown ? 'fix right' : 'fix wrong', trial, shown ? undefined : problems, `, made ${trial.fixed}`);
    } else {
      // The same reference with its file, which decides whether it could work at all.
      const twin = trials[index - 2];
      if (twin && isShown(twin)) count('missed', trial, problems);
    }
  }
  return { counts, problems, silent };
}
