import { posix } from 'node:path';
import type { ReferenceForm } from '../../documents/MediaReference.ts';
import { isRecord, readJson, readScriptText, valueAt, withoutComments } from '../configuration.ts';
import {
  type AssetRoot,
  basePath,
  codes,
  codeWrapper,
  type Framework,
  folderOfPage,
  folderOfRoute,
  isMarkdown,
  isVueElement,
  markdowns,
  type PlacedDocument,
  type Project,
  type ProjectFolder,
  type Rules,
  styles,
  vueTag,
} from '../Project.ts';

/** For imports and style sheets: the bundler resolves relative addresses, and root addresses as well. */
const bundled: Rules = { relative: 'file', usesRoots: true, needsDot: true };
const imported: Rules = { relative: 'file', usesRoots: false, needsDot: true };
/** For addresses that reach the browser unchanged. */
const plain: Rules = { relative: 'root', usesRoots: true, needsBase: true };

/** For Markdown whose addresses reach the browser unchanged, from a page whose own address is not known. */
const inMarkdown: Rules = { ...plain, relative: 'nothing' };

export const next: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const source = await folder.script('next.config');
    if (source === undefined && !(await folder.dependsOn('next'))) return undefined;
    if (isMarkdown(document) && !folder.isPage) return undefined;
    // Nextra and Fumadocs import the pictures of Markdown; otherwise the browser resolves them.
    const importsPictures = isMarkdown(document) && (await folder.dependsOnAny(['nextra', 'fumadocs-mdx']));
    return {
      framework: 'next',
      folder: folder.path,
      roots: [{ folder: folder.join('public'), prefix: '/' }],
      assets: folder.join('public'),
      base: basePath(readScriptText(source ?? '', 'basePath')),
      route: routeOf(
        folder.inside,
        /^(?:src\/)?(?:app\/(.*\/)?page|pages\/(.*))\.[jt]sx?$/,
        /\btrailingSlash\s{0,20}:\s{0,20}true\b/.test(withoutComments(source ?? '')),
      ),
      aliases: await aliasesOf(folder),
      output: ['.next', 'out'],
      components: ['Image'],
      rules: (form) => {
        if (form === 'module') return imported;
        if (form === 'style') return { ...bundled, needsBase: true };
        return importsPictures && form !== 'tag' ? bundled : isMarkdown(document) ? inMarkdown : plain;
      },
    };
  },
};

/** Expo and React Native, whose components take pictures as modules. */
export const reactNative: Framework = {
  languages: ['jsx', 'script'],
  async find(folder) {
    if (!(await folder.dependsOnAny(['expo', 'react-native']))) return undefined;
    return {
      framework: 'react-native',
      folder: folder.path,
      roots: [],
      assets: folder.join('assets'),
      aliases: await aliasesOf(folder),
      output: ['.expo', 'dist'],
      // No element of HTML or of React Native itself plays sounds and videos.
      rules: (form, element = 'img') => {
        if (form === 'module') return imported;
        return { relative: 'nothing', usesRoots: false, wrapper: element === 'img' ? 'native' : undefined };
      },
    };
  },
};

/**
 * Returns the folder of the address of the page that a component is.
 *
 * @param pattern matches the paths of pages, and what their addresses are made from
 * @param hasFolders whether addresses end with a slash
 */
function routeOf(path: string, pattern: RegExp, hasFolders = false): string | undefined {
  const [whole, ...parts] = pattern.exec(path) ?? [];
  return whole === undefined ? undefined : folderOfRoute(parts.find((part) => part !== undefined) ?? '', hasFolders);
}

export const svelteKit: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    // New projects have the options in Vite's configuration.
    const sources = [await folder.script('svelte.config'), await folder.script('vite.config')];
    const source = sources.filter((text) => text !== undefined).join('\n');
    if (sources.every((text) => text === undefined) || !(await folder.dependsOn('@sveltejs/kit'))) return undefined;
    if (isMarkdown(document) && !folder.isPage) return undefined;
    const assets = folder.join(nestedText(source, 'files', 'assets') ?? 'static');
    return {
      framework: 'sveltekit',
      folder: folder.path,
      roots: [{ folder: assets, prefix: '/' }],
      assets,
      base: basePath(nestedText(source, 'paths', 'base')),
      route: routeOf(folder.inside, /^src\/routes\/(.*)\+page\.(?:svelte|svx|md)$/),
      aliases: { '$lib/': folder.join('src/lib'), ...(await aliasesOf(folder)) },
      output: ['.svelte-kit', 'build'],
      rules: (form, element) => {
        if (form === 'module' || element === 'enhanced:img') return imported;
        return form === 'style' ? bundled : plain;
      },
    };
  },
};

