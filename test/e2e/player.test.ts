import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { wavOf } from '../support/mediaBytes.ts';
import { tooWide, violations } from './barriers.ts';
import { eventually, succeeds } from './eventually.ts';
import { story } from './story.ts';
import type { Theme } from './workbench.ts';
import { Workbench } from './workbench.ts';

/** Themes by the class that VS Code sets on the body of a webview. */
const themes = {
  'vscode-light': 'Light 2026',
  'vscode-high-contrast': 'Default High Contrast',
  'vscode-high-contrast-light': 'Default High Contrast Light',
  'vscode-dark': 'Dark 2026',
} as const satisfies Readonly<Record<string, Theme>>;

/** The parts of a media element that the test reads; the DOM types are not available here. */
interface Media {
  readonly currentTime: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly played: { start(index: number): number };
  /** Set by a test: where the player jumps next, in seconds. */
  readonly jumped?: Promise<number>;
  addEventListener(type: string, listen: () => void, options: { readonly once: true }): void;
}

const sentenceSeconds = 5;
const sentences = Array.from({ length: 12 }, (_, index) => `Sentence number ${index + 1} is about boats.`);
const clock = (seconds: number) =>
  `00:${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}.000`;
const subtitles = [
  'WEBVTT\n',
  ...sentences.map((text, index) => {
    const start = index * sentenceSeconds;
    return `${clock(start)} --> ${clock(start + sentenceSeconds)}\n<v ${index % 2 === 0 ? 'Ada' : 'Bob'}>${text}\n`;
  }),
].join('\n');
/** One paragraph for each sentence, with a line between them; the third one was edited after it was transcribed. */
const transcript = `${sentences.map((text, index) => (index === 2 ? text.replace('about', 'all about') : text)).join('\n\n')}\n`;
/** A tone at 8 kHz that is quiet in every other sentence. */
const samples = Buffer.from(
  Array.from({ length: 8000 * sentences.length * sentenceSeconds }, (_, at) => {
    const loudness = Math.floor(at / 8000 / sentenceSeconds) % 2 === 0 ? 60 : 6;
    return 128 + Math.round(loudness * Math.sin((at / 8000) * 440 * 2 * Math.PI));
  }),
);

