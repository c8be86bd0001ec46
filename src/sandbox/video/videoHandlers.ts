import { setTimeout } from 'node:timers/promises';
import { isObject } from '../../foreign/shape.ts';
import { sandboxModel } from '../../operations/operations.ts';
import {
  type CheckedRequest,
  checkRequest,
  type Exchange,
  numberOf,
  type SandboxContext,
  SandboxError,
  sendJson,
  textOf,
} from '../Exchange.ts';
import { sidesOf, sizeIn } from '../furtherFields.ts';
import { loadPicture } from '../picture/imageHandlers.ts';
import { sizeOfVideo, videoFormat } from '../picture/paintPicture.ts';
import type { VideoJob, VideoRecord } from './VideoStore.ts';

/** Generates a video from text, or from an image if the body has an image_url. */
async function generateVideo(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const hasImage = isObject(body) && Object.hasOwn(body, 'image_url');
  await (hasImage ? fromImage : fromText)(body, exchange, context);
}

async function fromText(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const request = checkRequest('generateVideo', body, context);
  const seconds = secondsOf(request.more, context);
  const record = recordOf(request, context);
  context.accept('generateVideo');
  await sendVideo({ record, seconds }, exchange, context);
}

async function fromImage(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const request = checkRequest('animateImage', body, context);
  const seconds = secondsOf(request.more, context);
  const made = recordOf(request, context);
  const source = await loadPicture(request.image_url, 'image_url', exchange, context);
  context.accept('animateImage');
  const record = { ...made, image: made.id };
  const first = { source, size: sizeOfVideo(record) };
  const image = await context.renderWorker.run('paintFirstFrame', first, exchange.signal);
  await sendVideo({ record, seconds, image, isOwnImage: true }, exchange, context);
}

type VideoRequest = CheckedRequest<'generateVideo' | 'animateImage'>;

function recordOf({ model, prompt, more }: VideoRequest, { videos, now }: SandboxContext): VideoRecord {
  const created = Math.floor(now() / 1000);
  const size = sizeAsked(more);
  return {
    id: videos.createId(),
    model,
    created,
    prompt,
    image: null,
    remixes: [],
    remixedFrom: null,
    ...(size && { size }),
  };
}

/** Returns the width and height that are asked for, which are even: H.264 needs that. */
function sizeAsked(more: VideoRequest['more']): readonly [width: number, height: number] | undefined {
  const [size, ratio] = [textOf(more, 'size'), textOf(more, 'aspect_ratio')];
  const asked = size === undefined ? ratio && sidesOf(ratio, videoFormat.width) : sizeIn(size);
  if (asked) return [asked[0] & ~1, asked[1] & ~1];
  if (size === undefined && ratio === undefined) return undefined;
  const param = size === undefined ? 'aspect_ratio' : 'size';
  throw new SandboxError(400, `The sandbox makes no video of this ${param}.`, { param, code: 'invalid_value' });
}

const maxSeconds = 20;

function secondsOf(more: VideoRequest['more'], { videoSeconds, disobeys }: SandboxContext): number {
  const asked = textOf(more, 'seconds');
  const seconds = asked === undefined ? (numberOf(more, 'duration') ?? videoSeconds) : Number(asked);
  if (seconds > 0 && seconds <= maxSeconds) return disobeys.seconds ?? seconds;
  const param = asked === undefined ? 'duration' : 'seconds';
  throw new SandboxError(400, `The sandbox makes videos of up to ${maxSeconds} seconds.`, {
    param,
    code: 'invalid_value',
  });
}

async function remixVideo(body: unknown, exchange: Exchange, context: SandboxContext): Promise<void> {
  const { videos, accept, now } = context;
  checkReady(body, context);
  const { model, prompt, video_id } = checkRequest('remixVideo', await withModel(body, context), context);
  const parent = await videos.find(video_id);
  if (!parent) {
    throw new SandboxError(404, `Video (video_id) "${video_id}" was not made by this sandbox.`, {
      param: 'video_id',
      code: 'unknown_video',
    });
  }
  if (parent.model !== model) {
    throw new SandboxError(
      400,
      `Video (video_id) was made by the model "${parent.model}". Only that model can remix it, not "${model}".`,
      { param: 'video_id', code: 'other_model' },
    );
  }
  accept('remixVideo');
  const record: VideoRecord = {
    ...parent,
    id: videos.createId(),
    created: Math.floor(now() / 1000),
    remixes: [...parent.remixes, prompt],
    remixedFrom: parent.id,
  };
  const image = parent.image === null ? undefined : await videos.findImage(parent.image);
  await sendVideo({ record, seconds: context.videoSeconds, image }, exchange, context);
}

