import type { Field } from '../operations/Field.ts';
import type { Operation, OperationId } from '../operations/operations.ts';
import { operationIds, operations, takesVideo } from '../operations/operations.ts';
import type { FreeToolId } from './freeToolIds.ts';
import type { ObjectSchema, ValueSchema } from './Schema.ts';

export type ToolId = OperationId | FreeToolId;

/** A tool as every agent gets it: package.json, the adapter for VS Code and the MCP server are derived from it. */
export interface AgentTool {
  readonly id: ToolId;
  /** What VS Code calls it. */
  readonly name: string;
  /** What models call it, in VS Code and by MCP. */
  readonly referenceName: string;
  readonly title: string;
  /** For models. */
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** What it runs; undefined for a tool that costs nothing. */
  readonly operation?: OperationId;
}

/** How an agent names a field of an operation, and the field. */
export interface AgentField {
  readonly name: string;
  readonly field: Field;
}

/** The most characters of a prompt or of a text to speak. */
const maxTextLength = 100_000;
const maxPathLength = 1000;
/** A client's own limit for one call is often 60 s. */
export const maxWaitSeconds = 50;
export const maxImages = 4;

const paidNotice =
  'Costs money: the person has set a daily budget and is asked beyond it. On "declined" stop; on "unknown" never call again.';
const lookFirst = 'Look in media_find_assets first.';

/** What a model is told of each operation; one that is not listed gets its title. */
const purposes: Partial<Record<OperationId, string>> = {
  generateImage: `Generates 1 to 4 images from a prompt and saves them in the workspace. Make one draft first, look at the preview, make more only when asked. ${lookFirst}`,
  editImage: `Changes one or more existing images by a prompt and saves the results as new files. ${lookFirst}`,
  speak: `Speaks a text, or a text document of the workspace, and saves it as a sound file. ${lookFirst}`,
  transcribe: 'Transcribes a sound file of the workspace and saves the transcript beside the other media.',
  translate: 'Translates the speech of a sound file of the workspace to English text and saves it.',
  generateVideo: `Generates a short video from a prompt; takes minutes. ${lookFirst}`,
  animateImage: 'Generates a short video that starts with an image; takes minutes.',
  remixVideo: 'Makes a changed version of a video that was made earlier, by the same model; takes minutes.',
};

const resultNotice =
  'Returns JSON: status, job_id, files with path and the reference to write, and small previews of images.';

const common: Readonly<Record<string, ValueSchema>> = {
  wait_seconds: {
    type: 'integer',
    description: `How long to wait for the result, 0 to ${maxWaitSeconds}; then status "running" with a job_id for media_get_job.`,
    minimum: 0,
    maximum: maxWaitSeconds,
    default: maxWaitSeconds,
  },
  include_preview: {
    type: 'boolean',
    description: 'Whether to return small previews of images. Default true.',
    default: true,
  },
  request_id: text('Your own id of this request: calling again with it joins the job instead of paying again.', 64),
  purpose: text('What it is for, in one line; shown to the person.', 200),
};

/** The one table of tools. */
export const agentTools: readonly AgentTool[] = [...operationIds.map(paidTool), ...freeTools()];

export function toolOf(id: ToolId): AgentTool {
  const tool = agentTools.find((one) => one.id === id);
  if (!tool) throw new Error(`there is no tool ${id}`);
  return tool;
}

export function toolByReferenceName(name: string): AgentTool | undefined {
  return agentTools.find((tool) => tool.referenceName === name);
}

/** The fields of an operation as agents name them. Technical ones follow the settings. */
export function agentFields(id: OperationId): readonly AgentField[] {
  const { fields }: Operation = operations[id];
  return fields.filter((field) => field.name !== 'output_format').map((field) => ({ name: agentNameOf(field), field }));
}

