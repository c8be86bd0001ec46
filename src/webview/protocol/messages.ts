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
  objectWith,
  oneOf,
  optional,
  partial,
  record,
  type Shape,
  type Shaped,
  text,
  yes,
} from '../../foreign/shape.ts';
import { type AssetKind, areas, type OperationId, operationIds } from '../../operations/operations.ts';
import { presetIds } from '../../operations/presets.ts';
import { areaShape } from './imageEditor.ts';
import { type BodyIn, type ReplyIn, type RequestTable, ready } from './requestTable.ts';
import { attachmentKinds, tabIds } from './tabs.ts';

/** How many model names the view offers for an operation; services list hundreds. */
export const maxModels = 500;

const shortText = text(4000);
const presetChoices = ['none', ...presetIds] as const;

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
  /** The host in the person's own network that plain http would have to be allowed to. */
  insecureHost: optional(shortText),
  isProxy: flag,
  /** Whether the user may connect the service anyway. */
  canSkip: flag,
});
export type ConnectProblem = Shaped<typeof problem>;

const modelChoice = object({
  operation: oneOf(operationIds),
  /** Suggested model names. */
  names: list(shortText, maxModels),
  /** Those of them that the service no longer has. */
  gone: list(shortText, maxModels),
  /** The default model, or an empty string. */
  chosen: shortText,
  /** One of the names that tells that it fits, where the service does not tell what its models are for. */
  guess: optional(shortText),
});

const connected = object({
  summary: text(),
  models: list(modelChoice),
  /** Whose further fields are sent. */
  preset: oneOf(presetChoices),
});
export type ConnectedService = Shaped<typeof connected>;

const modelsToSave = { models: partial(operationIds, shortText), preset: oneOf(presetChoices) };

const connectRequests = {
  /**
   * Connects a service; with `isTried` only after a test that sends no billed request.
   * The reply is empty when the user stopped the test. The person has allowed plain http to an `insecureHost`.
   */
  connect: {
    body: object({ service: serviceDraft, isTried: flag, insecureHost: optional(shortText) }),
    reply: object({ problem: optional(problem), connected: optional(connected) }),
  },
  /** Stops the running test. */
  stopConnecting: { body: object({}), reply: nothing },
  /** Closes the form that the person asked for. */
  closeConnecting: { body: object({}), reply: nothing },
  /**
   * Saves these models as the defaults of their operations, where an empty name removes the operation's models, and the
   * preset.
   */
  saveModels: {
    body: object(modelsToSave),
    reply: nothing,
  },
  /** Asks the person for the file of a further field; null if they dismissed the question. */
  chooseFile: { body: object({ field: shortText }), reply: either(text(), nothing) },
} as const;

/** Maximum size of a dropped or pasted file, which passes through memory. */
export const maxDropBytes = 100_000_000;
/** Maximum size of a video's first frame as a small WebP. */
export const maxPreviewBytes = 300_000;
/** How many results a person can select at once. */
export const maxChosen = 1000;
/** How many results the view requests at once. */
export const pageSize = 48;

const operation: Shape<OperationId> = oneOf(operationIds);
export const kinds: readonly AssetKind[] = ['images', 'speech', 'transcripts', 'videos'];
const kind: Shape<AssetKind> = oneOf(kinds);
const tab = oneOf(tabIds);
const short = text(4000);
/** A model, or the value of an option: people can type and services can return any text. */
const named = text();

/** Part of an attached picture, in pixels. */
const region = object({
  /** URI of a PNG of the picture's size, transparent where the picture is to be edited. */
  mask: text(),
  area: areaShape,
  /** The size of the picture. */
  size: object({ width: count, height: count }),
});
export type Region = Shaped<typeof region>;

/** The shapes to which a picture is cropped where the service has none to choose. */
export const shapeIds = ['1:1', '16:9', '9:16', '4:3', '1200x630'] as const;
export type ShapeId = (typeof shapeIds)[number];
const shape = oneOf(shapeIds);

