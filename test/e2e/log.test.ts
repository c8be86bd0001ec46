import { Workbench } from './workbench.ts';

describe('the log', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.start();
  });

  after(() => workbench.stop());

  it('opens in the Output panel', async () => {
    await workbench.runCommand('Media: Show Log');
    await workbench.outputChannel('Unified Media');
    await workbench.screenshot('log');
  });
});
