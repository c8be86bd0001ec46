import { posix } from 'node:path';
import { readScriptText, withoutComments } from '../configuration/readScript.ts';
import { readSetting, readText } from '../configuration/readSettings.ts';
import type { AssetRoot, Rules } from '../Project.ts';
import type { ProjectFolder } from '../ProjectFolder.ts';
import type { Framework } from './Framework.ts';
import { basePath, prettyPage, styles } from './Framework.ts';

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
