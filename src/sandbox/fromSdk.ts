import { isObject } from '../foreign/shape.ts';
import { type OperationId, sandboxModel } from '../operations/operations.ts';
import { SandboxError } from './Exchange.ts';

// What OpenAI's SDKs send in other ways than the specification has it.

/** The models of requests that name none. The other operations need one. */
const standardModels: Readonly<Partial<Record<OperationId, string>>> = {
  generateImage: sandboxModel,
  editImage: sandboxModel,
  generateVideo: 'sora-2',
  animateImage: 'sora-2',
};

/** Returns the body of a request as the specification has it. @throws SandboxError 400 with the name of the field */
export function fromSdk(id: OperationId, body: unknown): unknown {
  if (!isObject(body)) return body;
  const { [id]: standard } = standardModels;
  const { voice, input_reference: reference, 'input_reference[image_url]': inForm, ...others } = { ...body };
  const image = isObject(reference) ? reference.image_url : inForm;
  if (image === undefined && Object.keys(body).some((name) => name.startsWith('input_reference'))) {
    throw wrong('input_reference', 'The sandbox takes input_reference as a file, or with an image_url.');
  }
  return {
    ...(standard !== undefined && { model: standard }),
    ...others,
    ...(image !== undefined && { image_url: image }),
    ...(voice !== undefined && { voice: isObject(voice) ? voice.id : voice }),
  };
}

/** Returns whether a request asks for events. @throws SandboxError 400 for what is neither true nor false */
export function asksForEvents(body: unknown): boolean {
  const stream = fieldOf(body, 'stream');
  if (stream === true || stream === 'true') return true;
  if (stream === undefined || stream === null || stream === false || stream === 'false') return false;
  throw wrong('stream', 'stream must be true or false.');
}

/** Returns how many unfinished images are sent before each image. @throws SandboxError 400 */
export function partialImagesOf(body: unknown): number {
  const count = Number(fieldOf(body, 'partial_images') ?? 0);
  if (Number.isInteger(count) && count >= 0 && count <= 3) return count;
  throw wrong('partial_images', 'partial_images must be a whole number from 0 to 3.');
}

/** Returns whether speech is sent as events. @throws SandboxError 400 for a format that the model does not have */
export function asksForSpeechEvents(body: unknown): boolean {
  const format = fieldOf(body, 'stream_format') ?? 'audio';
  if (format !== 'sse' && format !== 'audio') throw wrong('stream_format', 'stream_format must be audio or sse.');
  if (format === 'sse' && /^tts-1/.test(String(fieldOf(body, 'model')))) {
    throw wrong('stream_format', 'The models tts-1 and tts-1-hd do not take the stream_format sse.');
  }
  return format === 'sse';
}

function fieldOf(body: unknown, name: string): unknown {
  return isObject(body) ? { ...body }[name] : undefined;
}

function wrong(param: string, message: string): SandboxError {
  return new SandboxError(400, message, { param, code: 'invalid_value' });
}
