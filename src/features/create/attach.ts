import { posix } from 'node:path';
import * as vscode from 'vscode';
import { cannotRemix } from '../../editor/MediaInputs.ts';
import type { Window } from '../../editor/Window.ts';
import { uriOf } from '../../editor/workspaceFiles.ts';
import { nameOf } from '../../foreign/nameOf.ts';
import { shortLine } from '../../foreign/plainText.ts';
import { canRemix } from '../../library/LibraryRecord.ts';
import { extensionsOf } from '../../operations/fields.ts';
import { type AssetKind, field, type OperationId, operations } from '../../operations/operations.ts';
import { recordingMinutes } from '../../sound/readRecording.ts';
import type { Attachment, AttachSource } from '../../webview/protocol/messages.ts';
import { type AttachmentKind, maxAttachments, operationFor, type TabId, tabs } from '../../webview/protocol/tabs.ts';
import type { CreateSession } from './CreateSession.ts';
import type { GalleryResult } from './Gallery.ts';
import { shortened } from './jobCards.ts';

/** The fields that define which files can be attached. */
const fields = { image: field('editImage', 'image_urls'), recording: field('transcribe', 'file') } as const;

const libraryKinds = {
  image: ['images'],
  recording: ['speech', 'videos'],
  video: ['videos'],
} as const satisfies Readonly<Record<AttachmentKind, readonly AssetKind[]>>;

/**
 * Returns attachments for the composer: files that the person chooses, drops or pastes.
 *
 * @param switched operations whose switch is on
 * @returns an empty list when the person dismissed the question
 * @throws MediaError `invalidInput` that names the file and what is wrong with it
 */
