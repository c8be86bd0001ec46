import { isObject } from '../foreign/shape.ts';
import type { Declaration, Encoding } from './Further.ts';
import type { OperationId } from './operations.ts';

/** What is known of the further fields that a service takes. */
export interface Preset {
  readonly name: string;
  /** When the facts were read, and where. */
  readonly date: string;
  readonly source: string;
  /** By operation and name. `false` stands for a field of the operation that is never sent. */
  readonly fields: Readonly<Partial<Record<OperationId, Readonly<Record<string, Declaration | false>>>>>;
  /** Where models differ in a field, by operation and name: the first row whose patterns fit the model counts. */
  readonly byModel?: Readonly<Partial<Record<OperationId, Readonly<Record<string, readonly ModelRow[]>>>>>;
  /** The models whose end is announced, by operation. */
  readonly ends?: Readonly<Partial<Record<OperationId, readonly ModelEnd[]>>>;
  /** How requests are sent that differ from the specification. */
  readonly encodings: Readonly<Partial<Record<OperationId, Encoding>>>;
  /** Whether the service honours `Idempotency-Key`, with the source that says so. */
  readonly idempotencyKey?: string;
}

interface ModelRow {
  /** Patterns, such as `gpt-image-1*`. */
  readonly models: readonly string[];
  /** What replaces the field's own facts; `false` where these models do not take the field. */
  readonly facts: Pick<Declaration, 'values' | 'open'> | false;
}

interface ModelEnd {
  /** Patterns, such as `tts-1*`. */
  readonly models: readonly string[];
  /** The day, such as 2027-01-06. */
  readonly date: string;
}

const text = (label: string, facts: Omit<Declaration, 'type' | 'label'> = {}): Declaration => ({
  type: 'string',
  label,
  ...facts,
});

const choice = (label: string, values: readonly string[], facts: Partial<Declaration> = {}): Declaration => ({
  type: 'string',
  label,
  values,
  ...facts,
});

const range = (
  label: string,
  type: 'integer' | 'number',
  [minimum, maximum]: readonly [minimum: number | undefined, maximum: number | undefined],
  description?: string,
): Declaration => ({ type, label, minimum, maximum, description });

const openaiImage: Readonly<Record<string, Declaration>> = {
  n: { type: 'integer', minimum: 1, maximum: 10 },
  output_format: choice('Image format', ['png', 'jpeg', 'webp', 'gif'], { default: 'png' }),
  size: choice('Size', ['auto', '1024x1024', '1536x1024', '1024x1536'], {
    open: true,
    description:
      'Width and height, such as 1536x864: divisible by 16, from 1:3 to 3:1, at most 3840x2160. Models before GPT Image 2 take only those that are listed',
  }),
  quality: choice('Quality', ['auto', 'low', 'medium', 'high', 'xhigh', 'max']),
  background: choice('Background', ['auto', 'transparent', 'opaque'], {
    description: 'transparent needs PNG or WebP',
  }),
  output_compression: range('Compression', 'integer', [0, 100], 'Compression of JPEG and WebP, in percent'),
  complexity: choice('Complexity', ['low', 'medium', 'high'], {
    description: 'How much is computed to plan the image, whatever its quality',
  }),
  frame_count: range('Frames', 'integer', [2, 16], 'Number of frames of a GIF; 9 if not given'),
  frame_duration_ms: range(
    'Time per frame',
    'integer',
    [10, 655_350],
    'Milliseconds per frame of a GIF; 200 if not given',
  ),
  safety_identifier: text('User identifier', {
    description: 'A hash that stands for one person, by which the service detects abuse',
  }),
};

const openaiImageByModel: Readonly<Record<string, readonly ModelRow[]>> = {
  size: [
    {
      models: ['gpt-image-1*', 'chatgpt-image-*'],
      facts: { values: ['auto', '1024x1024', '1536x1024', '1024x1536'], open: undefined },
    },
  ],
  quality: [
    {
      models: ['gpt-image-1*', 'gpt-image-2', 'gpt-image-2-*', 'chatgpt-image-*'],
      facts: { values: ['auto', 'low', 'medium', 'high'] },
    },
  ],
};

const openaiImageEnds: readonly ModelEnd[] = [
  { models: ['gpt-image-1'], date: '2026-10-23' },
  { models: ['dall-e-*'], date: '2026-05-12' },
];

const openaiVideoEnds: readonly ModelEnd[] = [{ models: ['sora-*'], date: '2026-09-24' }];

