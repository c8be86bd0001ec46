import type { OperationId } from './operations/operations.ts';

/** All ids that package.json and the code share. A test compares both ways. */

/** The command of an operation. */
export function commandOf(operation: OperationId): string {
  return `unifiedMedia.${operation}`;
}

export const commandIds = {
  narrateSelection: 'unifiedMedia.narrateSelection',
  narrateDocument: 'unifiedMedia.narrateDocument',
  addVideo: 'unifiedMedia.addVideo',
  generateImageFromSelection: 'unifiedMedia.generateImageFromSelection',
  generateImageAtCursor: 'unifiedMedia.generateImageAtCursor',
  generateMissingMedia: 'unifiedMedia.generateMissingMedia',
  pointToFile: 'unifiedMedia.pointToFile',
  transformImage: 'unifiedMedia.transformImage',
  repeatAsset: 'unifiedMedia.repeatAsset',
  transcribeIntoDocument: 'unifiedMedia.transcribeIntoDocument',
  renameSpeakers: 'unifiedMedia.renameSpeakers',
  insertAsset: 'unifiedMedia.insertAsset',
  openAsset: 'unifiedMedia.openAsset',
  playVideo: 'unifiedMedia.playVideo',
  revealAsset: 'unifiedMedia.revealAsset',
  copyVideoId: 'unifiedMedia.copyVideoId',
  copyPrompt: 'unifiedMedia.copyPrompt',
  reusePrompt: 'unifiedMedia.reusePrompt',
  forgetVideo: 'unifiedMedia.forgetVideo',
  deleteVideoFile: 'unifiedMedia.deleteVideoFile',
  cancelJob: 'unifiedMedia.cancelJob',
  runAgain: 'unifiedMedia.runAgain',
  downloadAgain: 'unifiedMedia.downloadAgain',
  saveElsewhere: 'unifiedMedia.saveElsewhere',
  dismissJob: 'unifiedMedia.dismissJob',
  saveRawAnswer: 'unifiedMedia.saveRawAnswer',
  showJobError: 'unifiedMedia.showJobError',
  setApiKey: 'unifiedMedia.setApiKey',
  removeApiKey: 'unifiedMedia.removeApiKey',
  useSandbox: 'unifiedMedia.useSandbox',
  useService: 'unifiedMedia.useService',
  planAssets: 'unifiedMedia.planAssets',
  applyAssets: 'unifiedMedia.applyAssets',
  checkAssets: 'unifiedMedia.checkAssets',
  acceptAssets: 'unifiedMedia.acceptAssets',
  chooseVariant: 'unifiedMedia.chooseVariant',
  pruneAssets: 'unifiedMedia.pruneAssets',
  addToManifest: 'unifiedMedia.addToManifest',
  addWorkflow: 'unifiedMedia.addWorkflow',
  connectService: 'unifiedMedia.connectService',
  openLibrary: 'unifiedMedia.openLibrary',
  showLog: 'unifiedMedia.showLog',
  connectAgent: 'unifiedMedia.connectAgent',
  revokeAgents: 'unifiedMedia.revokeAgents',
  stopAgent: 'unifiedMedia.stopAgent',
  answerAgents: 'unifiedMedia.answerAgents',
} as const;

/** Names of the settings below `unifiedMedia.` */
export const settingNames = {
  service: 'service',
  imageBaseUrl: 'imageBaseUrl',
  audioBaseUrl: 'audioBaseUrl',
  videoBaseUrl: 'videoBaseUrl',
  authorizationScheme: 'authorizationScheme',
  transcriptionPath: 'transcriptionPath',
  translationPath: 'translationPath',
  videoStatusPath: 'videoStatusPath',
  modelListPath: 'modelListPath',
  allowPrivateResultAddresses: 'allowPrivateResultAddresses',
  models: 'models',
  outputFolder: 'outputFolder',
  fileName: 'fileName',
  transcriptFormat: 'transcript.format',
  transcriptSoundOnly: 'transcript.soundOnly',
  transcriptMaxMegabytes: 'transcript.maxMegabytes',
  imageCount: 'image.count',
  imageOutputFormat: 'image.outputFormat',
  maxConcurrentJobs: 'maxConcurrentJobs',
  speechVoice: 'speech.voice',
  speechResponseFormat: 'speech.responseFormat',
  speechMaxCharacters: 'speech.maxCharacters',
  narrationCodeLens: 'narration.codeLens',
  timeoutSeconds: 'timeoutSeconds',
  openAfterSave: 'openAfterSave',
  confirmAbove: 'confirmAbove',
  libraryLocation: 'library.location',
  references: 'references',
  missingMedia: 'missingMedia',
  hover: 'hover',
  agentsEnabled: 'agents.enabled',
  agentsServer: 'agents.server',
  agentsPreview: 'agents.preview',
  agentsBudget: 'agents.budget',
} as const;

export type SettingName = (typeof settingNames)[keyof typeof settingNames];

/** Keys that `when` clauses refer to. */
export const contextKeys = { hasManifest: 'unifiedMedia.hasManifest' } as const;

export const viewIds = {
  create: 'unifiedMedia.create',
  videos: 'unifiedMedia.videos',
  activity: 'unifiedMedia.activity',
  assets: 'unifiedMedia.assets',
} as const;

/** The webview type of the library's tab. */
export const libraryTabType = 'unifiedMedia.library';

/** The id of the container in the activity bar. */
export const containerId = 'unifiedMedia';

export const section = 'unifiedMedia';

/** Types of the data that is dragged out of the views. */
export const mimeTypes = { assets: 'application/vnd.unified-media.assets' } as const;

export const secretIds = { apiKey: 'unifiedMedia.apiKey', agentTokens: 'unifiedMedia.agentTokens' } as const;
