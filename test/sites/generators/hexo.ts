import type { Generator, Page, Site } from '../Generator.ts';
import { image, monorepo, picture, sound } from './references.ts';

function pages(hasFolders: boolean, base: string): readonly Page[] {
  const own = hasFolders
    ? [
        picture('§.png', 'source/_posts/fox/§.png'),
        image('§.png', 'source/_posts/fox/§.png'),
        { text: '{% asset_img §.png "A red fox" %}', file: 'source/_posts/fox/§.png' },
      ]
    : [picture('fox/§.png', 'source/_posts/fox/§.png')];
  const everywhere = [
    picture('/images/§.png', 'source/images/§.png'),
    picture('images/§.png', 'source/images/§.png'),
    image('/images/§.png', 'source/images/§.png'),
    sound('/audio/§.mp3', 'source/audio/§.mp3'),
    ...(base === '/' ? [] : [picture(`${base}images/§.png`, 'source/images/§.png')]),
  ];
  return [
    {
      path: 'source/_posts/fox.md',
      text: '---\ntitle: Fox\ndate: 2026-01-02\n---\n\n%HERE%\n',
      from: ['source/images', 'source/_posts/fox'],
      references: [...own, ...everywhere],
    },
    {
      path: 'source/about/index.md',
      text: '---\ntitle: About\n---\n\n%HERE%\n',
      from: ['source/images'],
      references: [picture('§.png', 'source/about/§.png'), ...everywhere],
    },
  ];
}

function site(options: string, base = '/', more: Partial<Site> = {}): Site {
  return {
    files: {
      'package.json':
        '{ "name": "site", "private": true, "hexo": { "version": "8.1.2" }, "dependencies": { "hexo": "8.1.2", "hexo-renderer-ejs": "2.0.0", "hexo-renderer-marked": "7.0.1" } }',
      '_config.yml': `title: Site\nurl: http://site.invalid${base.slice(0, -1)}\nroot: ${base}\npermalink: :year/:title/\ntheme: plain\n${options}`,
      'themes/plain/layout/layout.ejs': '<!doctype html><title><%= page.title %></title><main><%- body %></main>\n',
      'themes/plain/layout/post.ejs': '<%- page.content %>\n',
      'themes/plain/layout/page.ejs': '<%- page.content %>\n',
    },
    pages: pages(options.includes('post_asset_folder'), base),
    build: [['hexo', 'generate', '--bail']],
    output: 'public',
    base,
    ...more,
  };
}

export const hexo: Generator = {
  name: 'hexo',
  packages: { hexo: '8.1.2', 'hexo-renderer-ejs': '2.0.0', 'hexo-renderer-marked': '7.0.1' },
  quick: ['root below a path', 'folders of posts, postAsset'],
  sites: {
    'at the root': site('', '/', monorepo),
    'root below a path': site('', '/blog/'),
    'folders of posts': site('post_asset_folder: true\n', '/blog/'),
    'folders of posts, postAsset': site(
      'post_asset_folder: true\nmarked:\n  prependRoot: true\n  postAsset: true\n',
      '/blog/',
    ),
  },
};
