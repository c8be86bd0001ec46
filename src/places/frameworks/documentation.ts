import { readScriptList, readScriptText, readScriptTexts } from '../configuration/readScript.ts';
import { readSetting, readText } from '../configuration/readSettings.ts';
import type { PlacedDocument, Rules } from '../Project.ts';
import type { ProjectFolder } from '../ProjectFolder.ts';
import { aliasesOf } from './bundlers.ts';
import type { Framework } from './Framework.ts';
import { basePath, codes, isMarkdown, markdowns, prettyPage } from './Framework.ts';

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
