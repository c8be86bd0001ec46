import type { Generator, Page, Site } from '../Generator.ts';
import { image, imported, monorepo, picture, sound } from './references.ts';

function pages(base: string): readonly Page[] {
  return [
    {
      path: 'content/fox/index.md',
      text: '---\ntitle: Fox\n---\n\n%HERE%\n',
      from: ['static', 'content/images'],
      references: [
        picture('./§.png', 'content/fox/§.png'),
        picture('../images/§.png', 'content/images/§.png'),
        picture('/§.png', 'static/§.png'),
        image('./§.png', 'content/fox/§.png'),
        sound('./§.mp3', 'content/fox/§.mp3'),
        ...(base === '/' ? [] : [picture(`${base}§.png`, 'static/§.png')]),
      ],
    },
    {
      path: 'src/pages/index.jsx',
      text: "import React from 'react';\nimport { withPrefix } from 'gatsby';\n%HEAD%\n\nexport default function Home() {\n  return (\n    <main>\n%HERE%\n    </main>\n  );\n}\n",
      from: ['static'],
      references: [
        image('/§.png', 'static/§.png'),
        imported('../images/§.png', 'src/images/§.png'),
        { text: '<img src={withPrefix(\'/§.png\')} alt="A red fox" />', file: 'static/§.png' },
        ...(base === '/' ? [] : [image(`${base}§.png`, 'static/§.png')]),
      ],
    },
  ];
}

function site(copies = "'gatsby-remark-copy-linked-files'", base = '/', more: Partial<Site> = {}): Site {
  const prefix = base === '/' ? '' : `pathPrefix: '${base.slice(0, -1)}', `;
  return {
    files: {
      'package.json':
        '{ "name": "site", "private": true, "dependencies": { "gatsby": "5.16.1", "react": "18.3.1", "react-dom": "18.3.1" } }',
      'gatsby-config.js': `module.exports = { ${prefix}plugins: [
  { resolve: 'gatsby-source-filesystem', options: { name: 'content', path: __dirname + '/content' } },
  { resolve: 'gatsby-transformer-remark', options: { plugins: [${copies}] } },
] };
`,
      'src/pages/{MarkdownRemark.frontmatter__title}.jsx':
        "import React from 'react';\nimport { graphql } from 'gatsby';\n\nexport default function Post({ data }) {\n  return <main dangerouslySetInnerHTML={{ __html: data.markdownRemark.html }} />;\n}\n\nexport const query = graphql`query ($id: String!) { markdownRemark(id: { eq: $id }) { html } }`;\n",
    },
    pages: pages(base),
    build: [['gatsby', 'build', ...(base === '/' ? [] : ['--prefix-paths'])]],
    output: 'public',
    base,
    ...more,
  };
}

export const gatsby: Generator = {
  name: 'gatsby',
  packages: {
    gatsby: '5.16.1',
    'gatsby-remark-copy-linked-files': '6.16.0',
    'gatsby-source-filesystem': '5.16.0',
    'gatsby-transformer-remark': '6.16.0',
    react: '18.3.1',
    'react-dom': '18.3.1',
  },
  sites: {
    'at the root': site(),
    'path prefix, in a monorepo': site(
      "{ resolve: 'gatsby-remark-copy-linked-files', options: { ignoreFileExtensions: [] } }",
      '/pre/',
      monorepo,
    ),
  },
};