export const nuxt: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const source = await folder.script('nuxt.config');
    if (source === undefined || (isMarkdown(document) && !folder.isPage)) return undefined;
    // Nuxt 4 has its sources in `app`.
    const srcDir = readScriptText(source, 'srcDir') ?? ((await folder.has('app/app.vue')) ? 'app' : '.');
    // Nuxt 2 serves `static`. Nuxt 2 and 3 look for the folder in that of the sources, Nuxt 4 beside it.
    const served = nestedText(source, 'dir', 'public') ?? 'public';
    const places = [served, 'static'].flatMap((name) => [posix.join(srcDir, name), name]);
    const assets = folder.join((await folder.first(places)) ?? served);
    const sources = folder.join(srcDir);
    return {
      framework: 'nuxt',
      folder: folder.path,
      roots: [{ folder: assets, prefix: '/' }],
      assets,
      base: basePath(nestedText(source, 'app', 'baseURL')),
      route:
        routeOf(folder.insideOf(srcDir), /^pages\/(.*)\.vue$/) ??
        // Numbers in front of names set their order.
        routeOf(folder.inside.replace(/(?<=\/)\d+\./g, ''), /^content\/(.*)\.md$/),
      needsSource: document.language === 'vue',
      aliases: { '~~/': folder.path, '@@/': folder.path, '~/': sources, '@/': sources },
      output: ['.nuxt', '.output', 'dist'],
      rules: (form, element) => {
        if (form === 'module') return imported;
        if (form === 'style' || (document.language === 'vue' && isVueElement(element))) return bundled;
        return plain;
      },
    };
  },
};

export const gatsby: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const source = await folder.script('gatsby-config');
    if (source === undefined || (isMarkdown(document) && !folder.isPage)) return undefined;
    const base = basePath(readScriptText(source, 'pathPrefix'));
    const statics = folder.join('static');
    const copies = gatsbyCopies(source + (await folder.text('package.json')));
    const sources = gatsbySources(folder, source);
    const inMarkdown = (isCopied: boolean): Rules => ({
      relative: isCopied ? 'file' : 'nothing',
      within: sources,
      usesRoots: base === '/' || !isCopied,
      needsDot: true,
      needsBase: true,
      needsPlainName: !copies.decodes,
    });
    const folderFor = (isCopied: boolean) =>
      isMarkdown(document) && base !== '/' && isCopied ? posix.dirname(document.path) : statics;
    const others = folderFor(copies.others);
    return {
      framework: 'gatsby',
      folder: folder.path,
      roots: [{ folder: statics, prefix: '/' }],
      assets: folderFor(copies.pictures),
      assetsByKind: { audio: others, video: others },
      base,
      output: ['public', '.cache'],
      rules: (form, element = 'img') => {
        if (form === 'module') return imported;
        if (form === 'frontMatter' || form === 'style') return bundled;
        // Gatsby adds the prefix to links and modules only, not to addresses in tags.
        if (!isMarkdown(document)) return { ...plain, usesRoots: base === '/', wrapper: codeWrapper(document) };
        return inMarkdown(form !== 'tag' || element === 'img' ? copies.pictures : copies.others);
      },
    };
  },
};

/**
 * Says what the plugins of Gatsby copy of the files that Markdown refers to. The plugin for all files leaves out pictures
 * unless it is told not to, and does not decode addresses. Themes bring both plugins along.
 */
function gatsbyCopies(plugins: string): {
  readonly pictures: boolean;
  readonly others: boolean;
  readonly decodes: boolean;
} {
  const copiesAll = /\bignoreFileExtensions\s{0,20}:\s{0,20}\[(?![^\]]{0,200}png)/.test(plugins);
  const others = /gatsby-(?:remark-copy-linked-files|theme-)/.test(plugins);
  const decodes = /gatsby-(?:remark-images|theme-)/.test(plugins);
  return { pictures: decodes || (others && copiesAll), others, decodes };
}

/**
 * Returns the folders that `gatsby-source-filesystem` reads, whatever expression builds their paths; otherwise the one
 * that the document is in.
 */
