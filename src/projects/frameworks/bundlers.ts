import { isRecord, readJson, readScriptText, valueAt, withoutComments } from '../configuration.ts';
import type { AssetRoot, Framework, Project, ProjectFolder, Rules } from '../Project.ts';
import { basePath, codes, isMarkdown, markdowns } from '../Project.ts';

/** For imports and style sheets: the bundler resolves relative addresses, and root addresses as well. */
const bundled: Rules = { relative: 'file', usesRoots: true, needsDot: true };
const imported: Rules = { relative: 'file', usesRoots: false, needsDot: true };
/** For addresses that reach the browser unchanged. */
const plain: Rules = { relative: 'root', usesRoots: true, needsBase: true };

export const next: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const source = await folder.script('next.config');
    if (source === undefined && !(await folder.dependsOn('next'))) return undefined;
    if (isMarkdown(document) && !folder.isPage) return undefined;
    // Nextra imports the pictures of Markdown; otherwise the browser resolves them.
    const isNextra = isMarkdown(document) && (await folder.dependsOn('nextra'));
    return {
      framework: 'next',
      folder: folder.path,
      roots: [{ folder: folder.join('public'), prefix: '/' }],
      assets: folder.join('public'),
      base: basePath(readScriptText(source ?? '', 'basePath')),
      aliases: await aliasesOf(folder),
      output: ['.next', 'out'],
      rules: (form) => {
        if (form === 'module') return imported;
        if (form === 'style') return { ...bundled, needsBase: true };
        return isNextra && form !== 'tag' ? bundled : { ...plain, relative: isMarkdown(document) ? 'nothing' : 'root' };
      },
    };
  },
};

export const svelteKit: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const source = await folder.script('svelte.config');
    if (source === undefined || !(await folder.dependsOn('@sveltejs/kit'))) return undefined;
    if (isMarkdown(document) && !folder.isPage) return undefined;
    const assets = folder.join(nestedText(source, 'files', 'assets') ?? 'static');
    return {
      framework: 'sveltekit',
      folder: folder.path,
      roots: [{ folder: assets, prefix: '/' }],
      assets,
      base: basePath(nestedText(source, 'paths', 'base')),
      aliases: { '$lib/': folder.join('src/lib'), ...(await aliasesOf(folder)) },
      output: ['.svelte-kit', 'build'],
      rules: (form) => (form === 'module' ? imported : form === 'style' ? bundled : plain),
    };
  },
};

export const nuxt: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const source = await folder.script('nuxt.config');
    if (source === undefined || (isMarkdown(document) && !folder.isPage)) return undefined;
    // Nuxt 2 serves `static`; Nuxt 4 has its sources in `app`.
    const isOld = !(await folder.has('public')) && (await folder.has('static'));
    const assets = folder.join(isOld ? 'static' : (nestedText(source, 'dir', 'public') ?? 'public'));
    const srcDir = readScriptText(source, 'srcDir') ?? ((await folder.has('app/app.vue')) ? 'app' : '.');
    const sources = folder.join(srcDir);
    return {
      framework: 'nuxt',
      folder: folder.path,
      roots: [{ folder: assets, prefix: '/' }],
      assets,
      aliases: { '~~/': folder.path, '@@/': folder.path, '~/': sources, '@/': sources },
      output: ['.nuxt', '.output', 'dist'],
      rules: (form) => {
        if (form === 'module') return imported;
        return document.language === 'vue' || form === 'style' ? bundled : { relative: 'root', usesRoots: true };
      },
    };
  },
};

export const gatsby: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    if ((await folder.script('gatsby-config')) === undefined) return undefined;
    if (isMarkdown(document) && !folder.isPage) return undefined;
    return {
      framework: 'gatsby',
      folder: folder.path,
      roots: [{ folder: folder.join('static'), prefix: '/' }],
      assets: folder.join('static'),
      output: ['public', '.cache'],
      // Gatsby adds the path prefix itself, and only in builds that request it.
      rules: (form) => {
        if (form === 'module') return imported;
        return form === 'tag' ? { ...plain, needsBase: false } : bundled;
      },
    };
  },
};

export const angular: Framework = {
  languages: ['html', 'script', 'css', 'scss'],
  async find(folder) {
    if (!(await folder.has('angular.json'))) return undefined;
    const roots = angularRoots(folder, await folder.text('angular.json'));
    return {
      framework: 'angular',
      folder: folder.path,
      roots,
      assets: roots[0]?.folder,
      output: ['dist', '.angular'],
      rules: (form) =>
        form === 'module' ? imported : form === 'style' ? bundled : { relative: 'root', usesRoots: true },
    };
  },
};

/**
 * Returns the roots in `assets` of the application that contains the document. Their prefixes are relative to the
 * page's base.
 */
function angularRoots(folder: ProjectFolder, source: string): readonly AssetRoot[] {
  const projects = readJson(source, 'projects');
  const all = isRecord(projects) ? Object.values(projects).filter(isRecord) : [];
  const rootOf = ({ root }: Readonly<Record<string, unknown>>) => (typeof root === 'string' ? root : '');
  const [own] = all
    .filter((project) => rootOf(project) === '' || folder.holds(rootOf(project)))
    .sort((a, b) => rootOf(b).length - rootOf(a).length);
  if (!own) return [];
  const root = rootOf(own);
  const sourceRoot = typeof own.sourceRoot === 'string' ? own.sourceRoot : `${root}/src`.replace(/^\//, '');
  const assets = valueAt(own, 'architect', 'build', 'options', 'assets');
  return (Array.isArray(assets) ? assets : []).flatMap((asset: unknown): readonly AssetRoot[] => {
    if (typeof asset === 'string') {
      const inner = asset.startsWith(`${sourceRoot}/`) ? asset.slice(sourceRoot.length + 1) : '';
      return [{ folder: folder.join(asset), prefix: inner === '' ? '' : `${inner}/` }];
    }
    const { input, output = '' } = isRecord(asset) ? asset : {};
    if (typeof input !== 'string' || typeof output !== 'string') return [];
    return [{ folder: folder.join(input), prefix: basePath(output).slice(1) }];
  });
}

export const vite: Framework = {
  languages: [...codes, ...markdowns],
  async find(folder, document) {
    const source = await folder.script('vite.config');
    const isSlides = document.language === 'markdown' && (await folder.dependsOn('@slidev/cli'));
    if (source === undefined && !isSlides) return undefined;
    if (isMarkdown(document) && !folder.isPage && !isSlides) return undefined;
    return viteProject(folder, source ?? '', document.language, await aliasesOf(folder));
  },
};

function viteProject(
  folder: ProjectFolder,
  source: string,
  language: string,
  aliases: Readonly<Record<string, string>>,
): Project {
  const root = readScriptText(source, 'root') ?? '.';
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
    aliases: { ...aliases, ...viteAliases(folder, source) },
    output: ['dist'],
    rules: (form) => {
      if (form === 'module') return imported;
      if (form !== 'tag' || ['html', 'vue', 'markdown'].includes(language)) return bundled;
      return language === 'jsx' ? { ...plain, wrapper: 'moduleUrl' } : plain;
    },
  };
}

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
