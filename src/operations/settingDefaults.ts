/**
 * The defaults that replace a value of the wrong type; the command line uses them too. A test compares them with
 * package.json. The defaults of request fields are in `operations`.
 */
export const settingDefaults = {
  service: 'remote',
  allowPrivateResultAddresses: false,
  fileName: '${prompt}',
  'transcript.format': 'markdown',
  'transcript.soundOnly': true,
  maxConcurrentJobs: 3,
  'speech.maxCharacters': 4096,
  'narration.codeLens': true,
  timeoutSeconds: { image: 300, audio: 900, video: 1800 },
  openAfterSave: true,
  confirmAbove: { images: 4, videos: 1, characters: 20_000, minutes: 60, requests: 20 },
  'library.location': 'workspace',
  references: 'auto',
  missingMedia: 'off',
  hover: true,
  'agents.enabled': true,
  'agents.server': false,
  'agents.preview': true,
} as const;

/** The values of the settings that are a choice. */
export const settingChoices = {
  service: ['remote', 'sandbox'],
  'transcript.format': ['markdown', 'text', 'srt', 'vtt'],
  'library.location': ['workspace', 'private'],
  missingMedia: ['off', 'hint', 'warning'],
} as const;
