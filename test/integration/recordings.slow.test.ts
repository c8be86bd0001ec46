import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFile, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import { offerEdits, TranscriptTokens } from '../../src/features/recordings/TranscriptTokens.ts';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { repositoryVariable } from '../host/testOutput.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { wavOf } from '../support/mediaBytes.ts';
import { skipUnless } from '../support/skipUnless.ts';
import { answerDialog } from './answerDialog.ts';
import { answerQuestions } from './answerQuestions.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { anyOf, eventually } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { untilRead } from './untilRead.ts';
import { emptyFolder } from './workspaceFolder.ts';

const token = /<!-- transcribing call\.m4a · [0-9a-f]{8} -->/;
const words = 'A fox jumps *over* a dog.';
const written = 'A fox jumps \\*over\\* a dog.';

const recordingOf = (name: string) => join(process.env[repositoryVariable] ?? '', 'test/support/recordings', name);

describe('recordings in documents', () => {
  let root: vscode.Uri;
  let server: HttpServer;
  let sent: string[];
  const arrived = new vscode.EventEmitter<void>();
  let held: ServerResponse[];
  let holds: boolean;
  let documents = 0;
  let answer: (response: ServerResponse, body: string) => void;

  /** VS Code takes up to half a second for each setting, so all tests share them. */
  const settings = () => ({
    audioBaseUrl: server.origin,
    models: { transcribe: ['writer'], translate: ['writer'] },
    openAfterSave: false,
  });

  before(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(folder);
    root = folder;
    server = await startHttpServer(async (request, response) => {
      const body = (await bodyOf(request)).toString('latin1');
      sent.push(`${request.url} ${/filename="([^"]+)"/.exec(body)?.[1]}`);
      if (holds) held.push(response);
      else answer(response, body);
      arrived.fire();
    });
    await changeSettings(settings());
    await setApiKey('key');
  });

  beforeEach(async () => {
    sent = [];
    held = [];
    holds = false;
    answer = (response) => response.end(JSON.stringify({ text: words }));
    await mkdir(join(root.fsPath, 'talks'), { recursive: true });
    const recording = recordingOf('m4a.m4a');
    await copyFile(recording, join(root.fsPath, 'talks/call.m4a'));
  });

  afterEach(async () => {
    for (const response of held) response.destroy();
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await resetSettings(settings());
    await emptyFolder(root.fsPath);
  });

  after(async () => {
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    await resetSettings();
    await server[Symbol.asyncDispose]();
  });

  /** Opens a document with the cursor on its second line. */
  async function open(path = `notes-${++documents}.md`, text = '# Call\n\nEnd.\n'): Promise<vscode.TextEditor> {
    const uri = vscode.Uri.joinPath(root, path);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    await untilRead(uri, text);
    const editor = await vscode.window.showTextDocument(uri, { preview: false });
    editor.selection = new vscode.Selection(1, 0, 1, 0);
    return editor;
  }

  /** Copies a recording in the Explorer and returns to the document. */
  async function copy(path = 'talks/call.m4a'): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.joinPath(root, path));
    await vscode.commands.executeCommand('filesExplorer.copy');
    assert(editor);
    const { document, selection } = editor;
    await vscode.window.showTextDocument(document, { selection, preview: false });
  }
  /** Writes the times of a transcript and records them, as a request leaves them. */
  async function keepTimes(file: string, times: vscode.Uri, text: string): Promise<void> {
    await writeFile(times.fsPath, text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    const line = {
      ...{ file, kind: 'transcripts', operation: 'transcribe', model: 'writer', jobId: file },
      createdAt: new Date().toISOString(),
      times: { name: basename(times.fsPath), sha256 },
    };
    await mkdir(join(root.fsPath, '.unified-media'), { recursive: true });
    await appendFile(join(root.fsPath, '.unified-media/library.jsonl'), `${JSON.stringify(line)}\n`);
  }
  const paste = (kind: string) => vscode.commands.executeCommand('editor.action.pasteAs', { kind });
  const untilText = (document: vscode.TextDocument, holds: (text: string) => boolean) =>
    eventually(vscode.workspace.onDidChangeTextDocument, () => holds(document.getText()));
  const undo = () => vscode.commands.executeCommand('undo');
  const into = (argument: object = { file: 'talks/call.m4a' }) =>
    Promise.resolve(
      vscode.commands.executeCommand<Asset[] | undefined>('unifiedMedia.transcribeIntoDocument', argument),
    );
  /** Resolves when the service has received this many requests. */
  async function untilSent(count: number): Promise<void> {
    await eventually(arrived.event, () => sent.length >= count);
  }

  it('are not sent when the token is undone while the job is queued', async () => {
    await changeSettings({ maxConcurrentJobs: 1 });
    holds = true;
    const other = vscode.commands.executeCommand('unifiedMedia.transcribe', {
      file: 'talks/call.m4a',
      model: 'writer',
    });
    await untilSent(1);
    const { document } = await open();
    const waiting = into();
    await untilText(document, (text) => token.test(text));
    await undo();
    await assert.rejects(waiting, /(?:Nothing was sent|while preparing the recording)\. \[cancelled\]/);
    assert.equal(document.getText(), '# Call\n\nEnd.\n');
    holds = false;
    for (const response of held.splice(0)) answer(response, '');
    await other;
    assert.equal(sent.length, 1);
    await vscode.commands.executeCommand('redo');
    await untilText(document, (text) => text.includes('fox'));
    assert.equal(sent.length, 2, 'redo brings the token back, and with it the job');
  });

  it('replace the token wherever it is, in any document', async () => {
    const { document } = await open();
    holds = true;
    const done = into();
    await untilSent(1);
    const text = token.exec(document.getText())?.[0] ?? '';
    const other = await open('other.md', 'Before.\n\nAfter.\n');
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(1, 0, 2, 0), '');
    edit.insert(other.document.uri, new vscode.Position(1, 0), text);
    await vscode.workspace.applyEdit(edit);
    answer(held[0] as ServerResponse, '');
    await done;
    assert.equal(other.document.getText(), `Before.\n${written}\nAfter.\n`);
    assert.equal(sent.length, 1);
  });

  it('are saved when the token is gone, and inserted on request', async () => {
    const editor = await open();
    holds = true;
    const done = into();
    await untilSent(1);
    await undo();
    using dialog = answerDialog('showInformationMessage', (_, insert) => insert);
    answer(held[0] as ServerResponse, '');
    const [asset] = (await done) ?? [];
    assert.match(await readFile(fileURLToPath(asset?.uri ?? ''), 'utf8'), /A fox/);
    await untilText(editor.document, (text) => text.includes('fox'));
    assert.match(
      dialog.questions.join(),
      /was saved as media\/transcripts\/call\.md\. It was not inserted, because its place in notes-\d+\.md is gone/,
    );
    assert.equal(sent.length, 1);
  });

  it('wait for the user when the document is renamed and closed, then replace the token', async () => {
    const { document } = await open('meetings/notes.md');
    holds = true;
    const done = into();
    await untilSent(1);
    await document.save();
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(vscode.Uri.joinPath(root, 'meetings'), vscode.Uri.joinPath(root, 'diary'));
    await vscode.workspace.applyEdit(edit);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    using _ = answerDialog('showInformationMessage', (__, insert) => insert);
    answer(held[0] as ServerResponse, '');
    await done;
    await eventually(
      anyOf(vscode.workspace.onDidChangeTextDocument, vscode.window.onDidChangeActiveTextEditor),
      () => vscode.window.activeTextEditor?.document.getText() === `# Call\n${written}\nEnd.\n`,
    );
  });

  it('are transcribed at the cursor by the command, as comments of the language', async () => {
    const { document } = await open('notes.adoc', '= Call\n\nEnd.\n');
    holds = true;
    const done = into({ file: vscode.Uri.joinPath(root, 'talks/call.m4a'), model: 'scribe', operation: 'translate' });
    await untilSent(1);
    assert.match(document.getText(), /^= Call\n\/\/ translating call\.m4a · [0-9a-f]{8}\nEnd\.\n$/);
    answer(held[0] as ServerResponse, '');
    const [asset] = (await done) ?? [];
    assert.deepEqual([asset?.operation, asset?.model], ['translate', 'scribe']);
    assert.equal(document.getText(), '= Call\nA fox jumps &#42;over&#42; a dog.\nEnd.\n');
  });

  it('are refused by the command with a message that names the field, before anything changes', async () => {
    const { document } = await open();
    for (const [argument, message] of [
      [{ file: 'talks/none.m4a' }, /\(file\): none\.m4a does not exist\. \[invalidInput\]/],
      [{ file: 'notes.md' }, /\(file\) must be an audio file/],
      [{}, /\(file\) is missing/],
      [{ file: 'talks/call.m4a', operation: 'sing' }, /Operation \(operation\) must be one of/],
      [{ file: 'talks/call.m4a', prompt: 'x' }, /no field "prompt"/],
    ] as const) {
      await assert.rejects(into(argument), message);
    }
    assert.equal(document.getText(), '# Call\n\nEnd.\n');
    assert.deepEqual(sent, []);
  });

  it('lose their token when the service refuses them, and the job does not return', async () => {
    const { document } = await open();
    answer = (response) => response.writeHead(400).end('{"error":{"message":"no speech"}}');
    await assert.rejects(into(), /no speech.*\[badRequest\]/);
    assert.equal(document.getText(), '# Call\n\nEnd.\n');
    await undo();
    assert.match(document.getText(), token);
    assert.equal(sent.length, 1);
  });

  it('are refused while the document is closed: a message names it and removes the token', async () => {
    const { document } = await open('refused.md');
    holds = true;
    const done = into();
    await untilSent(1);
    await document.save();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    using dialog = answerDialog('showInformationMessage', (_, remove) => remove);
    (held[0] as ServerResponse).writeHead(400).end('{"error":{"message":"no speech"}}');
    await assert.rejects(done, /no speech.*\[badRequest\]/);
    await eventually(
      anyOf(vscode.workspace.onDidChangeTextDocument, vscode.window.onDidChangeActiveTextEditor),
      () => vscode.window.activeTextEditor?.document.getText() === '# Call\n\nEnd.\n',
    );
    assert.match(
      dialog.questions.join(),
      /^refused\.md still contains “<!-- transcribing call\.m4a · [0-9a-f]{8} -->”/,
    );
  });

  it('replace the remaining token after Run Again', async () => {
    const { document } = await open();
    answer = (response) => response.writeHead(500).end('{"error":{"message":"busy"}}');
    await assert.rejects(into(), /busy.*\[server\]/);
    assert.match(document.getText(), token);
    answer = (response) => response.end(JSON.stringify({ text: words }));
    const media = vscode.extensions.all.find(({ packageJSON }) => packageJSON.name === 'unified-media');
    assert(media);
    const [job] = (media.exports as { jobs: readonly { id: string }[] }).jobs;
    await vscode.commands.executeCommand('unifiedMedia.runAgain', { jobId: job?.id });
    assert.equal(document.getText(), `# Call\n${written}\nEnd.\n`);
  });

  it('are offered in parts when the service refuses them as too large', async () => {
    const wav = Buffer.alloc(44 + 200_000);
    const header = await readFile(recordingOf('wav.wav'));
    header.copy(wav, 0, 0, 44);
    wav.writeUInt32LE(wav.length - 8, 4);
    wav.write('data', 36, 'latin1');
    wav.writeUInt32LE(200_000, 40);
    const uri = vscode.Uri.joinPath(root, 'talks/call.wav');
    await vscode.workspace.fs.writeFile(uri, wav);
    answer = (response, body) => {
      if (body.length > 150_000) response.writeHead(413).end('{"error":{"message":"too large"}}');
      else response.end(JSON.stringify({ text: `Part ${/part-(\d)/.exec(body)?.[1]}.` }));
    };
    using dialog = answerDialog('showWarningMessage', (...question) => question.at(-1));
    using _ = answerQuestions({ 'Choose a model': 'writer' });
    const saved = await vscode.commands.executeCommand<Asset[]>('unifiedMedia.transcribe', uri, [uri]);
    assert.match(dialog.questions.join(), /The service refused call\.wav as too large\. Send it in [23] parts\?/);
    assert.match(await readFile(fileURLToPath(saved[0]?.uri ?? ''), 'utf8'), /Part 1\.\n\nPart 2\./);
    assert.deepEqual(saved.length, 1);
  });

  it('have speakers that can be renamed throughout the transcript', async () => {
    const text = '**A:** Hello, B.\n\n**B:** Hello.\n\n**A:** A nice day.\n';
    const { document } = await open('call.md', text);
    const argument = { uri: document.uri.toString(), names: { A: 'Ada*', B: 'A' } };
    assert.equal(await vscode.commands.executeCommand('unifiedMedia.renameSpeakers', argument), 3);
    assert.equal(document.getText(), '**Ada\\*:** Hello, B.\n\n**A:** Hello.\n\n**Ada\\*:** A nice day.\n');
    await undo();
    assert.equal(document.getText(), text);
  });

  it('are renamed in place, and named above the transcript', async () => {
    const front = '---\nsource: "call.m4a"\nspeakers: ["A", "B"]\n---\n\n';
    const { document } = await open('in-place.md', `${front}**A:** Hello, B.\n\n**B:** Hello.\n`);
    const rename = (line: number) =>
      vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
        'vscode.executeDocumentRenameProvider',
        document.uri,
        new vscode.Position(line, 2),
        'Ada',
      );
    const edit = await rename(5);
    assert(edit && (await vscode.workspace.applyEdit(edit)));
    assert.equal(document.getText(), `${front.replace('"A"', '"Ada"')}**Ada:** Hello, B.\n\n**B:** Hello.\n`);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      9,
    );
    assert(lenses.some(({ command }) => command?.title === 'Speakers: Ada, B · Rename'));
  });

  it('are looked for in plain text only where it has times', async () => {
    const titles = async (name: string, text: string) => {
      const { document } = await open(name, text);
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        document.uri,
        9,
      );
      return lenses.map(({ command }) => command?.title);
    };
    assert.deepEqual(await titles('requirements.txt', '# Note: keep sorted\nflask\n\nWarning: pinned\n'), []);
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(root, 'timed.vtt'), Buffer.from('WEBVTT\n'));
    assert.deepEqual(await titles('timed.txt', 'A: Hello.\n\nB: Hi.\n'), ['Speakers: A, B · Rename']);
  });

  it('are renamed one after the other, with the names of earlier transcripts, also in the times beside', async () => {
    await open('earlier.md', '---\nsource: "a.m4a"\nspeakers: ["Ada"]\n---\n\n**Ada:** Hi.\n');
    await vscode.workspace.saveAll();
    const cues = 'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v A>Hello, B.\n';
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(root, 'speakers.vtt'), Buffer.from(cues));
    const { document } = await open('speakers.md', '**A:** Hello, B.\n\n**B:** A nice day.\n');
    using questions = answerQuestions({ 'Hello, B.': 'Ada', 'A nice day.': 'B' });
    await vscode.commands.executeCommand('unifiedMedia.renameSpeakers', document.uri);
    assert.equal(questions.questions.length, 2);
    assert.equal(document.getText(), '**Ada:** Hello, B.\n\n**B:** A nice day.\n');
    const times = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, 'speakers.vtt'));
    assert.equal(new TextDecoder().decode(times), cues.replace('<v A>', '<v Ada>'));
  });

  it('get their speakers later by one request, which is asked about, counted and never repeated', async () => {
    const front = '---\nsource: "later.wav"\n---\n\n';
    const [times, recording] = ['later.vtt', 'later.wav'].map((name) => vscode.Uri.joinPath(root, name));
    assert(times && recording);
    await vscode.workspace.fs.writeFile(recording, wavOf(Buffer.alloc(8000 * 6, 0x80)));
    const cues = (one: string, other: string) =>
      `WEBVTT\n\n00:00:00.000 --> 00:00:03.000\n${one}Shall we meet on Monday?\n\n00:00:03.000 --> 00:00:06.000\n${other}No, on Tuesday.\n`;
    await keepTimes('later.md', times, cues('', ''));
    const text = `${front}Shall we all meet on Monday? No, on Tuesday.\n`;
    const { document } = await open('later.md', text);
    const segments = ['Shall we meet Monday?', 'No, Tuesday.'].map((said, index) => ({
      text: said,
      start: index * 3,
      end: index * 3 + 3,
      speaker: ['A', 'B'][index],
    }));
    const bodies: string[] = [];
    answer = (response, body) => {
      bodies.push(body);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: '', segments }));
    };
    await changeSettings({
      ...settings(),
      fields: { transcribe: { response_format: { type: 'string', values: ['json', 'diarized_json'] } } },
    });
    using dialog = answerDialog('showWarningMessage', () => undefined);
    using question = answerQuestions({ '': 'writer' });
    assert.equal(await vscode.commands.executeCommand('unifiedMedia.addSpeakers', document.uri), undefined);
    assert.deepEqual([sent.length, document.getText()], [0, text], 'nothing is sent when the question is dismissed');
    assert.equal(question.questions.length, 1, 'the model is asked for');
    assert.match(dialog.questions.join(), /Send later\.wav \(1 minute\) once more/);
    const named = `${front.replace('wav"\n', 'wav"\nspeakers: ["A", "B"]\n')}**A:** Shall we all meet on Monday?\n\n**B:** No, on Tuesday.\n`;
    const argument = { uri: document.uri.toString(), model: 'writer' };
    assert.equal(await vscode.commands.executeCommand('unifiedMedia.addSpeakers', argument), 3);
    assert.equal(document.getText(), named);
    assert.match(bodies.join(), /name="response_format"\s+diarized_json/);
    const read = async (uri: vscode.Uri) => new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    assert.equal(await read(times), cues('<v A>', '<v B>'));
    assert.match(await read(vscode.Uri.joinPath(root, 'later.speakers.vtt')), /<v A>Shall we meet Monday\?/);
    await undo();
    assert.equal(document.getText(), text);
    assert.equal(await vscode.commands.executeCommand('unifiedMedia.addSpeakers', argument), 3);
    assert.deepEqual([sent.length, document.getText()], [1, named], 'the answer that is there is used again');
    await assert.rejects(
      Promise.resolve(vscode.commands.executeCommand('unifiedMedia.addSpeakers', argument)),
      /later\.md names its speakers already/,
    );
  });

  it('give subtitles of the text as it reads now, and their times can be updated, without a request', async () => {
    const cues = 'WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n<v A>We meet on Monday at noon.\n';
    const times = vscode.Uri.joinPath(root, 'meeting.vtt');
    await keepTimes('meeting.md', times, cues);
    const { document } = await open('meeting.md', '**A:** We meet on Tuesday at noon.\n');
    const read = async (uri: vscode.Uri) => new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const save = (format: string) =>
      vscode.commands.executeCommand<vscode.Uri>('unifiedMedia.saveSubtitles', { uri: document.uri, format });
    const srt = await save('srt');
    assert.match(srt.path, /\/meeting\.srt$/);
    assert.equal(await read(srt), '1\n00:00:00,000 --> 00:00:04,000\nA: We meet on Tuesday at noon.\n');
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 18, 0, 25), 'Friday');
    await vscode.workspace.applyEdit(edit);
    assert.match((await save('srt')).path, /\/meeting-2\.srt$/, 'a program never replaces a file');
    assert.match(await read(srt), /Tuesday/);
    assert.match((await save('vtt')).path, /\/meeting\.captions\.vtt$/);
    assert.equal(await read(times), cues);
    await vscode.commands.executeCommand('unifiedMedia.updateTimes', { uri: document.uri });
    assert.match(await read(times), /^WEBVTT\n\n00:00:00\.000 --> 00:00:04\.000\n<v A>We <.*>Friday <.*>noon\.\n$/);
  });

  const vtt = (text: string) => `WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n${text}\n`;
  const write = (path: string, content: string) =>
    vscode.workspace.fs.writeFile(vscode.Uri.joinPath(root, path), Buffer.from(content));
  const captions = async ({ uri }: vscode.TextDocument, line: number) =>
    vscode.workspace.asRelativePath(
      await vscode.commands.executeCommand<vscode.Uri>('unifiedMedia.addCaptions', { uri, line }),
    );
  const offered = async ({ uri }: vscode.TextDocument, line: number) => {
    const range = new vscode.Range(line, 0, line, 0);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      uri,
      range,
      vscode.CodeActionKind.RefactorRewrite.value,
    );
    return actions.map(({ title }) => title).filter((title) => title === 'Add Captions to Video');
  };

  it('give captions to a video once, with the address that the site needs', async () => {
    await write('site/package.json', '{"dependencies": {"next": "16"}}');
    await write('site/public/films/a b.mp4', '');
    await write('site/public/films/a b.vtt', vtt('Hello.'));
    const page = 'export const Page = () => (\n  <video\n    src="/films/a%20b.mp4" />\n);\n';
    const { document } = await open('site/pages/index.jsx', page);
    assert.deepEqual(await offered(document, 1), ['Add Captions to Video']);
    assert.deepEqual(await offered(document, 3), []);
    assert.equal(await captions(document, 1), 'site/public/films/a b.vtt');
    const track = '<track kind="captions" src="/films/a%20b.vtt" label="Captions" />';
    assert.equal(document.getText(), page.replace(' />', `>${track}</video>`));
    assert.deepEqual(await offered(document, 1), []);
    await assert.rejects(captions(document, 1), /has these captions already: a b\.vtt\. \[invalidInput\]/);
    assert.deepEqual(sent, []);
  });

  it('give captions of a transcript as it reads now', async () => {
    await write('films/talk.mp4', '');
    await write('films/talk.vtt', vtt('We meet on Monday at noon.'));
    const front = '---\nsource: "talk.mp4"\nlanguage: german\n---\n\n';
    await open('films/talk.md', `${front}We meet on Tuesday at noon.\n`);
    const { document } = await open('page.md', 'A\n\n<video controls>\n  <source src="films/talk.mp4">\n</video>\n');
    assert.equal(await captions(document, 3), 'films/talk.captions.vtt');
    const made = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, 'films/talk.captions.vtt'));
    assert.equal(new TextDecoder().decode(made), vtt('We meet on Tuesday at noon.'));
    const track = '\n  <track kind="captions" src="films/talk.captions.vtt" srclang="de" label="Deutsch">';
    assert.equal(document.getText().includes(`<source src="films/talk.mp4">${track}\n</video>`), true);
    assert.deepEqual(await offered(document, 3), []);
    assert.deepEqual(sent, []);
  });

  it('say where a video has no place for captions, and when there are none', async () => {
    await write('clips/clip.mp4', '');
    const { document } = await open('film.md', '![A film](clips/clip.mp4)\n\n<video src="clips/clip.mp4"></video>\n');
    await assert.rejects(captions(document, 0), /Line 1 shows a video, but not in a <video> element/);
    await assert.rejects(captions(document, 1), /There is no <video> element in line 2/);
    await assert.rejects(captions(document, 2), /clip\.mp4 has no captions/);
    assert.deepEqual(await offered(document, 2), []);
  });

  it('give no subtitles with times of another text, and say so', async () => {
    const cues = 'WEBVTT\n\n00:00:00.000 --> 00:00:04.000\nSomething else entirely.\n';
    const times = vscode.Uri.joinPath(root, 'other.vtt');
    await vscode.workspace.fs.writeFile(times, Buffer.from(cues));
    const { document } = await open('other.md', 'We meet on Tuesday at noon.\n');
    for (const command of ['saveSubtitles', 'updateTimes']) {
      const asked = async () => vscode.commands.executeCommand(`unifiedMedia.${command}`, { uri: document.uri });
      await assert.rejects(asked, /hardly a word in common.*\[invalidInput\]/);
    }
    assert.equal(new TextDecoder().decode(await vscode.workspace.fs.readFile(times)), cues);
  });

  it('of another length than their times are told so, and neither text nor times change', async () => {
    const name = (extension: string) => vscode.Uri.joinPath(root, `replaced.${extension}`);
    const said = 'We meet on Tuesday at noon.';
    const refused = async (seconds: number, end: number, sentence: RegExp) => {
      await vscode.workspace.fs.writeFile(name('wav'), wavOf(Buffer.alloc(8000 * seconds, 0x80)));
      const cues = `WEBVTT\n\n00:00:00.000 --> 00:00:${end}.000\n${said}\n`;
      await vscode.workspace.fs.writeFile(name('vtt'), Buffer.from(cues));
      const text = `---\nsource: "replaced.wav"\nduration: 10 # seconds\n---\n\n${said}\n`;
      const { document } = await open('replaced.md', text);
      for (const command of ['saveSubtitles', 'updateTimes']) {
        const asked = async () => vscode.commands.executeCommand(`unifiedMedia.${command}`, { uri: document.uri });
        await assert.rejects(asked, sentence);
      }
      assert.equal(document.getText(), text);
      assert.equal(new TextDecoder().decode(await vscode.workspace.fs.readFile(name('vtt'))), cues);
      const folder = await vscode.workspace.fs.readDirectory(root);
      assert.equal(folder.filter(([file]) => file.startsWith('replaced')).length, 3, 'nothing was written');
    };
    await refused(10, 40, /The times reach 00:40, but replaced\.wav ends at 00:10.*Nothing was changed\./);
    await refused(
      30,
      10,
      /replaced\.wav is 00:30 long, but .* was 00:10 long, so the file was replaced.*Nothing was changed\./,
    );
  });

  it('are played without times that cannot be read, which is said once', async () => {
    const write = (name: string, content: string | Uint8Array) =>
      vscode.workspace.fs.writeFile(vscode.Uri.joinPath(root, name), Buffer.from(content));
    await write('broken.wav', wavOf(Buffer.alloc(8000, 0x80)));
    await write('broken.json', '{"segments": [7, {"start": "soon"}]}');
    const { document } = await open('broken.md', 'Hello.\n');
    using said = answerDialog('showWarningMessage', () => undefined);
    const play = () => vscode.commands.executeCommand('unifiedMedia.playFromHere', { uri: document.uri, line: 0 });
    await play();
    await play();
    assert.equal(said.questions.length, 1);
    assert.match(said.questions[0] ?? '', /^broken\.json has no times that can be read\./);
  });

  it('are missed by the player with a sentence that says what to do', async () => {
    const { document } = await open('alone.md', 'Nothing.\n');
    const play = async () => vscode.commands.executeCommand('unifiedMedia.playFromHere', { uri: document.uri });
    await assert.rejects(play, { message: /^alone\.md has no recording\. Transcribe one, .* \[invalidInput\]$/ });
  });

  it('all have a job that can start, however many are dropped at once', async () => {
    const { document } = await open();
    const uris = Array.from({ length: 25 }, (_, index) => vscode.Uri.joinPath(root, `talks/call-${index}.m4a`));
    const data = new vscode.DataTransfer();
    data.set('text/uri-list', new vscode.DataTransferItem(uris.join('\r\n')));
    const places = { onDidChange: new vscode.EventEmitter<void>().event };
    const dependencies = Object.assign(Object.create(null), { places });
    const runs = new TranscriptTokens(dependencies);
    try {
      const at = new vscode.Position(1, 0);
      const [edit] = (await offerEdits({ document, at, data }, async () => runs, dependencies)) ?? [];
      const tokens = String(edit?.insertText).split('\n\n');
      assert.equal(tokens.length, 25);
      for (const one of tokens) assert(runs.resultOf(one), `${one} starts no job`);
    } finally {
      runs.dispose();
    }
  });

  // In a browser, VS Code pastes files only on a real key press: test/e2e/workspaceFiles.test.ts covers that, and Undo.
  describe('pasted by commands', () => {
    beforeEach(function () {
      skipUnless(this, vscode.env.uiKind === vscode.UIKind.Desktop, 'VS Code on the desktop');
    });

    it('are inserted as a link by default, and nothing is sent', async () => {
      const { document } = await open();
      await copy();
      await vscode.commands.executeCommand('editor.action.clipboardPasteAction');
      await untilText(document, (text) => text.includes('call.m4a'));
      assert.match(document.getText(), /talks\/call\.m4a/);
      assert.doesNotMatch(document.getText(), token);
      assert.deepEqual(sent, []);
    });

    it('are translated by the kind for translations', async () => {
      const { document } = await open();
      await copy();
      await paste('media.translation');
      await untilText(document, (text) => text.includes('fox'));
      assert.deepEqual(sent, ['/v1/audio/translations call.m4a']);
    });

    it('get a player before the transcript by the kind for players', async () => {
      const { document } = await open();
      await copy();
      await paste('media.player');
      await untilText(document, (text) => text.includes('fox'));
      assert.match(
        document.getText(),
        /^# Call\n<audio controls src="talks\/call\.m4a" title="call"><\/audio>\n\nA fox/,
      );
    });
  });
});
