import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { wavOf } from '../support/mediaBytes.ts';
import { tooWide, violations } from './barriers.ts';
import { eventually } from './eventually.ts';
import { story } from './story.ts';
import { type Theme, Workbench } from './workbench.ts';

/** Themes by the class that VS Code sets on the body of a webview. */
const themes = {
  'vscode-light': 'Light 2026',
  'vscode-high-contrast': 'Default High Contrast',
  'vscode-high-contrast-light': 'Default High Contrast Light',
  'vscode-dark': 'Dark 2026',
} as const satisfies Readonly<Record<string, Theme>>;

/** The parts of a media element that the test reads; the DOM types are not available here. */
interface Media {
  currentTime: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly played: { readonly length: number; start(index: number): number };
  /** Set by a test: where the player jumps next, in seconds. */
  readonly jumped?: Promise<number>;
  addEventListener(type: string, listen: () => void, options: { readonly once: true }): void;
}

/** The DOM types are not available here. */
interface Sized {
  readonly style: { height: string };
  scrollTo(x: number, y: number): void;
}

/** The parts of the workbench's document that the test reads. */
interface Lines {
  querySelector(selector: string): Line | null;
  querySelectorAll(selector: string): Iterable<Line>;
}

interface Line {
  readonly textContent: string;
  getBoundingClientRect(): { readonly top: number; readonly bottom: number };
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
/** More than a view of cues shows. */
const manyCues = Array.from(
  { length: 200 },
  (_, index) => `${clock(index)} --> ${clock(index + 1)}\nSentence number ${index + 1} is short.\n`,
).join('\n');
/** One paragraph for each sentence, with a line between them; the third one was edited after it was transcribed. */
const transcript = `${sentences.map((text, index) => (index === 2 ? text.replace('about', 'all about') : text)).join('\n\n')}\n`;
/** Of the tone at the start, and how much higher it is after each second: whoever hears it knows the time. */
const [startHertz, risingHertz] = [500, 40];
/** A tone at 8 kHz that rises, and is quiet in every other sentence. */
const samples = Buffer.from(
  Array.from({ length: 8000 * sentences.length * sentenceSeconds }, (_, at) => {
    const seconds = at / 8000;
    const loudness = Math.floor(seconds / sentenceSeconds) % 2 === 0 ? 60 : 6;
    const cycles = startHertz * seconds + (risingHertz / 2) * seconds ** 2;
    return 128 + Math.round(loudness * Math.sin(cycles * 2 * Math.PI));
  }),
);
const phoneRecording = readFileSync(join(import.meta.dirname, '../support/recordings/m4a.m4a'));

/** The DOM types are not available here. */
interface Canvas {
  toDataURL(): string;
}

interface Styled {
  getComputedStyle(element: unknown): { getPropertyValue(name: string): string };
}

/** What the page's own objects for sound are here; the DOM types are not available. */
interface SoundPage {
  readonly AudioContext: new () => SoundContext;
  readonly MediaRecorder: new (stream: unknown) => Recorder;
  readonly Blob: new (parts: readonly unknown[]) => { arrayBuffer(): Promise<ArrayBuffer> };
}

interface SoundContext {
  readonly sampleRate: number;
  resume(): Promise<void>;
  createMediaElementSource(element: unknown): { connect(to: unknown): void };
  createMediaStreamDestination(): { readonly stream: unknown };
  decodeAudioData(
    bytes: ArrayBuffer,
  ): Promise<{ readonly sampleRate: number; getChannelData(channel: number): Float32Array }>;
}

interface Recorder {
  start(): void;
  stop(): void;
  addEventListener(type: string, listen: (event: { readonly data: unknown }) => void): void;
}

interface RecordedMedia extends Media {
  crossOrigin: string | null;
  src: string;
  recorder?: Recorder;
  sound?: SoundContext;
}

/** Records what a media element plays from now on. Runs in the page. */
async function startRecording(element: RecordedMedia): Promise<void> {
  const { AudioContext, MediaRecorder } = globalThis as unknown as SoundPage;
  const loaded = new Promise<void>((resolve) => {
    element.addEventListener('loadedmetadata', resolve, { once: true });
  });
  // Otherwise what is recorded is silent.
  element.crossOrigin = 'anonymous';
  element.src = `${element.src}`;
  await loaded;
  const sound = new AudioContext();
  await sound.resume();
  const target = sound.createMediaStreamDestination();
  sound.createMediaElementSource(element).connect(target);
  const recorder = new MediaRecorder(target.stream);
  recorder.start();
  Object.assign(element, { recorder, sound });
}

/** Waits for two seconds of sound, and returns the tone at its beginning, in hertz, and how long that is. Runs in the page. */
async function toneAtStart(element: RecordedMedia): Promise<{ readonly tone: number; readonly seconds: number }> {
  const { Blob } = globalThis as unknown as SoundPage;
  const { recorder, sound } = element;
  if (!recorder || !sound) throw new Error('nothing is recorded');
  const begin = element.currentTime;
  while (element.paused || element.currentTime < begin + 2) {
    await new Promise<void>((resolve) => {
      element.addEventListener('timeupdate', resolve, { once: true });
    });
  }
  const recorded = new Promise<unknown>((resolve) => {
    recorder.addEventListener('dataavailable', ({ data }) => resolve(data));
  });
  recorder.stop();
  const decoded = await sound.decodeAudioData(await new Blob([await recorded]).arrayBuffer());
  const wave = decoded.getChannelData(0);
  const loud = wave.findIndex((value) => Math.abs(value) > 0.2);
  // Not its very beginning, which the encoder blurs.
  const [from, to] = [loud + decoded.sampleRate * 0.02, loud + decoded.sampleRate * 0.1].map(Math.round);
  const crossings: number[] = [];
  for (let at = from ?? 0; at < (to ?? 0); at++) {
    const [one = 0, next = 0] = [wave[at], wave[at + 1]];
    if (one < 0 && next >= 0) crossings.push(at + one / (one - next));
  }
  const length = (crossings.at(-1) ?? 0) - (crossings[0] ?? 0);
  return { tone: ((crossings.length - 1) * decoded.sampleRate) / length, seconds: 0.12 };
}

story('the player', () => {
  let workbench: Workbench;
  let content: Frame;

  before(async () => {
    workbench = await Workbench.start({
      files: {
        'call.wav': wavOf(samples),
        'call.vtt': subtitles,
        'call.md': transcript,
        'long.wav': wavOf(samples),
        'long.vtt': `WEBVTT\n\n${manyCues}`,
        'long.md': 'Hello.\n',
        'phone.m4a': phoneRecording,
        'phone.md': 'Hello.\n',
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

  /** Returns the line of the text whose words are marked; nothing when none are. */
  const markedLine = (): Promise<string> =>
    workbench.page.evaluate(() => {
      const { document } = globalThis as unknown as { readonly document: Lines };
      const top = document
        .querySelector('.editor-instance .view-overlays [class*="ced-"]')
        ?.getBoundingClientRect().top;
      for (const line of document.querySelectorAll('.editor-instance .view-line')) {
        const { top: start, bottom } = line.getBoundingClientRect();
        // Blanks in lines are protected.
        if (top !== undefined && start <= top + 2 && top + 2 < bottom)
          return line.textContent.replaceAll('\u00a0', ' ');
      }
      return '';
    });

  it('plays from the sentence at the cursor, also of a text that was edited', async () => {
    await workbench.openFile('call.md');
    await workbench.page.locator('.view-line').filter({ hasText: 'Sentence number 4' }).click();
    await workbench.runCommand('Media: Play from Here');
    content = await workbench.webview('#player .cues');
    await button('Pause').waitFor();
    await eventually('it sounds', () => media().evaluate((element: Media) => element.played.length > 0));
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

  /** Leaves out most of a sentence, without a click, which would be an order to the player. */
  const skipTo = (seconds: number) =>
    media().evaluate((element: Media, to: number) => {
      element.currentTime = to;
    }, seconds);

  it('plays from a cue that is clicked', async () => {
    const seconds = await jump(() => cue(9).click());
    assert(Math.abs(seconds - 40) < 0.1, `it plays at ${seconds} s`);
    await eventually('the cue is current', async () => (await cue(9).getAttribute('aria-current')) === 'true');
  });

  it('sounds from the moment of the cue that is clicked, within 100 ms', async () => {
    await button('Pause').click();
    await eventually('it pauses', isPaused);
    await media().evaluate(startRecording);
    await cue(5).click();
    const { tone, seconds } = await media().evaluate(toneAtStart);
    // The tone rises while it is measured.
    const heard = (tone - startHertz) / risingHertz - seconds / 2;
    assert(Math.abs(heard - 20) <= 0.1, `what is heard first is at ${heard} s`);
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
    const play = workbench.page.locator('.codelens-decoration a').filter({ hasText: 'Play' });
    // VS Code replaces the line when it asks for it again, and a click on the one before does nothing.
    await eventually('it plays from the beginning', async () => {
      await play.click();
      return !(await isPaused()) && (await now()) < sentenceSeconds;
    });
    await workbench.screenshot('player - line above a transcript');
  });

  it('plays one paragraph, and pauses at its end', async () => {
    await workbench.openFile('call.md');
    await workbench.page
      .locator('.view-line')
      .filter({ hasText: /Sentence.number.4.is/ })
      .click();
    const start = await jump(() => workbench.runCommand('Media: Hear This Paragraph'));
    assert(Math.abs(start - 15) < 0.1, `it plays at ${start} s`);
    await skipTo(19);
    await eventually('it pauses', isPaused);
    const end = await now();
    assert(Math.abs(end - 20) < 1, `it paused at ${end} s`);
    await button('Play').click();
    await eventually('it goes on', async () => (await now()) > end + 0.2);
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

  it('marks the sentence that is heard, from the first and to the last', async () => {
    await workbench.openFile('call.md');
    for (const first of [1, sentences.length - 1]) {
      await cue(first).click();
      for (const number of [first, first + 1]) {
        await eventually(`sentence ${number} is marked`, async () =>
          (await markedLine()).includes(`number ${number} is`),
        );
        const at = (await now()) / sentenceSeconds;
        assert(number - 2 <= at && at <= number + 1, `sentence ${number} is marked at sentence ${at + 1}`);
        if (number === first) await skipTo(first * sentenceSeconds - 0.5);
      }
    }
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
    await content.getByRole('combobox', { name: 'Speed' }).selectOption('0.5');
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
    // It was at sentence 3, and is slow.
    await eventually('it plays sentence 2', async () => (await now()) < 2 * sentenceSeconds - 0.5);
    await cue(9).focus();
    const search = content.getByRole('searchbox', { name: 'Find in Cues' });
    await search.fill('bob number 1');
    await cue(9).waitFor({ state: 'detached' });
    await search.focus();
    await workbench.page.keyboard.press('Tab');
    await workbench.page.keyboard.press('Tab');
    await workbench.page.keyboard.press('Enter');
    await eventually('it plays sentence 10, the first that is found', async () => (await now()) >= 45);
    await search.fill('');
    await button('Pause').click();
  });

  /** Returns the colours of the theme, and the waveform as a picture. */
  const waveform = () =>
    content.locator('canvas').evaluate((canvas: Canvas) => {
      const style = (globalThis as unknown as Styled).getComputedStyle(canvas);
      const names = ['--vscode-charts-blue', '--vscode-charts-orange'];
      return [names.map((name) => style.getPropertyValue(name)).join(), canvas.toDataURL()] as const;
    });
  const drawn = new Map<string, string>();
  for (const [index, [body, theme]] of Object.entries(themes).entries()) {
    it(`meets WCAG 2.1 AA in ${theme} and fits`, async () => {
      await workbench.setTheme(theme);
      await content.locator(`body.${body}`).waitFor();
      const [colours, waves] = await waveform();
      assert(drawn.has(colours) || ![...drawn.values()].includes(waves), 'the waveform has the colours of this theme');
      drawn.set(colours, waves);
      await workbench.screenshot(`player - ${theme}`);
      assert.deepEqual(await violations({ content }, 'editor', index === 0 ? 'all' : 'ofColour'), []);
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

  it('draws the cues that are visible, also after a search without hits and in a tall view', async () => {
    await workbench.openFile('long.md');
    await workbench.runCommand('Media: Play from Here');
    content = await workbench.webview('#player [title="long.wav"]');
    await button('Pause').click();
    const list = content.locator('.cues');
    await list.evaluate((element: Sized) => element.scrollTo(0, 1e6));
    await cue(200).waitFor();
    const search = content.getByRole('searchbox', { name: 'Find in Cues' });
    await search.fill('zebra');
    await content.getByRole('status').getByText('No cue has these words.').waitFor();
    await search.fill('');
    await cue(1).waitFor();
    await list.evaluate((element: Sized) => {
      element.style.height = '2000px';
    });
    await cue(83).waitFor();
  });

  it('says in a sentence that AAC cannot be heard, and offers the system’s player', async () => {
    // As in VS Code on the desktop, whose FFmpeg has no AAC.
    await using _ = await workbench.page.addInitScript(() => {
      const { HTMLMediaElement: element } = globalThis as unknown as { HTMLMediaElement: { prototype: object } };
      Object.assign(element.prototype, { canPlayType: () => '' });
    });
    await workbench.openFile('phone.md');
    await workbench.runCommand('Media: Play from Here');
    content = await workbench.webview('#player [role=alert]');
    await content.getByText('VS Code has no decoder for AAC, so it cannot play this sound.').waitFor();
    await content.getByRole('button', { name: /^Open Externally at 0:0\d$/ }).waitFor();
    await content.getByText('There are no subtitles beside this recording.').waitFor();
    await workbench.screenshot('player - AAC');
  });
});
