import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { UnifiedMedia } from '../../src/extension.ts';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import type { Job } from '../../src/work/Job.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { type Kind, soundOf } from '../support/narrations.ts';
import { answerDialog } from './answerDialog.ts';
import { answerQuestions } from './answerQuestions.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { eventually, repeatedly } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { emptyFolder, remove, workspaceFolder } from './workspaceFolder.ts';

interface Spoken {
  readonly model: string;
  readonly input: string;
  readonly voice: string;
  readonly response_format: string;
}

const speaker = { model: 'speaker', voice: 'nova', response_format: 'mp3' } as const;
const paragraphs = Array.from(
  { length: 5 },
  (_, index) => `Paragraph ${index + 1} has **words** and a [link](https://example.org/${index}).`,
);
const document = (list: readonly string[] = paragraphs) => `---\ntitle: Guide\n---\n\n${list.join('\n\n')}\n`;

describe('unifiedMedia.narrateDocument', () => {
  let folder: string;
  /** A folder that is not in the workspace. */
  let outside: string;
  let server: HttpServer;
  let requests: Spoken[];
  let failing: string;
  let lost: string;
  let useless: string;

  before(async () => {
    folder = workspaceFolder();
    outside = await mkdtemp(join(tmpdir(), 'narration-outside-'));
    await writeFile(join(outside, 'guide.md'), 'Words.');
    server = await startHttpServer(async (request, response) => {
      const body = JSON.parse(String(await bodyOf(request))) as Spoken;
      requests.push(body);
      if (body.input === lost) return request.socket.destroy();
      if (body.input === useless) return response.end('<html></html>');
      if (body.input === failing) return response.writeHead(400).end('{"error":"no"}');
      return response.end(soundOf(body.response_format as Kind, body.input));
    });
    const models = { speak: [speaker.model] };
    await changeSettings({ service: 'remote', audioBaseUrl: server.origin, openAfterSave: false, models });
    await setApiKey('key-1');
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    await resetSettings();
    await remove(outside);
  });

  beforeEach(() => {
    requests = [];
    failing = '';
    lost = '';
    useless = '';
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await emptyFolder(folder);
  });

  const uri = (name = 'guide.md') => vscode.Uri.file(join(folder, 'docs', name));

  async function write(text: string, name = 'guide.md'): Promise<void> {
    const open = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri(name).toString());
    if (open) {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(open.uri, new vscode.Range(0, 0, open.lineCount, 0), text);
      assert(await vscode.workspace.applyEdit(edit));
      return;
    }
    await mkdir(join(folder, 'docs'), { recursive: true });
    await writeFile(uri(name).fsPath, text);
  }

  function run(argument: unknown): Thenable<Asset[] | undefined> {
    return vscode.commands.executeCommand<Asset[] | undefined>('unifiedMedia.narrateDocument', argument);
  }

  /** Narrates by argument. @returns the inputs that were sent */
  async function narrate(given: object = {}): Promise<readonly string[]> {
    const before = requests.length;
    const assets = await run({ uri: uri(), ...given });
    assert.equal(assets?.length, 1);
    return requests.slice(before).map(({ input }) => input);
  }

  const filesIn = async (path = 'media/speech') => (await readdir(join(folder, path))).sort();
  const sound = () => readFile(join(folder, 'media/speech/guide.mp3'));

  async function lensCommands(document = uri()): Promise<readonly (vscode.Command | undefined)[]> {
    const provider = 'vscode.executeCodeLensProvider';
    const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(provider, document, 10);
    return found.map(({ command }) => command);
  }

  const lenses = async (document = uri()) => (await lensCommands(document)).map((command) => command?.title ?? '');

  /** Resolves when the first lens matches; it updates after a pause in typing. */
  async function untilLens(expected: RegExp, document = uri()): Promise<void> {
    let shown: readonly string[] = [];
    const holds = async () => {
      shown = await lenses(document);
      return expected.test(shown[0] ?? '');
    };
    await eventually(repeatedly, holds).catch(() => assert.fail(`The lenses are ${JSON.stringify(shown)}.`));
  }

  /** Whether the lens is unchanged right after an edit. Retries, because the library may change at that moment. */
  async function staysWhileTyping(expected: RegExp): Promise<boolean> {
    for (let attempt = 0; attempt < 20; attempt++) {
      await untilLens(expected);
      await write(document(paragraphs.with(0, 'One.')));
      const [shown = ''] = await lenses();
      if (expected.test(shown)) return true;
      await write(document());
    }
    return false;
  }

  it('finding 2: has no lens above a document of more than 1 MB', async () => {
    await write(document());
    await narrate(speaker);
    await untilLens(/up to date/);
    await write(`${document()}\n\n<!-- ${'word '.repeat(200_000)} -->\n`);
    await untilLens(/^$/);
    await write(document());
    await untilLens(/up to date/);
  });

  it('speaks one paragraph again on request, and nothing where it would have to speak others, too', async () => {
    const again = async (line: number) =>
      vscode.commands.executeCommand('unifiedMedia.speakParagraphAgain', { uri: uri(), line });
    const text = document();
    await write(text);
    await assert.rejects(again(0), /has no narration yet.*\[invalidInput\]/);
    await narrate(speaker);
    const line = text.split('\n').findIndex((one) => one.includes(paragraphs[2] ?? ''));
    const before = requests.length;
    await again(line);
    assert.deepEqual(
      requests.slice(before).map(({ input }) => input),
      ['Paragraph 3 has words and a link.'],
    );
    await write(`${document()}\n\`\`\`\ncode\n\`\`\`\n`);
    await assert.rejects(again(text.split('\n').length + 1), /no text to read aloud.*\[invalidInput\]/);
    await write(document(paragraphs.with(0, 'Another one.')));
    await assert.rejects(again(line), /Other paragraphs have changed.*\[invalidInput\]/);
    assert.equal(requests.length, before + 1);
  });

  it('resolves to the existing asset when nothing has changed', async () => {
    await write(document());
    const [first] = (await run({ uri: uri(), ...speaker })) ?? [];
    const [second] = (await run({ uri: uri() })) ?? [];
    assert(first);
    assert.deepEqual(second, first);
    assert.equal(requests.length, 5);
    assert.deepEqual(
      [first.kind, first.operation, first.model, first.mediaType, first.bytes],
      ['speech', 'speak', 'speaker', 'audio/mpeg', (await sound()).length],
    );
  });

  it('asks about all paragraphs that a yes may send again, also one whose answer was of no use', async () => {
    await write('The first is sent alone.\n\nOne.\n\nTwo.\n');
    [lost, useless] = ['One.', 'Two.'];
    await vscode.window.showTextDocument(uri());
    using _voice = answerQuestions({ Voice: 'nova' });
    using dialog = answerDialog('showWarningMessage', () => undefined);
    using told = answerDialog('showErrorMessage', () => undefined);
    await run(undefined);
    await eventually(repeatedly, () => told.questions.length === 1);
    await run(undefined);
    await eventually(repeatedly, () => dialog.questions.length === 1);
    assert.match(dialog.questions[0] ?? '', /outcome is unknown/);
    assert.match(dialog.details[0] ?? '', /Text: One\.[\s\S]*Text: Two\./);
    assert.equal(requests.length, 3);
  });

  it('asks before Run Again of a refused paragraph sends another one whose outcome is unknown', async () => {
    await write('The first is sent alone.\n\nRed.\n\nBlue.\n');
    [failing, lost] = ['Red.', 'Blue.'];
    await assert.rejects(narrate(speaker));
    assert.equal(requests.length, 3);
    [failing, lost] = ['', ''];
    const isRefused = ({ job }: { readonly job: Job }) => 'input' in job.request && job.request.input === 'Red.';
    using _pick = answerDialog('showQuickPick', (items) => (items as { readonly job: Job }[]).find(isRefused));
    using dialog = answerDialog('showWarningMessage', (question) =>
      /^Run this job again/.test(String(question)) ? 'Run Again' : undefined,
    );
    using _told = answerDialog('showErrorMessage', () => undefined);
    await vscode.commands.executeCommand('unifiedMedia.runAgain');
    assert.match(dialog.questions[1] ?? '', /outcome is unknown/);
    assert.equal(requests.length, 3);
  });

  it('confirms the cost of another voice before it sends anything', async () => {
    await write(document());
    await narrate(speaker);
    requests = [];
    await vscode.window.showTextDocument(uri());
    let answer: string | undefined;
    using dialog = answerDialog('showWarningMessage', () => answer);
    using questions = answerQuestions({ Voice: 'echo' });
    let clicks = 2;
    using told = answerDialog('showInformationMessage', () => (clicks-- > 0 ? 'Change Voice…' : undefined));
    // The recorded voice is taken without a question.
    assert.equal((await run(undefined))?.length, 1);
    await eventually(repeatedly, () => dialog.questions.length === 1);
    assert.deepEqual(questions.questions.length, 1);
    assert.match(dialog.questions[0] ?? '', /^Speak 5 paragraphs again with the voice echo \(\d+ characters\)\?$/);
    assert.match(
      dialog.details[0] ?? '',
      /^Service: .+\nModel: “speaker”\nVoice: echo\nAudio format: mp3\n\nRequest 1\nText: /,
    );
    assert.deepEqual(requests, []);
    answer = 'Narrate';
    await run(undefined);
    await eventually(repeatedly, () => told.questions.length === 3);
    assert.equal(requests.length, 5);
    assert.deepEqual([...new Set(requests.map(({ voice }) => voice))], ['echo']);
    assert.deepEqual(await filesIn(), ['guide.mp3', 'guide.vtt']);
    assert.match(told.questions[2] ?? '', /^Saved guide\.mp3\. 5 paragraphs were spoken\.$/);
  });

  it('speaks everything again with another further field, which the next narration keeps', async () => {
    const few = paragraphs.slice(0, 3);
    const fields = (): readonly unknown[] => [...new Set(requests.map((one) => (one as { speed?: number }).speed))];
    await changeSettings({ fields: { speak: { speed: { type: 'number', minimum: 0.25, maximum: 4 } } } });
    await write(document(few));
    await assert.rejects(async () => run({ uri: uri(), ...speaker, fields: { speed: 9 } }), /at most 4/);
    await assert.rejects(async () => run({ uri: uri(), ...speaker, fields: { tone: 1 } }), /no field "tone"/);
    assert.deepEqual(requests, []);
    await narrate(speaker);
    assert.deepEqual(fields(), [undefined]);
    requests = [];
    assert.equal((await narrate({ fields: { speed: 2 } })).length, 3);
    assert.deepEqual(fields(), [2]);
    await untilLens(/up to date/);
    // The recorded value is kept where the argument has none.
    assert.deepEqual(await narrate(), []);
    await write(document(few.with(0, 'The start.')));
    assert.deepEqual(await narrate(), ['The start.']);
    assert.deepEqual(fields(), [2]);
    // What is no longer declared is not sent.
    await changeSettings({ fields: undefined });
    requests = [];
    assert.equal((await narrate()).length, 3);
    assert.deepEqual(fields(), [undefined]);
  });

  it('continues at a failed paragraph, also by Run Again, which gives its voice to no other', async () => {
    const [first = '', second = '', third = ''] = paragraphs;
    await write(document([first, second, '<!-- voice: alloy -->', third]));
    failing = 'Paragraph 2 has words and a link.';
    await changeSettings({ maxConcurrentJobs: 1 });
    await assert.rejects(narrate(speaker), { message: /already spoken are kept.* \[badRequest\]$/ });
    await changeSettings({ maxConcurrentJobs: undefined });
    assert.equal(requests.length, 2);
    failing = '';
    const extension = vscode.extensions.getExtension<UnifiedMedia>('unified-media.unified-media');
    const failed = extension?.exports.jobs.find(({ state }) => state === 'failed');
    assert(failed);
    const again = await vscode.commands.executeCommand<Asset[]>('unifiedMedia.runAgain', { jobId: failed.id });
    assert.deepEqual(
      again.map((asset) => asset.uri),
      [vscode.Uri.file(join(folder, 'media/speech/guide.mp3')).toString()],
    );
    // Both are out at the same time, so either may arrive first.
    const sent = requests.slice(2).map(({ input, voice }) => `${input.slice(0, 11)}: ${voice}`);
    assert.deepEqual(sent.sort(), ['Paragraph 2: alloy', 'Paragraph 3: nova']);
  });

  it('sends nothing while the narration is a Git LFS pointer, whose parts cannot be taken', async () => {
    await write(document(paragraphs.slice(0, 2)));
    await narrate(speaker);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
    await writeFile(join(folder, 'media/speech/guide.mp3'), pointer);
    await write(document([paragraphs[0] ?? '', 'Another.']));
    requests = [];
    await assert.rejects(narrate(), { message: /guide\.mp3 is a Git LFS pointer.*git lfs pull/ });
    assert.deepEqual(requests, []);
  });

  it('shows changes above the document after a pause in typing, unless the setting is off', async () => {
    await write(document());
    await narrate(speaker);
    assert(await staysWhileTyping(/up to date/));
    await write(document(paragraphs.toReversed()));
    await untilLens(/^Narration: paragraphs moved or removed · Update for Free$/);
    await changeSettings({ 'narration.codeLens': false });
    assert.deepEqual(await lenses(), []);
    await changeSettings({ 'narration.codeLens': undefined });
  });

  it('confirms long documents by the number of characters to speak', async () => {
    await changeSettings({ confirmAbove: { images: 4, videos: 1, characters: 60 } });
    await write(document());
    await narrate(speaker);
    await write(document(paragraphs.with(3, 'Short.')));
    using _told = answerDialog('showInformationMessage', () => undefined);
    using dialog = answerDialog('showWarningMessage', () => undefined);
    const clickLens = async (title: RegExp) => {
      await untilLens(title);
      const [lens] = await lensCommands();
      assert(lens);
      return vscode.commands.executeCommand<Asset[] | undefined>(lens.command, ...(lens.arguments ?? []));
    };
    assert.equal((await clickLens(/Narrate 1 /))?.length, 1);
    assert.deepEqual(dialog.questions, []);
    await write(document(paragraphs.map((words) => `Now ${words}`)));
    requests = [];
    assert.equal(await clickLens(/Narrate 5 /), undefined);
    assert.match(dialog.questions[0] ?? '', /^Speak \d+ characters\?$/);
    assert.deepEqual(requests, []);
    await changeSettings({ confirmAbove: undefined });
  });

  it('inserts a player with the title of the document and a transcript link, which do not change the narration', async () => {
    await write(`# Getting Started\n\n${paragraphs[0]}\n`);
    await narrate(speaker);
    await vscode.window.showTextDocument(uri());
    await untilLens(/up to date/);
    const insert = (await lensCommands()).find((command) => command?.title === 'Insert Player');
    assert(insert);
    await vscode.commands.executeCommand(insert.command, ...(insert.arguments ?? []));
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.equal(
      text,
      [
        '# Getting Started',
        '',
        '<audio controls src="../media/speech/guide.mp3" title="Getting Started"></audio>',
        '[Transcript](../media/speech/guide.vtt)',
        '',
        paragraphs[0],
        '',
      ].join('\n'),
    );
    assert.deepEqual(await narrate(), []);
  });

  it('saves in the project’s folder for audio', async () => {
    // A folder that was not read before, because the contents of folders are cached briefly.
    const site = join(folder, 'site');
    await mkdir(join(site, 'docs'), { recursive: true });
    await mkdir(join(site, 'static/audio'), { recursive: true });
    await writeFile(join(site, 'docusaurus.config.js'), '');
    await writeFile(join(site, 'docs/guide.md'), document());
    assert.equal((await run({ uri: vscode.Uri.file(join(site, 'docs/guide.md')), ...speaker }))?.length, 1);
    assert.deepEqual(await filesIn('site/static/audio'), ['guide.mp3', 'guide.vtt']);
  });

  it('recognises a renamed document, and plays it after a free update', async () => {
    // A document that no other test has opened, because it must be on disk.
    await write(document(), 'first.md');
    await narrate({ uri: uri('first.md'), ...speaker });
    await vscode.workspace.fs.rename(uri('first.md'), uri('intro.md'));
    await vscode.workspace.openTextDocument(uri('intro.md'));
    await untilLens(/document moved or renamed · Update for Free/, uri('intro.md'));
    assert.equal((await run({ uri: uri('intro.md') }))?.length, 1);
    await untilLens(/up to date/, uri('intro.md'));
    assert.equal(requests.length, 5);
    await vscode.commands.executeCommand('unifiedMedia.playFromHere', { uri: uri('intro.md'), line: 0 });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const wrong: readonly (readonly [string, () => object, RegExp])[] = [
    [
      'a field that it does not know',
      () => ({ uri: uri(), speed: 2 }),
      /There is no field "speed".* \[invalidInput\]$/,
    ],
    [
      'a format that cannot be joined',
      () => ({ uri: uri(), model: 'm', response_format: 'flac' }),
      /\(response_format\).*mp3, wav, aac/,
    ],
    [
      'a document that is not there',
      () => ({ uri: uri('absent.md') }),
      /^Document \(uri\): .*absent\.md cannot be opened/,
    ],
    [
      'a document outside of the folder',
      () => ({ uri: vscode.Uri.file(join(outside, 'guide.md')), ...speaker }),
      /\(uri\)/,
    ],
    ['a document without words', () => ({ uri: uri('code.md'), ...speaker }), /no text to read aloud/],
  ];
  for (const [what, argument, sentence] of wrong) {
    it(`refuses ${what}, before anything is sent`, async () => {
      await write(document());
      await write('```\ncode\n```\n', 'code.md');
      await assert.rejects(Promise.resolve(run(argument())), { message: sentence });
      assert.deepEqual(requests, []);
    });
  }
});