function gatsbySources(folder: ProjectFolder, source: string): readonly string[] {
  const paths = withoutComments(source).matchAll(
    /\bpath\s{0,20}:[^\n{}]{0,100}?(?:\$\{__dirname\})?["'`/](\.{0,2}[\w./-]*)["'`]/g,
  );
  const found = Array.from(paths, ([, path = '']) => folder.join(path));
  return found.length > 0 ? found : [folder.join(folder.inside.split('/')[0] ?? '')];
}

export const angular: Framework = {
  languages: ['html', 'script', 'css', 'scss'],
  async find(folder, { language }) {
    if (!(await folder.has('angular.json'))) return undefined;
    const { assets, base } = angularOptions(folder, await folder.text('angular.json'));
    // Style sheets do not know the page's base.
    const roots = styles.includes(language) ? assets.map((root) => ({ ...root, prefix: `/${root.prefix}` })) : assets;
    return {
      framework: 'angular',
      folder: folder.path,
      roots,
      assets: roots[0]?.folder,
      base,
      output: ['dist', '.angular'],
      rules: (form) => (form === 'module' ? imported : form === 'style' ? { ...bundled, needsBase: true } : plain),
    };
  },
};

/**
 * Returns what is set for the application that contains the document: its base, and the roots in `assets`, whose
 * prefixes are relative to the base.
 */
function angularOptions(folder: ProjectFolder, source: string) {
  const projects = readJson(source, 'projects');
  const all = isRecord(projects) ? Object.values(projects).filter(isRecord) : [];
  const rootOf = ({ root }: Readonly<Record<string, unknown>>) => (typeof root === 'string' ? root : '');
  const [own] = all
    .filter((project) => rootOf(project) === '' || folder.holds(rootOf(project)))
    .sort((a, b) => rootOf(b).length - rootOf(a).length);
  if (!own) return { assets: [] };
  const root = rootOf(own);
  const sourceRoot = typeof own.sourceRoot === 'string' ? own.sourceRoot : `${root}/src`.replace(/^\//, '');
  const options = valueAt(own, 'architect', 'build', 'options');
  const [assets, base] = [valueAt(options, 'assets'), valueAt(options, 'baseHref')];
  const roots = (Array.isArray(assets) ? assets : []).flatMap((asset: unknown): readonly AssetRoot[] => {
    if (typeof asset === 'string') {
      const inner = asset.startsWith(`${sourceRoot}/`) ? asset.slice(sourceRoot.length + 1) : '';
      return [{ folder: folder.join(asset), prefix: inner === '' ? '' : `${inner}/` }];
    }
    const { input, output = '' } = isRecord(asset) ? asset : {};
    if (typeof input !== 'string' || typeof output !== 'string') return [];
    return [{ folder: folder.join(input), prefix: basePath(output).slice(1) }];
  });
  return { assets: roots, base: basePath(typeof base === 'string' ? base : undefined) };
}

export const vite: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const source = await folder.script('vite.config');
    const isSlides = document.language === 'markdown' && (await folder.dependsOn('@slidev/cli'));
    if (source === undefined && !isSlides) return undefined;
    if (isMarkdown(document) && !folder.isPage && !isSlides) return undefined;
    return viteProject(folder, source ?? '', document, {
      aliases: await aliasesOf(folder),
      // Slidev's Markdown is a Vue template, too.
      compiler: isSlides ? 'vue' : compilerOf(source ?? '', document),
    });
  },
};

/**
 * What makes pages of Markdown in a project of Vite: a compiler of Vue's templates, one that imports pictures, or one that
 * leaves addresses to the browser. Without any, Markdown is read on the repository's host, or fetched as text.
 */
type Compiler = 'vue' | 'importing' | 'browser' | undefined;

/** Returns what the plugins that the configuration names make of a document. */
function compilerOf(source: string, { language }: PlacedDocument): Compiler {
  const plugins = withoutComments(source);
  if (/rehype-mdx-import-media|remark-mdx-images|fumadocs-mdx/.test(plugins)) return 'importing';
  const isVue = /unplugin-vue-markdown|vite-plugin-(?:vue-)?(?:md|markdown)\b|vitepress/.test(plugins);
  if (isVue && language === 'markdown') return 'vue';
  return language === 'mdx' || /mdx|remark|markdown/i.test(plugins) ? 'browser' : undefined;
}

/** By what makes pages of Markdown. */
function markdownRules(compiler: Compiler, form: ReferenceForm, element: string | undefined): Rules {
  if (compiler === 'vue') return form === 'tag' && !isVueElement(element) ? plain : vueTag;
  if (compiler === 'browser' || form === 'tag') return inMarkdown;
  return { ...bundled, needsBase: true };
}

