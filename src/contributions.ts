// Everything that package.json and the code share, once. `npm run generate` makes package.json's activation events,
// commands, menus and settings from these tables.

import {
  field,
  imageExtensions,
  narratedExtensions,
  type OperationId,
  operationIds,
  operations,
  outputExtensions,
} from './operations/operations.ts';

/** Prefix of all ids, and the section of the settings. */
export const section = 'unifiedMedia';

/** The command of an operation. */
export function commandOf(operation: OperationId): string {
  return `${section}.${operation}`;
}

/** The other commands. */
const commandNames = [
  'narrateSelection',
  'narrateDocument',
  'narrateDocuments',
  'speakParagraphAgain',
  'addVideo',
  'generateImageFromSelection',
  'generateImageAtCursor',
  'generateMissingMedia',
  'pointToFile',
  'serveFile',
  'transformImage',
  'saveFaviconSet',
  'repeatAsset',
  'compose',
  'compareVariants',
  'transcribeIntoDocument',
  'renameSpeakers',
  'addSpeakers',
  'saveSubtitles',
  'updateTimes',
  'useSubtitles',
  'addCaptions',
  'insertAsset',
  'openAsset',
  'playVideo',
  'revealAsset',
  'copyVideoId',
  'copyPrompt',
  'reusePrompt',
  'forgetVideo',
  'deleteVideoFile',
  'cancelJob',
  'runAgain',
  'downloadAgain',
  'saveElsewhere',
  'dismissJob',
  'saveRawAnswer',
  'showJobError',
  'setApiKey',
  'removeApiKey',
  'useSandbox',
  'useService',
  'planAssets',
  'applyAssets',
  'checkAssets',
  'acceptAssets',
  'makeAnew',
  'chooseVariant',
  'pruneAssets',
  'addToManifest',
  'createManifest',
  'addWorkflow',
  'connectService',
  'usePreset',
  'openLibrary',
  'playFromHere',
  'hearParagraph',
  'playPause',
  'playBack',
  'showLog',
  'connectAgent',
  'revokeAgents',
  'stopAgent',
  'answerAgents',
] as const;

export type CommandName = (typeof commandNames)[number];

export const commandIds = Object.fromEntries(commandNames.map((name) => [name, `${section}.${name}`])) as {
  readonly [Name in CommandName]: `unifiedMedia.${Name}`;
};

/** Keys that `when` clauses refer to. */
export const contextKeys = {
  hasManifest: 'unifiedMedia.hasManifest',
  /** What can be done with the jobs: the words of `traitsOf`. */
  jobs: 'unifiedMedia.jobs',
  /** Whether the player was used in this window. */
  hasPlayer: 'unifiedMedia.hasPlayer',
  isPlaying: 'unifiedMedia.isPlaying',
} as const;

export const viewIds = {
  create: 'unifiedMedia.create',
  videos: 'unifiedMedia.videos',
  activity: 'unifiedMedia.activity',
  assets: 'unifiedMedia.assets',
  player: 'unifiedMedia.player',
} as const;

/** The webview type of the library's tab. */
export const libraryTabType = 'unifiedMedia.library';

/** The id of the container in the activity bar. */
export const containerId = 'unifiedMedia';

/** The id of the container in the panel. */
export const playerContainerId = 'unifiedMediaPlayer';

/** Types of the data that is dragged out of the views. */
export const mimeTypes = { assets: 'application/vnd.unified-media.assets' } as const;

export const secretIds = { apiKey: 'unifiedMedia.apiKey', agentTokens: 'unifiedMedia.agentTokens' } as const;

/**
 * Languages of documents that may refer to media, by VS Code's ids. VS Code asks only running extensions for quick fixes
 * and has no other event for them, so opening such a document starts the extension.
 */
export const documentLanguages = [
  ...['markdown', 'mdx', 'quarto', 'rmd', 'html', 'handlebars', 'vue', 'svelte', 'astro', 'latex', 'tex', 'asciidoc'],
  'restructuredtext',
];

/** Documents and style sheets that may refer to media, where no extension for their language is installed. */
export const documentFiles =
  '**/*.{md,markdown,qmd,rmd,svx,mdx,html,htm,hbs,erb,twig,njk,liquid,vue,svelte,astro,css,pcss,scss,sass,less,styl,tex,adoc,asciidoc,asc,rst}';

