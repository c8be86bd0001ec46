import { posix } from 'node:path';
import type { MediaKind } from '../../documents/MediaReference.ts';
import {
  frontMatterOf,
  pythonList,
  pythonText,
  readScriptList,
  readScriptText,
  readScriptTexts,
  readSetting,
  readText,
  settingNames,
  withoutComments,
} from '../configuration.ts';
import {
  type AssetRoot,
  basePath,
  codes,
  codeWrapper,
  type Framework,
  folderOfPage,
  isMarkdown,
  isVueElement,
  markdowns,
  type PlacedDocument,
  type ProjectFolder,
  prettyPage,
  type Rules,
  styles,
  usualNames,
  vueTag,
} from '../Project.ts';
import { aliasesOf } from './bundlers.ts';

export const hugo: Framework = {
  languages: ['markdown', 'html', 'asciidoc', 'restructuredtext', ...styles],
  async find(folder) {
    const file = await hugoConfiguration(folder);
    if (file === undefined) return undefined;
    const source = await folder.text(file);
    const folders = readSetting(file, source, 'staticDir') ?? 'static';
    const statics = listOf(folders).map((name) => folder.join(name));
    const themes = themeRoots(folder, 'static', readSetting(file, source, 'theme'));
    const { contents, language, prefix } = await hugoLanguage(folder, file, source);
    const content = contents.map(({ name }) => name).find((name) => folder.holds(name));
    const isPage = content !== undefined;
    const output = [readText(file, source, 'publishDir') ?? 'public', 'resources/_gen'];
    const sources = ['layouts', 'assets', 'archetypes', ...output];
    sources.push(...statics.map((path) => posix.relative(folder.path, path)));
    if (!isPage && !sources.some((name) => folder.holds(name))) return undefined;
    // The language at the end of a page's name is no part of its address.
    const path = folder
      .insideOf(content ?? '.')
      .replace(/\.([\w-]+)(?=\.\w+$)/, (end, name: string) => (name.toLowerCase() === language ? '' : end));
    const hook = readText(file, source, 'markup.goldmark.renderHooks.image.useEmbedded');
    const finds =
      hook === 'always' ||
      hook === 'fallback' ||
      readText(file, source, 'markup.goldmark.renderHooks.image.enableDefault') === 'true';
    // Either option changes the addresses of built pages that start at the top, but not those in style sheets.
    const needsBase = !['canonifyURLs', 'relativeURLs'].some((name) => readText(file, source, name) === 'true');
    const isUgly = readText(file, source, 'uglyURLs') === 'true';
    const inLanguage = isPage ? await hugoPage(folder, path, { isUgly, file, source }) : undefined;
    const page = isPage ? inLanguage && prefix + inLanguage.slice(1) : hugoStylePage(folder);
    const isIndex = isPage && /(?:^|\/)_?index\.\w+$/.test(path);
    const own = posix.dirname(folder.join(folder.inside));
    // The files of a bundle are published below its page, wherever that is; with ugly addresses, beside it.
    const isBundle = isIndex && !isUgly;
    const roots: readonly AssetRoot[] = [
      ...statics.map((root) => ({ folder: root, prefix: '/' })),
      ...themes,
      ...contents
        .filter(() => isPage)
        .map(({ name, prefix }) => ({ folder: folder.join(name), prefix, isOnlyRead: isBundle, holdsPages: true })),
    ];
    return {
      framework: 'hugo',
      folder: folder.path,
      roots: finds ? [...roots, { folder: folder.join('assets'), prefix: '/', addsBase: true }] : roots,
      assets: isIndex && !path.includes('_index.') ? own : statics[0],
      base: basePath(readText(file, source, 'baseURL') ?? readText(file, source, 'baseurl')),
      page,
      output,
      rules: (form) => {
        if (form === 'style' && folder.holds('assets')) {
          const beside = { folder: folder.join('assets'), prefix: '/', isOnlyFound: true };
          return { relative: 'page', usesRoots: true, needsBase: true, roots: [...roots, beside] };
        }
        if (form === 'style') return { relative: 'file', usesRoots: true, needsBase: true };
        // Templates look for these in the bundle, or else pass them to `absURL`.
        if (form === 'frontMatter') {
          const relative = isBundle ? 'file' : 'root';
          return { relative, usesRoots: true, needsBase: true, isBareFromRoot: !isBundle, isSure: true };
        }
        if (!isBundle) return { relative: isPage ? 'page' : 'nothing', usesRoots: true, needsBase };
        return {
          relative: 'file',
          within: [page === undefined ? own : folder.join(content ?? '.')],
          usesRoots: true,
          needsBase,
        };
      },
    };
  },
};

