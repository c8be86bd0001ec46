import type { AssetKind, OperationId } from '../../operations/operations.ts';
import { operationIds } from '../../operations/operations.ts';
import { connectRequests, maxModels } from './service.ts';
import type { Shape, Shaped } from './shape.ts';
import {
  anything,
  bytes,
  count,
  either,
  flag,
  list,
  nothing,
  number,
  object,
  oneOf,
  optional,
  partial,
  record,
  text,
} from './shape.ts';
import { attachmentKinds, tabIds } from './tabs.ts';

/** In bytes: what is dropped or pasted passes through memory. */
export const largestDrop = 100_000_000;
/** In bytes; the first frame of a video as a small WebP. */
export const largestPreview = 300_000;
/** How many results the view asks for at once. */
export const pageSize = 48;

const operation: Shape<OperationId> = oneOf(operationIds);
const kinds: readonly AssetKind[] = ['images', 'speech', 'transcripts', 'videos'];
const kind: Shape<AssetKind> = oneOf(kinds);
const tab = oneOf(tabIds);
const short = text(4000);

/** A file that the composer holds. Its address is one that the host knows; the thumbnail's, one that the view may load. */
const attachment = object({
  kind: oneOf(attachmentKinds),
  /** A URI or, of a picture, an `http(s):` URL. */
  uri: text(),
  name: short,
  thumbnail: optional(text()),
  /** Of a past video: what the service knows it by, and the model that made it. */
  videoId: optional(short),
  model: optional(short),
});
export type Attachment = Shaped<typeof attachment>;

/** What the composer holds, of each tab. What is not in it has the value that the host suggests. */
const draft = object({
  /** Grows with each change, so that the newer of two can be told. */
  revision: count,
  tab,
  prompts: partial(tabIds, text()),
  attachments: partial(tabIds, list(attachment, 100)),
  models: partial(operationIds, short),
  options: partial(tabIds, record(short)),
  /** Operations whose switch is on. */
  switched: list(operation),
});
export type Draft = Shaped<typeof draft>;

const action = object({ id: short, title: short });
export type Action = Shaped<typeof action>;

/** What the person should know before anything is sent. */
const notice = object({
  /** The operations that it is about. */
  operations: list(operation),
  text: text(),
  actions: list(action),
});
export type Notice = Shaped<typeof notice>;

const setup = object({
  /** The word before the key that is set, where no service is connected: the view then asks for one. */
  unconnected: optional(object({ scheme: short })),
  notices: list(notice),
  /** Names to choose from, of each operation. */
  models: partial(operationIds, list(short, maxModels)),
  /** The operations whose service has a list of models that nobody has read yet. */
  unloaded: list(operation),
  /** What the fields hold that the person has not touched, by operation and name on the wire. */
  defaults: partial(operationIds, record(short)),
});
export type Setup = Shaped<typeof setup>;

/** A job that runs or has failed. */
const jobCard = object({
  id: short,
  operation,
  kind,
  title: short,
  words: short,
  model: short,
  /** How many files it makes. */
  files: count,
  /** ISO 8601. */
  createdAt: short,
  state: oneOf(['running', 'failed']),
  /** What it is doing, or what went wrong. */
  message: text(),
  /** From 0 to 1, where it is known. */
  part: optional(number),
  /** What can be done about it. */
  actions: list(action),
  /** How many results of the library are newer. */
  position: count,
});
export type JobCard = Shaped<typeof jobCard>;

/** A result as a tile shows it. */
const item = object({
  id: short,
  jobId: short,
  operation,
  kind,
  /** Of what has a file. */
  uri: optional(text()),
  name: short,
  /** What the view loads; absent where there is no file. */
  source: optional(text()),
  isMissing: flag,
  title: short,
  /** The beginning of the prompt. */
  words: optional(short),
  model: short,
  sandbox: flag,
  createdAt: short,
  canRemix: flag,
  /** The first frame of a video, once it has been made. */
  preview: optional(text()),
  /** Of a video. */
  seconds: optional(number),
  /** The beginning of a transcript. */
  text: optional(text()),
  /** A video whose sound VS Code cannot play. */
  isSilent: optional(flag),
});
export type Item = Shaped<typeof item>;

const filter = object({
  words: short,
  kind: either(kind, nothing),
  model: either(short, nothing),
  /** Whether only what the sandbox made is wanted. */
  sandbox: flag,
});
export type Filter = Shaped<typeof filter>;

const library = object({
  /** Another one after each change. */
  revision: count,
  /** How many results it holds. */
  total: count,
  /** The models that made them. */
  models: list(short, 100_000),
  hasSandbox: flag,
  /** Whether its file has been read to the end. */
  isRead: flag,
  /** The newest results. */
  first: list(item),
});
export type LibraryPart = Shaped<typeof library>;

