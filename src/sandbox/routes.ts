import type { Area, OperationId } from '../operations/operations.ts';
import { operationIds, operations } from '../operations/operations.ts';
import { readJson } from './http/readBody.ts';
import { editImages, generateImages } from './images/imageHandlers.ts';
import { transcribe } from './recording/transcribe.ts';
import type { Exchange, SandboxContext } from './SandboxContext.ts';
import { speak } from './speech/speak.ts';
import { generateVideo, remixVideo } from './video/videoHandlers.ts';

/** Reads the body of a request and answers it. */
type Handler = (exchange: Exchange, context: SandboxContext) => Promise<void>;

export interface Route {
  readonly area: Area;
  readonly path: string;
  readonly handle: Handler;
}

const handlers: Readonly<Record<OperationId, Handler>> = {
  generateImage: json(generateImages),
  editImage: json(editImages),
  speak: json(speak),
  translate: transcribe('translate'),
  transcribe: transcribe('transcribe'),
  generateVideo: json(generateVideo),
  // Both have the same path, so this handler takes both.
  animateImage: json(generateVideo),
  remixVideo: json(remixVideo),
};

/** All routes take POST and need the key. */
export const routes: readonly Route[] = operationIds.map((id) => ({ ...operations[id], handle: handlers[id] }));

function json(handle: (body: unknown, exchange: Exchange, context: SandboxContext) => Promise<void>): Handler {
  return async (exchange, context) => {
    await handle(await readJson(exchange.request, context.maxBytes.json), exchange, context);
  };
}
