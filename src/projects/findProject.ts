import { posix } from 'node:path';
import { foldersAt } from '../documents/findReferences.ts';
import { angular, gatsby, next, nuxt, reactNative, svelteKit, vite, webpack } from './frameworks/bundlers.ts';
import {
  antora,
  astro,
  docusaurus,
  eleventy,
  hexo,
  hugo,
  jekyll,
  mdBook,
  mkDocs,
  quarto,
  sphinx,
  vitePress,
  vuePress,
} from './frameworks/generators.ts';
import {
  type AssetRoot,
  type Framework,
  foldersAbove,
  isInside,
  type PlacedDocument,
  type Project,
  type ProjectFiles,
  ProjectFolder,
} from './Project.ts';
import { unlistedProject } from './unlistedProject.ts';

const godot: Framework = {
  languages: ['gdscript', 'other'],
  async find(folder) {
    if (!(await folder.has('project.godot'))) return undefined;
    return {
      framework: 'godot',
      folder: folder.path,
      roots: [{ folder: folder.path, prefix: 'res://' }],
      assets: folder.path,
      output: ['.godot'],
      rules: () => ({ relative: 'nothing', usesRoots: true }),
    };
  },
};

const flutter: Framework = {
  languages: ['dart'],
  async find(folder) {
    if (!/^flutter:/m.test(await folder.text('pubspec.yaml'))) return undefined;
    return {
      framework: 'flutter',
      folder: folder.path,
      roots: [{ folder: folder.path, prefix: '' }],
      assets: folder.join('assets'),
      output: ['build'],
      rules: () => ({ relative: 'root', usesRoots: true }),
    };
  },
};

/** LaTeX: paths start at the folder of the main file, which a chapter names or which lies above it. */
const latex: Framework = {
  languages: ['latex'],
  async find(folder, document, root) {
    const source = folder.inside.includes('/') ? '' : await folder.text(folder.inside);
    const named = /^%\s{0,20}!\s{0,20}TeX\s{1,20}root\s{0,20}=\s{0,20}(.+)$/im.exec(source.slice(0, 5000))?.[1]?.trim();
    const isMain = /\\documentclass\b/.test(source);
    if (named === undefined && !isMain && !(await folder.has('main.tex'))) return undefined;
    const usual = isMain ? document.path : folder.join('main.tex');
    const main = named === undefined ? usual : posix.join(posix.dirname(document.path), named);
    const isOther = main !== document.path && isInside(root, main);
    const text = isOther ? await folder.text(posix.relative(folder.path, main)) : '';
    return {
      framework: 'latex',
      folder: folder.path,
      roots: [],
      start: posix.dirname(main),
      folders: foldersAt(text, 'latex', text.length),
      rules: () => ({ relative: 'file', usesRoots: false }),
    };
  },
};

/**
 * In order of precedence. A framework comes before those it builds on: a SvelteKit project also has Vite's
 * configuration.
 */
const frameworks: readonly Framework[] = [
  docusaurus,
  vitePress,
  vuePress,
  astro,
  nuxt,
  svelteKit,
  next,
  gatsby,
  angular,
  hugo,
  jekyll,
  hexo,
  eleventy,
  mkDocs,
  sphinx,
  antora,
  mdBook,
  quarto,
  godot,
  flutter,
  latex,
  vite,
  webpack,
  reactNative,
];

/**
 * Returns the project that a document belongs to: that of the nearest marker above it whose framework handles the
 * document, otherwise the repository, otherwise the workspace folder.
 *
 * @param root the workspace folder; nothing above it is read
 * @param chosen what the person says is served where no framework does
 */
export async function findProject(
  document: PlacedDocument,
  { root, files, chosen }: { root: string; files: ProjectFiles; chosen: readonly AssetRoot[] },
): Promise<Project> {
  const fitting = frameworks.filter(({ languages }) => languages.includes(document.language));
  let repository: string | undefined;
  for (const path of foldersAbove(document.path, root)) {
    const folder = new ProjectFolder(path, document, files);
    for (const framework of fitting) {
      const project = await framework.find(folder, document, root);
      if (project) return project;
    }
    if (repository === undefined && (await folder.has('.git'))) repository = path;
  }
  return unlistedProject(repository ?? root, document, { files, chosen });
}