export function attach(
  tab: TabId,
  switched: readonly OperationId[],
  source: AttachSource,
  session: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<readonly Attachment[]> {
  const kinds: readonly AttachmentKind[] = tabs[tab].attaches;
  const kind = kinds.includes('recording') ? 'recording' : 'image';
  switch (source.from) {
    case 'file':
      return fromDialog(kind, maxAttachments(operations[operationFor(tab, [{ kind }], switched)]) > 1, session, load);
    case 'library':
      return fromLibrary(kinds, session, load);
    case 'url':
      return fromUrl(session, load);
    case 'uris':
      return Promise.all(source.uris.map((uri) => fromUri(uri, kinds, session, load)));
    case 'bytes':
      return session.inputs
        .fromBytes(fields[kind], source.name, source.bytes)
        .then(async (uri) => [await withMinutes(attachmentOf(kind, uri, load))]);
  }
}

/** Returns a file as an attachment, with a thumbnail when the view may load one. */
function attachmentOf(kind: 'image' | 'recording', uri: string, load: (uri: vscode.Uri) => string): Attachment {
  const isShown = kind === 'image' && !/^https?:/i.test(uri);
  return { kind, uri, name: nameOf(uri), thumbnail: isShown ? load(vscode.Uri.parse(uri)) : undefined };
}

/** Adds the length of a recording, which the composer shows before it is sent. */
async function withMinutes(attachment: Attachment): Promise<Attachment> {
  const { kind, uri } = attachment;
  if (kind !== 'recording' || !uri.startsWith('file:')) return attachment;
  // Whoever attaches a file that cannot be read learns it when it is sent.
  const length = await recordingMinutes(vscode.Uri.parse(uri).fsPath).catch(() => undefined);
  return { ...attachment, ...length };
}

/**
 * Returns a file that was sent before as an attachment.
 *
 * @param address URL or path
 * @throws MediaError `invalidInput`
 */
export async function attachmentOfFile(
  kind: 'image' | 'recording',
  address: string,
  { inputs, roots }: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<Attachment> {
  return withMinutes(attachmentOf(kind, await inputs.fromText(fields[kind], address, roots[0]), load));
}

/**
 * Returns a result as an attachment; undefined when it has neither a file nor an id.
 *
 * @throws MediaError `invalidInput` for a video that cannot be remixed by the service in use
 */
export async function attachmentOfResult(
  result: GalleryResult,
  kind: AttachmentKind,
  {
    dependencies: { settings, previews },
  }: {
    readonly dependencies: {
      readonly settings: Pick<Window['settings'], 'usesSandbox'>;
      readonly previews: Pick<Window['previews'], 'of'>;
    };
  },
  load: (uri: vscode.Uri) => string,
): Promise<Attachment | undefined> {
  const uri = uriOf(result);
  const { entry } = result;
  if (kind !== 'video') return uri && withMinutes(attachmentOf(kind, uri.toString(), load));
  if (entry.videoId === undefined) return undefined;
  if (!canRemix(entry, settings.usesSandbox)) throw cannotRemix(entry.sandbox === true);
  const preview = await previews.of(entry);
  return {
    kind,
    uri: uri?.toString() ?? '',
    name: entry.prompt ? shortened(entry.prompt) : entry.videoId,
    videoId: entry.videoId,
    model: entry.model,
    thumbnail: preview && load(preview.uri),
  };
}

async function fromDialog(
  kind: 'image' | 'recording',
  canSelectMany: boolean,
  { inputs }: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<readonly Attachment[]> {
  const attached = fields[kind];
  const title = kind === 'image' ? vscode.l10n.t('Attach an Image') : vscode.l10n.t('Attach a Recording');
  const filters = { [vscode.l10n.t(attached.label)]: [...extensionsOf(attached)] };
  const opened = (await vscode.window.showOpenDialog({ title, canSelectMany, filters })) ?? [];
  const uris = await Promise.all(opened.map((uri) => inputs.fromFile(attached, uri)));
  return Promise.all(uris.map((uri) => withMinutes(attachmentOf(kind, uri, load))));
}

async function fromLibrary(
  kinds: readonly AttachmentKind[],
  session: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<readonly Attachment[]> {
  const { gallery, dependencies } = session;
  const sandbox = dependencies.settings.usesSandbox;
  const candidates = gallery.all.flatMap((result) => {
    const kind = kinds.find((one) => (libraryKinds[one] as readonly AssetKind[]).includes(result.entry.kind));
    const fits = kind !== 'video' || canRemix(result.entry, sandbox);
    return kind && fits && (kind === 'video' || uriOf(result)) ? [{ result, kind }] : [];
  });
  const items = candidates.map(({ result, kind }) => ({ ...pickItemOf(result, session), result, as: kind }));
  const placeHolder =
    items.length === 0 ? vscode.l10n.t('Nothing in the library fits here') : vscode.l10n.t('Choose from the library');
  const title = vscode.l10n.t('From Library');
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  const attachment = chosen && (await attachmentOfResult(chosen.result, chosen.as, session, load));
  return attachment ? [attachment] : [];
}

function pickItemOf(result: GalleryResult, { dependencies }: CreateSession): vscode.QuickPickItem {
  const { kind, prompt, videoId = '' } = result.entry;
  const uri = uriOf(result);
  const preview = kind === 'videos' ? dependencies.previews.known(result.entry)?.uri : undefined;
  const picture = kind === 'images' ? uri : preview;
  return {
    label: uri ? posix.basename(uri.path) : videoId,
    description: shortLine(prompt ?? '', 100),
    iconPath: picture ?? new vscode.ThemeIcon(kind === 'speech' ? 'unmute' : 'device-camera-video'),
  };
}

async function fromUrl(
  { inputs, roots }: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<readonly Attachment[]> {
  const url = await vscode.window.showInputBox({
    title: vscode.l10n.t('Attach an Image'),
    prompt: vscode.l10n.t('The service downloads the image from this URL.'),
    placeHolder: 'https://…',
    ignoreFocusOut: true,
    validateInput: (typed) =>
      typed === '' || /^https?:\/\/[^\s/]/i.test(typed.trim())
        ? undefined
        : vscode.l10n.t('The URL must begin with http:// or https://.'),
  });
  if (!url?.trim()) return [];
  return [attachmentOf('image', await inputs.fromText(fields.image, url, roots[0]), load)];
}

/** Reads a dropped URI: attaches a video in the library as that video, and anything else as a file. */
async function fromUri(
  uri: string,
  kinds: readonly AttachmentKind[],
  session: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<Attachment> {
  const result = session.gallery.all.find((one) => uriOf(one)?.toString() === uri);
  if (result?.entry.kind === 'videos' && kinds.includes('video')) {
    const attachment = await attachmentOfResult(result, 'video', session, load);
    if (attachment) return attachment;
  }
  const kind = kinds.includes('recording') ? 'recording' : 'image';
  return attachmentOfFile(kind, uri, session, load);
}
