import MarkdownIt from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { withPause } from './withPause.ts';

/** Markdown as HTML: CommonMark with tables, strikethrough and footnotes; these come last, and nothing points to them. */
export function renderMarkdown(text: string): string {
  const markdown = new MarkdownIt({ html: true }).use(footnotes);
  markdown.renderer.rules.footnote_ref = () => '';
  markdown.renderer.rules.footnote_anchor = () => '';
  return markdown.render(withoutExtensions(withoutFrontMatter(text)));
}

/** YAML between `---`, or TOML between `+++`; a text between two rulers is neither. */
function withoutFrontMatter(text: string): string {
  const [matter, , content] =
    /^\ufeff?(---|\+\+\+)[ \t]*\r?\n([\s\S]*?)(?:(?<=\n)\1|(?<=\n)\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (matter === undefined || content === undefined) return text;
  const isData = content.trim() === '' || /^(?:#.*\r?\n)*(?:["']?[\w.-]+["']?\s*[:=]|\[)/.test(content);
  return isData ? text.slice(matter.length) : text;
}

/** What common extensions of Markdown add around the words. */
function withoutExtensions(text: string): string {
  return (
    text
      // Boxes of a task list.
      .replace(/^((?:[ \t>]*(?:[-*+]|\d+[.)])[ \t]+)+)\[[ xX]\][ \t]+/gm, '$1')
      // `> [!NOTE]`, perhaps with a title.
      .replace(
        /^([ \t]*>[ \t>]*)\[!([\w-]+)\][+-]?[ \t]*(.*)$/gm,
        (_, quote: string, kind: string, title: string) => `${quote}${withPause(title.trim() || asTitle(kind))}`,
      )
      // `::: note Title`, `:::{.class}` and the `:::` that closes it.
      .replace(/^[ \t]*:{3,}[ \t]*(?:\{[^}\n]*\}|[\w-]*)[ \t]*(.*)$/gm, '\n$1\n')
      // `{#id .class key=value}` behind headings, links and images; code spans are passed over.
      .replace(
        /(`+)[\s\S]*?\1|[ \t]*\{[#.][a-zA-Z][^{}\n]*\}|(?<=[)\]])\{[\w-]+=[^{}\n]*\}/g,
        (whole, ticks?: string) => (ticks ? whole : ''),
      )
  );
}

function asTitle(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}
