import type { Area } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Exchange } from './http/Exchange.ts';
import { readJson } from './http/readJson.ts';
import { editImages } from './images/editImages.ts';
import { generateImages } from './images/generateImages.ts';
import { transcribe } from './recording/transcribe.ts';
import { speak } from './speech/speak.ts';
import { generateVideo } from './video/generateVideo.ts';
import { remixVideo } from './video/remixVideo.ts';
import type { Workshop } from './Workshop.ts';

/** Reads the rest of a request and answers it. */
type Handler = (exchange: Exchange, workshop: Workshop) => Promise<void>;

export interface Route {
  readonly area: Area;
  readonly path: string;
  readonly handle: Handler;
}

/** POST, with the key. */
export const routes: readonly Route[] = [
  { ...operations.generateImage, handle: json(generateImages) },
  { ...operations.editImage, handle: json(editImages) },
  { ...operations.speak, handle: json(speak) },
  { ...operations.translate, handle: transcribe('translate') },
  { ...operations.transcribe, handle: transcribe('transcribe') },
  { ...operations.generateVideo, handle: json(generateVideo) },
  { ...operations.remixVideo, handle: json(remixVideo) },
];

function json(handle: (body: unknown, exchange: Exchange, workshop: Workshop) => Promise<void>): Handler {
  return async (exchange, workshop) => {
    await handle(await readJson(exchange.request, workshop.limits.json), exchange, workshop);
  };
}
