import { fieldTable } from '../operations/declarations.ts';
import { nameIn, spokenField } from '../operations/fields.ts';
import {
  type Field,
  type FieldName,
  field,
  maxImages,
  type Operation,
  type OperationId,
  operationIds,
  operations,
  takesVideo,
} from '../operations/operations.ts';
import { type FreeTool, type FreeToolId, freeToolIds, freeTools } from './freeTools.ts';
import {
  agentTranscriptFormats,
  commonInputs,
  type ObjectSchema,
  objectOf,
  path,
  paths,
  text,
  type ValueSchema,
} from './toolInput.ts';

// `npm run generate` writes this table into package.json; a test compares both. Descriptions are for models, in English.

export type ToolId = OperationId | FreeToolId;

/** A tool for agents. package.json, the adapter for VS Code and the MCP server are all derived from it. */
export interface AgentTool {
  readonly id: ToolId;
  /** The tool's id in VS Code. */
  readonly name: string;
  /** The name that models see, in VS Code and by MCP. */
  readonly referenceName: string;
  readonly title: string;
  /** For models. */
  readonly description: string;
  /** For the user. */
  readonly userDescription: string;
  readonly inputSchema: ObjectSchema;
  /** The inputs that may have several lines. */
  readonly texts: readonly string[];
  /** The operation that it runs; undefined for a free tool. */
  readonly operation?: OperationId;
  readonly free?: FreeTool;
}

/** Maximum length of a prompt or of a text to speak, in characters. */
const maxTextLength = 100_000;
const maxCount = 4;

const paidNotice =
  'Costs money: the user has set a daily budget and is asked before it is exceeded. If the status is "declined", stop; if it is "unknown", never call the tool again.';
const lookFirst = 'Check media_find_assets first.';

/** What each operation does, for models and for the user. Operations that are not listed are described by their title. */
const purposes: Partial<Record<OperationId, readonly [forModels: string, forUser: string]>> = {
  generateImage: [
    `Generates 1 to 4 images from a prompt and saves them in the workspace. Generate one draft first, look at the preview, and generate more only when asked. ${lookFirst}`,
    'Generates images from a prompt and saves them in the workspace',
  ],
  editImage: [
    `Edits one or more existing images according to a prompt and saves the results as new files. ${lookFirst}`,
    'Edits images with a prompt and saves the results as new files',
  ],
  speak: [
    `Speaks a text, or a text document in the workspace, and saves it as an audio file. ${lookFirst}`,
    'Speaks a text and saves the audio',
  ],
  transcribe: [
    'Transcribes an audio file in the workspace and saves the transcript with the other media.',
    'Transcribes the speech in a recording',
  ],
  translate: [
    'Translates the speech in an audio file in the workspace into English text and saves it.',
    'Translates the speech in a recording into English text',
  ],
  generateVideo: [
    `Generates a short video from a prompt. Takes minutes. ${lookFirst}`,
    'Generates a short video from a prompt',
  ],
  animateImage: [
    'Generates a short video that starts with a given image. Takes minutes.',
    'Generates a short video that starts with an image',
  ],
  remixVideo: [
    'Generates a changed version of an earlier video with the same model. Takes minutes.',
    'Generates a changed version of an earlier video',
  ],
};

const resultNotice = 'Returns JSON with status, job_id and files (path and the reference to insert)';

const common: Readonly<Record<string, ValueSchema>> = {
  ...commonInputs,
  request_id: text(
    'An id of your choice for this request. A repeated call with the same id joins the job instead of paying again.',
    64,
  ),
  purpose: text('What the media are for, in one line. Shown to the user.', 200),
};

const further: ValueSchema = {
  type: 'object',
  description: 'Further fields of the service by name, as media_get_options lists them. Leave out if it lists none.',
  additionalProperties: true,
};

const recording = field('transcribe', 'file');

/** What some fields are for, for models. */
const fieldWords: Partial<Record<FieldName, string>> = {
  model: 'Name of the model. Defaults to the first model that media_get_options lists for the operation.',
  n: 'How many images to generate. Each is billed. Defaults to 1.',
  input: 'The text to speak. Give either text or file.',
  image_urls: 'The images, each as a path in the workspace, an asset_id or an https URL.',
  image_url: 'The image, as a path in the workspace, an asset_id or an https URL.',
  video_id: 'The asset_id of the video, from media_find_assets.',
  file: `The recording, as a path in the workspace or an asset_id. Formats: ${recording.formats.join(', ')}; also ${recording.soundOnlyFormats.join(' and ')}, of which only the sound is sent.`,
};

/** All tools, as published: settings may declare other values of a field, so {@link withDeclared} checks those of a call. */
export const agentTools: readonly AgentTool[] = [
  ...operationIds.map((id) => paidTool(id, operations[id].fields.map(opened))),
  ...freeToolIds.map(freeTool),
];

export function toolOf(id: ToolId): AgentTool {
  const tool = agentTools.find((one) => one.id === id);
  if (!tool) throw new Error(`there is no tool ${id}`);
  return tool;
}

