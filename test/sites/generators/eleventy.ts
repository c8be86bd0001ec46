import { posix } from 'node:path';
import type { Generator, Page, Site } from '../Generator.ts';
import { background, image, inRule, picture, sound } from './references.ts';

const layout =
  '<!doctype html><title>{{ title }}</title><link rel="stylesheet" href="/css/site.css"><main>{{ content | safe }}</main>\n';

function pages(base = '/', usesFilter = false): readonly Page[] {
  const filtered = usesFilter ? [picture("{{ '/img/§.png' | url }}", 'src/img/§.png')] : [];
  return [
    {
      path: 'src/posts/deep/fox.md',
      text: '---\nlayout: base.njk\ntitle: Fox\n---\n# Fox\n\n%HERE%\n',
      from: ['src/img', 'src/media'],
      references: [
        picture('/img/§.png', 'src/img/§.png'),
        picture('/media/§.png', 'src/media/§.png'),
        picture('../../../img/§.png', 'src/img/§.png'),
        picture('§.png', 'src/posts/deep/§.png'),
        image('/img/§.png', 'src/img/§.png'),
        sound('/media/§.mp3', 'src/media/§.mp3'),
        ...filtered,
        ...(base === '/' ? [] : [image(`${base}img/§.png`, 'src/img/§.png')]),
      ],
    },
    {
      path: 'src/index.njk',
      text: '---\nlayout: base.njk\ntitle: Home\n---\n<h1>Home</h1>\n\n%HERE%\n',
      references: [image('/img/§.png', 'src/img/§.png'), image('img/§.png', 'src/img/§.png')],
    },
    {
      path: 'src/css/site.css',
      text: '%HERE%\n',
      inserts: ['images'],
      around: inRule,
      references: [
        background('/img/§.png', 'src/img/§.png'),
        background('../img/§.png', 'src/img/§.png'),
        ...(base === '/' ? [] : [background(`${base}img/§.png`, 'src/img/§.png')]),
      ],
    },
  ];
}

function site(options: string, base = '/', more: Partial<Site> = {}): Site {
  const source = `export default function (config) {
  config.addPassthroughCopy('src/img');
  config.addPassthroughCopy({ 'src/media': 'media' });
  config.addPassthroughCopy('src/css');
${options}}
export const config = { dir: { input: 'src', output: '_site' }, markdownTemplateEngine: 'njk', pathPrefix: '${base}' };
`;
  return {
    files: { 'eleventy.config.js': source, 'src/_includes/base.njk': layout },
    pages: pages(base, true),
    build: [['eleventy', '--quiet']],
    output: '_site',
    base,
    ...more,
  };
}

const plugin = site('  config.addPlugin(HtmlBasePlugin);\n', '/sub/');

/** As the starter eleventy-base-blog: a plugin looks for the pictures of built pages beside their sources. */
function withImages(base: string): Site {
  const page = (path: string): Page => ({
    path,
    text: '---\nlayout: base.njk\ntitle: Fox\n---\n# Fox\n\n%HERE%\n',
    from: ['public/img'],
    references: [
      picture('./§.png', `${posix.dirname(path)}/§.png`),
      picture('§.png', `${posix.dirname(path)}/§.png`),
      image('./§.png', `${posix.dirname(path)}/§.png`),
      picture('/img/§.png', 'public/img/§.png'),
      picture('/blog/fox/§.png', 'content/blog/fox/§.png'),
      image('/img/§.png', 'public/img/§.png'),
      sound('./§.mp3', `${posix.dirname(path)}/§.mp3`),
      sound('/img/§.mp3', 'public/img/§.mp3'),
      ...(base === '/' ? [] : [picture(`${base}img/§.png`, 'public/img/§.png')]),
    ],
  });
  const source = `import { basename, extname } from 'node:path';
import { HtmlBasePlugin, InputPathToUrlTransformPlugin } from '@11ty/eleventy';
import { eleventyImageTransformPlugin } from '@11ty/eleventy-img';
export default function (config) {
  config.addPassthroughCopy({ './public/': '/' });
  config.addPlugin(HtmlBasePlugin);
  config.addPlugin(InputPathToUrlTransformPlugin);
  config.addPlugin(eleventyImageTransformPlugin, {
    formats: ['auto'],
    failOnError: false,
    filenameFormat: (id, path, width, format) => basename(path, extname(path)) + '-' + width + '.' + format,
  });
}
export const config = { dir: { input: 'content', includes: '../_includes', output: '_site' }, markdownTemplateEngine: 'njk', pathPrefix: '${base}' };
`;
  return {
    files: { 'eleventy.config.js': source, '_includes/base.njk': layout },
    pages: [page('content/blog/fox/index.md'), page('content/blog/hen.md')],
    build: [['eleventy', '--quiet']],
    output: '_site',
    base,
  };
}

export const eleventy: Generator = {
  name: 'eleventy',
  packages: { '@11ty/eleventy': '3.1.8', '@11ty/eleventy-img': '6.0.4' },
  quick: ['path prefix and base plugin', 'as eleventy-base-blog, path prefix', 'files beside pages'],
  sites: {
    'at the root': site(''),
    'path prefix': site('', '/sub/'),
    'path prefix and base plugin': {
      ...plugin,
      files: {
        ...plugin.files,
        'eleventy.config.js': `import { HtmlBasePlugin } from '@11ty/eleventy';\n${plugin.files['eleventy.config.js']}`,
      },
      pages: pages('/sub/'),
    },
    'as eleventy-base-blog': withImages('/'),
    'as eleventy-base-blog, path prefix': withImages('/sub/'),
    'files beside pages': site("  config.addPassthroughCopy('**/*.png', { mode: 'html-relative' });\n"),
  },
};
