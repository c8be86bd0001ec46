import type { Area } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { readJson } from './http/readBody.ts';
import { editImages, generateImages } from './images/imageHandlers.ts';
import { transcribe } from './recording/transcribe.ts';
import type { Exchange, SandboxContext } from './SandboxContext.ts';
import { speak } from './speech/speak.ts';
import { generateVideo, remixVideo } from './video/videoHandlers.ts';

/** Reads the body of a request and answers it. */
export type Handler = (exchange: Exchange, context: SandboxContext) => Promise<void>;

export interface Route {
  readonly area: Area;
  readonly path: string;
  readonly handle: Handler;
}

/** All routes take POST and need the key. */
export const routes: readonly Route[] = [
  { ...operations.generateImage, handle: json(generateImages) },
  { ...operations.editImage, handle: json(editImages) },
  { ...operations.speak, handle: json(speak) },
  { ...operations.translate, handle: transcribe('translate') },
  { ...operations.transcribe, handle: transcribe('transcribe') },
  { ...operations.generateVideo, handle: json(generateVideo) },
  { ...operations.remixVideo, handle: json(remixVideo) },
];

function json(handle: (body: unknown, exchange: Exchange, context: SandboxContext) => Promise<void>): Handler {
  return async (exchange, context) => {
    await handle(await readJson(exchange.request, context.maxBytes.json), exchange, context);
  };
}