const details = object({
  item,
  /** How many results are newer. */
  position: count,
  prompt: optional(text()),
  facts: list(object({ name: short, value: text(20_000) })),
  /** What it was made from, and what was made of it. */
  origins: list(item),
  results: list(item),
});
export type Details = Shaped<typeof details>;

const field = short;
const attachSource = either(
  object({ from: oneOf(['file', 'library', 'url']) }),
  either(
    object({ from: oneOf(['uris']), uris: list(text(), 100) }),
    object({ from: oneOf(['bytes']), name: short, bytes: bytes(largestDrop) }),
  ),
);
export type AttachSource = Shaped<typeof attachSource>;

export const itemActions = [
  'open',
  'openExternally',
  'insert',
  'transform',
  'reveal',
  'copyPath',
  'copyPrompt',
  'copyId',
  'forget',
  'delete',
  'openLibrary',
  'addToManifest',
] as const;
export type ItemAction = (typeof itemActions)[number];

interface Request {
  readonly body: Shape<unknown>;
  readonly reply: Shape<unknown>;
}

/** What the view asks its host, and what the host replies. */
export const requests = {
  ...connectRequests,
  /** The view is drawn: changes are sent to it from now on. */
  ready: { body: object({}), reply: nothing },
  keepDraft: { body: object({ draft }), reply: nothing },
  /** Asks the person for files, or takes those that are given. */
  attach: { body: object({ tab, source: attachSource }), reply: list(attachment) },
  /** A result as an attachment. */
  attachItem: { body: object({ id: short, as: oneOf(attachmentKinds) }), reply: list(attachment) },
  submit: {
    body: object({ operation, values: record(text()), files: record(list(text(), 100)) }),
    reply: object({
      outcome: oneOf(['started', 'declined', 'failed']),
      message: optional(text()),
      /** Named as on the wire. */
      field: optional(field),
      actions: optional(list(action)),
    }),
  },
  /** Reads the service's list of models; the names come with the setup. */
  loadModels: { body: object({ operation }), reply: nothing },
  /** Earlier prompts of a tab, newest first. */
  history: { body: object({ tab }), reply: list(text()) },
  page: {
    body: object({ filter, from: count, most: count }),
    reply: object({ revision: count, total: count, items: list(item) }),
  },
  details: { body: object({ id: short }), reply: details },
  jobPrompt: { body: object({ id: short }), reply: text() },
  /** `action` is one that the job's card or the composer's message offers. */
  actOnJob: { body: object({ id: short, action: short }), reply: nothing },
  actOnItem: { body: object({ id: short, action: oneOf(itemActions) }), reply: nothing },
  actOnNotice: { body: object({ action: short }), reply: nothing },
  keepPreview: {
    body: object({ id: short, bytes: bytes(largestPreview), seconds: number }),
    reply: nothing,
  },
} as const satisfies Readonly<Record<string, Request>>;

export type RequestName = keyof typeof requests;
export type BodyOf<Name extends RequestName> = Shaped<(typeof requests)[Name]['body']>;
export type ReplyOf<Name extends RequestName> = Shaped<(typeof requests)[Name]['reply']>;

const requestNames = Object.keys(requests) as readonly RequestName[];

/** A request on its way; its body is checked by the shape of its name. */
export const envelope = object({ id: count, name: oneOf(requestNames), body: anything });

/** What the view draws. Each part is sent when it has changed, and replaces the one before. */
const parts = object({ setup: optional(setup), jobs: optional(list(jobCard, 10_000)), library: optional(library) });
export type Parts = Shaped<typeof parts>;

/** What the host tells the view. */
export const hostMessage = either(
  either(
    object({ type: oneOf(['reply']), id: count, value: anything }),
    object({ type: oneOf(['failed']), id: count, message: text() }),
  ),
  either(
    object({ type: oneOf(['parts']), parts }),
    /** Shows one result, in the library's tab. */
    object({ type: oneOf(['select']), id: short }),
  ),
);
export type HostMessage = Shaped<typeof hostMessage>;

/** What a page starts with, before the first message. */
export const start = object({ draft, parts, place: oneOf(['view', 'tab']), selected: optional(short) });
export type Start = Shaped<typeof start>;

/** What the view itself keeps while it is hidden. */
export const keptState = object({ draft, scroll: number, library: optional(library) });
export type KeptState = Shaped<typeof keptState>;

export const emptyDraft: Draft = {
  revision: 0,
  tab: 'image',
  prompts: {},
  attachments: {},
  models: {},
  options: {},
  switched: [],
};

export { draft as draftShape };
