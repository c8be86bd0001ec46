import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { mkdtemp, realpath, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freeTools } from '../../../src/agents/freeTools.ts';
import { prepareCall } from '../../../src/agents/prepareCall.ts';
import { readInput } from '../../../src/agents/toolInput.ts';
import { toolOf, withDeclared } from '../../../src/agents/tools.ts';
import { requestOf } from '../../../src/manifest/describeRequest.ts';
import { readManifest } from '../../../src/manifest/readManifest.ts';
import type { FurtherField } from '../../../src/operations/declarations.ts';
import { fieldTable } from '../../../src/operations/declarations.ts';
import type { MediaRequest, OperationId } from '../../../src/operations/operations.ts';
import { operationIds } from '../../../src/operations/operations.ts';
import { presetIds } from '../../../src/operations/presets.ts';
import { toRequest } from '../../../src/operations/toRequest.ts';
import type { ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { createDispatcher } from '../../../src/service/createDispatcher.ts';
import { compose, submissionOf } from '../../../src/webview/composer/composition.ts';
import type { Draft } from '../../../src/webview/protocol/messages.ts';
import { emptyDraft } from '../../../src/webview/protocol/messages.ts';
import { openDesk } from '../../support/agentDesk.ts';
import { clientOf } from '../../support/clientOf.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { mp3Bytes, pngBytes } from '../../support/mediaBytes.ts';

const never = new AbortController().signal;

type Values = Readonly<Record<string, unknown>>;

/** A model that takes the field. */
function modelOf({ models = ['m'] }: FurtherField): string {
  return models[0]?.replaceAll('*', '') ?? '';
}

/** A value of the field, as a person gives it; a file by its path. */
function sampleOf({ type, values, minimum = 0, maximum = minimum + 2 }: FurtherField): unknown {
  switch (type) {
    case 'string':
      return values?.at(-1) ?? 'warm & “calm”';
    case 'strings':
      return values ?? ['Möwe', 'Ölmühle'];
    case 'boolean':
      return true;
    case 'file':
      return 'mask.png';
    case 'integer':
      return Math.floor((minimum + maximum) / 2);
    default:
      return (minimum + maximum) / 2;
  }
}

describe('further fields on the wire', () => {
  let folder: string;
  let dispatcher: ServiceDispatcher;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'further-')));
    mkdirSync(join(folder, 'workspace'));
    dispatcher = createDispatcher();
    await writeFile(at('a.png'), pngBytes);
    await writeFile(at('mask.png'), pngBytes);
    await writeFile(at('a.mp3'), mp3Bytes);
  });

  after(async () => {
    await dispatcher.destroy();
    await rm(folder, { recursive: true });
  });

  const at = (name: string) => join(folder, 'workspace', name);
  const urlOf = (name: string) => pathToFileURL(at(name)).href;

  /** Sends a request and returns the path and the bytes of its body; the boundary of a form is another each time. */
  async function sent(id: OperationId, request: MediaRequest) {
    await using server = await startHttpServer();
    const incoming = server.next();
    const ended = clientOf(server.origin, dispatcher).send(id, request);
    ended.catch(() => undefined);
    const [received, response] = await incoming;
    const bytes = await bodyOf(received);
    response.writeHead(400).end();
    await ended.catch(() => undefined);
    const type = received.headers['content-type'] ?? '';
    const boundary = /boundary=(.*)$/.exec(type)?.[1];
    const text = bytes.toString('latin1');
    return {
      path: received.url,
      type: type.split(';')[0],
      body: boundary === undefined ? text : text.replaceAll(boundary, 'boundary'),
      key: received.headers['idempotency-key'],
      length: Number(received.headers['content-length']) === bytes.length,
    };
  }

  const files: Values = { image_urls: ['a.png'], image_url: 'a.png', file: 'a.mp3', mask: 'mask.png' };
  const wireOf = (name: string, value: unknown): unknown => {
    if (name === 'file') return at('a.mp3');
    return name in files
      ? Array.isArray(value)
        ? value.map((one) => urlOf(String(one)))
        : urlOf(String(value))
      : value;
  };
  const own: Values = { ...files, prompt: 'a “fox”', input: 'Hello.', video_id: 'v 1' };

  /** The ways in, each from what a person or program gives to the request. */
  const ways = {
    command: (id: OperationId, declared: unknown, model: string, fields: Values) =>
      toRequest(id, ({ name }) => (name === 'model' ? model : wireOf(name, own[name])), {
        declared,
        fields,
        locate: ({ name }, file) => wireOf(name, file),
      }),

    composer: (id: OperationId, declared: unknown, model: string, fields: Values) => {
      const tab = { images: 'image', speech: 'speech', transcripts: 'transcript', videos: 'video' } as const;
      const kinds = { generateImage: tab.images, editImage: tab.images, speak: tab.speech } as const;
      const of: Draft['tab'] =
        { ...kinds, transcribe: tab.transcripts, translate: tab.transcripts }[id as string] ?? tab.videos;
      const attachment = { kind: 'image', uri: urlOf('a.png'), name: 'a.png' } as const;
      const recording = { kind: 'recording', uri: at('a.mp3'), name: 'a.mp3' } as const;
      const video = { kind: 'video', uri: '', name: 'v', videoId: 'v 1', model } as const;
      const attached = {
        editImage: [attachment],
        animateImage: [attachment],
        transcribe: [recording],
        translate: [recording],
        remixVideo: [video],
      }[id as string];
      const entered = Object.entries(fields).map(([name, value]) => [
        name,
        name === 'mask' ? urlOf(String(value)) : Array.isArray(value) ? value.join(', ') : String(value),
      ]);
      const words = of === 'speech' ? 'Hello.' : 'a “fox”';
      const draft: Draft = {
        ...emptyDraft,
        tab: of,
        prompts: { [of]: words },
        ...(attached && { attachments: { [of]: attached } }),
        options: { [of]: Object.fromEntries(entered) },
        switched: id === 'translate' ? ['translate'] : [],
      };
      const defaults = { model, n: '1', output_format: 'url', voice: 'alloy', response_format: 'mp3' };
      const setup = {
        notices: [],
        models: {},
        hosts: {},
        unloaded: [],
        favouriteVoices: [],
        defaults: { [id]: defaults },
        declared,
      };
      const { operation, values, files: chosen, fields: typed } = submissionOf(compose(draft, setup));
      assert.equal(operation, id);
      return toRequest(
        id,
        ({ name, type }) => {
          if (chosen[name]) return type === 'images' ? chosen[name] : chosen[name][0];
          return type === 'integer' ? Number(values[name]) : values[name];
        },
        { declared, fields: typed },
      );
    },

    manifest: async (id: OperationId, declared: unknown, model: string, fields: Values) => {
      const names: Values = { image_urls: 'images', image_url: 'image', video_id: 'video' };
      const { own: taken } = fieldTable(id, declared, model);
      const required = taken.filter((field) => !('default' in field) && field.type !== 'model');
      const entry = {
        operation: id,
        ...(id === 'remixVideo' ? {} : { model }),
        ...Object.fromEntries(required.map(({ name }) => [names[name] ?? name, own[name]])),
        fields,
      };
      const output = { speak: 'x.mp3', transcribe: 'x.md', translate: 'x.md' }[id as string];
      const path = output ?? (id.endsWith('Image') && id !== 'animateImage' ? 'x.png' : 'x.mp4');
      const text = JSON.stringify({ accepts: declared, assets: { [path]: entry } });
      const { manifest, problems } = readManifest(text, at('media.jsonc'));
      assert.deepEqual(problems, []);
      const [made] = manifest.entries;
      assert(made?.type === 'request');
      return requestOf(made, { model, videoId: 'v 1' }, manifest.folder);
    },

    tool: async (id: OperationId, declared: unknown, model: string, fields: Values) => {
      await using desk = openDesk('http://127.0.0.1:1', { folder });
      const host = { ...desk.host, declaredFields: () => declared };
      const inputs: Values = { prompt: own.prompt, images: ['a.png'], image: 'a.png', file: 'a.mp3', text: 'Hello.' };
      const tool = withDeclared(toolOf(id), host);
      const isGiven = (name: string) => name in tool.inputSchema.properties && !(id === 'speak' && name === 'file');
      const given = Object.fromEntries(Object.entries(inputs).filter(([name]) => isGiven(name)));
      return (await prepareCall(id, readInput(tool, { ...given, model, fields }), host)).request;
    },
  };

  for (const preset of presetIds) {
    for (const id of operationIds) {
      for (const field of fieldTable(id, { preset }).further) {
        it(`are the same from every way in: ${preset}, ${id}, ${field.name}`, async () => {
          const declared = { preset };
          const [model, value] = [modelOf(field), sampleOf(field)];
          const { key, ...byCommand } = await sent(
            id,
            await ways.command(id, declared, model, { [field.name]: value }),
          );
          assert(byCommand.length);
          assert.equal(key !== undefined, preset === 'gateway', 'Idempotency-Key');
          for (const way of ['composer', 'manifest', 'tool'] as const) {
            // Agents remix a video of the library, whose model and id are known there.
            if (way === 'tool' && id === 'remixVideo') continue;
            const { key: _, ...other } = await sent(id, await ways[way](id, declared, model, { [field.name]: value }));
            assert.deepEqual(other, byCommand, way);
          }
          assert(byCommand.body.includes(Buffer.from(wanted(byCommand.type, field, value)).toString('latin1')));
        });
      }
    }
  }

  /** What the body must hold for a value. */
  function wanted(type: string | undefined, { name, type: of }: FurtherField, value: unknown): string {
    if (type === 'application/json') return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
    if (of === 'file') return `name="${name}"; filename="mask.png"\r\nContent-Type: image/png\r\n\r\n`;
    if (Array.isArray(value)) return value.map((one) => `name="${name}[]"\r\n\r\n${one}\r\n`)[0] ?? '';
    return `name="${name}"\r\n\r\n${String(value)}\r\n`;
  }

  it('change nothing where none are declared: the bodies of every operation', async () => {
    const bodies: Record<string, string> = {};
    for (const id of ['generateImage', 'speak', 'generateVideo', 'remixVideo', 'transcribe'] as const) {
      const { path, body, key } = await sent(id, await ways.command(id, {}, 'm', {}));
      assert.equal(key, undefined);
      bodies[`${id} ${path}`] = body.replace(mp3Bytes.toString('latin1'), '…');
    }
    assert.deepEqual(bodies, {
      'generateImage /v1/images/generations': Buffer.from(
        '{"model":"m","prompt":"a “fox”","n":1,"output_format":"url"}',
      ).toString('latin1'),
      'speak /v1/audio/speech': '{"model":"m","input":"Hello.","voice":"alloy","response_format":"mp3"}',
      'generateVideo /v1/videos/generations': Buffer.from(
        '{"model":"m","prompt":"a “fox”","output_format":"url"}',
      ).toString('latin1'),
      'remixVideo /v1/videos/edits': Buffer.from(
        '{"model":"m","video_id":"v 1","prompt":"a “fox”","output_format":"url"}',
      ).toString('latin1'),
      'transcribe /v1/audio/transcriptions': [
        '--boundary\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n',
        '--boundary\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n',
        'Content-Type: audio/mpeg\r\n\r\n…\r\n--boundary--\r\n',
      ].join(''),
    });
  });

  it('are listed for agents, with the values that the service takes', async () => {
    await using desk = openDesk('http://127.0.0.1:1', { folder });
    const optionsWith = async (declared: unknown) => {
      const host = { ...desk.host, declaredFields: () => declared };
      const { options } = await freeTools.getOptions.answer({}, { host, call: () => undefined, signal: never });
      return options as {
        readonly voices: readonly string[];
        readonly fields?: Record<string, Record<string, object>>;
      };
    };
    assert.equal((await optionsWith(undefined)).fields, undefined);
    const { voices, fields } = await optionsWith({ preset: 'openai' });
    assert(voices.includes('marin'));
    assert.deepEqual(Object.keys(fields?.speak ?? {}), ['instructions', 'speed']);
    assert.deepEqual(fields?.generateImage?.output_format, {
      type: 'string',
      values: ['png', 'jpeg', 'webp'],
      default: 'png',
    });
  });

  it('go to the paths of a preset, with the files as parts', async () => {
    const edit = await sent('editImage', await ways.command('editImage', { preset: 'openai' }, 'm', {}));
    assert.equal(edit.type, 'multipart/form-data');
    assert(edit.body.includes('name="image[]"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG'));
    const remix = await sent('remixVideo', await ways.command('remixVideo', { preset: 'openai' }, 'm', {}));
    assert.deepEqual(
      [remix.path, remix.body],
      ['/v1/videos/v%201/remix', Buffer.from('{"prompt":"a “fox”"}').toString('latin1')],
    );
  });

  it('refuse a file that is too large before anything is sent', async () => {
    await writeFile(at('large.bin'), '');
    await truncate(at('large.bin'), 50_000_001);
    const declared = { generateImage: { hint: { type: 'file' } } };
    const request = await toRequest('generateImage', ({ name }) => ({ model: 'm', prompt: 'a' })[name as 'model'], {
      declared,
      fields: { hint: urlOf('large.bin') },
    });
    await using server = await startHttpServer();
    await assert.rejects(clientOf(server.origin, dispatcher).send('generateImage', request), {
      kind: 'invalidInput',
      field: 'hint',
      message: /large\.bin is larger than 50 MB/,
    });
  });

  it('come with the headers of the person, but never with one of ours', async () => {
    await using server = await startHttpServer();
    const request = { model: 'm', prompt: 'a' };
    const incoming = server.next();
    const sending = clientOf(server.origin, dispatcher, { headers: { 'x-route': 'fast' } }).send(
      'generateImage',
      request,
    );
    sending.catch(() => undefined);
    const [received, response] = await incoming;
    assert.equal(received.headers['x-route'], 'fast');
    response.writeHead(400).end();
    await sending.catch(() => undefined);
    for (const name of ['Authorization', 'cookie', 'HOST', 'Connection', 'Transfer-Encoding', 'Content-Length']) {
      const client = clientOf(server.origin, dispatcher, { headers: { [name]: 'x' } });
      await assert.rejects(client.send('generateImage', request), { message: new RegExp(`must not contain ${name}`) });
    }
    const split = clientOf(server.origin, dispatcher, { headers: { 'x-a': 'b\r\nx-c: d' } });
    await assert.rejects(split.send('generateImage', request), /cannot be sent: x-a/);
  });
});
