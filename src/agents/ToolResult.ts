import type { Amounts } from './Amounts.ts';

const toolStatuses = [
  'done',
  'running',
  'waiting_for_person',
  'declined',
  'over_budget',
  'cancelled',
  'failed',
  'unknown',
] as const;
export type ToolStatus = (typeof toolStatuses)[number];

/** A saved file, as reported to agents. */
export interface ToolFile {
  /** Absolute path. */
  readonly path: string;
  /** Path relative to the workspace folder, with forward slashes. */
  readonly relative_path: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly width?: number;
  readonly height?: number;
  readonly asset_id: string;
  /** The text that shows the file in a document. */
  readonly reference?: string;
  readonly prompt?: string;
  readonly model?: string;
  readonly created_at?: string;
  /** Size of the preview in the answer. */
  readonly preview?: { readonly width: number; readonly height: number };
}

export interface ToolError {
  readonly kind: string;
  readonly message: string;
  /** Whether the agent may repeat the same call. */
  readonly retryable: boolean;
  readonly charged: 'no' | 'yes' | 'unknown';
  readonly request_id?: string;
}

/** The JSON result of every tool. It never holds bytes of media. */
export interface ToolResult {
  readonly status: ToolStatus;
  readonly job_id?: string;
  readonly model?: string;
  readonly sandbox?: boolean;
  readonly files?: readonly ToolFile[];
  /** The start of a transcript. */
  readonly text?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly cost?: number;
  readonly budget?: { readonly left: Amounts };
  readonly options?: ToolOptions;
  readonly error?: ToolError;
  /** What to do next, in a sentence or two. */
  readonly next: string;
}

/** The options that `media_get_options` returns. */
interface ToolOptions {
  readonly service: 'remote' | 'sandbox';
  readonly models: Readonly<Record<string, readonly string[]>>;
  readonly voices: readonly string[];
  readonly audio_formats: readonly string[];
  readonly transcript_formats: readonly string[];
}

/** A small version of an image. */
export interface Preview {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/jpeg' | 'image/png';
  readonly width: number;
  readonly height: number;
}

/** The result of a tool with its previews. */
export interface ToolAnswer {
  readonly result: ToolResult;
  readonly previews: readonly Preview[];
}

/** Whether the caller did not get what it asked for. */
export function isFailure({ status }: ToolResult): boolean {
  return status === 'failed' || status === 'declined' || status === 'over_budget' || status === 'cancelled';
}

const amounts = {
  type: 'object',
  properties: Object.fromEntries(
    ['images', 'videos', 'characters', 'minutes'].map((name) => [name, { type: 'number' }]),
  ),
  required: ['images', 'videos', 'characters', 'minutes'],
  additionalProperties: false,
};

const text = { type: 'string' };
const size = { type: 'integer', minimum: 0 };

/** JSON Schema of {@link ToolResult}, sent to MCP clients. */
export const resultSchema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: [...toolStatuses] },
    job_id: text,
    model: text,
    sandbox: { type: 'boolean' },
    files: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          path: text,
          relative_path: text,
          media_type: text,
          bytes: size,
          width: size,
          height: size,
          asset_id: text,
          reference: text,
          prompt: text,
          model: text,
          created_at: text,
          preview: {
            type: 'object',
            properties: { width: size, height: size },
            required: ['width', 'height'],
            additionalProperties: false,
          },
        },
        required: ['path', 'relative_path', 'media_type', 'bytes', 'asset_id'],
        additionalProperties: false,
      },
    },
    text,
    usage: { type: 'object' },
    cost: { type: 'number' },
    budget: { type: 'object', properties: { left: amounts }, required: ['left'], additionalProperties: false },
    options: { type: 'object' },
    error: {
      type: 'object',
      properties: {
        kind: text,
        message: text,
        retryable: { type: 'boolean' },
        charged: { type: 'string', enum: ['no', 'yes', 'unknown'] },
        request_id: text,
      },
      required: ['kind', 'message', 'retryable', 'charged'],
      additionalProperties: false,
    },
    next: text,
  },
  required: ['status', 'next'],
  additionalProperties: false,
} as const;
