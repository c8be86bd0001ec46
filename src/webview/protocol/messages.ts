import type { Shape, Shaped } from '../../foreign/shape.ts';
import {
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
} from '../../foreign/shape.ts';
import type { AssetKind, OperationId } from '../../operations/operations.ts';
import { areas, operationIds } from '../../operations/operations.ts';
import type { BodyIn, ReplyIn, RequestTable } from './requestTable.ts';
import { ready, reply } from './requestTable.ts';
import { attachmentKinds, tabIds } from './tabs.ts';

/** How many model names the view offers for an operation; services list hundreds. */
export const maxModels = 500;

const shortText = text(4000);

const hosts = object({ image: shortText, audio: shortText, video: shortText });

/** The form that connects a service. It carries the key to the host; the view stores the key nowhere. */
const serviceDraft = object({
  /** Empty where the service has no such host. */
  hosts,
  /** The word before the key, such as `Bearer`; empty to send the key alone. */
  scheme: shortText,
  key: shortText,
});

/** Why a service could not be connected. */
const problem = object({
  /** The input to correct; `settings` when the input is right but could not be saved. */
  step: oneOf(['address', 'scheme', 'key', 'settings']),
  area: optional(oneOf(areas)),
  sentence: text(),
  /** The word before the key that the service accepts. */
  suggestion: optional(shortText),
  isProxy: flag,
  /** Whether the user may connect the service anyway. */
  canSkip: flag,
});
export type ConnectProblem = Shaped<typeof problem>;

const modelChoice = object({
  operation: oneOf(operationIds),
  /** Suggested model names. */
  names: list(shortText, maxModels),
  /** The default model, or an empty string. */
  chosen: shortText,
});

const connected = object({
  summary: text(),
  models: list(modelChoice),
});
export type ConnectedService = Shaped<typeof connected>;

const connectRequests = {
  /**
   * Connects a service; with `isTried` only after a test that sends no billed request.
   * The reply is empty when the user stopped the test.
   */
  connect: {
    body: object({ service: serviceDraft, isTried: flag }),
    reply: object({ problem: optional(problem), connected: optional(connected) }),
  },
  /** Stops the running test. */
  stopConnecting: { body: object({}), reply: nothing },
  /** Closes the form that the person asked for. */
  closeConnecting: { body: object({}), reply: nothing },
  /** Saves these models as the defaults of their operations; an empty name removes the operation's models. */
  saveModels: { body: object({ models: partial(operationIds, shortText) }), reply: nothing },
} as const;

/** Maximum size of a dropped or pasted file, which passes through memory. */
export const maxDropBytes = 100_000_000;
/** Maximum size of a video's first frame as a small WebP. */
export const maxPreviewBytes = 300_000;
/** How many results the view requests at once. */
export const pageSize = 48;

const operation: Shape<OperationId> = oneOf(operationIds);
const kinds: readonly AssetKind[] = ['images', 'speech', 'transcripts', 'videos'];
const kind: Shape<AssetKind> = oneOf(kinds);
const tab = oneOf(tabIds);
const short = text(4000);
/** A model, or the value of an option: people can type and services can return any text. */
const named = text();

/** A file attached in the composer. */
const attachment = object({
  kind: oneOf(attachmentKinds),
  /** A URI that the host can read; for an image also an `http(s):` URL. */
  uri: text(),
  name: short,
  /** A URI that the view can load. */
  thumbnail: optional(text()),
  /** The service's ID of a past video, and the model that made it. */
  videoId: optional(named),
  model: optional(named),
});
export type Attachment = Shaped<typeof attachment>;

/** The input of all tabs. Fields that it does not hold have the host's defaults. */
const draft = object({
  /** Increases with each change, so that the newer of two drafts is known. */
  revision: count,
  tab,
  prompts: partial(tabIds, text()),
  attachments: partial(tabIds, list(attachment, 100)),
  models: partial(operationIds, named),
  options: partial(tabIds, record(named)),
  /** Operations whose switch is on. */
  switched: list(operation),
});
export type Draft = Shaped<typeof draft>;

const action = object({ id: short, title: short });
export type Action = Shaped<typeof action>;

/** Something that the user should know before submitting. */
const notice = object({
  /** The operations that it concerns. */
  operations: list(operation),
  text: text(),
  actions: list(action),
});
export type Notice = Shaped<typeof notice>;

const connecting = object({
  /** Whether no service is connected, so that the form cannot be closed. */
  isRequired: flag,
  /** How often the person has asked for the form, which then takes the focus. */
  asked: count,
  /** The configured values. */
  hosts,
  scheme: shortText,
  /** Whether these hosts have a key, so that none has to be pasted. */
  hasKey: flag,
});
export type Connecting = Shaped<typeof connecting>;

const setup = object({
  /** Set while the view shows the form that connects a service. */
  connecting: optional(connecting),
  notices: list(notice),
  /** Suggested model names of each operation. */
  models: partial(operationIds, list(named, maxModels)),
  /** The operations whose service offers a list of models that has not been loaded yet. */
  unloaded: list(operation),
  /** Default values of the fields, by operation and by name on the wire. */
  defaults: partial(operationIds, record(named)),
});
export type Setup = Shaped<typeof setup>;

