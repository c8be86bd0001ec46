import { isPlainLine } from '../foreign/plainText.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { Field, Operation, OperationId } from '../operations/operations.ts';
import { maxImages, operationIds, operations, takesVideo } from '../operations/operations.ts';
import type { FreeToolId } from './freeToolIds.ts';

/** The subset of JSON Schema that the tools use; `readInput` checks all of it. */
type ValueSchema =
  | {
      readonly type: 'string';
      readonly description: string;
      readonly minLength?: number;
      readonly maxLength: number;
      readonly enum?: readonly string[];
      readonly default?: string;
    }
  | {
      readonly type: 'integer';
      readonly description: string;
      readonly minimum: number;
      readonly maximum: number;
      readonly default?: number;
    }
  | { readonly type: 'boolean'; readonly description: string; readonly default?: boolean }
  | {
      readonly type: 'array';
      readonly description: string;
      readonly items: { readonly type: 'string'; readonly minLength: number; readonly maxLength: number };
      readonly minItems: number;
      readonly maxItems: number;
    };

interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ValueSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

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
  readonly inputSchema: ObjectSchema;
  /** The operation that it runs; undefined for a free tool. */
  readonly operation?: OperationId;
}

/** A field of an operation, and its name in the tools. */
export interface AgentField {
  readonly name: string;
  readonly field: Field;
}

/** Maximum length of a prompt or of a text to speak, in characters. */
const maxTextLength = 100_000;
const maxPathLength = 1000;
/** Below 60 s, a common timeout of clients for one call. */
const maxWaitSeconds = 50;
const maxCount = 4;

/** Formats of transcripts, by the names that agents use. */
export const agentTranscriptFormats = { md: 'markdown', txt: 'text', srt: 'srt', vtt: 'vtt', json: 'json' } as const;

const paidNotice =
  'Costs money: the user has set a daily budget and is asked before it is exceeded. If the status is "declined", stop; if it is "unknown", never call the tool again.';
const lookFirst = 'Check media_find_assets first.';

/** What each operation does, for models. Operations that are not listed are described by their title. */
const purposes: Partial<Record<OperationId, string>> = {
  generateImage: `Generates 1 to 4 images from a prompt and saves them in the workspace. Generate one draft first, look at the preview, and generate more only when asked. ${lookFirst}`,
  editImage: `Edits one or more existing images according to a prompt and saves the results as new files. ${lookFirst}`,
  speak: `Speaks a text, or a text document in the workspace, and saves it as an audio file. ${lookFirst}`,
  transcribe: 'Transcribes an audio file in the workspace and saves the transcript with the other media.',
  translate: 'Translates the speech in an audio file in the workspace into English text and saves it.',
  generateVideo: `Generates a short video from a prompt. Takes minutes. ${lookFirst}`,
  animateImage: 'Generates a short video that starts with a given image. Takes minutes.',
  remixVideo: 'Generates a changed version of an earlier video with the same model. Takes minutes.',
};

const resultNotice =
  'Returns JSON with status, job_id and files (path and the reference to insert), and small previews of images.';

const common: Readonly<Record<string, ValueSchema>> = {
  wait_seconds: {
    type: 'integer',
    description: `How many seconds to wait for the result, 0 to ${maxWaitSeconds}. After that the status is "running"; pass the job_id to media_get_job.`,
    minimum: 0,
    maximum: maxWaitSeconds,
    default: maxWaitSeconds,
  },
  include_preview: {
    type: 'boolean',
    description: 'Whether to return small previews of images. Defaults to true.',
    default: true,
  },
  request_id: text(
    'An id of your choice for this request. A repeated call with the same id joins the job instead of paying again.',
    64,
  ),
  purpose: text('What the media are for, in one line. Shown to the user.', 200),
};

/** All tools. */
export const agentTools: readonly AgentTool[] = [...operationIds.map(paidTool), ...freeTools()];

export function toolOf(id: ToolId): AgentTool {
  const tool = agentTools.find((one) => one.id === id);
  if (!tool) throw new Error(`there is no tool ${id}`);
  return tool;
}

export function toolByReferenceName(name: string): AgentTool | undefined {
  return agentTools.find((tool) => tool.referenceName === name);
}

/** Returns the fields of an operation that agents can set. `output_format` follows the settings. */
export function agentFields(id: OperationId): readonly AgentField[] {
  const { fields }: Operation = operations[id];
  return fields.filter((field) => field.name !== 'output_format').map((field) => ({ name: agentNameOf(field), field }));
}

/** Whether an operation speaks a text, which a document may also provide. */
function speaksText(id: OperationId): boolean {
  return agentFields(id).some(({ field }) => field.type === 'text' && field.name === 'input');
}