/** @param name as in package.json */
export function toolNamed(name: string): AgentTool {
  const tool = agentTools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}

export function toolByReferenceName(name: string): AgentTool | undefined {
  return agentTools.find((tool) => tool.referenceName === name);
}

/** Returns the fields of an operation that agents can set. The others follow the settings or the video to remix. */
function inputFields(id: OperationId, fields: readonly Field[]): readonly Field[] {
  return fields.filter((one) => {
    if (one.type === 'choice' && one.isTransfer) return false;
    return one.type !== 'model' || !takesVideo(operations[id]);
  });
}

function opened(field: Field): Field {
  return field.type === 'choice' ? { ...field, open: true } : field;
}

/** @param fields those of the operation, and further ones */
export function paidTool(id: OperationId, fields: readonly Field[]): AgentTool {
  const operation: Operation = operations[id];
  const own = inputFields(id, fields);
  const spoken = spokenField(own);
  const [forModels, userDescription] = purposes[id] ?? [`${operation.title}.`, operation.title];
  const named = (some: readonly Field[]) => some.map((one) => nameIn('tools', one));
  return {
    id,
    operation: id,
    ...namesOf(id),
    title: operation.title,
    description: `${forModels} ${paidNotice} ${resultNotice}${operation.result === 'images' ? ', and small previews.' : '.'}`,
    userDescription,
    texts: named(own.filter(({ type }) => type === 'text')),
    inputSchema: objectOf(
      {
        ...Object.fromEntries(own.map((one) => [nameIn('tools', one), schemaOf(one)] as const)),
        ...(spoken && { file: path('Path of a text document in the workspace to speak instead of text.') }),
        fields: further,
        ...outputs(operation),
        ...common,
      },
      named(own.filter((one) => one.type !== 'model' && !('default' in one) && one !== spoken)),
    ),
  };
}

/** Returns a tool with the values that the service takes instead of the specification's, such as other voices. */
export function withDeclared(tool: AgentTool, { declaredFields }: { declaredFields(): unknown }): AgentTool {
  const { operation } = tool;
  return operation === undefined ? tool : paidTool(operation, fieldTable(operation, declaredFields()).own);
}

function freeTool(id: FreeToolId): AgentTool {
  const free: FreeTool = freeTools[id];
  return { id, ...namesOf(id), ...free, free, texts: [] };
}

function namesOf(id: ToolId): Pick<AgentTool, 'name' | 'referenceName'> {
  const snake = id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { name: `unifiedMedia_${id}`, referenceName: `media_${snake}` };
}

/** Returns the schema of a field, which follows from its description. */
function schemaOf(of: Field): ValueSchema {
  const words: Readonly<Partial<Record<string, string>>> = fieldWords;
  const description = words[of.name] ?? of.label;
  switch (of.type) {
    case 'model':
      return text(description, 200);
    case 'text': {
      const asked = `${of.placeholder}: subject, style, background and what to leave out.`;
      return text(words[of.name] ?? asked, maxTextLength);
    }
    case 'integer': {
      const { minimum, maximum, default: standard } = of;
      const integer = { type: 'integer', description, minimum } as const;
      if (!of.isCount) return { ...integer, ...(maximum !== undefined && { maximum }), default: standard };
      // Agents must not spend more at once.
      return { ...integer, maximum: maxCount, default: Math.min(standard, maxCount) };
    }
    case 'choice': {
      const base = { type: 'string', maxLength: 40, minLength: 1 } as const;
      const standard = `Defaults to ${of.setting === undefined ? of.default : "the user's setting"}.`;
      if (!of.open) return { ...base, description: standard, enum: of.options };
      return { ...base, description: `For example ${of.options.join(', ')}; media_get_options lists all. ${standard}` };
    }
    case 'images':
      return paths(description, maxImages);
    case 'image':
    case 'video':
    case 'audioFile':
      return path(description);
  }
}

function outputs(operation: Operation): Readonly<Record<string, ValueSchema>> {
  const { result } = operation;
  const named = {
    file_name: text(
      `Name of the new file without extension. Defaults to ${usualName(operation)}. Existing files are never overwritten.`,
      120,
    ),
    folder: text(
      "Folder of the new file, relative to the workspace folder. Defaults to the user's setting, or where the project keeps such files.",
      500,
    ),
  };
  if (result === 'transcripts') {
    return {
      ...named,
      format: {
        type: 'string',
        description: 'Format of the saved transcript. srt and vtt need a service that returns timestamps.',
        maxLength: 10,
        enum: Object.keys(agentTranscriptFormats),
      },
    };
  }
  return {
    ...named,
    alt_text: text('What the media show or say, for the alt text of the reference. Defaults to the prompt.', 500),
  };
}

/** Returns what a new file is named after, in words. */
function usualName({ result, fields }: Operation): string {
  if (result === 'transcripts') return 'the name of the recording';
  if (fields.some(({ type }) => type === 'images')) return 'the name of the first image, or one made from the prompt';
  return `a name made from the ${result === 'speech' ? 'text' : 'prompt'}`;
}
