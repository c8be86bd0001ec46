// Barriers that keep a person from using a view.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { CreateView } from './createView.ts';

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
/** What a theme can break. */
const rulesOfColour = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Returns the violations of WCAG 2.1 A and AA, or of its rules of colour, with the elements that cause them. */
export async function violations(
  view: Pick<CreateView, 'content'>,
  place: 'sideBar' | 'editor' = 'sideBar',
  rules: 'all' | 'ofColour' = 'all',
): Promise<readonly string[]> {
  const body = view.content.locator('body');
  if (!(await body.evaluate(() => 'axe' in globalThis))) {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    // The document's security policy blocks added scripts, but not the browser's tools.
    await body.evaluate(`(() => { ${axe} })()`);
  }
  // The view is transparent and shows the part of the window behind it, which axe cannot see.
  await body.evaluate(({ style }: { style: { background: string } }, part) => {
    style.background = `var(--vscode-${part}-background)`;
  }, place);
  const { violations } = await body.evaluate<AxeResults, object>(
    (_, runOnly) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({ runOnly }),
    rules === 'all' ? levels : rulesOfColour,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Returns the elements that extend beyond the left or right edge of the view. */
export function tooWide(view: Pick<CreateView, 'content'>): Promise<readonly string[]> {
  return view.content.locator('body').evaluate(({ ownerDocument }: { ownerDocument: Page }) => {
    const width = ownerDocument.documentElement.clientWidth;
    const all = [...ownerDocument.querySelectorAll('body *')];
    return all
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        return (right > width + 0.5 || left < -0.5) && !element.closest('.unseen');
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 120));
  });
}

export interface Box {
  readonly outerHTML: string;
  getBoundingClientRect(): {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  };
  closest(selector: string): unknown;
}

export interface Page {
  readonly documentElement: { readonly clientWidth: number };
  querySelectorAll(selector: string): Iterable<Box>;
}
