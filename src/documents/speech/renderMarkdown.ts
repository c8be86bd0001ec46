import MarkdownIt from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { withPause } from './SpokenLines.ts';

/**
 * Renders Markdown as HTML: CommonMark with tables, strikethrough and footnotes, which come last and without links to
 * them.
 */
export function renderMarkdown(text: string): string {
  const markdown = new MarkdownIt({ html: true }).use(footnotes);
  markdown.renderer.rules.footnote_ref = () => '';
  markdown.renderer.rules.footnote_anchor = () => '';
  return markdown.render(withoutExtensions(withoutFrontMatter(text)));
}

/** Removes YAML between `---` or TOML between `+++`, but not text between two thematic breaks. */
export function withoutFrontMatter(text: string): string {
  const [matter, , content] =
    /^\ufeff?(---|\+\+\+)[ \t]*\r?\n([\s\S]*?)(?:(?<=\n)\1|(?<=\n)\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (matter === undefined || content === undefined) return text;
  const isData = content.trim() === '' || /^(?:#.*\r?\n)*(?:["']?[\p{L}\p{M}\p{N}_.-]+["']?\s*[:=]|\[)/u.test(content);
  return isData ? text.slice(matter.length) : text;
}

/** Removes what common extensions of Markdown add around the words. */
function withoutExtensions(text: string): string {
  return (
    text
      // Check boxes of a task list.
      .replace(/^((?:[ \t>]*(?:[-*+]|\d+[.)])[ \t]+)+)\[[ xX]\][ \t]+/gm, '$1')
      // `> [!NOTE]`, with an optional title.
      .replace(
        /^([ \t]*>[ \t>]*)\[!([\w-]+)\][+-]?[ \t]*(.*)$/gm,
        (_, quote: string, kind: string, title: string) => `${quote}${withPause(title.trim() || asTitle(kind))}`,
      )
      // `::: note Title`, `:::{.class}` and the closing `:::`.
      .replace(/^[ \t]*:{3,}[ \t]*(?:\{[^}\n]*\}|[\w-]*)[ \t]*(.*)$/gm, '\n$1\n')
      // `{#id .class key=value}` after headings, links and images, but not in code spans.
      .replace(
        /(`+)[\s\S]*?\1|[ \t]*\{[#.][a-zA-Z][^{}\n]*\}|(?<=[)\]])\{[\w-]+=[^{}\n]*\}/g,
        (whole, ticks?: string) => (ticks ? whole : ''),
      )
  );
}

function asTitle(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}
