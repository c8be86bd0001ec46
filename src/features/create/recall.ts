import * as vscode from 'vscode';
import { cannotRemix } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { showError } from '../../editor/showError.ts';
import { uriOf } from '../../editor/workspaceFiles.ts';
import { nameOf } from '../../foreign/nameOf.ts';
import { canRemix, type RecordedInput } from '../../library/LibraryRecord.ts';
import { inputsOf, originsOf } from '../../library/origins.ts';
import { valuesOf } from '../../library/recordFacts.ts';
import { fieldTable, withoutFiles } from '../../operations/declarations.ts';
import { filesIn } from '../../operations/fields.ts';
import { type Operation, operations, sandboxModel, takesFiles, wordsOf } from '../../operations/operations.ts';
import type { Attachment, BodyOf, ReplyOf } from '../../webview/protocol/messages.ts';
import { tabOf, tabs } from '../../webview/protocol/tabs.ts';
import { attachmentOfFile, attachmentOfResult } from './attach.ts';
import { type CreateSession, hostOf } from './CreateSession.ts';
import { type GalleryResult, isResult, nameOfInput, unchangedFile } from './Gallery.ts';

/** Returns all that a result or a job was made with, for the composer. Says which files it no longer finds. */
export async function recall(
  { id, of }: BodyOf<'recall'>,
  session: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<ReplyOf<'recall'>> {
  const { recalled, missing } =
    of === 'job' ? await recallJob(id, session, load) : await recallResult(id, session, load);
  if (missing.length > 0) {
    const sentence =
      missing.length === 1 && missing[0] === ''
        ? vscode.l10n.t('The library does not know which file this was made from. Attach it before you send.')
        : vscode.l10n.t('{0} is gone or has changed since it was sent. Attach it before you send.', missing.join(', '));
    void notify.warning(sentence);
  }
  return { ...recalled, host: hostOf(recalled.operation, session.dependencies.settings) };
}

/** What was found, and the names of the files that were not; an empty name if not even that is known. */
interface RecalledFiles {
  readonly recalled: Omit<ReplyOf<'recall'>, 'host'>;
  readonly missing: readonly string[];
}

async function recallJob(
  id: string,
  session: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<RecalledFiles> {
  const job = session.dependencies.jobs.get(id);
  if (!job) throw new Error(vscode.l10n.t('This job is no longer in the list.'));
  const { operation } = job;
  const request = job.whole?.request ?? job.request;
  const { values = {} } = valuesOf(operation, request);
  const sent = new Map<string, unknown>(Object.entries(request));
  const { fields }: Operation = operations[operation];
  const found = await Promise.all(
    fields
      .filter(takesFiles)
      .flatMap((field) =>
        filesIn(field, sent.get(field.name)).map((file) =>
          attachmentOfFile(field.type === 'audioFile' ? 'recording' : 'image', file, session, load).catch(() =>
            nameOf(file),
          ),
        ),
      ),
  );
  const { values: further = {}, files = [] } = request.further ?? {};
  const furtherFiles = Object.fromEntries(files.map((name) => [name, further[name]]));
  const video = 'video_id' in request ? await videoOf(request.video_id, request.model, job.sandbox, session, load) : [];
  return {
    recalled: {
      operation,
      prompt: wordsOf(operation, request) ?? '',
      model: request.model,
      values: asTexts({ ...values, ...furtherFiles }),
      attachments: [...video, ...found.filter((one) => typeof one !== 'string')],
    },
    missing: found.filter((one) => typeof one === 'string'),
  };
}

async function recallResult(
  id: string,
  session: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<RecalledFiles> {
  const { gallery } = session;
  const result = gallery.get(id);
  if (!result) throw new Error(vscode.l10n.t('This result is no longer in the library.'));
  const { entry } = result;
  const { operation, prompt = '', parentVideoId } = entry;
  const { models, settings } = session.dependencies;
  // No service has the sandbox's model.
  const isOfSandbox = entry.model === sandboxModel && !settings.usesSandbox;
  const model = isOfSandbox ? (models.known(operation, false)[0] ?? '') : entry.model;
  const table = fieldTable(operation, session.dependencies.settings.declaredFields);
  const recalled = { operation, model, prompt, values: asTexts(withoutFiles(table, entry.values ?? {})) };
  const origins = originsOf(result, gallery.all);
  if (entry.madeFrom) {
    // A crop has its source's prompt, but not its source's inputs, so recall the source instead.
    const [source] = origins;
    return source && isResult(source)
      ? recallResult(source.id, session, load)
      : { recalled: { ...recalled, attachments: [] }, missing: [] };
  }
  if (parentVideoId !== undefined) {
    const attachments = await videoOf(parentVideoId, model, entry.sandbox === true, session, load);
    return { recalled: { ...recalled, attachments }, missing: [] };
  }
  const { fields }: Operation = operations[operation];
  // One origin for each input.
  const names = inputsOf(entry).map(({ field }) => field);
  const isFurther = (_: unknown, index: number) => fields.every(({ name }) => name !== names[index]);
  const chosen = await Promise.all(
    origins.map(async (origin, index) => {
      if (!isFurther(origin, index)) return [];
      const uri = isResult(origin) ? uriOf(origin) : await unchangedFile(origin, result.root);
      return [{ name: names[index] ?? '', uri: uri?.toString() ?? '', file: nameOfOrigin(origin) }];
    }),
  );
  const files = chosen.flat();
  const lost = files.filter(({ uri }) => uri === '').map(({ file }) => file);
  Object.assign(recalled.values, Object.fromEntries(files.map(({ name, uri }) => [name, uri])));
  if (!fields.some(takesFiles)) return { recalled: { ...recalled, attachments: [] }, missing: lost };
  const kind = tabs[tabOf(operation)].attaches.find((one) => one !== 'video') ?? 'image';
  const own = origins.filter((origin, index) => !isFurther(origin, index));
  const attached = await Promise.all(
    own.map(async (origin) => {
      if (isResult(origin)) return (await attachmentOfResult(origin, kind, session, load)) ?? nameOfOrigin(origin);
      const uri = await unchangedFile(origin, result.root);
      const address = origin.address ?? uri?.toString();
      if (address === undefined) return nameOfInput(origin);
      return attachmentOfFile(kind, address, session, load).catch(() => nameOfInput(origin));
    }),
  );
  return {
    recalled: { ...recalled, attachments: attached.filter((one) => typeof one !== 'string') },
    missing: [...(attached.length === 0 ? [''] : attached.filter((one) => typeof one === 'string')), ...lost],
  };
}

/** @returns none, and says so, when the service in use cannot remix the video */
async function videoOf(
  videoId: string,
  model: string,
  sandbox: boolean,
  session: CreateSession,
  load: (uri: vscode.Uri) => string,
): Promise<readonly Attachment[]> {
  if (sandbox !== session.dependencies.settings.usesSandbox) {
    void showError(cannotRemix(sandbox));
    return [];
  }
  const parent = session.gallery.all.find(
    ({ entry }) => entry.videoId === videoId && entry.model === model && canRemix(entry, sandbox),
  );
  const known = parent && (await attachmentOfResult(parent, 'video', session, load));
  return [known ?? { kind: 'video', uri: '', name: videoId, videoId, model }];
}

function nameOfOrigin(origin: GalleryResult | RecordedInput): string {
  return isResult(origin) ? nameOf(uriOf(origin)?.path ?? origin.entry.videoId ?? '') : nameOfInput(origin);
}

function asTexts(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
