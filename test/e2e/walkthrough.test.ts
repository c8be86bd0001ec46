import { CreateView } from './createView.ts';
import { Workbench } from './workbench.ts';

describe('the walkthrough', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start();
  });
  after(() => workbench?.stop());

  it('ticks its first step when the sandbox is chosen in the view, not when the form is opened', async () => {
    await workbench.runCommand('Welcome: Open Walkthrough...');
    await workbench.pick('Select a walkthrough to open', 'Make Media in VS Code');
    const step = workbench.page.locator('[role=checkbox][data-done-step-id$="#service"]').first();
    await step.waitFor();
    await workbench.runCommand('Media: Connect a Service…');
    const view = await CreateView.open(workbench);
    await view.content.getByRole('region', { name: 'Connect a Service' }).waitFor();
    await step.and(workbench.page.locator('[aria-checked=false]')).waitFor();
    await view.press(view.button('Try the Sandbox'));
    await step.and(workbench.page.locator('[aria-checked=true]')).waitFor();
    await workbench.screenshot('walkthrough - first step');
  });
});
