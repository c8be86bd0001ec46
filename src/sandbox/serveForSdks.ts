import { sandboxModel } from '../operations/operations.ts';
import { type Exchange, type SandboxContext, SandboxError, sendJson } from './Exchange.ts';
import { pictureAs } from './picture/imageHandlers.ts';
import type { VideoJob } from './video/VideoStore.ts';
import { describeJob, isReady } from './video/videoHandlers.ts';

/** Returns how a path is served that only SDKs ask for: models and videos by their ids. */
export function routeForSdks(path: string): SdkRoute | undefined {
  const [, model] = /^\/v1\/models(?:\/(.{1,256}))?$/.exec(path) ?? [];
  if (path === '/v1/models' || model !== undefined) {
    return { methods: ['GET', 'HEAD'], serve: async ({ response }) => sendJson(response, 200, modelsAt(model)) };
  }
  if (path === '/v1/videos') return { methods: ['GET', 'HEAD'], serve: listVideos };
  const [, id, content] = /^\/v1\/videos\/(video_[0-9a-f]+)(\/content)?$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  if (content !== undefined)
    return { methods: ['GET', 'HEAD'], serve: (exchange, context, send) => sendContent(id, exchange, context, send) };
  return { methods: ['GET', 'HEAD', 'DELETE'], serve: (exchange, context) => serveVideo(id, exchange, context) };
}

interface SdkRoute {
  readonly methods: readonly string[];
  serve(exchange: Exchange, context: SandboxContext, sendResult: SendResult): Promise<void>;
}

/** Answers with a stored result, by the path of its URL. */
type SendResult = (path: string) => Promise<void>;

/** The sandbox takes any name of a model, so each of them exists. */
function modelsAt(name: string | undefined): object {
  const describe = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'sandbox' });
  return name === undefined ? { object: 'list', data: [describe(sandboxModel)] } : describe(decodeURIComponent(name));
}

/** Answers with a page of videos, newest first unless `order` is `asc`. */
async function listVideos({ request, response }: Exchange, { videoJobs }: SandboxContext): Promise<void> {
  const query = new URLSearchParams(request.url?.split('?')[1]);
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 0 || limit > 100) {
    throw new SandboxError(400, 'limit must be a whole number from 0 to 100.', { param: 'limit' });
  }
  const all = [...videoJobs.values()];
  if (query.get('order') !== 'asc') all.reverse();
  const after = query.get('after');
  const start = after === null ? 0 : all.findIndex(({ record }) => record.id === after) + 1;
  const page = all.slice(start, start + limit);
  sendJson(response, 200, {
    object: 'list',
    data: page.map(describeJob),
    first_id: page[0]?.record.id ?? null,
    last_id: page.at(-1)?.record.id ?? null,
    has_more: start + limit < all.length,
  });
}

async function serveVideo(id: string, { request, response }: Exchange, context: SandboxContext): Promise<void> {
  const job = jobOf(id, context);
  if (request.method !== 'DELETE') return sendJson(response, 200, describeJob(job));
  if (!isReady(job) && job.failure === undefined) throw notReady(409, id);
  context.videoJobs.delete(id);
  await context.videos.remove(id);
  sendJson(response, 200, { id, object: 'video.deleted', deleted: true });
}

async function sendContent(
  id: string,
  { request, response, signal }: Exchange,
  context: SandboxContext,
  sendResult: SendResult,
): Promise<void> {
  const job = jobOf(id, context);
  if (job.url === undefined) throw notReady(404, id);
  switch (new URLSearchParams(request.url?.split('?')[1]).get('variant') ?? 'video') {
    case 'video':
      return sendResult(job.url);
    case 'thumbnail': {
      const { record } = job;
      const image = record.image === null ? undefined : await context.videos.findImage(record.image);
      const png = await context.pictureQueue(() =>
        context.renderWorker.run('paintThumbnail', { record, image }, signal),
      );
      response.writeHead(200, { 'content-type': 'image/webp', 'cache-control': 'no-store' });
      response.end(await pictureAs('webp', png));
      return;
    }
    default:
      throw new SandboxError(400, 'The sandbox has the variants video and thumbnail.', { param: 'variant' });
  }
}

function jobOf(id: string, { videoJobs }: SandboxContext): VideoJob {
  const job = videoJobs.get(id);
  if (job) return job;
  throw new SandboxError(404, `There is no video "${id}".`, { param: 'video_id', code: 'no_result' });
}

function notReady(status: 404 | 409, id: string): SandboxError {
  return new SandboxError(status, `The video "${id}" is not ready, or was not made.`, {
    param: 'video_id',
    code: 'video_not_ready',
  });
}
