import { posix } from 'node:path';
import {
  readScriptList,
  readScriptText,
  readScriptTexts,
  readSetting,
  readText,
  withoutComments,
} from '../configuration.ts';
import type { AssetRoot, Framework, PlacedDocument, ProjectFolder, Rules } from '../Project.ts';
import { basePath, codes, isMarkdown, markdowns, prettyPage, styles } from '../Project.ts';
import { aliasesOf } from './bundlers.ts';

export const hugo: Framework = {
  languages: ['markdown', 'html', 'asciidoc', 'restructuredtext', ...styles],
  async find(folder) {
    const file = await hugoConfiguration(folder);
    if (file === undefined) return undefined;
    const source = await folder.text(file);
    const folders = readSetting(file, source, 'staticDir') ?? 'static';
    const statics = (typeof folders === 'string' ? [folders] : folders).map((name) => folder.join(name));
    const content = readText(file, source, 'contentDir') ?? 'content';
    const isPage = folder.holds(content);
    const output = [readText(file, source, 'publishDir') ?? 'public', 'resources/_gen'];
    const sources = ['layouts', 'assets', 'archetypes', ...output];
    sources.push(...statics.map((path) => posix.relative(folder.path, path)));
    if (!isPage && !sources.some((name) => folder.holds(name))) return undefined;
    const path = folder.insideOf(content);
    const isBundle = isPage && /(?:^|\/)_?index\.\w+$/.test(path);
    const hook = readText(file, source, 'markup.goldmark.renderHooks.image.useEmbedded');
    const finds =
      hook === 'always' ||
      hook === 'fallback' ||
      readText(file, source, 'markup.goldmark.renderHooks.image.enableDefault') === 'true';
    const needsBase = readText(file, source, 'canonifyURLs') !== 'true';
    const roots: readonly AssetRoot[] = [
      ...statics.map((root) => ({ folder: root, prefix: '/' })),
      ...(isPage ? [{ folder: folder.join(content), prefix: '/', isOnlyRead: true }] : []),
    ];
    return {
      framework: 'hugo',
      folder: folder.path,
      roots: finds ? [...roots, { folder: folder.join('assets'), prefix: '/' }] : roots,
      assets: isBundle && !path.includes('_index.') ? posix.dirname(folder.join(folder.inside)) : statics[0],
      base: basePath(readText(file, source, 'baseURL') ?? readText(file, source, 'baseurl')),
      page: isPage ? prettyPage(path) : undefined,
      output,
      rules: (form) => {
        if (form === 'style') return { relative: 'file', usesRoots: true, needsBase };
        return { relative: isBundle ? 'file' : isPage ? 'page' : 'nothing', usesRoots: true, needsBase };
      },
    };
  },
};

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
    const isJekyll = (await folder.has('_posts')) || /jekyll|github-pages/.test(await folder.text('Gemfile'));
    if (!isJekyll) return undefined;
    const source = await folder.text(file);
    const top = folder.join(readText(file, source, 'source') ?? '.');
    const base = basePath(readText(file, source, 'baseurl'));
    // Folders with a leading underscore are not served; their documents get other addresses.
    const isServed = !/(?:^|\/)_/.test(folder.inside);
    return {
      framework: 'jekyll',
      folder: folder.path,
      roots: [{ folder: top, prefix: '/' }],
      assets: posix.join(top, 'assets'),
      base,
      output: [readText(file, source, 'destination') ?? '_site'],
      rules: (form): Rules => {
        const relative = isServed ? 'file' : 'nothing';
        if (form === 'frontMatter') return { relative, usesRoots: true };
        if (form === 'style') return { relative: 'file', usesRoots: true, needsBase: true };
        return base === '/' ? { relative, usesRoots: true } : { relative, usesRoots: true, wrapper: 'relativeUrl' };
      },
    };
  },
};

export const hexo: Framework = {
  languages: ['markdown'],
  async find(folder, document) {
    if (!(await folder.dependsOn('hexo'))) return undefined;
    const source = await folder.text('_config.yml');
    const sources = readText('_config.yml', source, 'source_dir') ?? 'source';
    if (!folder.holds(sources)) return undefined;
    const ownFolder = document.path.replace(/\.\w+$/, '');
    const hasOwnFolder = readText('_config.yml', source, 'post_asset_folder') === 'true';
    return {
      framework: 'hexo',
      folder: folder.path,
      roots: [{ folder: folder.join(sources), prefix: '/' }],
      assets: hasOwnFolder ? ownFolder : folder.join(sources, 'images'),
      start: hasOwnFolder ? ownFolder : undefined,
      base: basePath(readText('_config.yml', source, 'root')),
      output: [readText('_config.yml', source, 'public_dir') ?? 'public'],
      rules: () => ({ relative: hasOwnFolder ? 'file' : 'nothing', usesRoots: true }),
    };
  },
};