/** Returns where a style sheet in `assets` is published. Those in deeper folders are often imported by another one. */
function hugoStylePage(folder: ProjectFolder): string | undefined {
  const path = folder.insideOf('assets');
  return folder.holds('assets') && path.split('/').length <= 2 ? folderOfPage(path) : undefined;
}

/**
 * Returns the folders of pages with the addresses that they begin with, and the language of the document in lower case,
 * with the start of its address. Without `languages`, pages have none.
 */
async function hugoLanguage(folder: ProjectFolder, file: string, source: string) {
  const of = (name: string) => readText(file, source, name);
  const usual = of('contentDir') ?? 'content';
  const languages = await hugoLanguages(folder, file, source);
  const main = (of('defaultContentLanguage') ?? 'en').toLowerCase();
  const prefixOf = (name: string) =>
    languages.size === 0 || (name === main && of('defaultContentLanguageInSubdir') !== 'true') ? '/' : `/${name}/`;
  const separate = [...languages].flatMap(([name, content]) =>
    content === undefined ? [] : [{ language: name, content }],
  );
  const contents = separate.map(({ language, content }) => ({ name: content, prefix: prefixOf(language) }));
  if (separate.length < Math.max(languages.size, 1)) contents.push({ name: usual, prefix: prefixOf(main) });
  const [, ending = ''] = /\.([\w-]+)\.\w+$/.exec(folder.inside) ?? [];
  const named = languages.has(ending.toLowerCase()) ? ending.toLowerCase() : undefined;
  const language = named ?? separate.find(({ content }) => folder.holds(content))?.language ?? main;
  return { contents, language, prefix: prefixOf(language) };
}

/** Returns the folders of pages by language, in lower case; undefined for the folder of all. */
async function hugoLanguages(folder: ProjectFolder, file: string, source: string) {
  const languages = new Map<string, string | undefined>();
  const read = (name: string, text: string, path: string) => {
    for (const language of settingNames(name, text, path)) {
      const setting = [path, language, 'contentDir'].filter(Boolean).join('.');
      languages.set(language.toLowerCase(), readText(name, text, setting));
    }
  };
  read(file, source, 'languages');
  for (const name of await folder.names('config/_default')) {
    const [, language] = /^languages(?:\.([\w-]+))?\.(?:toml|ya?ml|json)$/.exec(name) ?? [];
    if (!/^languages\./.test(name)) continue;
    const text = await folder.text(`config/_default/${name}`);
    if (language === undefined) read(name, text, '');
    else languages.set(language.toLowerCase(), readText(name, text, 'contentDir'));
  }
  return languages;
}

/** Returns the address of a page as far as its path, its front matter and `permalinks` tell. */
async function hugoPage(
  folder: ProjectFolder,
  path: string,
  { isUgly, file, source }: { readonly isUgly: boolean; readonly file: string; readonly source: string },
): Promise<string | undefined> {
  const [section = ''] = path.split('/');
  const pattern =
    readSetting(file, source, `permalinks.${section}`) ?? readSetting(file, source, `permalinks.page.${section}`);
  if (pattern !== undefined || (await folder.first(permalinkFiles)) !== undefined) return undefined;
  const front = frontMatterOf(await folder.text(folder.inside));
  if (front('url') !== undefined) return undefined;
  const ofBundle = (isUgly ? /(?:^|\/)_?index\.\w+$/ : /(?:^|\/)index\.\w+$/).test(path) ? posix.dirname(path) : path;
  const slug = front('slug');
  const named = slug === undefined ? ofBundle : posix.join(posix.dirname(ofBundle), `${slug}.md`);
  if (isUgly) return folderOfPage(named);
  return slug === undefined ? prettyPage(path) : prettyPage(named, /^$/);
}

/** Returns the folders that themes in the repository serve. */
function themeRoots(
  folder: ProjectFolder,
  name: string,
  themes: string | readonly string[] = [],
): readonly AssetRoot[] {
  return listOf(themes).map((theme) => ({
    folder: folder.join('themes', theme, name),
    prefix: '/',
    isOnlyFound: true,
  }));
}

