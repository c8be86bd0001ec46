import { posix } from 'node:path';
import type { Framework } from './Framework.ts';

export const godot: Framework = {
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

export const flutter: Framework = {
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
export const latex: Framework = {
  languages: ['latex'],
  async find(folder, document) {
    const source = folder.inside.includes('/') ? '' : await folder.text(folder.inside);
    const named = /^%\s{0,20}!\s{0,20}TeX\s{1,20}root\s{0,20}=\s{0,20}(.+)$/im.exec(source.slice(0, 5000))?.[1]?.trim();
    const isMain = /\\documentclass\b/.test(source);
    if (named === undefined && !isMain && !(await folder.has('main.tex'))) return undefined;
    const start = named === undefined ? folder.path : posix.dirname(posix.join(posix.dirname(document.path), named));
    return {
      framework: 'latex',
      folder: folder.path,
      roots: [],
      start,
      rules: () => ({ relative: 'file', usesRoots: false }),
    };
  },
};
