// The pictures of the walkthrough, and those of the README that show what has been made there.
import { CreateView } from '../e2e/createView.ts';
import { eventually } from '../e2e/eventually.ts';
import type { Workbench } from '../e2e/workbench.ts';
import { openProject, project, takeQuietPicture } from './takePicture.ts';

const guide = `# The lighthouse

Every evening the keeper climbs the stairs, **one hundred and twelve** of them, and lights the lamp.
Then the ships know where the rocks are, and where [the harbour](https://example.com) is.
`;

describe('the pictures of the walkthrough', () => {
  let workbench: Workbench;
  let view: CreateView;

  before(async () => {
    workbench = await openProject({ files: { 'guide.md': guide } });
  });

  after(() => workbench?.stop());

  /** Pictures of the walkthrough are smaller, since VS Code shows them beside its text. */
  const walkthroughSize = { width: 960, height: 600 };

  it('of the choice', async () => {
    // Higher, so that the buttons of the panel are visible.
    await workbench.page.setViewportSize({ ...walkthroughSize, height: 720 });
    await workbench.openFile('guide.md');
    await workbench.runCommand('Media: Focus on Create View');
    const content = await workbench.webview('#create');
    await content.getByRole('button', { name: 'Try the Sandbox' }).waitFor();
    await takeQuietPicture(workbench, 'walkthrough/service');
    await workbench.runCommand('Media: Use the Sandbox');
  });

  it('of an image', async () => {
    await workbench.page.setViewportSize(walkthroughSize);
    view = await CreateView.open(workbench);
    await view.choose('Image');
    await view.type('Prompt', 'A lighthouse on a cliff at dusk');
    await view.submit();
    await view.whenMade(
      `${project}/media/images/a-lighthouse-on-a-cliff-at-dusk.png`,
      'A lighthouse on a cliff at dusk',
    );
    await view.press(view.action('A lighthouse on a cliff', 'Open'));
    await (await workbench.webview('.image')).locator('img').waitFor();
    await takeQuietPicture(workbench, 'walkthrough/image');
  });

  it('of a narration', async () => {
    await workbench.openFile('guide.md');
    await workbench.page.locator('.tabs-container [role=tab][aria-selected=true]', { hasText: 'guide.md' }).waitFor();
    await workbench.runCommand('Media: Narrate Selection');
    await workbench.page.locator('.tabs-container').getByRole('tab', { name: /\.mp3/ }).waitFor();
    await takeQuietPicture(workbench, 'walkthrough/narration');
  });

  it('of a transcript', async () => {
    await workbench.runCommand('Media: Transcribe Audio…');
    const recordings = await workbench.quickInput('Choose a recording');
    await recordings.getByRole('option', { name: /\.mp3/ }).first().click();
    await workbench.page
      .locator('.tabs-container')
      .getByRole('tab', { name: /^the-lighthouse.*\.md/ })
      .waitFor();
    await workbench.runCommand('View: Show Explorer');
    await takeQuietPicture(workbench, 'walkthrough/transcript');
  });

  it('of remixes', async () => {
    view = await CreateView.open(workbench);
    await view.choose('Video');
    await view.type('Prompt', 'Waves below a lighthouse');
    await view.submit();
    await view.whenMade(`${project}/media/videos/waves-below-a-lighthouse.mp4`, 'Waves below a lighthouse');
    for (const [of, prompt, file] of [
      ['Waves below', 'The same at night', 'the-same-at-night'],
      ['The same at night', 'A storm comes up', 'a-storm-comes-up'],
      ['Waves below', 'In winter, with snow', 'in-winter-with-snow'],
    ] as const) {
      await view.press(view.action(of, 'Remix'));
      await view.button('Remix Video').waitFor();
      await view.type('Prompt', prompt);
      await view.press(view.button('Remix Video'));
      await view.whenMade(`${project}/media/videos/${file}.mp4`, prompt);
    }
    await workbench.runCommand('Media: Focus on Videos View');
    const { keyboard } = workbench.page;
    const videos = workbench.page.getByRole('tree', { name: 'Videos' });
    await videos.getByRole('treeitem', { name: /^Waves below/ }).click();
    await keyboard.press('ArrowRight');
    await videos.getByRole('treeitem', { name: /^The same at night/ }).click();
    await keyboard.press('ArrowRight');
    await videos.getByRole('treeitem', { name: /^A storm comes up/ }).click();
    await keyboard.press('Enter');
    await workbench.editorTab('a-storm-comes-up.mp4');
    await workbench.webview('body > video, .video');
    await takeQuietPicture(workbench, 'walkthrough/remix');
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
    await takeQuietPicture(workbench, 'readme/videos');
  });

  it('of the library', async () => {
    const library = await CreateView.openLibrary(workbench);
    await library.action('The same at night', 'Show Details').click();
    await library.content.getByRole('list', { name: 'Used for' }).waitFor();
    const video = library.content.locator('video[controls]');
    // While it loads, its controls show a spinner.
    const isIdle = ({ readyState, networkState }: Readonly<Record<'readyState' | 'networkState', number>>) =>
      readyState >= 2 && networkState === 1;
    await eventually('the video is loaded', () => video.evaluate(isIdle));
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await takeQuietPicture(workbench, 'readme/library');
  });
});
