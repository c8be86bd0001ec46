import type { Generator, Page, Site } from '../Generator.ts';
import { background, image, inRule, monorepo, picture, sound, video } from './references.ts';

const head = '<!doctype html><title>{{ .Title }}</title><link rel="stylesheet" href="{{ "css/site.css" | absURL }}">';
const meta = '{{ with .Params.image }}<meta property="og:image" content="{{ . | absURL }}">{{ end }}';
const layouts = {
  'layouts/_default/single.html': `${head}${meta}<main>{{ .Content }}</main>\n`,
  'layouts/_default/list.html': `${head}${meta}<main>{{ .Content }}{{ range .Pages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</main>\n`,
  'layouts/index.html': `${head}<main>{{ .Content }}</main>\n`,
};

const references = (base: string) => [
  picture('/images/§.png', 'static/images/§.png'),
  image('/images/§.png', 'static/images/§.png'),
  sound('/audio/§.mp3', 'static/audio/§.mp3'),
  ...(base === '/' ? [] : [picture(`${base}images/§.png`, 'static/images/§.png')]),
];

function pages(base: string): readonly Page[] {
  return [
    {
      path: 'content/posts/bundle/index.md',
      text: '---\ntitle: Bundle\n---\n\n%HERE%\n',
      from: ['static/images'],
      references: [
        picture('§.png', 'content/posts/bundle/§.png'),
        picture('images/§.png', 'content/posts/bundle/images/§.png'),
        video('§.mp4', 'content/posts/bundle/§.mp4'),
        { text: '{{< figure src="§.png" alt="A red fox" >}}', file: 'content/posts/bundle/§.png' },
        ...references(base),
      ],
    },
    {
      path: 'content/posts/plain.md',
      text: '---\ntitle: Plain\n---\n\n%HERE%\n',
      from: ['static/images'],
      references: [
        picture('§.png', 'content/posts/§.png'),
        picture('../§.png', 'content/posts/§.png'),
        picture('images/§.png', 'static/posts/plain/images/§.png'),
        ...references(base),
      ],
    },
    {
      path: 'content/posts/_index.md',
      text: '---\ntitle: Posts\n---\n\n%HERE%\n',
      references: [picture('§.png', 'content/posts/§.png')],
    },
    {
      path: 'content/_index.md',
      text: '---\ntitle: Home\n---\n\n%HERE%\n',
      references: [picture('/images/§.png', 'static/images/§.png')],
    },
    {
      path: 'content/front-§.md',
      text: '---\ntitle: Front\n%HERE%\n---\n\nText\n',
      inserts: [],
      around: (text) => text,
      references: [
        { text: 'image: images/§.png', file: 'static/images/§.png' },
        { text: 'image: /images/§.png', file: 'static/images/§.png' },
      ],
    },
    {
      path: 'static/css/site.css',
      text: '%HERE%\n',
      inserts: ['images'],
      around: inRule,
      references: [
        background('../images/§.png', 'static/images/§.png'),
        background('/images/§.png', 'static/images/§.png'),
      ],
    },
  ];
}

/** Pages whose addresses do not follow from their paths alone. */
const moved: readonly Page[] = [
  {
    path: 'content/posts/fox.md',
    text: '---\ntitle: Fox\nslug: renamed\n---\n\n%HERE%\n',
    from: ['static/images'],
    references: [picture('images/§.png', 'static/posts/renamed/images/§.png'), ...references('/')],
  },
  {
    path: 'content/posts/bundle/index.md',
    text: '---\ntitle: Bundle\nslug: renamed-bundle\n---\n\n%HERE%\n',
    references: [picture('§.png', 'content/posts/bundle/§.png'), ...references('/')],
  },
  {
    path: 'content/posts/placed.md',
    text: '---\ntitle: Placed\nurl: /elsewhere/page/\n---\n\n%HERE%\n',
    references: references('/'),
  },
];

/** Pages in several languages, by the ends of their names. */
const translated = (base: string) =>
  ['en', 'de'].flatMap((language): readonly Page[] => [
    {
      path: `content/posts/bundle/index.${language}.md`,
      text: '---\ntitle: Bundle\n---\n\n%HERE%\n',
      from: ['static/images'],
      references: [
        picture('§.png', 'content/posts/bundle/§.png'),
        image('§.png', 'content/posts/bundle/§.png'),
        ...references(base),
      ],
    },
    {
      path: `content/posts/plain.${language}.md`,
      text: '---\ntitle: Plain\n---\n\n%HERE%\n',
      from: ['static/images'],
      references: [picture('§.png', 'content/posts/§.png'), ...references(base)],
    },
  ]);

const languages = "defaultContentLanguage = 'en'\n[languages.en]\nweight = 1\n[languages.de]\nweight = 2\n";

function site(options: string, base = '/', more: Partial<Site> = {}): Site {
  return {
    files: {
      'hugo.toml': `baseURL = 'http://site.invalid${base}'\ntitle = 'Site'\ndisableKinds = ['taxonomy', 'term', 'RSS', 'sitemap']\n${options}\n[markup.goldmark.renderer]\nunsafe = true\n`,
      ...layouts,
    },
    pages: pages(base),
    build: [['hugo', '--quiet', '--ignoreCache']],
    output: 'public',
    base,
    ...more,
  };
}

export const hugo: Generator = {
  name: 'hugo',
  program: { command: 'hugo', debian: 'hugo' },
  quick: ['base path, canonical addresses', 'addresses in front matter', 'languages, base path', 'permalinks'],
  sites: {
    'at the root': site(''),
    'base path': site('', '/project/'),
    'base path, canonical addresses': site('canonifyURLs = true', '/project/'),
    'base path, relative addresses': site('relativeURLs = true', '/project/'),
    'ugly addresses, in a monorepo': site('uglyURLs = true', '/', monorepo),
    'addresses in front matter': site('', '/', { pages: moved }),
    languages: site(languages, '/', { pages: translated('/') }),
    'languages, base path': site(`defaultContentLanguageInSubdir = true\n${languages}`, '/project/', {
      pages: translated('/project/'),
    }),
    'folders of languages': site(
      "defaultContentLanguage = 'en'\n[languages.en]\ncontentDir = 'content/english'\nweight = 1\n[languages.de]\ncontentDir = 'content/german'\nweight = 2\n",
      '/',
      {
        pages: pages('/')
          .flatMap((page) =>
            ['english', 'german'].map((folder) => ({
              ...page,
              path: page.path.replace('content/', `content/${folder}/`),
              references: (page.references ?? []).map((one) => ({
                ...one,
                file: one.file.replace('content/', `content/${folder}/`),
              })),
            })),
          )
          .filter(({ path }) => path.startsWith('content/')),
      },
    ),
    permalinks: site("[permalinks]\nposts = '/:year/:slug/'"),
  },
};