function listOf(setting: string | readonly string[]): readonly string[] {
  return typeof setting === 'string' ? [setting] : setting;
}

const permalinkFiles = ['toml', 'yaml', 'yml', 'json'].map((type) => `config/_default/permalinks.${type}`);

async function hugoConfiguration(folder: ProjectFolder): Promise<string | undefined> {
  const types = ['toml', 'yaml', 'yml', 'json'];
  const named = (name: string) => types.map((type) => `${name}.${type}`);
  const own = await folder.first([
    ...named('hugo'),
    ...named('config/_default/hugo'),
    ...named('config/_default/config'),
  ]);
  if (own !== undefined) return own;
  return (await folder.has('content')) ? folder.first(named('config')) : undefined;
}

export const jekyll: Framework = {
  languages: ['markdown', 'html', ...styles],
  async find(folder) {
    const file = await folder.first(['_config.yml', '_config.yaml', '_config.toml']);
    if (file === undefined) return undefined;
    const source = await folder.text(file);
    // Other generators have a file of this name. GitHub Pages needs no Gemfile, but names a theme or plugins of Jekyll.
    const names = source + (await folder.text('Gemfile'));
    const isJekyll = (await folder.has('_posts')) || /jekyll|github-pages|^remote_theme:/m.test(names);
    if (!isJekyll) return undefined;
    const sources = readText(file, source, 'source') ?? '.';
    const top = folder.join(sources);
    const base = basePath(readText(file, source, 'baseurl'));
    // Documents in folders with a leading underscore get addresses that do not follow from their paths.
    const isPage = folder.holds(sources) && !/(?:^|\/)_/.test(folder.insideOf(sources));
    const page = isPage ? await jekyllPage(folder, sources, readText(file, source, 'permalink')) : undefined;
    const wrapper = base === '/' ? undefined : 'relativeUrl';
    return {
      framework: 'jekyll',
      folder: folder.path,
      roots: [{ folder: top, prefix: '/', skipsHidden: true, holdsPages: true }],
      assets: posix.join(top, 'assets'),
      base,
      page,
      output: [readText(file, source, 'destination') ?? '_site'],
      rules: (form): Rules => {
        if (form === 'frontMatter') return { relative: 'root', usesRoots: true };
        // A style sheet that others import does not know where they are published.
        const relative = isPage ? 'file' : 'page';
        if (form === 'style') return { relative, within: [top], usesRoots: true, needsBase: true };
        return { relative: isPage ? 'page' : 'nothing', usesRoots: true, needsBase: true, wrapper };
      },
    };
  },
};