function agentNameOf(field: Field): string {
  switch (field.type) {
    case 'image':
    case 'images':
    case 'video':
      return field.type;
    case 'audioFile':
      return 'file';
    default:
      return field.name === 'input' ? 'text' : field.name;
  }
}

function paidTool(id: OperationId): AgentTool {
  const operation: Operation = operations[id];
  const fields = agentFields(id).filter(({ field }) => !(takesVideo(operation) && field.type === 'model'));
  const own = Object.fromEntries(fields.map(({ name, field }) => [name, schemaOf(name, field)] as const));
  const document: Readonly<Record<string, ValueSchema>> = speaksText(id)
    ? { file: path('Path of a text document in the workspace to speak instead of text.') }
    : {};
  const optional = (field: Field) => field.type === 'model' || 'default' in field || speaksText(id);
  return {
    id,
    operation: id,
    ...namesOf(id),
    title: operation.title,
    description: `${purposes[id] ?? `${operation.title}.`} ${paidNotice} ${resultNotice}`,
    inputSchema: objectOf(
      { ...own, ...document, ...outputs(operation), ...common },
      fields.filter(({ field }) => !optional(field)).map(({ name }) => name),
    ),
  };
}

function namesOf(id: ToolId): Pick<AgentTool, 'name' | 'referenceName'> {
  const snake = id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { name: `unifiedMedia_${id}`, referenceName: `media_${snake}` };
}

function schemaOf(name: string, field: Field): ValueSchema {
  switch (field.type) {
    case 'model':
      return text(
        'Name of the model. Defaults to the first model that media_get_options lists for the operation.',
        200,
      );
    case 'text':
      return name === 'text'
        ? text('The text to speak. Give either text or file.', maxTextLength)
        : text(`${field.placeholder}: subject, style, background and what to leave out.`, maxTextLength);
    case 'integer':
      return {
        type: 'integer',
        description: 'How many images to generate. Each is billed. Defaults to 1.',
        minimum: field.minimum,
        maximum: maxCount,
        default: 1,
      };
    case 'choice': {
      const words = field.options.join(', ');
      const base = { type: 'string', maxLength: 40, minLength: 1 } as const;
      if (field.open) return { ...base, description: `For example ${words}. Defaults to the user's setting.` };
      return { ...base, description: "Defaults to the user's setting.", enum: field.options };
    }
    case 'images':
      return {
        type: 'array',
        description: 'The images, each as a path in the workspace, an asset_id or an https URL.',
        items: { type: 'string', minLength: 1, maxLength: maxPathLength },
        minItems: 1,
        maxItems: maxImages,
      };
    case 'image':
      return path('The image, as a path in the workspace, an asset_id or an https URL.');
    case 'video':
      return path('The asset_id of the video, from media_find_assets.');
    case 'audioFile':
      return path(`The recording, as a path in the workspace or an asset_id. Formats: ${field.formats.join(', ')}.`);
  }
}