function viteProject(
  folder: ProjectFolder,
  source: string,
  document: PlacedDocument,
  { aliases, compiler }: { readonly aliases: Readonly<Record<string, string>>; readonly compiler: Compiler },
): Project {
  const { language } = document;
  const root = readScriptText(source, 'root') ?? '.';
  const isVue = language === 'vue' || (isMarkdown(document) && compiler === 'vue');
  const assets = folder.join(root, readScriptText(source, 'publicDir') ?? 'public');
  return {
    framework: 'vite',
    folder: folder.path,
    roots: [
      { folder: assets, prefix: '/' },
      { folder: folder.join(root), prefix: '/', isOnlyRead: true },
    ],
    assets,
    base: basePath(readScriptText(source, 'base')),
    page: language === 'html' ? folderOfPage(folder.insideOf(root)) : undefined,
    needsSource: isVue,
    aliases: { ...aliases, ...viteAliases(folder, source) },
    output: ['dist'],
    rules: (form, element) => {
      if (form === 'module') return imported;
      if (isMarkdown(document) && form !== 'frontMatter') return markdownRules(compiler, form, element);
      if (form !== 'tag' || language === 'html') return bundled;
      if (isVue && isVueElement(element)) return vueTag;
      return language === 'jsx' ? { ...plain, wrapper: 'import', fileQuery: '?url' } : plain;
    },
  };
}

/** Create React App, Vue CLI, and other projects with a configuration of webpack. */
export const webpack: Framework = {
  languages: ['jsx', 'script', 'vue', 'html', ...styles],
  async find(folder, { language }) {
    const isReactApp = await folder.dependsOn('react-scripts');
    const isVueApp = await folder.dependsOn('@vue/cli-service');
    if (!isReactApp && !isVueApp && (await folder.script('webpack.config')) === undefined) return undefined;
    // Other pages may have nothing to do with the application.
    if (language === 'html' && !folder.holds('public')) return undefined;
    const homepage = readJson(await folder.text('package.json'), 'homepage');
    const publicPath = readScriptText((await folder.script('vue.config')) ?? '', 'publicPath');
    const base = isVueApp ? publicPath : isReactApp ? homepage : undefined;
    const isApp = isReactApp || isVueApp;
    const hasSources = isApp || (await folder.has('src'));
    const publicFolder = folder.join('public');
    // Create React App imports nothing from outside its sources.
    const sources: Rules = { ...imported, within: isReactApp ? [folder.join('src')] : undefined };
    return {
      framework: 'webpack',
      folder: folder.path,
      roots: isApp || (await folder.has('public')) ? [{ folder: publicFolder, prefix: '/' }] : [],
      assets: language === 'html' ? publicFolder : hasSources ? folder.join('src/assets') : undefined,
      base: basePath(typeof base === 'string' ? base : undefined),
      needsSource: language === 'vue',
      aliases: { ...(isVueApp ? { '@/': folder.join('src') } : {}), ...(await aliasesOf(folder)) },
      output: ['build', 'dist'],
      rules: (form, element) => {
        if (form === 'tag' && language === 'vue') return isVueElement(element) ? { ...vueTag, needsBase: true } : plain;
        if (form !== 'tag' || language !== 'jsx') return sources;
        return { ...plain, within: sources.within, wrapper: 'import' };
      },
    };
  },
};

/** Finds `'@': …'./src'…`, whatever expression builds the path. */
function viteAliases(folder: ProjectFolder, source: string): Readonly<Record<string, string>> {
  const pairs = withoutComments(source).matchAll(
    /(["'])([@~$][\w-]*)\1\s{0,20}:[^\n'"{}]{0,100}(["'])(\.{0,2}\/?[\w./-]+)\3/g,
  );
  return Object.fromEntries(Array.from(pairs, ([, , alias = '', , path = '']) => [`${alias}/`, folder.join(path)]));
}

/** Reads the path aliases of tsconfig.json or jsconfig.json: `"@/*": ["./src/*"]`. */
export async function aliasesOf(folder: ProjectFolder): Promise<Readonly<Record<string, string>>> {
  const file = await folder.first(['tsconfig.json', 'jsconfig.json']);
  const options = file === undefined ? undefined : readJson(await folder.text(file), 'compilerOptions');
  if (!isRecord(options) || !isRecord(options.paths)) return {};
  const start = typeof options.baseUrl === 'string' ? options.baseUrl : '.';
  const aliases = Object.entries(options.paths).flatMap(([pattern, targets]) => {
    const target: unknown = Array.isArray(targets) ? targets[0] : undefined;
    const isFolder = /^[@~$#][\w-]*\/\*$/.test(pattern) && typeof target === 'string' && target.endsWith('*');
    return isFolder ? [[pattern.slice(0, -1), folder.join(start, target.slice(0, -1))] as const] : [];
  });
  return Object.fromEntries(aliases);
}

/** Returns a string inside the object of a property: `paths: { base: '/docs' }`. */
function nestedText(source: string, object: string, property: string): string | undefined {
  const inner = new RegExp(`\\b${object}\\s{0,20}:\\s{0,20}\\{([^{}]*)\\}`).exec(withoutComments(source))?.[1];
  return inner === undefined ? undefined : readScriptText(inner, property);
}
