import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { Click, callerOf } from '../../editor/Caller.ts';
import { run } from '../../editor/commands.ts';
import { uriArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { editorInUse } from '../../editor/openDocuments.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import { type TimedPairs, timedPair } from '../../editor/timedPair.ts';
import type { Window } from '../../editor/Window.ts';
import { entriesIn } from '../../editor/workspaceFiles.ts';
import { shortLine } from '../../foreign/plainText.ts';
import { isObject } from '../../foreign/shape.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { extensionOf } from '../../operations/operations.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import { maxUnaskedLength } from '../../reading/DocumentReader.ts';
import { frontMatterSource, frontMatterSpeakers } from '../../transcripts/frontMatter.ts';
import { isUtf8 } from '../../transcripts/times.ts';
import { isOwnTimes, recordTimes } from './saveSubtitles.ts';
import { findSpeakers, renamedSpeakers } from './speakers.ts';

/**
 * Renames the speakers of a transcript: in its text, its front matter and the `.vtt` file of the pair.
 *
 * @param argument `{uri, names}`, where `names` maps old names to new ones; a person is asked about each speaker
 * @returns the number of changed places; undefined when the person dismissed a question
 * @throws MediaError when there is an argument
 */
export function renameSpeakers(argument: unknown, dependencies: Window): Promise<number | undefined> {
  // The Explorer and the editor title pass the file.
  const given = argument instanceof vscode.Uri ? { uri: argument } : argument;
  const caller = callerOf(argument);
  return runCommand(caller, dependencies, async () => {
    const title = vscode.l10n.t('Rename Speakers');
    const fields = given === undefined ? {} : checkFields(title, ['uri', 'names'], given);
    const document = await documentOf(fields.uri);
    const known = speakersIn(document);
    if (known.length === 0) {
      const name = vscode.workspace.asRelativePath(document.uri);
      throw new MediaError('invalidInput', vscode.l10n.t('No speakers are named in {0}.', name), { field: 'uri' });
    }
    const asks = fields.names === undefined && caller === 'person';
    const names = asks ? await askNames(title, document, dependencies) : checkNames(fields.names, known);
    return names && applyNames(document, names, dependencies);
  });
}

/** Returns the names of a transcript's speakers, in the order in which they speak. */
function speakersIn(document: vscode.TextDocument): readonly string[] {
  return [...findSpeakers(extensionFor(document.uri), document.getText()).keys()];
}

function speakerAt(
  document: vscode.TextDocument,
  position: vscode.Position,
): { readonly name: string; readonly range: vscode.Range } | undefined {
  const at = document.offsetAt(position);
  for (const [name, places] of findSpeakers(extensionFor(document.uri), document.getText())) {
    const place = places.find(({ start, end }) => start <= at && at <= end);
    if (!place) continue;
    const range = new vscode.Range(document.positionAt(place.start), document.positionAt(place.end));
    return { name, range };
  }
  return undefined;
}

/** Returns the extension, in lower case. A document that is not saved yet is read as Markdown. */
export function extensionFor({ path }: vscode.Uri): string {
  return extensionOf(path) || 'md';
}

/** Changes text and times at once, as one step that can be undone. */
async function editsFor(
  document: vscode.TextDocument,
  names: ReadonlyMap<string, string>,
  { places, log }: Pick<Window, 'places' | 'log'>,
): Promise<{
  readonly edit: vscode.WorkspaceEdit;
  /** Number of changed places in the text. */
  readonly places: number;
  /** The times beside the text, if they change; `isOwn` as in {@link isOwnTimes}. */
  readonly times?: { readonly document: vscode.TextDocument; readonly isOwn: boolean };
}> {
  const edit = new vscode.WorkspaceEdit();
  const { times } = await timedPair(document.uri, places);
  const isOther = times && /\.(?:vtt|srt)$/i.test(times.path) && times.toString() !== document.uri.toString();
  const isOwn = isOther && (await isOwnTimes(document.uri, times, places));
  const opened = isOther ? await vscode.workspace.openTextDocument(times) : undefined;
  for (const one of opened ? [document, opened] : [document]) {
    const renamed = renamedSpeakers(extensionFor(one.uri), one.getText(), names);
    if (one === opened && renamed.length > 0 && !(await isRead(one))) {
      void tryToShow(log, tellUnread(one.uri));
      continue;
    }
    for (const { start, end, text } of renamed) {
      edit.replace(one.uri, new vscode.Range(one.positionAt(start), one.positionAt(end)), text);
    }
  }
  const count = edit.get(document.uri).length;
  const isChanged = opened && edit.get(opened.uri).length > 0;
  return { edit, places: count, ...(isChanged ? { times: { document: opened, isOwn: isOwn === true } } : {}) };
}

/** Whether VS Code could read the whole file. Saving it would otherwise replace what it could not read. */
async function isRead(document: vscode.TextDocument): Promise<boolean> {
  return !document.getText().includes('\ufffd') || isUtf8(await vscode.workspace.fs.readFile(document.uri));
}

async function applyNames(
  document: vscode.TextDocument,
  names: ReadonlyMap<string, string>,
  dependencies: Window,
): Promise<number> {
  const { edit, places, times } = await editsFor(document, names, dependencies);
  const wasSaved = times?.document.isDirty === false;
  if (!(await vscode.workspace.applyEdit(edit))) return 0;
  // Nobody looks at the times, so nobody would save them.
  if (!times || !wasSaved) return places;
  const { uri } = times.document;
  if (!(await times.document.save())) void tryToShow(dependencies.log, tellUnsaved(uri));
  else if (times.isOwn) await recordTimes(document.uri, uri, dependencies.places);
  return places;
}

async function tellUnsaved({ path }: vscode.Uri): Promise<void> {
  const sentence = vscode.l10n.t(
    '{0} has the new names, too, but could not be saved. Open it and save it.',
    posix.basename(path),
  );
  await notify.warning(sentence);
}

async function tellUnread({ path }: vscode.Uri): Promise<void> {
  const sentence = vscode.l10n.t(
    '{0} is not saved as UTF-8, so the names in it were not changed. Save it as UTF-8, and rename the speakers there.',
    posix.basename(path),
  );
  await notify.warning(sentence);
}

function checkNames(value: unknown, known: readonly string[]): ReadonlyMap<string, string> {
  if (!isObject(value)) {
    const sentence = vscode.l10n.t('Names (names) must be an object that maps old names to new ones.');
    throw new MediaError('invalidInput', sentence, { field: 'names' });
  }
  const names = new Map<string, unknown>(Object.entries(value));
  for (const [old, name] of names) {
    const sentence = known.includes(old)
      ? problemOf(name)
      : vscode.l10n.t('Names (names) has a speaker who is not in the transcript. It has: {0}.', known.join(', '));
    if (sentence !== undefined) throw new MediaError('invalidInput', sentence, { field: 'names' });
  }
  return new Map([...names].map(([old, name]) => [old, String(name).trim()]));
}

export async function documentOf(uri: unknown): Promise<vscode.TextDocument> {
  const given = uriArgument(uri);
  if (given) return vscode.workspace.openTextDocument(given);
  const { editor } = editorInUse();
  if (editor) return editor.document;
  throw new MediaError('invalidInput', vscode.l10n.t('Open a transcript first.'), { field: 'uri' });
}

/** Asks for the name of one speaker after the other. @returns undefined when the person dismissed a question */
async function askNames(
  title: string,
  document: vscode.TextDocument,
  { places }: Pick<Window, 'places'>,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { recording } = await timedPair(document.uri, places);
  const speakers = [...findSpeakers(extensionFor(document.uri), document.getText())];
  const { uri } = document;
  const earlier = await earlierNames(uri);
  const names = new Map<string, string>();
  for (const [index, [speaker, [first]]] of speakers.entries()) {
    const words = shortLine(
      document
        .getText()
        .slice(first?.end)
        .replace(/^:(?:\*\*)? |^>/, '')
        .split('\n', 1)[0] ?? '',
      60,
    );
    const line = document.positionAt(first?.start ?? 0).line;
    const others = speakers.map(([other]) => other).filter((other) => other !== speaker);
    const name = await pickName({
      title: speakers.length === 1 ? title : `${title} (${index + 1}/${speakers.length})`,
      speaker,
      words,
      play: recording && (() => run(commandIds.playFromHere, Click.on({ uri, line }))),
      offered: [...new Set([...names.values(), ...others, ...earlier])].filter((one) => one !== speaker),
    });
    if (name === undefined) return undefined;
    if (name !== speaker) names.set(speaker, name);
  }
  return names;
}

/** Lets the person type a name or choose one that is offered. */
async function pickName({
  title,
  speaker,
  words,
  play,
  offered,
}: {
  readonly title: string;
  readonly speaker: string;
  /** The first words of the speaker. */
  readonly words: string;
  /** Plays them, where there is a recording. */
  readonly play: (() => unknown) | undefined;
  /** Names of others, also from earlier transcripts of the folder. */
  readonly offered: readonly string[];
}): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick();
  pick.title = title;
  pick.placeholder = vscode.l10n.t('Who says “{0}”? Type or choose a name.', words);
  // A click in the player must not end the question.
  pick.ignoreFocusOut = play !== undefined;
  if (play) pick.buttons = [{ iconPath: new vscode.ThemeIcon('play'), tooltip: vscode.l10n.t('Play') }];
  pick.onDidTriggerButton(() => play?.());
  const show = () => {
    const typed = pick.value.trim();
    const problem = typed === '' ? undefined : problemOf(typed);
    const own = {
      label: typed === '' ? speaker : typed,
      description: typed === '' ? vscode.l10n.t('keep this name') : (problem ?? ''),
    };
    pick.items = [own, ...offered.filter((name) => name !== typed).map((label) => ({ label }))];
  };
  show();
  pick.onDidChangeValue(show);
  try {
    return await new Promise<string | undefined>((resolve) => {
      pick.onDidAccept(() => {
        // Enter may come before VS Code lists what was typed.
        const name = pick.selectedItems[0]?.label ?? pick.value.trim();
        if (problemOf(name) === undefined) resolve(name);
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

/** Maximum number of transcripts of a folder that are read. */
const maxEarlier = 50;

/** Returns the speakers of other transcripts in the folder. */
async function earlierNames(uri: vscode.Uri): Promise<readonly string[]> {
  const folder = vscode.Uri.joinPath(uri, '..');
  const entries = await entriesIn(folder);
  const files = entries.flatMap(([name]) => (/\.md$/i.test(name) && name !== posix.basename(uri.path) ? [name] : []));
  const names = await Promise.all(
    files.slice(-maxEarlier).map(async (name) => {
      const bytes = await vscode.workspace.fs
        .readFile(vscode.Uri.joinPath(folder, name))
        .then(undefined, () => undefined);
      return bytes ? (frontMatterSpeakers(new TextDecoder().decode(bytes.subarray(0, 4096)))?.names ?? []) : [];
    }),
  );
  return [...new Set(names.flat())];
}

function problemOf(name: unknown): string | undefined {
  if (typeof name !== 'string' || name.trim() === '') return vscode.l10n.t('Name (name) is missing.');
  return /[:\n\r]/.test(name)
    ? vscode.l10n.t('Name (name) must be on one line and must not contain a colon.')
    : undefined;
}

/** Returns the speaker's name at a position, and its range. @throws Error where no speaker is named */
export async function prepareRename(
  document: vscode.TextDocument,
  position: vscode.Position,
  pairs: TimedPairs,
): Promise<{ readonly range: vscode.Range; readonly placeholder: string }> {
  const found = speakerAt(document, position);
  if (!found || !(await isTranscript(document, pairs))) throw new Error(vscode.l10n.t('No speaker is named here.'));
  return { range: found.range, placeholder: found.name };
}

/** Renames the speaker at a position everywhere. */
export async function renameAt(
  document: vscode.TextDocument,
  position: vscode.Position,
  name: string,
  dependencies: Window,
): Promise<vscode.WorkspaceEdit | undefined> {
  const found = speakerAt(document, position);
  const problem = problemOf(name);
  if (problem !== undefined) throw new MediaError('invalidInput', problem);
  return found && (await editsFor(document, new Map([[found.name, name.trim()]]), dependencies)).edit;
}

/** Returns the line above a transcript that names its speakers and renames them. */
export async function speakerLenses(document: vscode.TextDocument, pairs: TimedPairs): Promise<vscode.CodeLens[]> {
  if (document.getText().length > maxUnaskedLength) return [];
  const speakers = speakersIn(document);
  if (speakers.length === 0 || !(await isTranscript(document, pairs))) return [];
  const title = vscode.l10n.t('Speakers: {0} · Rename', speakers.slice(0, 6).join(', '));
  const command = { title, command: commandIds.renameSpeakers, arguments: [Click.on({ uri: document.uri })] };
  return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
}

/** In other Markdown, bold words before a colon are not names, and in other text the first words of a paragraph. */
async function isTranscript(document: vscode.TextDocument, pairs: TimedPairs): Promise<boolean> {
  const { uri } = document;
  switch (extensionFor(uri)) {
    case 'md':
      return frontMatterSource(document.getText()) !== undefined;
    case 'txt': {
      const { recording, times, isNarration, isTranscript } = await pairs.of(uri);
      const isTimed = recording !== undefined || /\.(?:vtt|srt)$/i.test(times?.path ?? '');
      return (!isNarration && isTimed) || isTranscript === true;
    }
    default:
      return true;
  }
}