/** Whether an operation reads a text that may also be taken out of a document. */
export function speaksText(id: OperationId): boolean {
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
  const document = speaksText(id) ? { file: path('A text document of the workspace to speak, instead of text.') } : {};
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
      return text('Name of the model; default: the first that the person has set (see media_get_options).', 200);
    case 'text':
      return name === 'text'
        ? text('The text to speak. Give this or file.', maxTextLength)
        : text(`${field.placeholder}: subject, style, background and what to leave out.`, maxTextLength);
    case 'integer':
      return {
        type: 'integer',
        description: 'How many to make; each is paid. Default 1.',
        minimum: field.minimum,
        maximum: maxImages,
        default: 1,
      };
    case 'choice': {
      const words = field.options.join(', ');
      const base = { type: 'string', maxLength: 40, minLength: 1 } as const;
      if (field.open) return { ...base, description: `One of ${words}; default: what the person has set.` };
      return { ...base, description: `Default: what the person has set.`, enum: field.options };
    }
    case 'images':
      return {
        type: 'array',
        description: 'Images to use, each a path in the workspace, an asset_id, or an https URL.',
        items: { type: 'string', minLength: 1, maxLength: maxPathLength },
        minItems: 1,
        maxItems: 16,
      };
    case 'image':
      return path('The image: a path in the workspace, an asset_id, or an https URL.');
    case 'video':
      return path('asset_id of the video, from media_find_assets.');
    case 'audioFile':
      return path(`The recording: a path in the workspace or an asset_id (${field.formats.join(', ')}).`);
  }
}

function outputs({ result }: Operation): Readonly<Record<string, ValueSchema>> {
  const named = {
    file_name: text('Name of the new file without extension; default: from the prompt. Never overwrites.', 120),
    folder: text('Folder for the new file, relative to the workspace folder; default: what the person has set.', 500),
  };
  if (result === 'transcripts') {
    return {
      ...named,
      format: {
        type: 'string',
        description: 'Format of the saved transcript; srt and vtt only where the service tells times.',
        maxLength: 10,
        enum: ['md', 'txt', 'srt', 'vtt'],
      },
    };
  }
  return { ...named, alt_text: text('What it shows or says, for the reference; default: the prompt.', 500) };
}

function freeTools(): readonly AgentTool[] {
  const { wait_seconds, include_preview } = common;
  const job = text('job_id of an earlier result.', 200);
  const shared = { ...(wait_seconds && { wait_seconds }), ...(include_preview && { include_preview }) };
  return [
    {
      id: 'getJob',
      ...namesOf('getJob'),
      title: 'Get Media Job',
      description:
        'Tells how a media job stands, waiting up to wait_seconds for its end; costs nothing. Use it after "running" or "waiting_for_person", and instead of calling a tool again whose outcome is "unknown".',
      inputSchema: objectOf({ job_id: job, ...shared }, ['job_id']),
    },
    {
      id: 'cancelJob',
      ...namesOf('cancelJob'),
      title: 'Cancel Media Job',
      description: 'Stops a media job that an agent started. The service may still bill a request that was sent.',
      inputSchema: objectOf({ job_id: job }, ['job_id']),
    },
    {
      id: 'findAssets',
      ...namesOf('findAssets'),
      title: 'Find Media Assets',
      description:
        'Lists media of the workspace that were made earlier, newest first: path, asset_id, prompt, model. Costs nothing. Use it before making anything new, and to get the asset_id of a video to remix.',
      inputSchema: objectOf(
        {
          query: text('Words that the prompt or the path holds.', 200),
          kind: {
            type: 'string',
            description: 'Only this kind.',
            maxLength: 20,
            enum: ['images', 'speech', 'transcripts', 'videos'],
          },
          limit: {
            type: 'integer',
            description: 'How many at most. Default 10.',
            minimum: 1,
            maximum: 20,
            default: 10,
          },
          include_preview: {
            type: 'boolean',
            description: 'Whether to return previews of the first 4 images. Default false.',
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
        'Tells which models, voices and formats there are, whether the service or the free sandbox is used, and what is left of the budget. Costs nothing.',
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
