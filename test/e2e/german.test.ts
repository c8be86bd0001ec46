import assert from 'node:assert/strict';
import { CreateView } from './createView.ts';
import { preparedImage, withResults } from './preparedResults.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const tabs = ['Bild', 'Sprache', 'Transkript', 'Video'] as const;
const prompt = 'Ein Fuchs im Schnee';

story('in German', () => {
  let workbench: Workbench;
  let view: CreateView;

  before(async () => {
    workbench = await Workbench.start({
      language: 'de',
      files: withResults([preparedImage(prompt)]),
    });
    view = await CreateView.open(workbench, 'Medien: Focus on Erstellen View');
  });

  after(() => workbench?.stop());

  it('code without access to VS Code speaks German too, in the extension host and in the view', async () => {
    await view.content.getByText('Es ist kein Dienst verbunden.').waitFor();
    await view.submit();
    await view.content.getByText('Prompt fehlt.').waitFor();
    await workbench.screenshot('german');
  });

  it('the view fits into 200 px, with a result as well', async () => {
    await view.resize(200);
    const results = view.content.getByRole('region', { name: 'Ergebnisse' });
    const result = results.getByRole('listitem', { name: prompt });
    await result.getByRole('button', { name: 'Am Cursor einfügen' }).waitFor();
    for (const tab of tabs) {
      await view.choose(tab);
      await view.submit();
      // When only the service is missing, its address input gets the focus.
      await view.content.locator('.problem, input:focus').first().waitFor();
      assert.deepEqual(await view.content.locator('body').evaluate(overflowing), [], tab);
      await workbench.screenshot(`german - 200 px - ${tab}`);
    }
  });

  it('the sandbox is one click away', async () => {
    await view.button('Sandbox ausprobieren').click();
    await workbench.notification('Die Sandbox ist aktiviert. Medien sind kostenlos und brauchen keinen Schlüssel.');
  });
});

interface Box {
  readonly tagName: string;
  readonly textContent: string;
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly parentElement: Box;
  getBoundingClientRect(): { readonly left: number; readonly right: number };
  querySelectorAll(selector: string): Iterable<Box>;
}

/** Returns the elements that overflow their parents, and the buttons that are too narrow for their labels. */
function overflowing(body: Box): readonly string[] {
  const isWide = (box: Box) => {
    const inner = box.getBoundingClientRect();
    const outer = box.parentElement.getBoundingClientRect();
    if (inner.left === inner.right) return false;
    // Rounding can cost half a pixel.
    const isBeyond = inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5;
    return isBeyond || (box.tagName === 'BUTTON' && box.scrollWidth > box.clientWidth);
  };
  const shown = [...body.querySelectorAll(':not(.unseen, option, script, .caption *, .tile-actions *)')];
  return shown.filter(isWide).map((box) => `${box.tagName} ${box.textContent}`);
}