const openaiVideo: Readonly<Record<string, Declaration | false>> = {
  output_format: false,
  size: choice('Size', ['720x1280', '1280x720', '1024x1792', '1792x1024'], { open: true }),
  seconds: choice('Length in seconds', ['4', '8', '12'], { open: true }),
};

const openaiListening: Readonly<Record<string, Declaration>> = {
  prompt: text('Hint', { description: 'Words that guide the style, or the text before the recording' }),
  temperature: range('Temperature', 'number', [0, 1]),
};

const gatewayPicture: Readonly<Record<string, Declaration>> = {
  aspect_ratio: choice('Aspect ratio', ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3'], { open: true }),
  size: choice('Size', ['1024x1024', '1536x1024', '1024x1536'], { open: true }),
  seed: range('Seed', 'integer', [0, 2_147_483_647], 'The same seed and prompt give a similar result'),
  negative_prompt: text('Leave out', { description: 'What the result must not show' }),
};

const gatewayVideo: Readonly<Record<string, Declaration>> = {
  ...gatewayPicture,
  size: choice('Size', ['1280x720', '720x1280'], { open: true }),
  duration: range('Length in seconds', 'integer', [1, 60]),
};

/** All of these servers give times only in this format. */
const localAnswers = choice('Answer format', ['verbose_json', 'json', 'text', 'srt', 'vtt'], {
  default: 'verbose_json',
  description: 'verbose_json has times',
});

/**
 * The presets. Facts only: a field stands here if the source names it, with the values that it names. Values that change
 * with every model are open. Left out is what makes no difference to what is saved (`stream`, `partial_images`,
 * `stream_format`, `include`), and what is an object (`svg`, with the format of that name: a drawing can hold programs and
 * load from the web, so none is saved).
 */
const presets = {
  openai: {
    name: 'OpenAI',
    date: '2026-11-29',
    source: 'npm package openai 7.59.0: resources/images, audio and videos',
    fields: {
      generateImage: {
        ...openaiImage,
        moderation: choice('Moderation', ['auto', 'low']),
      },
      editImage: {
        ...openaiImage,
        mask: {
          type: 'file',
          label: 'Mask',
          description: 'PNG of the same size as the first image; it is edited where the mask is transparent',
        },
        markup: {
          type: 'file',
          label: 'Markup',
          description:
            'Transparent PNG of the same size as the first image, drawn over it to guide the edit; not together with a mask',
          models: ['gpt-image-2.5*', 'gpt-image-2.6*'],
        },
        input_fidelity: choice('Fidelity to the input', ['low', 'high'], {
          models: ['gpt-image-1.5*', 'gpt-image-1-mini*'],
        }),
      },
      speak: {
        voice: choice(
          'Voice',
          [
            'alloy',
            'ash',
            'ballad',
            'coral',
            'echo',
            'fable',
            'onyx',
            'nova',
            'sage',
            'shimmer',
            'verse',
            'marin',
            'cedar',
          ],
          { open: true },
        ),
        instructions: text('Instructions', {
          description: 'How the text is to be spoken, such as: cheerful and fast',
          models: ['gpt-*'],
        }),
        speed: range('Speed', 'number', [0.25, 4]),
      },
      translate: {
        ...openaiListening,
        response_format: choice('Answer format', ['json', 'text', 'srt', 'verbose_json', 'vtt']),
      },
      transcribe: {
        ...openaiListening,
        response_format: choice('Answer format', ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'], {
          description: 'verbose_json has times, diarized_json has speakers',
        }),
        language: text('Language', { description: 'ISO 639-1, such as en' }),
        languages: {
          type: 'strings',
          label: 'Possible languages',
          description: 'ISO 639-1, such as en',
          models: ['gpt-transcribe*'],
        },
        keywords: {
          type: 'strings',
          label: 'Keywords',
          description: 'Names and terms that occur in the recording',
          models: ['gpt-transcribe*'],
        },
        timestamp_granularities: {
          type: 'strings',
          label: 'Times of',
          values: ['word', 'segment'],
          description: 'Needs the answer format verbose_json',
          models: ['whisper-*'],
        },
        chunking_strategy: choice('Chunking', ['auto'], { models: ['gpt-*'] }),
        known_speaker_names: {
          type: 'strings',
          label: 'Names of the speakers',
          description: 'At most 4, each with a sample of its voice',
          models: ['gpt-*-diarize*'],
        },
        known_speaker_references: {
          type: 'strings',
          label: 'Samples of the speakers',
          description: 'A data: URL of a recording of 2 to 10 seconds for each name, in their order',
          models: ['gpt-*-diarize*'],
        },
      },
      generateVideo: openaiVideo,
      animateImage: openaiVideo,
      remixVideo: { output_format: false, model: false },
    },
    byModel: {
      generateImage: openaiImageByModel,
      editImage: {
        ...openaiImageByModel,
        input_fidelity: [{ models: ['gpt-image-1-mini*'], facts: { values: ['low'] } }],
      },
      transcribe: {
        prompt: [{ models: ['gpt-*-diarize*'], facts: false }],
        response_format: [
          { models: ['gpt-*-diarize*'], facts: { values: ['json', 'text', 'diarized_json'] } },
          { models: ['gpt-4o-*transcribe*'], facts: { values: ['json'] } },
          { models: ['whisper-*'], facts: { values: ['json', 'text', 'srt', 'verbose_json', 'vtt'] } },
        ],
      },
    },
    ends: {
      generateImage: openaiImageEnds,
      editImage: openaiImageEnds,
      speak: [{ models: ['tts-1*', 'gpt-4o-mini-tts*'], date: '2027-01-06' }],
      translate: [{ models: ['whisper-1'], date: '2027-02-26' }],
      transcribe: [{ models: ['whisper-1', 'gpt-4o-transcribe*', 'gpt-4o-mini-transcribe*'], date: '2027-02-26' }],
      generateVideo: openaiVideoEnds,
      animateImage: openaiVideoEnds,
      remixVideo: openaiVideoEnds,
    },
    encodings: {
      editImage: { parts: { image_urls: 'image[]' } },
      generateVideo: { path: '/v1/videos' },
      animateImage: { path: '/v1/videos', parts: { image_url: 'input_reference' } },
      remixVideo: { path: '/v1/videos/{video_id}/remix' },
    },
  },
  gateway: {
    name: 'Gateway',
    date: '2026-11-23',
    source:
      'https://docs.oxen.ai/inference-api/reference/image_generation.md and https://docs.base44.com/developers/references/sdk/getting-started/ai-gateway-images: names that several gateways share',
    idempotencyKey: 'https://docs.higgsfield.ai/docs/concepts/idempotency.md',
    fields: {
      generateImage: gatewayPicture,
      editImage: gatewayPicture,
      speak: { speed: range('Speed', 'number', [0.25, 4]) },
      transcribe: { language: text('Language', { description: 'ISO 639-1, such as en' }) },
      generateVideo: gatewayVideo,
      animateImage: gatewayVideo,
    },
    encodings: {},
  },
  local: {
    name: 'Local',
    date: '2026-11-29',
    source:
      'LocalAI, docs/content/features/audio-to-text.md and image-generation.md; Speaches, src/speaches/routers/stt.py; Kokoro-FastAPI 0.8.2, README.md; whisper.cpp, examples/server/server.cpp. Their paths are those of OpenAI',
    fields: {
      generateImage: {
        output_format: false,
        size: choice('Size', ['256x256', '512x512', '1024x1024'], { open: true }),
        negative_prompt: text('Leave out', { description: 'What the result must not show' }),
        step: range('Steps', 'integer', [1, undefined]),
      },
      speak: {
        voice: choice('Voice', ['alloy', 'af_heart', 'af_bella', 'af_sky', 'am_michael', 'bf_isabella'], {
          open: true,
        }),
        speed: range('Speed', 'number', [0.25, 4]),
      },
      translate: { ...openaiListening, response_format: localAnswers },
      transcribe: {
        ...openaiListening,
        response_format: localAnswers,
        language: text('Language', { description: 'ISO 639-1, such as en' }),
        timestamp_granularities: {
          type: 'strings',
          label: 'Times of',
          values: ['word', 'segment'],
          description: 'Needs the answer format verbose_json',
        },
      },
    },
    encodings: {},
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetId = keyof typeof presets;

export const presetIds = Object.keys(presets) as readonly PresetId[];

export function presetOf(id: PresetId): Preset {
  return presets[id];
}

/** Returns the preset that the setting `fields` names, if there is one of that name. */
export function presetIn(declared: unknown): PresetId | undefined {
  return isObject(declared) ? presetIds.find((one) => one === declared.preset) : undefined;
}
