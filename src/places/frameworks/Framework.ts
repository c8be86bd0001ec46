import type { Language } from '../../documents/Language.ts';
import type { PlacedDocument, Project } from '../Project.ts';
import type { ProjectFolder } from '../ProjectFolder.ts';

export interface Framework {
  /** Languages of the documents that it handles; documents in others belong to a project further up. */
  readonly languages: readonly Language[];
  /** Returns the project whose marker lies in a folder, if the document is one of its pages or sources. */
  find(folder: ProjectFolder, document: PlacedDocument): Promise<Project | undefined>;
}

export const markdowns: readonly Language[] = ['markdown', 'mdx'];
export const styles: readonly Language[] = ['css', 'scss'];
export const codes: readonly Language[] = ['jsx', 'script', 'vue', 'svelte', 'astro', 'html', ...styles];

export function isMarkdown({ language }: PlacedDocument): boolean {
  return markdowns.includes(language);
}

/** Normalises the base path of a site: a slash at both ends. */
export function basePath(written: string | undefined): string {
  if (written === undefined || /^(?:\.|\s*$)/.test(written)) return '/';
  const path = written.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/, '');
  return `/${path.split('/').filter(Boolean).join('/')}/`.replace(/^\/\/$/, '/');
}

/** Returns the “pretty” address that generators give a page: `a/b.md` → `/a/b/`. */
export function prettyPage(path: string, indexes = /^_?index$/i): string {
  const [, folder = '', name = ''] = /^(.*?)([^/]*)$/.exec(path.replace(/\.\w+$/, '')) ?? [];
  return indexes.test(name) ? `/${folder}` : `/${folder}${name}/`;
}