async function jekyllPage(folder: ProjectFolder, sources: string, style = ''): Promise<string | undefined> {
  const path = folder.insideOf(sources);
  const own = frontMatterOf(await folder.text(folder.inside))('permalink');
  if (own?.includes(':')) return undefined;
  if (own !== undefined) return folderOfPage(own.replace(/^\//, ''));
  return style === 'pretty' || style.endsWith('/') ? prettyPage(path, /^index$/i) : folderOfPage(path);
}

export const hexo: Framework = {
  languages: ['markdown'],
  async find(folder, document) {
    if (!(await folder.dependsOn('hexo'))) return undefined;
    const source = await folder.text('_config.yml');
    const of = (name: string) => readText('_config.yml', source, name);
    const sources = of('source_dir') ?? 'source';
    if (!folder.holds(sources)) return undefined;
    const path = folder.insideOf(sources);
    const isPage = !path.startsWith('_');
    // A post's own folder is published with its page. Beside other pages, such a folder is an ordinary one.
    const own = !isPage && of('post_asset_folder') === 'true' ? document.path.replace(/\.\w+$/, '') : undefined;
    const findsOwn = own !== undefined && of('marked.postAsset') === 'true';
    const prepends = of('marked.prependRoot') !== 'false';
    const root: AssetRoot = { folder: folder.join(sources), prefix: '/', skipsHidden: true, holdsPages: true };
    const beside: Rules = { relative: 'file', within: [own ?? ''], usesRoots: true, needsBase: true };
    return {
      framework: 'hexo',
      folder: folder.path,
      roots: [root, ...themeRoots(folder, 'source', of('theme'))],
      assets: own ?? folder.join(sources, 'images'),
      start: own,
      base: basePath(of('root')),
      page: isPage ? folderOfPage(path) : findsOwn && prepends ? '/' : undefined,
      output: [of('public_dir') ?? 'public'],
      rules: (form) => {
        const browser: Rules = { relative: isPage ? 'page' : 'nothing', usesRoots: true, needsBase: true };
        // The renderer looks for pictures in the post's folder if it is told to, and else puts the root in front.
        if (form === 'inline' || form === 'definition') {
          if (findsOwn) return { ...beside, needsBase: !prepends };
          return prepends ? { relative: 'root', usesRoots: true } : browser;
        }
        if (form === 'macro') return own === undefined ? browser : { ...beside, usesRoots: false, isPath: true };
        return own === undefined ? browser : { ...beside, wrapper: 'assetPath' };
      },
    };
  },
};

export const eleventy: Framework = {
  languages: ['markdown', 'html', ...styles],
  async find(folder, document) {
    const source = (await folder.script('eleventy.config')) ?? (await folder.script('.eleventy'));
    if (source === undefined) return undefined;
    const called = (name: string) =>
      new RegExp(`\\b${name}\\(\\s{0,50}(["'\`])([^"'\`$\\n]+)\\1`).exec(withoutComments(source))?.[2];
    const written = readScriptText(source, 'input') ?? called('setInputDirectory') ?? '.';
    const input = posix.normalize(written).replace(/\/$/, '');
    const roots = passthroughCopies(folder, source, input);
    const copies = copiedBeside(source);
    const pictures = eleventyPictures(folder, source, input);
    if (!copies && !pictures && roots.length === 0) return undefined;
    const base = basePath(readScriptText(source, 'pathPrefix'));
    const page = await eleventyPage(folder, input);
    // Copies have the address that the page's leads to, which must not be above the site.
    const levels = (page ?? '/').split('/').length - 2;
    const own = posix.dirname(document.path);
    const within = [posix.join(own, '../'.repeat(levels))];
    // The plugin puts the prefix into the addresses of the built pages, but not into style sheets.
    const addsBase = /\b(?:Eleventy)?HtmlBasePlugin\b/.test(withoutComments(source));
    const wrapper = base === '/' || addsBase ? undefined : 'url';
    return {
      framework: 'eleventy',
      folder: folder.path,
      roots,
      assets: (pictures ? undefined : copiedMedia(roots, 'image')) ?? own,
      assetsByKind: { audio: copiedMedia(roots, 'audio') ?? own, video: copiedMedia(roots, 'video') ?? own },
      base,
      // With copies, an address that leads to no file breaks the build.
      page: copies ? undefined : page,
      output: [readScriptText(source, 'output') ?? called('setOutputDirectory') ?? '_site'],
      rules: (form, element = 'img'): Rules => {
        if (form === 'frontMatter') return { relative: 'root', usesRoots: true };
        if (pictures && form !== 'style' && element === 'img') return pictures;
        if (form === 'style') return { relative: 'file', usesRoots: true, needsBase: true };
        const browser: Rules = {
          relative: 'page',
          usesRoots: true,
          needsBase: !addsBase,
          doublesBase: addsBase,
          wrapper,
        };
        return copies ? { ...browser, relative: 'file', within, copies, needsPlainName: true } : browser;
      },
    };
  },
};

/**
 * Returns the rules of pictures where the plugin of Eleventy makes those of the built pages smaller: it looks for them
 * from the source of the page or, with a leading slash, in the folder of all sources.
 */
function eleventyPictures(folder: ProjectFolder, source: string, input: string): Rules | undefined {
  const isPage = folder.holds(input) && !/(?:^|\/)_/.test(folder.insideOf(input));
  if (!isPage || !/\beleventyImageTransformPlugin\b/.test(withoutComments(source))) return undefined;
  return { relative: 'file', usesRoots: false, roots: [{ folder: folder.join(input), prefix: '/' }] };
}

async function eleventyPage(folder: ProjectFolder, input: string): Promise<string | undefined> {
  const own = frontMatterOf(await folder.text(folder.inside))('permalink');
  if (own === undefined) return prettyPage(folder.insideOf(input));
  return /[{:]|^(?:true|false)$/.test(own) ? undefined : folderOfPage(own.replace(/^\//, ''));
}

/** Returns which files `addPassthroughCopy('**\/*.png', { mode: 'html-relative' })` copies beside the pages. */
function copiedBeside(source: string): readonly string[] | undefined {
  const copies = withoutComments(source).matchAll(
    /addPassthroughCopy\(\s{0,50}(["'`])([^"'`]{1,200})\1\s{0,50},\s{0,50}\{[^{}]{0,200}\bmode\s{0,20}:\s{0,20}(["'`])html-relative\3/g,
  );
  const endings = Array.from(copies, ([, , glob = '']) => {
    const [, one, several = one] = /\*\.(?:(\w+)|\{([\w,]+)\})$/.exec(glob) ?? [];
    return several === undefined ? [''] : several.split(',').map((ending) => `.${ending}`);
  });
  return endings.length > 0 ? endings.flat() : undefined;
}

/** Returns the literal folders and files of `addPassthroughCopy('img')` and `addPassthroughCopy({ 'src/img': 'img' })`. */
function passthroughCopies(folder: ProjectFolder, source: string, input: string): readonly AssetRoot[] {
  const text = withoutComments(source);
  const rootOf = (from: string, to: string): readonly AssetRoot[] => {
    if (/[*!${]/.test(from + to)) return [];
    const path = folder.join(from).replace(/\/$/, '');
    if (!fileEnding.test(from)) return [{ folder: path, prefix: basePath(to) }];
    const prefix = fileEnding.test(to) ? basePath(to).slice(0, -1) : posix.join(basePath(to), posix.basename(from));
    return [{ folder: path, prefix, isFile: true }];
  };
  const single = text.matchAll(/addPassthroughCopy\(\s{0,50}(["'`])([^"'`]+)\1/g);
  const mapped = text.matchAll(/addPassthroughCopy\(\s{0,50}\{([^{}]*)\}/g);
  const roots = [
    ...Array.from(single, ([, , path = '']) => {
      const plain = posix.normalize(path);
      return rootOf(path, plain.startsWith(`${input}/`) ? plain.slice(input.length + 1) : plain);
    }),
    ...Array.from(mapped, ([, pairs = '']) =>
      Array.from(
        pairs.matchAll(/(?:(["'`])([^"'`]+)\1|\b(\w+))\s{0,20}:\s{0,20}(["'`])([^"'`]*)\4/g),
        ([, , quoted, bare = '', , to = '']) => rootOf(quoted ?? bare, to),
      ).flat(),
    ),
  ].flat();
  // An address belongs to the folder with the longest prefix.
  return roots.sort((a, b) => b.prefix.length - a.prefix.length);
}

/** Other names with a dot are those of folders. */
const fileEnding = /\.[a-z]\w{0,9}$/i;
/** Folders of other things, and files without an ending such as CNAME. */
const otherFolder = /\/(?:css|styles?|js|scripts?|fonts?|[A-Z_]+)$/;
const mediaFolder = /\/(?:images?|img|audio|sounds?|videos?|media|assets|static|public)$/;

/** Returns the copied folder for new media of a kind; Eleventy also copies style sheets and single files. */
function copiedMedia(roots: readonly AssetRoot[], kind: MediaKind): string | undefined {
  const folders = roots.filter(({ isFile }) => !isFile);
  const found =
    folders.find(({ folder }) => usualNames[kind].some((name) => folder.endsWith(`/${name}`))) ??
    folders.find(({ prefix }) => prefix === '/') ??
    folders.find(({ folder }) => mediaFolder.test(folder)) ??
    folders.find(({ folder }) => !otherFolder.test(folder));
  return found?.folder;
}

const beside: Rules = { relative: 'file', usesRoots: false };
const bundled: Rules = { relative: 'file', usesRoots: true, needsDot: true };

export const docusaurus: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const { site, source } = (await docusaurusSite(folder, document)) ?? {};
    if (site === undefined || source === undefined) return undefined;
    const folders = readScriptList(source, 'staticDirectories') ?? ['static'];
    const join = (name: string) => folder.join(site, name);
    return {
      framework: 'docusaurus',
      folder: folder.join(site),
      roots: folders.map((name) => ({ folder: join(name), prefix: '/' })),
      assets: join(folders[0] ?? 'static'),
      base: basePath(readScriptText(source, 'baseUrl')),
      aliases: { '@site/': folder.join(site) },
      output: ['build', '.docusaurus'],
      rules: (form) => {
        if (form === 'module') return { ...bundled, usesRoots: false };
        // React gets the attribute unchanged, so a file outside the static folders needs code.
        if (form === 'tag')
          return { relative: 'nothing', usesRoots: true, needsBase: true, wrapper: codeWrapper(document) };
        // Docusaurus resolves pictures and links, but not their definitions.
        if (form === 'definition') return { relative: 'nothing', usesRoots: true, needsBase: true };
        if (form === 'frontMatter') return { ...bundled, isBareFromRoot: true };
        return bundled;
      },
    };
  },
};

/**
 * Returns the site that a document belongs to: the folder's own, or the one in `website` whose pages lie outside it.
 */
async function docusaurusSite(folder: ProjectFolder, document: PlacedDocument) {
  const source = await folder.script('docusaurus.config');
  if (source !== undefined || (await folder.dependsOn('@docusaurus/core'))) {
    return isMarkdown(document) && !folder.inside.includes('/') ? undefined : { site: '.', source: source ?? '' };
  }
  if (!isMarkdown(document) || folder.inside.startsWith('website/') || !(await folder.has('website'))) return undefined;
  const outside = await folder.script('website/docusaurus.config');
  const isPage = readScriptTexts(outside ?? '', 'path').some(
    (path) => path.startsWith('../') && folder.holds(path.slice(3)),
  );
  return outside !== undefined && isPage ? { site: 'website', source: outside } : undefined;
}

/** VitePress and VuePress: Markdown becomes a Vue template, in which every address is bundled. */
function press(name: 'vitepress' | 'vuepress', publicFolder: (source: string) => string): Framework {
  return {
    languages: [...markdowns, 'vue', 'css', 'scss'],
    async find(folder, document) {
      if (!(await folder.has(`.${name}`))) return undefined;
      const configurations = [await folder.script(`.${name}/config`), await folder.script(`.${name}/config/index`)];
      const source = configurations.find((text) => text !== undefined) ?? '';
      const srcDir = name === 'vitepress' ? (readScriptText(source, 'srcDir') ?? '.') : '.';
      if (!folder.holds(srcDir) && !folder.inside.startsWith(`.${name}/`)) return undefined;
      const assets = folder.join(publicFolder(srcDir));
      const isPage = isMarkdown(document);
      return {
        framework: name,
        folder: folder.path,
        roots: [
          { folder: assets, prefix: '/' },
          { folder: folder.join(srcDir), prefix: '/', isOnlyRead: true },
        ],
        assets,
        base: basePath(readScriptText(source, 'base')),
        page: isPage && folder.holds(srcDir) ? folderOfPage(folder.insideOf(srcDir)) : undefined,
        needsSource: true,
        output: [`.${name}/dist`, `.${name}/cache`],
        rules: (form, element) => {
          if (form === 'module') return { ...bundled, usesRoots: false };
          if (form === 'frontMatter') return { relative: 'root', usesRoots: true };
          const failsUnfound = name === 'vitepress' && form !== 'style';
          if (form === 'tag' && isVueElement(element)) return { ...vueTag, failsUnfound };
          // VuePress imports what a picture without a dot refers to as a package.
          if (form !== 'tag')
            return { ...bundled, isBareElsewhere: name === 'vuepress' && form === 'inline', failsUnfound };
          return { relative: isPage ? 'page' : 'nothing', usesRoots: true, needsBase: true };
        },
      };
    },
  };
}

export const vitePress = press('vitepress', (srcDir) => `${srcDir}/public`);
export const vuePress = press('vuepress', () => '.vuepress/public');

export const astro: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const source = await folder.script('astro.config');
    if (source === undefined || (isMarkdown(document) && !folder.isPage)) return undefined;
    const assets = folder.join(readScriptText(source, 'publicDir') ?? 'public');
    return {
      framework: 'astro',
      folder: folder.path,
      roots: [{ folder: assets, prefix: '/' }],
      assets,
      base: basePath(readScriptText(source, 'base')),
      aliases: await aliasesOf(folder),
      output: ['dist', '.astro'],
      rules: (form) => {
        if (form === 'module') return { ...bundled, usesRoots: false };
        return form === 'tag'
          ? { relative: 'nothing', usesRoots: true, needsBase: true }
          : { ...bundled, needsBase: true };
      },
    };
  },
};

export const mkDocs: Framework = {
  languages: ['markdown', 'html', 'css'],
  async find(folder) {
    const file = await folder.first(['mkdocs.yml', 'mkdocs.yaml', 'zensical.toml']);
    if (file === undefined) return undefined;
    const source = await folder.text(file);
    const of = (name: string) => readText(file, source, file.endsWith('.toml') ? `project.${name}` : name);
    const docs = of('docs_dir') ?? 'docs';
    if (!folder.holds(docs)) return undefined;
    const path = folder.insideOf(docs);
    const hasFolders = of('use_directory_urls') !== 'false';
    return {
      framework: 'mkdocs',
      folder: folder.path,
      roots: [{ folder: folder.join(docs), prefix: '/', holdsPages: true }],
      assets: folder.join(docs),
      page: hasFolders ? prettyPage(path, /^(?:index|README)$/) : folderOfPage(path),
      output: ['site'],
      // Tags are not rewritten, so the browser resolves them against the page's address.
      rules: (form) =>
        form === 'tag' && path.endsWith('.md')
          ? { relative: 'page', usesRoots: false }
          : { ...beside, within: [folder.join(docs)] },
    };
  },
};

export const sphinx: Framework = {
  languages: ['restructuredtext', 'markdown'],
  async find(folder, { language }) {
    const source = await folder.text('conf.py');
    const first = pythonText(source, 'root_doc') ?? pythonText(source, 'master_doc') ?? 'index';
    if (!(await folder.has('conf.py')) || !(await folder.first([`${first}.rst`, `${first}.md`]))) return undefined;
    const [name] = pythonList(source, 'html_static_path') ?? [];
    const statics = name === undefined ? undefined : folder.join(name);
    return {
      ...besideProject('sphinx', folder.path, folder.path, ['_build']),
      roots: [
        ...(statics === undefined ? [] : [{ folder: statics, prefix: '/_static/' }]),
        { folder: folder.path, prefix: '/', isOnlyRead: true, holdsPages: true },
      ],
      assetsByKind: { audio: statics, video: statics },
      page: folderOfPage(folder.inside),
      // Sphinx copies the pictures of directives and of Markdown, wherever they are; the browser resolves the rest.
      rules: (form) =>
        form === 'tag' || (form === 'inline' && language === 'restructuredtext')
          ? { relative: 'page', usesRoots: false }
          : {
              ...beside,
              isPath: form === 'macro' && language === 'restructuredtext',
              needsPlainName: form === 'inline',
            },
    };
  },
};

export const antora: Framework = {
  languages: ['asciidoc'],
  async find(folder) {
    const [module] = /^modules\/[^/]+(?=\/(?:pages|partials)\/)/.exec(folder.inside) ?? [];
    if (module === undefined || !(await folder.has('antora.yml'))) return undefined;
    const images = folder.join(module, 'images');
    return {
      framework: 'antora',
      folder: folder.path,
      roots: [{ folder: images, prefix: '' }],
      assets: images,
      start: images,
      // The family, and other modules.
      aliases: { image$: images, ...(await antoraModules(folder)) },
      output: ['build'],
      rules: () => ({ relative: 'root', usesRoots: true }),
    };
  },
};

async function antoraModules(folder: ProjectFolder): Promise<Readonly<Record<string, string>>> {
  const modules = [...(await folder.names('modules'))];
  const aliases = modules.flatMap((name) =>
    ['image$', ''].map((family) => [`${name}:${family}`, folder.join('modules', name, 'images')] as const),
  );
  return Object.fromEntries(aliases);
}

export const mdBook: Framework = {
  languages: ['markdown'],
  async find(folder) {
    if (!(await folder.has('book.toml'))) return undefined;
    const src = readText('book.toml', await folder.text('book.toml'), 'book.src') ?? 'src';
    return folder.holds(src) ? besideProject('mdbook', folder.path, folder.join(src), ['book']) : undefined;
  },
};

export const quarto: Framework = {
  languages: ['markdown'],
  async find(folder) {
    const file = await folder.first(['_quarto.yml', '_quarto.yaml']);
    if (file === undefined) return undefined;
    const output = readSetting(file, await folder.text(file), 'project.output-dir');
    return besideProject('quarto', folder.path, folder.path, [typeof output === 'string' ? output : '_site']);
  },
};

/** A project whose files lie beside its documents; addresses with a leading slash start at `root`. */
function besideProject(framework: string, folder: string, root: string, output: readonly string[]) {
  return { framework, folder, roots: [{ folder: root, prefix: '/' }], output, rules: () => beside };
}
