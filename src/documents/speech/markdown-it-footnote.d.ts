declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it';

  const footnotes: (markdown: MarkdownIt) => void;

  // biome-ignore lint/style/noDefaultExport: the library exports it so
  export { footnotes as default };
}