/** @throws SandboxError 400 for a video that is still being made, or could not be made */
function checkReady(body: unknown, { videoJobs }: SandboxContext): void {
  const id = isObject(body) && 'video_id' in body ? String(body.video_id) : '';
  const job = videoJobs.get(id);
  if (!job || isReady(job)) return;
  throw new SandboxError(400, `The video "${id}" cannot be remixed, because it is not completed.`, {
    param: 'video_id',
    code: 'video_not_ready',
  });
}

/** A remix at OpenAI's path names no model: it is that of the video. One that is unknown is named after that. */
async function withModel(body: unknown, { videos, isLenient }: SandboxContext): Promise<unknown> {
  if (!isObject(body) || 'model' in body || !('video_id' in body)) return body;
  const parent = await videos.find(String(body.video_id));
  if (!parent && !isLenient) return body;
  return { ...body, model: parent?.model ?? sandboxModel };
}

/** By operation. Two of them have the same path, so their handler takes both. */
export const videoHandlers = { generateVideo, animateImage: generateVideo, remixVideo };

interface VideoToMake {
  readonly record: VideoRecord;
  readonly seconds: number;
  /** First frame as a PNG of the video's size. */
  readonly image?: Uint8Array;
  /** Whether this video is the first that begins with the image, which is then stored. */
  readonly isOwnImage?: true;
}

/** Makes the video, saves its record and answers with its id and URL; with a job, for SDKs. */
async function sendVideo(video: VideoToMake, exchange: Exchange, context: SandboxContext): Promise<void> {
  const { record, seconds } = video;
  if (!context.isLenient) {
    const url = `${exchange.origin}${await makeVideo(video, exchange.signal, context)}`;
    sendJson(exchange.response, 200, {
      id: record.id,
      object: 'video',
      model: record.model,
      created: record.created,
      data: [{ url }],
      remixed_from_video_id: record.remixedFrom,
    });
    return;
  }
  const job: VideoJob = { record, seconds };
  context.videoJobs.set(record.id, job);
  context.inBackground(
    makeVideo(video, context.stopping, context).then(
      (url) => {
        job.url = url;
        job.completed = Math.floor(context.now() / 1000);
      },
      (error: unknown) => {
        job.failure = String(error);
      },
    ),
  );
  sendJson(exchange.response, 200, describeJob(job));
}

/** @returns the path of the video's URL */
async function makeVideo(
  { record, seconds, image, isOwnImage }: VideoToMake,
  signal: AbortSignal,
  { results, renderWorker, videoQueue, videoWaitMs, videos }: SandboxContext,
): Promise<string> {
  const [bytes] = await Promise.all([
    videoQueue(() => renderWorker.run('makeVideo', { record, image, seconds }, signal)),
    setTimeout(videoWaitMs, undefined, { signal }),
  ]);
  const url = await results.add(bytes, 'mp4');
  await videos.save(record, isOwnImage && image);
  return url;
}

/** Whether a video can be downloaded, deleted and remixed. */
export function isReady({ url }: VideoJob): boolean {
  return url !== undefined;
}

/** Describes a job as OpenAI does. */
export function describeJob({ record, seconds, url, completed, failure }: VideoJob): object {
  const status = failure === undefined ? (url === undefined ? 'in_progress' : 'completed') : 'failed';
  const [width, height] = sizeOfVideo(record);
  return {
    id: record.id,
    object: 'video',
    model: record.model,
    status,
    progress: status === 'completed' ? 100 : 0,
    created_at: record.created,
    completed_at: completed ?? null,
    expires_at: null,
    seconds: String(seconds),
    size: `${width}x${height}`,
    prompt: record.remixes.at(-1) ?? record.prompt,
    remixed_from_video_id: record.remixedFrom,
    error: failure === undefined ? null : { code: 'failed', message: failure },
  };
}