/** What this computer does before and after a request. */
export const localShapes = {
  /** The shape to which it crops the results. */
  shape: either(shape, nothing),
  /** The part of the only attached picture that is sent, if the service takes no mask. */
  region: either(region, nothing),
} as const;

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
  /** Length of a recording, if it can be told. */
  minutes: optional(number),
  /** Set if that is an upper bound. */
  minutesAtMost: optional(yes),
  /** The part to be edited; the whole picture if absent. */
  region: optional(region),
});
export type Attachment = Shaped<typeof attachment>;

/** The input of all tabs. Fields that it does not hold have the host's defaults. */
const draft = object({
  /** Increases with each change, so that the newer of two drafts is known. */
  revision: count,
  tab,
  prompts: partial(tabIds, text()),
  attachments: partial(tabIds, list(attachment, 100)),
  /** By operation and host, since each service has models of its own. */
  models: record(named),
  options: partial(tabIds, record(named)),
  /** Operations whose switch is on. */
  switched: list(operation),
  /** The shape to crop results to. */
  shapes: partial(tabIds, either(shape, nothing)),
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
  /** Whether a person who has read it may close it. */
  canClose: optional(flag),
});
export type Notice = Shaped<typeof notice>;

const connecting = object({
  /** Whether no service is connected, so that the form cannot be closed. */
  isRequired: flag,
  /** When the person asked for the form, which then takes the focus, in milliseconds since 1970; 0 if they have not. */
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
  /** Those of them that the service no longer has. */
  gone: optional(partial(operationIds, list(named, maxModels))),
  /** Those of them that are suggested only because they were used before. */
  forgettable: optional(partial(operationIds, list(named, maxModels))),
  /** The operations whose service offers a list of models that has not been loaded yet. */
  unloaded: list(operation),
  /** Default values of the fields, by operation and by name on the wire. */
  defaults: partial(operationIds, record(named)),
  /** The host of each operation; empty for the sandbox, which is free. */
  hosts: partial(operationIds, short),
  /** The person's own prices, by the pattern of a model's name and by unit. */
  prices: optional(object({ currency: short, models: record(record(number)) })),
  /** Voices that come first. */
  favouriteVoices: list(named),
  /** The declarations of further fields, as they stand in the settings. */
  declared: optional(anything),
});
export type Setup = Shaped<typeof setup>;