function outputs({ result }: Operation): Readonly<Record<string, ValueSchema>> {
  const named = {
    file_name: text(
      'Name of the new file without extension. Defaults to a name made from the prompt. Existing files are never overwritten.',
      120,
    ),
    folder: text("Folder of the new file, relative to the workspace folder. Defaults to the user's setting.", 500),
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

function freeTools(): readonly AgentTool[] {
  const { wait_seconds, include_preview } = common;
  const job = text('The job_id of an earlier result.', 200);
  const shared = { ...(wait_seconds && { wait_seconds }), ...(include_preview && { include_preview }) };
  return [
    {
      id: 'getJob',
      ...namesOf('getJob'),
      title: 'Get Media Job',
      description:
        'Returns the status of a media job, after waiting up to wait_seconds for its end. Costs nothing. Use it after "running" or "waiting_for_person", and after "unknown" instead of calling the tool again.',
      inputSchema: objectOf({ job_id: job, ...shared }, ['job_id']),
    },
    {
      id: 'cancelJob',
      ...namesOf('cancelJob'),
      title: 'Cancel Media Job',
      description:
        'Cancels a media job that an agent started. The service may still bill a request that was already sent.',
      inputSchema: objectOf({ job_id: job }, ['job_id']),
    },
    {
      id: 'findAssets',
      ...namesOf('findAssets'),
      title: 'Find Media Assets',
      description:
        'Lists the media saved in the workspace, newest first, with path, asset_id, prompt and model. Costs nothing. Use it before creating anything new, and to get the asset_id of a video to remix.',
      inputSchema: objectOf(
        {
          query: text('Words to find in the prompt, path or model.', 200),
          kind: {
            type: 'string',
            description: 'Only list media of this kind.',
            maxLength: 20,
            enum: ['images', 'speech', 'transcripts', 'videos'],
          },
          limit: {
            type: 'integer',
            description: 'Maximum number of results. Defaults to 10.',
            minimum: 1,
            maximum: 20,
            default: 10,
          },
          include_preview: {
            type: 'boolean',
            description: 'Whether to return previews of the first 4 images. Defaults to false.',
            default: false,
          },
        },
        [],
      ),
    },
    {
      id: 'getOptions',
      ...namesOf('getOptions'),
      title: 'Get Media Options',
      description:
        'Lists the models, voices and formats, says whether the service or the free sandbox is in use, and how much of the budget is left. Costs nothing.',
      inputSchema: objectOf({}, []),
    },
  ];
}

function objectOf(properties: Readonly<Record<string, ValueSchema>>, required: readonly string[]): ObjectSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function text(description: string, maxLength: number): ValueSchema {
  return { type: 'string', description, minLength: 1, maxLength };
}

function path(description: string): ValueSchema {
  return text(description, maxPathLength);
}

/** A valid input of a tool, with its defaults filled in. */
export type ToolInput = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * Validates an input against the tool's schema. VS Code does not, and users may edit what the model sent.
 *
 * @throws MediaError `invalidInput` that names the field and says what to do next
 */
export function readInput(tool: Pick<AgentTool, 'referenceName' | 'inputSchema'>, input: unknown): ToolInput {
  const { inputSchema: schema, referenceName } = tool;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid('input', `${referenceName} takes a JSON object with the fields ${namesIn(schema)}.`);
  }
  const given: Readonly<Record<string, unknown>> = { ...input };
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(schema.properties, name));
  if (unknown !== undefined) {
    throw invalid(
      unknown,
      `${referenceName} has no field "${cut(unknown)}". Remove it. The fields are ${namesIn(schema)}.`,
    );
  }
  const missing = schema.required.find((name) => given[name] === undefined || given[name] === null);
  if (missing !== undefined) {
    throw invalid(missing, `"${missing}" is missing. Call ${referenceName} again with it.`);
  }
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, property]) => {
      const value = given[name] ?? ('default' in property ? property.default : undefined);
      if (value === undefined) return [];
      return [[name, checked(name, property, value)] as const];
    }),
  );
}

export function invalid(field: string, sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field });
}

export function textIn(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberIn(input: ToolInput, name: string): number | undefined {
  const value = input[name];
  return typeof value === 'number' ? value : undefined;
}

function checked(name: string, schema: ValueSchema, value: unknown): string | number | boolean | readonly string[] {
  switch (schema.type) {
    case 'string':
      return checkText(name, schema, value);
    case 'integer': {
      const { minimum, maximum } = schema;
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum)
        return value;
      throw invalid(name, `"${name}" must be a whole number from ${minimum} to ${maximum}, not ${shown(value)}.`);
    }
    case 'boolean':
      if (typeof value === 'boolean') return value;
      throw invalid(name, `"${name}" must be true or false, not ${shown(value)}.`);
    case 'array': {
      const { minItems, maxItems, items } = schema;
      if (!Array.isArray(value)) throw invalid(name, `"${name}" must be an array of strings, not ${shown(value)}.`);
      if (value.length < minItems || value.length > maxItems) {
        throw invalid(name, `"${name}" must hold ${minItems} to ${maxItems} strings, not ${value.length}.`);
      }
      return value.map((item: unknown) => checkText(name, items, item));
    }
  }
}

/** The fields that a service gets as they are. All others name something, and could forge what a question says. */
const mayHaveLines: readonly string[] = ['prompt', 'text'];

interface TextLimits {
  readonly minLength?: number;
  readonly maxLength: number;
  readonly enum?: readonly string[];
}

function checkText(name: string, limits: TextLimits, value: unknown): string {
  if (typeof value !== 'string') throw invalid(name, `"${name}" must be a string, not ${shown(value)}.`);
  if (limits.enum && !limits.enum.includes(value)) {
    throw invalid(name, `"${name}" must be one of ${limits.enum.join(', ')}, not ${shown(value)}.`);
  }
  if ((limits.minLength ?? 0) > 0 && value.trim() === '') {
    throw invalid(name, `"${name}" must not be empty. Give it a value, or leave it out if it is optional.`);
  }
  if (!mayHaveLines.includes(name) && !isPlainLine(value)) {
    throw invalid(name, `"${name}" must be one line without control and format characters, not ${shown(value)}.`);
  }
  if (value.length <= limits.maxLength) return value;
  throw invalid(name, `"${name}" has ${value.length} characters, but the maximum is ${limits.maxLength}. Shorten it.`);
}

function namesIn({ properties }: ObjectSchema): string {
  return Object.keys(properties).join(', ') || '(none)';
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value));
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

function cut(value: string): string {
  return value.length > 60 ? `${value.slice(0, 60)}…` : value;
}
