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
  /** How requests are sent that differ from the specification. */
  readonly encodings: Readonly<Partial<Record<OperationId, Encoding>>>;
  /** Whether the service honours `Idempotency-Key`, with the source that says so. */
  readonly idempotencyKey?: string;
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
  output_format: choice('Image format', ['png', 'jpeg', 'webp'], { default: 'png' }),
  size: choice('Size', ['auto', '1024x1024', '1536x1024', '1024x1536'], {
    open: true,
    description: 'Width and height, such as 1536x864; newer models take any that are divisible by 16',
  }),
  quality: choice('Quality', ['auto', 'low', 'medium', 'high', 'xhigh', 'max']),
  background: choice('Background', ['auto', 'transparent', 'opaque'], {
    description: 'transparent needs PNG or WebP',
  }),
  output_compression: range('Compression', 'integer', [0, 100], 'Compression of JPEG and WebP, in percent'),
};

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
 * with every model are open.
 */
const presets = {
  openai: {
    name: 'OpenAI',
    date: '2026-11-23',
    source: 'npm package openai 7.57.0: resources/images, audio and videos',
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
        input_fidelity: choice('Fidelity to the input', ['low', 'high'], {
          models: ['gpt-image-1', 'gpt-image-1-mini', 'gpt-image-1.5'],
        }),
      },
      speak: {
        voice: choice('Voice', [
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
        ]),
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
        known_speaker_names: { type: 'strings', label: 'Names of the speakers', models: ['gpt-*-diarize*'] },
      },
      generateVideo: openaiVideo,
      animateImage: openaiVideo,
      remixVideo: { output_format: false, model: false },
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
