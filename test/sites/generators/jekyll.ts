import type { Generator, Page, Site } from '../Generator.ts';
import { background, image, inRule, monorepo, picture, sound, video } from './references.ts';

function references(base: string) {
  return [
    picture('/assets/images/§.png', 'assets/images/§.png'),
    image('/assets/images/§.png', 'assets/images/§.png'),
    sound('/assets/audio/§.mp3', 'assets/audio/§.mp3'),
    video('/assets/§.mp4', 'assets/§.mp4'),
    picture("{{ '/assets/images/§.png' | relative_url }}", 'assets/images/§.png'),
    picture('{{ "/assets/images/§.png" | relative_url }}', 'assets/images/§.png'),
    ...(base === '/' ? [] : [picture(`${base}assets/images/§.png`, 'assets/images/§.png')]),
  ];
}

function pages(base: string): readonly Page[] {
  return [
    {
      path: '_posts/2026-01-02-fox.md',
      text: '---\nlayout: default\ntitle: Fox\n---\n\n%HERE%\n',
      from: ['assets/images'],
      references: [picture('§.png', '_posts/§.png'), ...references(base)],
    },
    {
      path: 'index.md',
      text: '---\nlayout: default\ntitle: Home\n---\n\n%HERE%\n',
      from: ['assets/images'],
      references: [picture('assets/images/§.png', 'assets/images/§.png'), ...references(base)],
    },
    {
      path: 'guide/start.md',
      text: '---\nlayout: default\ntitle: Start\n---\n\n%HERE%\n',
      references: [picture('§.png', 'guide/§.png'), picture('../assets/images/§.png', 'assets/images/§.png')],
    },
    {
      path: 'assets/css/site.css',
      text: '%HERE%\n',
      inserts: ['images'],
      from: ['assets/images'],
      around: inRule,
      references: [
        background('../images/§.png', 'assets/images/§.png'),
        background('/assets/images/§.png', 'assets/images/§.png'),
      ],
    },
  ];
}

function site(options: string, base = '/', more: Partial<Site> = {}): Site {
  return {
    files: {
      Gemfile: "gem 'jekyll'\n",
      '_config.yml': `title: Site\nurl: http://site.invalid\nbaseurl: "${base.slice(0, -1)}"\n${options}`,
      '_layouts/default.html':
        '<!doctype html><title>{{ page.title }}</title><link rel="stylesheet" href="{{ \'/assets/css/site.css\' | relative_url }}"><main>{{ content }}</main>\n',
    },
    pages: pages(base),
    // Debian's Jekyll comes without Bundler, which the Gemfile would ask for.
    build: [['env', 'JEKYLL_NO_BUNDLER_REQUIRE=true', 'jekyll', 'build', '--quiet']],
    output: '_site',
    base,
    ...more,
  };
}

export const jekyll: Generator = {
  name: 'jekyll',
  program: { command: 'jekyll', debian: 'jekyll' },
  quick: true,
  sites: {
    'at the root': site(''),
    'base path': site('', '/project/'),
    'pretty addresses, in a monorepo': site('permalink: pretty\n', '/', monorepo),
  },
};