story('the player', () => {
  let workbench: Workbench;
  let content: FrameLocator;

  before(async () => {
    workbench = await Workbench.start({
      files: {
        'call.wav': wavOf(samples),
        'call.vtt': subtitles,
        'call.md': transcript,
        'other.md': 'Nothing.\n',
        'timed.md':
          '<audio controls src="call.wav"></audio>\n\n[00:25](call.wav#t=25) Sentence number 6 is about boats.\n',
      },
    });
    await workbench.page.setViewportSize({ width: 1280, height: 760 });
  });

  after(async () => workbench?.stop());

  const media = (): Locator => content.locator('video');
  const button = (name: string): Locator => content.getByRole('button', { name, exact: true });
  const cue = (number: number): Locator =>
    content.getByRole('list', { name: 'Cues' }).getByRole('button', { name: `Sentence number ${number} is` });
  const now = () => media().evaluate((element: Media) => element.currentTime);
  const isPaused = () => media().evaluate((element: Media) => element.paused);
  const marked = (): Locator => workbench.page.locator('.editor-instance .view-overlays [class*="ced-"]');

  it('plays from the sentence at the cursor, also of a text that was edited', async () => {
    await workbench.openFile('call.md');
    await workbench.page.locator('.view-line').filter({ hasText: 'Sentence number 4' }).click();
    await workbench.runCommand('Media: Play from Here');
    content = await workbench.webview('#player .cues');
    await button('Pause').waitFor();
    const start = await media().evaluate((element: Media) => element.played.start(0));
    assert(Math.abs(start - 15) < 0.1, `it began at ${start} s`);
    await eventually('the sentence is marked in the text', async () => (await marked().count()) > 0);
  });

  /** Returns where the player jumps after a click, in seconds. */
  async function jump(click: () => Promise<void>): Promise<number> {
    await media().evaluate((element: Media) => {
      const jumped = new Promise<number>((resolve) => {
        element.addEventListener('seeking', () => resolve(element.currentTime), { once: true });
      });
      Object.assign(element, { jumped });
    });
    await click();
    return media().evaluate((element: Media) => element.jumped ?? Number.NaN);
  }

  it('plays from a cue that is clicked', async () => {
    const seconds = await jump(() => cue(9).click());
    assert(Math.abs(seconds - 40) < 0.1, `it plays at ${seconds} s`);
    await eventually('the cue is current', async () => (await cue(9).getAttribute('aria-current')) === 'true');
  });

  it('plays from a word at Alt+click, which adds a cursor as ever', async () => {
    const word = workbench.page.locator('.view-line').filter({ hasText: 'Sentence number 10' });
    const seconds = await jump(() => word.click({ modifiers: ['Alt'], position: { x: 20, y: 8 } }));
    assert(Math.abs(seconds - 45) < 0.1, `it plays at ${seconds} s`);
    assert.equal(await workbench.page.locator('.editor-instance .cursors-layer .cursor').count(), 2);
    await workbench.page.keyboard.press('Escape');
  });

  it('plays from the line above a transcript', async () => {
    await button('Pause').click();
    // Until the extension knows of it, it scrolls to what is heard, and the line above would leave the view.
    await marked().first().waitFor({ state: 'detached' });
    await workbench.openFile('call.md');
    await workbench.page.keyboard.press('ControlOrMeta+Home');
    const seconds = await jump(() =>
      workbench.page.locator('.codelens-decoration a').filter({ hasText: 'Play' }).click(),
    );
    assert(seconds < 0.1, `it plays at ${seconds} s`);
    await workbench.screenshot('player - line above a transcript');
  });

  it('goes on while another view is in front and while the person types', async () => {
    await workbench.runCommand('View: Toggle Output');
    await workbench.openFile('call.md');
    const before = await now();
    await workbench.page.keyboard.type('x');
    await eventually('it has gone on', async () => (await now()) > before + 0.2);
    await workbench.page.keyboard.press('ControlOrMeta+z');
    await workbench.runCommand('Media: Play or Pause');
    await eventually('it pauses', isPaused);
    const at = await now();
    await workbench.runCommand('Media: Back 3 Seconds');
    await eventually('it is 3 s earlier', async () => Math.abs((await now()) - Math.max(0, at - 3)) < 0.2);
  });

  it('does not scroll the text back to what is heard after the person has scrolled away, until Follow is pressed', async () => {
    await workbench.runCommand('Media Player: Focus on Player View');
    const follow = content.getByRole('switch', { name: 'Follow' });
    await cue(1).click();
    await workbench.openFile('call.md');
    const heard = workbench.page.locator('.editor-instance .view-line').filter({ hasText: /Sentence.number.1.is/ });
    await heard.waitFor();
    await eventually('the sentence is marked in the text', async () => (await marked().count()) > 0);
    await heard.hover();
    await workbench.page.mouse.wheel(0, 4000);
    await eventually('it follows no longer', async () => !(await follow.isChecked()));
    const before = await now();
    await eventually('it has gone on', async () => (await now()) > before + 0.5);
    assert.equal(await heard.count(), 0);
    await follow.click();
    await heard.waitFor();
    await eventually('it follows', () => follow.isChecked());
  });

  it('is heard while its speakers are named', async () => {
    await workbench.openFile('call.vtt');
    await workbench.runCommand('Media: Rename Speakers…');
    const question = workbench.page.locator('.quick-input-widget');
    await question.getByPlaceholder('Who says “Sentence number 1 is about boats.”').waitFor();
    const seconds = await jump(() => question.getByRole('button', { name: 'Play', exact: true }).click());
    assert(seconds < 0.1, `it plays at ${seconds} s`);
    await workbench.screenshot('player - the question for a name');
    assert(await question.isVisible());
    await workbench.page.keyboard.press('Escape');
  });

  it('moves by sentence and by 5 s, changes speed, and finds words', async () => {
    await workbench.runCommand('Media Player: Focus on Player View');
    await cue(3).waitFor();
    await cue(3).click();
    await button('Pause').click();
    await button('Next Sentence').click();
    await eventually('it is at sentence 4', async () => Math.abs((await now()) - 15) < 0.1);
    await button('Forward 5 Seconds').click();
    await eventually('it is 5 s later', async () => Math.abs((await now()) - 20) < 0.1);
    await button('Back 5 Seconds').click();
    await button('Previous Sentence').click();
    await eventually('it is at sentence 3', async () => Math.abs((await now()) - 10) < 0.1);
    await content.getByRole('combobox', { name: 'Speed' }).selectOption('2');
    await content.getByRole('searchbox', { name: 'Find in Cues' }).fill('bob number 1');
    await eventually('the cues of Bob are left', async () => {
      const names = await content.getByRole('list', { name: 'Cues' }).getByRole('button').allInnerTexts();
      return names.length === 2 && names.every((name) => name.includes('Bob'));
    });
    await content.getByRole('searchbox', { name: 'Find in Cues' }).fill('');
  });

  it('is complete by keyboard: one stop for the list, arrows inside it', async () => {
    await content.getByRole('searchbox', { name: 'Find in Cues' }).focus();
    await workbench.page.keyboard.press('Tab');
    await workbench.page.keyboard.press('Tab');
    await workbench.page.keyboard.press('Home');
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
    await eventually('it plays sentence 2', async () => Math.abs((await now()) - sentenceSeconds) < 2);
    await button('Pause').click();
  });

  for (const [body, theme] of Object.entries(themes)) {
    it(`meets WCAG 2.1 AA in ${theme} and fits`, async () => {
      await workbench.setTheme(theme);
      await content.locator(`body.${body}`).waitFor();
      await workbench.screenshot(`player - ${theme}`);
      assert.deepEqual(await violations({ content }, 'editor'), []);
      assert.deepEqual(await tooWide({ content }), []);
    });
  }

  it("seeks the Markdown preview's own player when a time is clicked there", async () => {
    await workbench.openFile('timed.md');
    await workbench.runCommand('Markdown: Open Preview');
    content = await workbench.webview('audio');
    const audio = content.locator('audio');
    await eventually('it can be played', () => audio.evaluate(({ duration }: Media) => duration > 0));
    await content.getByRole('link', { name: '00:25' }).click();
    await eventually('it plays from there', () => audio.evaluate((one: Media) => !one.paused && one.currentTime >= 25));
    await workbench.runCommand('View: Close All Editors');
  });

  it('says what to do for a document without a recording', async () => {
    await workbench.openFile('other.md');
    await workbench.runCommand('Media: Play from Here');
    await workbench.page.getByText('other.md has no recording.').first().waitFor();
    assert(await succeeds(workbench.page.keyboard.press('Escape')));
  });
});
