import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import { MediaError } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { Json } from './Answer.ts';
import { answerFacts } from './answerFacts.ts';
import { decoded } from './decoded.ts';
import { errorFromAnswer } from './errorFromAnswer.ts';
import type { ListedModel } from './readModelList.ts';
import { readModelList } from './readModelList.ts';
import { withoutCost } from './withoutCost.ts';

const maxBytes = 8 * 1024 * 1024;

export interface ListOptions {
  readonly dispatcher: Dispatcher;
  /** The whole `Authorization` header. */
  readonly authorization: string;
  /** Redacted from the service's messages. */
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

/**
 * Reads a host's list of models, which is not billed. Takes at most 30 s and 8 MiB.
 *
 * @throws MediaError for the status (`unauthorized`, `forbidden`, `notFound`…), `unreadableAnswer` when the answer is not
 *   a list, or `network`, `tls`, `proxy`, `timeout`, `cancelled`
 */
export function listModels(url: URL, options: ListOptions): Promise<readonly ListedModel[]> {
  const { dispatcher, authorization, key, log } = options;
  return withoutCost(url, options.signal, async (signal) => {
    const headers = { authorization, accept: 'application/json', 'accept-encoding': 'identity' };
    const response = await httpRequest(url, { headers, dispatcher, signal, headersTimeout: 0, bodyTimeout: 0 });
    const body = await receive(decoded(response, response.body));
    const answer = { ...answerFacts(response, { base: url.origin }), body };
    log?.(`models: GET ${url.origin}${url.pathname}: ${answer.status}, ${body.length} bytes`);
    if (answer.status < 200 || answer.status > 299) throw errorFromAnswer(answer, [key]);
    const models = readModelList(parseJson<Json>(new TextDecoder().decode(body)));
    if (!models) throw unreadable(l10n.t('{0} did not answer with a list of models.', url.host));
    return models;
  });
}

async function receive(data: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of data) {
    length += chunk.length;
    if (length > maxBytes) throw unreadable(l10n.t("The service's list of models is larger than 8 MiB."));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unreadable(sentence: string): MediaError {
  return new MediaError('unreadableAnswer', sentence);
}