export const eleventy: Framework = {
  languages: ['markdown', 'html', ...styles],
  async find(folder) {
    const source = (await folder.script('eleventy.config')) ?? (await folder.script('.eleventy'));
    if (source === undefined) return undefined;
    const input = posix.normalize(readScriptText(source, 'input') ?? '.').replace(/\/$/, '');
    const roots = passthroughCopies(folder, source, input);
    const [first] = roots;
    if (!first) return undefined;
    return {
      framework: 'eleventy',
      folder: folder.path,
      roots,
      assets: first.folder,
      page: prettyPage(folder.insideOf(input)),
      output: [readScriptText(source, 'output') ?? '_site'],
      rules: (form) => ({ relative: form === 'style' ? 'file' : 'page', usesRoots: true }),
    };
  },
};

/** Returns the literal folders of `addPassthroughCopy('img')` and `addPassthroughCopy({ 'src/img': 'img' })`. */
function passthroughCopies(folder: ProjectFolder, source: string, input: string): readonly AssetRoot[] {
  const text = withoutComments(source);
  const rootOf = (from: string, to: string): readonly AssetRoot[] =>
    /[*!${]/.test(from + to) ? [] : [{ folder: folder.join(from), prefix: basePath(to) }];
  const single = text.matchAll(/addPassthroughCopy\(\s{0,50}(["'`])([^"'`]+)\1/g);
  const mapped = text.matchAll(/addPassthroughCopy\(\s{0,50}\{([^{}]*)\}/g);
  return [
    ...Array.from(single, ([, , path = '']) => {
      const plain = posix.normalize(path);
      return rootOf(path, plain.startsWith(`${input}/`) ? plain.slice(input.length + 1) : plain);
    }).flat(),
    ...Array.from(mapped, ([, pairs = '']) =>
      Array.from(
        pairs.matchAll(/(["'`])([^"'`]+)\1\s{0,20}:\s{0,20}(["'`])([^"'`]*)\3/g),
        ([, , from = '', , to = '']) => rootOf(from, to),
      ).flat(),
    ).flat(),
  ];
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
        // React gets the attribute unchanged, so a file outside the static folders needs `require`.
        if (form === 'tag') return { relative: 'nothing', usesRoots: true, needsBase: true, wrapper: 'require' };
        return form === 'style' ? { ...bundled, needsBase: true } : bundled;
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
    async find(folder) {
      if (!(await folder.has(`.${name}`))) return undefined;
      const source = (await folder.script(`.${name}/config`)) ?? '';
      const srcDir = name === 'vitepress' ? (readScriptText(source, 'srcDir') ?? '.') : '.';
      if (!folder.holds(srcDir) && !folder.inside.startsWith(`.${name}/`)) return undefined;
      const assets = folder.join(publicFolder(srcDir));
      return {
        framework: name,
        folder: folder.path,
        roots: [{ folder: assets, prefix: '/' }],
        assets,
        base: basePath(readScriptText(source, 'base')),
        output: [`.${name}/dist`, `.${name}/cache`],
        rules: (form) => {
          if (form === 'module') return { ...bundled, usesRoots: false };
          return form === 'frontMatter' ? { relative: 'root', usesRoots: true } : bundled;
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
      roots: [{ folder: folder.join(docs), prefix: '/' }],
      assets: folder.join(docs),
      page: prettyPage(path, hasFolders ? /^(?:index|README)$/ : /^/),
      output: ['site'],
      // Tags are not rewritten, so the browser resolves them against the page's address.
      rules: (form) => (form === 'tag' && path.endsWith('.md') ? { relative: 'page', usesRoots: false } : beside),
    };
  },
};

export const sphinx: Framework = {
  languages: ['restructuredtext', 'markdown'],
  async find(folder) {
    if (!(await folder.has('conf.py')) || !(await folder.first(['index.rst', 'index.md']))) return undefined;
    return besideProject('sphinx', folder.path, folder.path, ['_build']);
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
      output: ['build'],
      rules: () => ({ relative: 'root', usesRoots: true }),
    };
  },
};

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