/**
 * Languages of code that may refer to media. Most code refers to none, so opening it does not start the extension; once
 * it runs, code gets quick fixes too.
 */
export const codeLanguages = [
  ...['javascript', 'javascriptreact', 'typescript', 'typescriptreact', 'css', 'scss', 'sass', 'less'],
];

/**
 * A setting. Its type is that of its default; the texts `setting.<name>` and, for choices that need one,
 * `setting.<name>.<choice>` describe it.
 */
export interface Setting {
  /** Also replaces values of the wrong type. */
  readonly default: unknown;
  /** Default: `window`. The workspace's values of `machine` and `application` settings are never read. */
  readonly scope?: 'machine' | 'application' | 'resource';
  /** The only values. */
  readonly choices?: readonly string[];
  /** Values that the settings editor suggests; others are valid too. */
  readonly suggestions?: readonly string[];
  readonly minimum?: number;
  /** Whether fractions of a number are valid. */
  readonly isFraction?: true;
  /** JSON Schema of each property of an object. */
  readonly each?: object;
  /** Names of an object's properties, if it has other ones than the default. */
  readonly names?: readonly string[];
  /** Whether VS Code lists it among the settings of online services. */
  readonly isOnline?: true;
  /** Whether an untrusted workspace may set it: it decides nothing about cost, requests, files or waiting. */
  readonly isHarmless?: true;
}

const count = field('generateImage', 'n');
const imageFormat = field('generateImage', 'output_format');
const voice = field('speak', 'voice');
const speechFormat = field('speak', 'response_format');

