import assert from 'node:assert/strict';
import { operationsByName } from '../../../src/operations/operationsByName.ts';

describe('operationsByName', () => {
  const images = ['generateImage', 'editImage'];
  const videos = ['generateVideo', 'animateImage', 'remixVideo'];
  for (const [expected, ...names] of [
    [['transcribe', 'translate'], 'whisper-1', 'Systran/faster-whisper-small', 'whisper_large_v3'],
    [['transcribe'], 'gpt-4o-transcribe-diarize', 'nvidia/parakeet-tdt-0.6b', 'qwen3-asr', 'scribe_v1'],
    [['speak'], 'tts-1-hd', 'gpt-4o-mini-tts', 'speaches-ai/Kokoro-82M-v1.0-ONNX', 'voice-en-us-piper', 'speech-02-hd'],
    [images, 'gpt-image-1', 'chatgpt-image-latest', 'dall-e-2', 'flux.1-dev-ggml', 'stable-diffusion-3.5', 'sdxl'],
    [['generateImage'], 'dall-e-3', 'imagen-4.0-generate'],
    [videos, 'sora-2', 'veo-3.1-fast', 'wan2.1-i2v', 'grok-imagine-video', 'stable-video-diffusion'],
    [[], 'text-embedding-3-small', 'omni-moderation-latest', 'gpt-realtime', 'qwen2.5-7b-instruct'],
    [undefined, 'gpt-4o', 'painter', 'o3', 'llama-3', 'ttsx', 'swan-1', 'voice-1'],
  ] as const) {
    for (const name of names) {
      it(`tells ${JSON.stringify(expected)} of ${name}`, () => assert.deepEqual(operationsByName(name), expected));
    }
  }
});