/** A running or failed job. */
const jobCard = object({
  id: short,
  /** What a person started: the same for the sent request, the job that it becomes, and all parts of a text. */
  run: short,
  operation,
  kind,
  title: short,
  words: short,
  model: named,
  /** How many files the job will save. */
  files: count,
  /** ISO 8601. */
  createdAt: short,
  state: oneOf(['running', 'failed']),
  /** The current stage, or the error. */
  message: text(),
  /** Progress from 0 to 1, if known. */
  part: optional(number),
  /** The actions that fit its state. */
  actions: list(action),
  /** How many results in the library are newer. */
  position: count,
});
export type JobCard = Shaped<typeof jobCard>;

/** The data of a result's tile. */
const item = object({
  id: short,
  jobId: short,
  operation,
  kind,
  /** URI of the file, if there is one. */
  uri: optional(text()),
  name: short,
  /** Webview URI of the file; absent if there is none. */
  source: optional(text()),
  isMissing: flag,
  title: short,
  /** The start of the prompt. */
  words: optional(short),
  model: named,
  sandbox: flag,
  createdAt: short,
  canRemix: flag,
  /** Webview URI of a video's first frame, once there is one. */
  preview: optional(text()),
  /** Duration of a video. */
  seconds: optional(number),
  /** The start of a transcript. */
  text: optional(text()),
  /** Whether this is a video whose sound VS Code cannot play. */
  isSilent: optional(flag),
});
export type Item = Shaped<typeof item>;

const filter = object({
  words: short,
  kind: either(kind, nothing),
  model: either(named, nothing),
  /** Whether to show only results of the sandbox. */
  sandbox: flag,
});
export type Filter = Shaped<typeof filter>;

const library = object({
  /** Differs after each change. */
  revision: count,
  /** The number of results. */
  total: count,
  /** All models that made a result. */
  models: list(named, 100_000),
  hasSandbox: flag,
  /** Whether the library file has been read to the end. */
  isRead: flag,
  /** The newest results. */
  first: list(item),
});
export type LibraryPart = Shaped<typeof library>;

const details = object({
  item,
  /** How many results in the library are newer. */
  position: count,
  prompt: optional(text()),
  facts: list(object({ name: short, value: text() })),
  /** The results that this one was made from, and those made from it. */
  origins: list(item),
  results: list(item),
});
export type Details = Shaped<typeof details>;

const field = short;
const attachSource = either(
  object({ from: oneOf(['file', 'library', 'url']) }),
  either(
    object({ from: oneOf(['uris']), uris: list(text(), 100) }),
    object({ from: oneOf(['bytes']), name: short, bytes: bytes(maxDropBytes) }),
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

/** Requests of the view to the extension host, with their replies. */
export const requests = {
  /** From then on the host sends the view all changes. */
  ready,
  ...connectRequests,
  keepDraft: { body: object({ draft }), reply: nothing },
  /** Attaches the given files, or asks the user for some. */
  attach: { body: object({ tab, switched: list(operation), source: attachSource }), reply: list(attachment) },
  /** Attaches a result of the library. */
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
  /** Loads the service's list of models, which arrives with the next `setup`. */
  loadModels: { body: object({ operation }), reply: nothing },
  /** Earlier prompts of a tab, newest first. */
  history: { body: object({ tab }), reply: list(text()) },
  page: {
    body: object({ filter, from: count, limit: count }),
    reply: object({ revision: count, total: count, items: list(item) }),
  },
  details: { body: object({ id: short }), reply: details },
  jobPrompt: { body: object({ id: short }), reply: text() },
  /** `action` is the id of an action offered by the job's card or the composer's message. */
  actOnJob: { body: object({ id: short, action: short }), reply: nothing },
  actOnItem: { body: object({ id: short, action: oneOf(itemActions) }), reply: nothing },
  actOnNotice: { body: object({ action: short }), reply: nothing },
  keepPreview: {
    body: object({ id: short, bytes: bytes(maxPreviewBytes), seconds: number }),
    reply: nothing,
  },
} as const satisfies RequestTable;

export type RequestName = keyof typeof requests;
export type BodyOf<Name extends RequestName> = BodyIn<typeof requests, Name>;
export type ReplyOf<Name extends RequestName> = ReplyIn<typeof requests, Name>;

/** The state that the view renders. The host sends each part when it changes, as a whole. */
const parts = object({ setup: optional(setup), jobs: optional(list(jobCard, 10_000)), library: optional(library) });
export type Parts = Shaped<typeof parts>;

/** Everything that the host posts to the view. */
export const hostMessage = either(
  reply,
  either(
    object({ type: oneOf(['parts']), parts }),
    /** Selects a result in the library tab. */
    object({ type: oneOf(['select']), id: short }),
  ),
);
export type HostMessage = Shaped<typeof hostMessage>;

/** The data that the host puts into the page. */
export const start = object({ draft, parts, place: oneOf(['view', 'tab']), selected: optional(short) });
export type Start = Shaped<typeof start>;

/** The state that the view saves while it is hidden. */
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