/** The settings below `unifiedMedia.`, by their page in the settings editor and in their order there. */
export const settingPages = {
  service: {
    service: { default: 'remote', choices: ['remote', 'sandbox'], scope: 'machine', isOnline: true },
    imageBaseUrl: { default: '', scope: 'machine', isOnline: true },
    audioBaseUrl: { default: '', scope: 'machine', isOnline: true },
    videoBaseUrl: { default: '', scope: 'machine', isOnline: true },
    insecureHosts: { default: [], each: { type: 'string' }, scope: 'machine', isOnline: true },
    authorizationScheme: { default: '', scope: 'machine' },
    headers: { default: {}, scope: 'machine' },
    idempotencyHeader: { default: '', scope: 'machine' },
    timeoutSeconds: {
      default: { image: 600, audio: 900, video: 1800 },
      each: { type: 'number', exclusiveMinimum: 0, maximum: 86_400 },
    },
    transcriptionPath: { default: operations.transcribe.path, scope: 'machine', isOnline: true },
    translationPath: { default: operations.translate.path, scope: 'machine', isOnline: true },
    imageStatusPath: { default: '', scope: 'machine', isOnline: true },
    videoStatusPath: { default: '', scope: 'machine', isOnline: true },
    modelListPath: { default: '', scope: 'machine', isOnline: true },
    allowPrivateResultAddresses: { default: false, scope: 'machine' },
  },
  requests: {
    models: { default: {}, names: operationIds, each: { type: 'array', items: { type: 'string' } } },
    fields: { default: {} },
    'image.count': { default: count.default, minimum: count.minimum },
    'image.outputFormat': { default: imageFormat.default, choices: imageFormat.options },
    maxConcurrentJobs: { default: 3, minimum: 1 },
    'speech.voice': { default: voice.default, choices: voice.options },
    'speech.responseFormat': { default: speechFormat.default, suggestions: speechFormat.options },
    'speech.maxCharacters': { default: 4096, minimum: 0 },
    confirmAbove: {
      default: { images: 4, videos: 1, characters: 20_000, minutes: 60, requests: 20 },
      each: { type: 'integer', minimum: 0 },
    },
    'narration.codeLens': { default: true, isHarmless: true },
    'narration.playsAtOnce': { default: false, isHarmless: true },
    prices: { default: {} },
    pronunciations: { default: {}, each: { type: 'string' }, scope: 'resource' },
  },
  files: {
    outputFolder: { default: 'media/${kind}', scope: 'resource' },
    fileName: { default: '${prompt}', scope: 'resource' },
    openAfterSave: { default: true, isHarmless: true },
    'transcript.format': {
      default: 'markdown',
      choices: ['markdown', 'text', 'srt', 'vtt'],
      scope: 'resource',
      isHarmless: true,
    },
    'transcript.times': { default: 'none', choices: ['none', 'turns'], scope: 'resource', isHarmless: true },
    'transcript.soundOnly': { default: true },
    'transcript.maxMegabytes': { default: 0, minimum: 0, isFraction: true },
    'library.location': { default: 'workspace', choices: ['workspace', 'private'], isHarmless: true },
    // Also an object that maps address prefixes to folders.
    references: {
      default: 'auto',
      choices: ['auto', 'relative'],
      each: { type: 'string' },
      scope: 'resource',
      isHarmless: true,
    },
    missingMedia: { default: 'hint', choices: ['off', 'hint', 'warning'], scope: 'resource', isHarmless: true },
    hover: { default: true, isHarmless: true },
    markGenerated: { default: true },
  },
  agents: {
    'agents.enabled': { default: true, scope: 'application' },
    'agents.server': { default: false, scope: 'application' },
    'agents.preview': { default: true, scope: 'application' },
    'agents.budget': {
      default: { images: 20, videos: 0, characters: 20_000, minutes: 60, requests: 100 },
      each: { type: 'number', minimum: 0 },
      scope: 'application',
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Setting>>>>;

export const contributedSettings = {
  ...settingPages.service,
  ...settingPages.requests,
  ...settingPages.files,
  ...settingPages.agents,
};

export type SettingName = keyof typeof contributedSettings;

/** The full name of a setting. */
export function settingId(name: SettingName): string {
  return `${section}.${name}`;
}

// Only `npm run generate` uses what follows; no bundle contains it.

export function activationEvents(): readonly string[] {
  return [
    'workspaceContains:.unified-media/library.jsonl',
    'workspaceContains:.unified-media/jobs',
    'workspaceContains:media.jsonc',
    `onWebviewPanel:${libraryTabType}`,
    // Also for manifests below the workspace folder, and for those that are created while it is open.
    ...['jsonc', ...documentLanguages].map((id) => `onLanguage:${id}`),
  ];
}

/** The commands, with their icons. */
export function contributedCommands(): readonly object[] {
  const icons: Partial<Record<OperationId | CommandName, string>> = {
    remixVideo: 'git-branch',
    addVideo: 'add',
    openAsset: 'go-to-file',
    playVideo: 'play',
    cancelJob: 'debug-stop',
    runAgain: 'refresh',
    downloadAgain: 'cloud-download',
    dismissJob: 'close',
    openLibrary: 'library',
    stopAgent: 'debug-stop',
    answerAgents: 'comment-discussion',
    planAssets: 'list-unordered',
    applyAssets: 'play',
    checkAssets: 'pass',
    acceptAssets: 'lock',
    makeAnew: 'refresh',
    chooseVariant: 'versions',
    pruneAssets: 'trash',
  };
  return [...operationIds, ...commandNames].map((name) => ({
    command: `${section}.${name}`,
    category: '%category%',
    title: `%command.${name}%`,
    icon: icons[name] && `$(${icons[name]})`,
  }));
}

/** An item of a menu. */
export interface MenuItem {
  readonly command: string;
  readonly when: string;
  /** Its group, and its place there. */
  readonly group?: string;
}

export function contributedMenus(): Readonly<Record<string, readonly MenuItem[]>> {
  return {
    commandPalette: Object.entries(paletteConditions()).flatMap(([when, names]) =>
      names.map((name) => ({ command: commandIds[name], when })),
    ),
    ...fileMenus(),
    'view/title': viewTitles(),
    'view/item/context': [...videoMenu(), ...jobMenu(), ...assetMenu()],
  };
}

/** Condition under which the command palette lists commands. It always lists the others. */
function paletteConditions(): Readonly<Record<string, readonly CommandName[]>> {
  const hasJob = (trait: string) => `${contextKeys.jobs} =~ /\\b${trait}\\b/`;
  return {
    "config.unifiedMedia.service != 'sandbox'": ['useSandbox'],
    "config.unifiedMedia.service == 'sandbox'": ['useService'],
    editorIsOpen: [
      'narrateSelection',
      'narrateDocument',
      'speakParagraphAgain',
      'hearParagraph',
      'generateImageAtCursor',
      'transcribeIntoDocument',
      'generateMissingMedia',
      'insertAsset',
      'saveSubtitles',
      'useSubtitles',
      'addCaptions',
    ],
    editorHasSelection: ['generateImageFromSelection'],
    [`editorIsOpen || ${contextKeys.hasPlayer}`]: ['playFromHere'],
    [contextKeys.hasPlayer]: ['playPause', 'playBack'],
    [`editorIsOpen && ${isFile(outputExtensions.transcripts)}`]: ['renameSpeakers', 'addSpeakers', 'updateTimes'],
    [hasJob('(?:running|waits)')]: ['cancelJob'],
    [hasJob('waits')]: ['answerAgents'],
    [hasJob('ended')]: ['runAgain'],
    [hasJob('answer')]: ['downloadAgain', 'saveElsewhere'],
    [hasJob('raw')]: ['saveRawAnswer'],
    [hasJob('(?:ended|done)')]: ['dismissJob'],
    [`workspaceFolderCount != 0 && !${contextKeys.hasManifest}`]: ['createManifest'],
    [contextKeys.hasManifest]: ['planAssets', 'applyAssets', 'checkAssets', 'pruneAssets', 'addWorkflow'],
    // They need an item of a view or a document.
    false: [
      ...(['pointToFile', 'serveFile', 'repeatAsset', 'compose', 'compareVariants', 'openAsset', 'playVideo'] as const),
      ...(['revealAsset', 'copyVideoId'] as const),
      ...(['copyPrompt', 'reusePrompt', 'forgetVideo', 'deleteVideoFile', 'showJobError', 'stopAgent'] as const),
      ...(['acceptAssets', 'addToManifest', 'chooseVariant', 'makeAnew', 'narrateDocuments'] as const),
    ],
  };
}

/** The menus of the Explorer and of editors. */
function fileMenus(): Readonly<Record<string, readonly MenuItem[]>> {
  const { formats, soundOnlyFormats } = field('transcribe', 'file');
  const isImage = isFile(imageExtensions);
  const isRecording = isFile([...formats, ...soundOnlyFormats]);
  const isSpoken = isFile(narratedExtensions);
  const isOutput = isFile(Object.values(outputExtensions).flat());
  const { narrateDocument, narrateSelection, generateImageFromSelection, transformImage, addToManifest } = commandIds;
  const own = '7_unifiedMedia';
  return {
    'explorer/context': [
      item(commandOf('editImage'), `${own}@1`, isImage),
      item(commandOf('animateImage'), `${own}@2`, isImage, '!listMultiSelection'),
      item(commandOf('transcribe'), `${own}@3`, isRecording),
      item(commandOf('translate'), `${own}@4`, isRecording),
      item(narrateDocument, `${own}@5`, isSpoken, '!listMultiSelection'),
      item(commandIds.narrateDocuments, `${own}@5`, `(explorerResourceIsFolder || listMultiSelection && ${isSpoken})`),
      item(transformImage, `${own}@3`, isFile(outputExtensions.images), '!listMultiSelection'),
      item(commandIds.useSubtitles, `${own}@7`, isFile(['srt', 'vtt']), '!listMultiSelection'),
      item(commandIds.saveSubtitles, `${own}@8`, isFile(outputExtensions.transcripts), '!listMultiSelection'),
      item(addToManifest, `${own}@9`, isOutput, contextKeys.hasManifest, '!listMultiSelection'),
    ],
    'editor/title/context': [item(narrateDocument, `${own}@1`, isSpoken)],
    'editor/context': [
      item(narrateSelection, `${own}@1`, 'editorHasSelection'),
      item(generateImageFromSelection, `${own}@2`, 'editorHasSelection'),
      item(narrateDocument, `${own}@3`, '!editorHasSelection', isSpoken),
      item(commandIds.playFromHere, `${own}@4`, '!editorHasSelection', isSpoken),
      item(commandIds.hearParagraph, `${own}@5`, '!editorHasSelection', isSpoken, contextKeys.hasPlayer),
    ],
  };
}

function viewTitles(): readonly MenuItem[] {
  return [
    item(commandIds.applyAssets, 'navigation@1', isView('assets')),
    item(commandIds.checkAssets, 'navigation@2', isView('assets')),
    item(commandIds.openLibrary, 'navigation@1', isView('create')),
    item(commandIds.addVideo, 'navigation@1', isView('videos')),
  ];
}

function videoMenu(): readonly MenuItem[] {
  const on = (command: string, group: string, trait?: string) =>
    item(command, group, isView('videos'), hasTrait(trait));
  return [
    on(commandIds.playVideo, 'inline@1', 'file'),
    on(commandOf('remixVideo'), 'inline@2', 'remixable'),
    on(commandIds.playVideo, '1_open@1', 'file'),
    on(commandIds.insertAsset, '1_open@2', 'file'),
    on(commandIds.revealAsset, '1_open@3', 'file'),
    on(commandOf('remixVideo'), '2_make@1', 'remixable'),
    on(commandIds.reusePrompt, '2_make@2', 'prompt'),
    on(commandIds.copyVideoId, '5_copy@1', 'remixable'),
    on(commandIds.copyPrompt, '5_copy@2', 'prompt'),
    on(commandIds.forgetVideo, '7_remove@1'),
    on(commandIds.deleteVideoFile, '7_remove@2', 'file'),
  ];
}

function jobMenu(): readonly MenuItem[] {
  const on = (command: string, group: string, ...traits: readonly string[]) =>
    item(command, group, isView('activity'), ...traits.map(hasTrait));
  return [
    on(commandIds.cancelJob, 'inline@1', 'running'),
    on(commandIds.downloadAgain, 'inline@1', 'answer'),
    on(commandIds.runAgain, 'inline@2', 'ended'),
    on(commandIds.openAsset, 'inline@1', 'file'),
    on(commandIds.dismissJob, 'inline@9', '(?:ended|done)'),
    on(commandIds.cancelJob, '1_job@1', 'running'),
    on(commandIds.downloadAgain, '1_job@2', 'answer'),
    on(commandIds.saveElsewhere, '1_job@3', 'answer'),
    on(commandIds.saveRawAnswer, '1_job@4', 'raw'),
    on(commandIds.runAgain, '1_job@4', 'ended'),
    on(commandIds.showJobError, '1_job@5', 'ended', 'error'),
    on(commandIds.openAsset, '2_open@1', 'file'),
    on(commandIds.insertAsset, '2_open@2', 'file'),
    on(commandIds.transformImage, '2_open@4', 'picture'),
    on(commandIds.revealAsset, '2_open@3', 'file'),
    on(commandIds.dismissJob, '7_remove@1', '(?:ended|done)'),
    on(commandIds.answerAgents, 'inline@1', 'waits'),
    on(commandIds.stopAgent, '3_agent@1', 'agent'),
  ];
}

function assetMenu(): readonly MenuItem[] {
  const on = (command: string, group: string, trait: string) => item(command, group, isView('assets'), hasTrait(trait));
  return [
    on(commandIds.applyAssets, 'inline@1', 'makeable'),
    on(commandIds.acceptAssets, 'inline@2', 'keepable'),
    on(commandIds.chooseVariant, '1_variant@1', 'choosable'),
    on(commandIds.makeAnew, '1_variant@2', 'renewable'),
    on(commandIds.pruneAssets, 'inline@1', 'orphan'),
  ];
}

function item(command: string, group: string, ...conditions: readonly (string | undefined)[]): MenuItem {
  return { command, when: conditions.filter(Boolean).join(' && '), group };
}

function isFile(extensions: readonly string[]): string {
  return `resourceExtname =~ /^\\.(${extensions.join('|')})$/i`;
}

function isView(name: keyof typeof viewIds): string {
  return `view == ${viewIds[name]}`;
}

function hasTrait(trait?: string): string | undefined {
  return trait && `viewItem =~ /\\b${trait}\\b/`;
}
