import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { buttonOf, openProxySettings } from '../../editor/showError.ts';
import type { Operation } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import type { BodyOf, ReplyOf, RequestName, Start } from '../../webview/protocol/messages.ts';
import { tabOf, tabs } from '../../webview/protocol/tabs.ts';
import { actOnItem } from './actOnItem.ts';
import { attach, attachmentOfResult } from './attach.ts';
import type { CreateSession } from './CreateSession.ts';
import { detailsOf } from './detailsOf.ts';
import { keepDraft } from './drafts.ts';
import type { Result } from './Gallery.ts';
import type { ItemContext } from './itemOf.ts';
import { itemOf } from './itemOf.ts';
import { requestOf } from './requestOf.ts';

/** The view that sent a request. */
export interface Asking {
  readonly session: CreateSession;
  readonly place: Start['place'];
  readonly context: ItemContext;
  isVisible(): boolean;
  /** Called when the view has rendered. */
  onReady(): void;
}

type Answers = { readonly [Name in RequestName]: (body: BodyOf<Name>, asking: Asking) => Promise<ReplyOf<Name>> };

const maxPrompts = 50;
/** Maximum length of a prompt in the history, in characters. Longer ones are documents that were read aloud. */
const maxPromptLength = 20_000;

/** The handler of each request. A failure becomes the message of its reply. */
const answers: Answers = {
  ready: async (_, { onReady }) => done(onReady()),
  keepDraft: async ({ draft }, { session, place }) => done(keepDraft(session.dependencies.memory, place, draft)),
  attach: ({ tab, switched, source }, { session, context }) => attach(tab, switched, source, session, context.load),
  attachItem: async ({ id, as }, { session, context }) => {
    const result = session.gallery.get(id);
    const attachment = result && (await attachmentOfResult(result, as, session, context.load));
    return attachment ? [attachment] : [];
  },
  submit: async ({ operation, values, files }, { session, isVisible }) => {
    const { fields }: Operation = operations[operation];
    const unknown = [...Object.keys(values), ...Object.keys(files)].find(
      (name) => !fields.some((one) => one.name === name),
    );
    if (unknown !== undefined) throw new Error(`${operation} has no field ${unknown}.`);
    const request = requestOf(operation, values, (name) => files[name] ?? []);
    return session.submit(operation, request, isVisible);
  },
  connect: async ({ service, isTried }, { session }) => {
    const reply = await session.connector.connect(service, isTried);
    if (reply.connected) await session.checkReadiness();
    return reply;
  },
  stopConnecting: async (_, { session }) => done(session.connector.stop()),
  saveModels: async ({ models }, { session }) => done(session.connector.saveModels(models)),
  loadModels: async ({ operation }, { session }) => done(session.loadModels(operation)),
  history: async ({ tab }, { session: { gallery } }) => {
    const ofTab = gallery.all.filter(({ entry }) => tabs[tab].text && tabOf(entry.operation) === tab);
    const prompts = new Set<string>();
    for (const { entry } of ofTab) {
      if (entry.prompt && entry.prompt.length <= maxPromptLength) prompts.add(entry.prompt);
      if (prompts.size === maxPrompts) break;
    }
    return [...prompts];
  },
  page: async ({ filter, from, limit }, { session: { gallery }, context }) => {
    const { revision } = gallery;
    const results = gallery.select(filter);
    const items = await Promise.all(results.slice(from, from + limit).map((result) => itemOf(result, context)));
    return { revision, total: results.length, items };
  },
  details: ({ id }, { session: { gallery }, context }) => detailsOf(known(gallery.get(id)), gallery, context),
  jobPrompt: async ({ id }, { session }) => session.promptOf(id),
  actOnJob: async ({ id, action }, { session, isVisible }) => done(session.actOnJob(id, action, isVisible)),
  actOnItem: async ({ id, action }, { session }) => done(actOnItem(known(session.gallery.get(id)), action, session)),
  actOnNotice: async ({ action }, { session }) => done(actOnNotice(action, session)),
  keepPreview: async ({ id, bytes, seconds }, { session: { gallery, dependencies } }) => {
    const isWebp = Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'WEBP';
    if (!isWebp) throw new Error('the preview is not a WebP image');
    return done(dependencies.previews.keep(known(gallery.get(id)).entry, bytes, seconds));
  },
};

/** @throws the failure that the reply reports */
export function answerRequest<Name extends RequestName>(
  name: Name,
  body: BodyOf<Name>,
  asking: Asking,
): Promise<ReplyOf<Name>> {
  return answers[name](body, asking);
}

/** Reply of a request that returns nothing. */
async function done(work: unknown): Promise<null> {
  await work;
  return null;
}

/** The result may have been removed from the library meanwhile. */
function known(result: Result | undefined): Result {
  if (!result) throw new Error(vscode.l10n.t('This result is no longer in the library.'));
  return result;
}

async function actOnNotice(action: string, session: CreateSession): Promise<void> {
  const { executeCommand } = vscode.commands;
  switch (action) {
    case 'manageTrust':
      return executeCommand('workbench.trust.manage').then(() => undefined);
    case 'openFolder':
      return executeCommand('workbench.action.files.openFolder').then(() => undefined);
    case 'connectService':
      await executeCommand(commandIds.connectService);
      break;
    case 'openProxySettings':
      return openProxySettings();
    case 'setApiKey':
    case 'useSandbox':
    case 'setUpService':
    case 'showLog':
      await buttonOf(action).run();
  }
  await session.checkReadiness();
}