/** A running or failed job. */
const jobCard = object({
  id: short,
  /** What a person started: the same for the sent request, the job that it becomes, and all parts of a text. */
  run: short,
  kind,
  title: short,
  words: short,
  model: named,
  /** Whether it runs in the sandbox. */
  sandbox: optional(flag),
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

/** The data of a result's tile. The view's state may hold that of another version. */
const item = objectWith({
  id: short,
  jobId: short,
  kind,
  /** What a drag of the file carries, by media type; absent if there is no file. */
  drag: optional(record(text())),
  name: short,
  /** Webview URI of the file; absent if there is none. */
  source: optional(text()),
  isMissing: flag,
  title: short,
  /** The start of the prompt. */
  words: optional(short),
  /** What it was made from, in a few words. */
  origin: optional(short),
  /** Says how the file differs from what was asked for. */
  differs: optional(short),
  model: named,
  sandbox: flag,
  createdAt: short,
  /** Whether what is in use, the sandbox or the service, can remix it. */
  canRemix: flag,
  hasVideoId: flag,
  /** Webview URI of a video's first frame, once there is one. */
  preview: optional(text()),
  /** Duration of a video. */
  seconds: optional(number),
  /** The start of a transcript. */
  text: optional(text()),
  /** Whether this is a video whose sound VS Code cannot play. */
  isSilent: optional(flag),
  /** Whether the filter of its page hides it, and it is shown because it was just asked for. */
  isHidden: optional(flag),
  isStarred: optional(flag),
  /** Whether this computer made it of another result, whose prompt it has. */
  isVersion: optional(flag),
});
export type FeedItem = Shaped<typeof item>;

const filter = object({
  words: short,
  kind: either(kind, nothing),
  model: either(named, nothing),
  /** True shows only results of the sandbox, false only the others, null both. */
  sandbox: either(flag, nothing),
  /** Whether to show only results with a star. */
  starred: flag,
  /** The order of the results, in each group. */
  sort: oneOf(['newest', 'oldest', 'name']),
  group: oneOf(['none', 'day', 'request']),
});
/** Which results are shown, and in which order. */
export type Filter = Shaped<typeof filter>;

const selection = {
  filter,
  /** Results after this moment pass every filter, because they were just asked for; null if it was not known. */
  since: either(short, nothing),
};

const filtered = object({
  ...selection,
  /** Whether the person has chosen the kind, so that it no longer follows the composer's tab. */
  hasChosenKind: flag,
});
export type Filtered = Shaped<typeof filtered>;
/** Which results are shown. */
export type Selection = Pick<Filtered, keyof typeof selection>;

const library = objectWith({
  /** Differs after each change. */
  revision: count,
  /** The number of results. */
  total: count,
  /** All models that made a result. */
  models: list(named, 100_000),
  /** Whether the library file has been read to the end. */
  isRead: flag,
  /** The newest results. */
  first: list(item),
});
export type LibraryPart = Shaped<typeof library>;

/** The beginning of a group of results. */
const heading = object({
  /** Index of its first result. */
  from: count,
  /** Empty where a group ends and no other one begins. */
  title: text(),
});
export type Heading = Shaped<typeof heading>;

/** A file or an address that a result was made from, but that the library does not list. */
const source = object({
  name: short,
  /** URI of the file, if it is in the workspace and as it was sent. */
  uri: optional(text()),
  /** Whether a file of the workspace is no longer there as it was sent. */
  isMissing: flag,
  /** URL of a source that the service fetched. */
  address: optional(text()),
  /** Webview URI of a picture. */
  source: optional(text()),
});
export type PictureSource = Shaped<typeof source>;

const details = object({
  item,
  /** Its position among the results that pass the filter; absent if it is not one of them. */
  position: optional(count),
  prompt: optional(text()),
  facts: list(object({ name: short, value: text() })),
  /** The results that this one was made from, and those made from it. */
  origins: list(item),
  sources: list(source),
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
  'copyRelativePath',
  'rename',
  'copyPrompt',
  'copyId',
  'forget',
  'delete',
  'move',
  'openLibrary',
  'addToManifest',
  'star',
  'unstar',
] as const;
export type ItemAction = (typeof itemActions)[number];

/** What fills the composer. */
export const composingActions = ['edit', 'animate', 'remix', 'transcribe', 'usePrompt', 'chooseModel'] as const;

/** A result or a job with which to fill the composer. */
const composedWith = object({ id: short, of: oneOf(['result', 'job']), action: oneOf(composingActions) });
export type ComposedWith = Shaped<typeof composedWith>;

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
    body: object({
      operation,
      values: record(text()),
      files: record(list(text(), 100)),
      /** Values of further fields; a file is a URI. */
      fields: record(either(either(text(), number), either(flag, list(text(), 1000)))),
      ...localShapes,
    }),
    reply: object({
      outcome: oneOf(['started', 'declined', 'failed']),
      message: optional(text()),
      /** Named as on the wire. */
      field: optional(field),
      actions: optional(list(action)),
    }),
  },
  /** Makes a sample of a voice, unless there is one. The reply is its webview URI; null when nothing is to be played. */
  hearVoice: { body: object({ model: named, voice: named }), reply: either(text(), nothing) },
  keepFavourite: { body: object({ voice: named, isFavourite: flag }), reply: nothing },
  /** Keeps the mask of a region. The reply is its URI. */
  keepMask: { body: object({ bytes: bytes(maxDropBytes) }), reply: text() },
  /** Removes a model from the suggestions until it is used again. */
  forgetModel: { body: object({ operation, model: named }), reply: nothing },
  /** Loads the service's list of models, which arrives with the next `setup`. */
  loadModels: { body: object({ operation }), reply: nothing },
  /** Earlier prompts of a tab, newest first. */
  history: { body: object({ tab }), reply: list(text()) },
  page: {
    body: object({ ...selection, from: count, limit: count }),
    reply: object({ revision: count, total: count, items: list(item), headings: list(heading, 1_000_000) }),
  },
  details: { body: object({ id: short, ...selection }), reply: details },
  /** Those of these results that are still in the library. */
  items: { body: object({ ids: list(short, maxChosen) }), reply: list(item) },
  /** All that a result or a job was made with. */
  recall: {
    body: object({ id: short, of: oneOf(['result', 'job']) }),
    reply: object({
      operation,
      prompt: text(),
      model: named,
      host: short,
      /** Values of the fields, by their names on the wire. */
      values: record(named),
      attachments: list(attachment, 100),
    }),
  },
  /** Fills the composer in the side bar, which takes the focus. */
  useInView: { body: composedWith, reply: nothing },
  /** Opens a file that a result was made from. */
  openSource: { body: object({ id: short, uri: text() }), reply: nothing },
  /** `action` is the id of an action offered by the job's card or the composer's message. */
  actOnJob: { body: object({ id: short, action: short }), reply: nothing },
  /** The reply is whether the person let it be done, where they are asked. */
  actOnItems: { body: object({ ids: list(short, maxChosen), action: oneOf(itemActions) }), reply: flag },
  /**
   * Keeps one of several compared results, after asking what becomes of the others. The reply is whether the person
   * decided.
   */
  keepOnly: { body: object({ id: short, others: list(short, maxChosen) }), reply: flag },
  /** Says that the window did not let the picture of a result onto the clipboard. */
  copyRefused: { body: object({ id: short }), reply: nothing },
  /** Answers a comparison of variants; null when the person closed it. */
  chooseVariant: { body: object({ number: either(count, nothing) }), reply: nothing },
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

/** A variant of an asset of a manifest. */
const variant = object({
  /** From 1. */
  number: count,
  /** Webview URI. */
  source: text(),
  /** Whether it is the one in use. */
  isChosen: flag,
});
export type ResultVariant = Shaped<typeof variant>;

/** A file or a folder that was renamed or moved. */
const move = object({
  /** URIs. */
  from: text(),
  to: text(),
  name: short,
  /** The same places as webview URIs. */
  shownFrom: text(),
  shownTo: text(),
});
export type Move = Shaped<typeof move>;

/** Everything that the host posts to the view, besides replies. */
export const hostMessage = either(
  object({ type: oneOf(['parts']), parts }),
  /** Selects a result in the library tab. */
  either(
    object({ type: oneOf(['select']), id: short }),
    either(
      /** Replaces the attachments of a tab, which it shows. */
      object({ type: oneOf(['compose']), tab, attachments: list(attachment, 100) }),
      either(
        object({ type: oneOf(['use']), source: composedWith }),
        either(
          /** Compares variants of the asset of this name in the library tab. */
          object({ type: oneOf(['compare']), name: text(), variants: list(variant) }),
          /** Lets attachments follow their files. In the order of the moves. */
          object({ type: oneOf(['moved']), moves: list(move) }),
        ),
      ),
    ),
  ),
);
export type HostMessage = Shaped<typeof hostMessage>;

/** The data that the host puts into the page. */
export const start = object({
  /** Names this data: VS Code loads a page with the same data each time that it is shown. */
  id: short,
  draft,
  parts,
  place: oneOf(['view', 'tab']),
});
export type Start = Shaped<typeof start>;

/** The state that the view saves while it is hidden. */
export const keptState = object({
  draft: optional(draft),
  scroll: optional(number),
  library: optional(library),
  filtered: optional(filtered),
  /** The id of the result whose details are shown. */
  selected: optional(short),
  /** The ids of the results that are selected. */
  chosen: optional(list(short, maxChosen)),
  /** What was typed into the form that connects a service, except for the key. */
  service: optional(object({ hosts, isSeparate: flag, scheme: shortText, asked: count })),
  /** The service that was connected, and the models chosen for it so far. */
  connected: optional(object({ service: connected, ...modelsToSave })),
  /** The texts of notices that the person has closed. */
  closed: optional(list(text(), 100)),
  /** The id of the data that the page has started with. */
  start: optional(short),
  /** When the person asked for the form that connects a service, as far as it has taken the focus. */
  asked: optional(count),
});
export type KeptState = Shaped<typeof keptState>;

export const emptyDraft: Draft = {
  revision: 0,
  tab: 'image',
  prompts: {},
  attachments: {},
  models: {},
  options: {},
  switched: [],
  shapes: {},
};

export { draft as draftShape };
