declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it';

  const footnotes: (markdown: MarkdownIt) => void;

  // biome-ignore lint/style/noDefaultExport: so the library has it
  export { footnotes as default };
}
