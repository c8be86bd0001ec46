import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freeTools } from '../../../src/agents/freeTools.ts';
import { prepareCall } from '../../../src/agents/prepareCall.ts';
import { readInput } from '../../../src/agents/toolInput.ts';
import { toolOf, withDeclared } from '../../../src/agents/tools.ts';
import { requestOf } from '../../../src/manifest/describeRequest.ts';
import { readManifest } from '../../../src/manifest/readManifest.ts';
import { type FurtherField, fieldTable } from '../../../src/operations/declarations.ts';
import { nameIn } from '../../../src/operations/fields.ts';
import { type MediaRequest, type OperationId, operationIds, operations } from '../../../src/operations/operations.ts';
import { type PresetId, presetIds, presetOf } from '../../../src/operations/presets.ts';
import { toRequest } from '../../../src/operations/toRequest.ts';
import { createDispatcher, type ServiceDispatcher } from '../../../src/service/createDispatcher.ts';
import { compose, submissionOf } from '../../../src/webview/composer/composition.ts';
import { type Draft, emptyDraft } from '../../../src/webview/protocol/messages.ts';
import { openDesk } from '../../support/agentDesk.ts';
import { clientOf, sendRequest } from '../../support/clientOf.ts';
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
    const ended = sendRequest(clientOf(server.origin, dispatcher), id, request);
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

  /** What every way in gives, by the names on the wire. Files are named. */
  const files: Values = { image_urls: ['a.png'], image_url: 'a.png', file: 'a.mp3' };
  const own: Values = { ...files, prompt: 'a “fox”', input: 'Hello.', video_id: 'v 1' };

  const located = (name: string, value: unknown): unknown => {
    if (name === 'file') return at(String(value));
    if (value === 'mask.png') return urlOf(value);
    if (!(name in files)) return value;
    return Array.isArray(value) ? value.map((one) => urlOf(String(one))) : urlOf(String(value));
  };

  /** What a person or program gives: the model, values of the operation's own fields, and further ones. */
  interface Given {
    readonly declared?: { readonly preset?: string };
    readonly model: string;
    readonly values: Values;
    readonly fields: Values;
  }

  /** The ways in. */
  const ways = {
    command: (id: OperationId, { declared, model, values, fields }: Given) =>
      toRequest(id, ({ name }) => (name === 'model' ? model : located(name, { ...own, ...values }[name])), {
        declared,
        fields,
        locate: ({ name }, file) => located(name, file),
      }),

    composer: (id: OperationId, { declared, model, values: given, fields }: Given) => {
      const tabs = { images: 'image', speech: 'speech', transcripts: 'transcript', videos: 'video' } as const;
      const tab = tabs[operations[id].result];
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
      const entered = Object.entries({ ...given, ...fields }).map(([name, value]) => [
        name,
        value === 'mask.png' ? urlOf(value) : Array.isArray(value) ? value.join(', ') : String(value),
      ]);
      const words = tab === 'speech' ? 'Hello.' : 'a “fox”';
      const draft: Draft = {
        ...emptyDraft,
        tab,
        prompts: { [tab]: words },
        ...(attached && { attachments: { [tab]: attached } }),
        options: { [tab]: Object.fromEntries(entered) },
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

    manifest: async (id: OperationId, { declared, model, values, fields }: Given) => {
      const { own: taken } = fieldTable(id, declared, model);
      const given = taken.filter(({ name, type }) => name in { ...own, ...values } && type !== 'model');
      const entry = {
        operation: id,
        ...(id === 'remixVideo' ? {} : { model }),
        ...Object.fromEntries(given.map((field) => [nameIn('manifest', field), { ...own, ...values }[field.name]])),
        ...(Object.keys(fields).length > 0 && { fields }),
      };
      const endings = { images: 'png', speech: 'mp3', transcripts: 'md', videos: 'mp4' } as const;
      const path = `x.${values.output_format ?? endings[operations[id].result]}`;
      const text = JSON.stringify({ accepts: declared, assets: { [path]: entry } });
      const { manifest, problems } = readManifest(text, at('media.jsonc'));
      assert.deepEqual(problems, []);
      const [made] = manifest.entries;
      assert(made?.type === 'request');
      return requestOf(made, { model, videoId: 'v 1' }, manifest.folder);
    },

    tool: async (id: OperationId, { declared, model, values, fields }: Given) => {
      await using desk = openDesk('http://127.0.0.1:1', { folder });
      const host = { ...desk.host, declaredFields: () => declared };
      const inputs: Values = { prompt: own.prompt, images: ['a.png'], image: 'a.png', file: 'a.mp3', text: 'Hello.' };
      const tool = withDeclared(toolOf(id), host);
      const isTaken = (name: string) => name in tool.inputSchema.properties;
      const isGiven = (name: string) => isTaken(name) && !(id === 'speak' && name === 'file');
      const given = Object.fromEntries(Object.entries({ ...inputs, ...values }).filter(([name]) => isGiven(name)));
      const others = Object.fromEntries(Object.entries(values).filter(([name]) => !isTaken(name)));
      const all = { ...others, ...fields };
      const input = { ...given, model, ...(Object.keys(all).length > 0 && { fields: all }) };
      return (await prepareCall(id, readInput(tool, input), host)).request;
    },
  };

  const data = `data:image/png;base64,${pngBytes.toString('base64')}`;
  const png = { filename: 'a.png', type: 'image/png', bytes: pngBytes };
  const mp3 = { filename: 'a.mp3', type: 'audio/mpeg', bytes: mp3Bytes };
  const mask = { ...png, filename: 'mask.png' };
  const prompt = 'a “fox”';

  type Wire = readonly [
    path: string,
    type: 'json' | 'form',
    ...parts: readonly (readonly [name: string, value: unknown])[],
  ];

  /** The requests of the specification: path, encoding and fields in their order. */
  const specified: Readonly<Record<OperationId, Wire>> = {
    generateImage: ['/v1/images/generations', 'json', ['prompt', prompt], ['n', 1], ['output_format', 'url']],
    editImage: [
      '/v1/images/edits',
      'json',
      ['prompt', prompt],
      ['image_urls', [data]],
      ['n', 1],
      ['output_format', 'url'],
    ],
    speak: ['/v1/audio/speech', 'json', ['input', 'Hello.'], ['voice', 'alloy'], ['response_format', 'mp3']],
    translate: ['/v1/audio/translations', 'form', ['file', mp3]],
    transcribe: ['/v1/audio/transcriptions', 'form', ['file', mp3]],
    generateVideo: ['/v1/videos/generations', 'json', ['prompt', prompt], ['output_format', 'url']],
    animateImage: ['/v1/videos/generations', 'json', ['prompt', prompt], ['image_url', data], ['output_format', 'url']],
    remixVideo: ['/v1/videos/edits', 'json', ['video_id', 'v 1'], ['prompt', prompt], ['output_format', 'url']],
  };

  /** The requests of the presets that differ from those of the specification, with no further value. */
  const ofPresets: Readonly<Record<PresetId, Partial<Record<OperationId, Wire>>>> = {
    openai: {
      generateImage: ['/v1/images/generations', 'json', ['prompt', prompt], ['n', 1], ['output_format', 'png']],
      editImage: ['/v1/images/edits', 'form', ['prompt', prompt], ['image[]', png], ['n', 1], ['output_format', 'png']],
      generateVideo: ['/v1/videos', 'json', ['prompt', prompt]],
      animateImage: ['/v1/videos', 'form', ['prompt', prompt], ['input_reference', png]],
      remixVideo: ['/v1/videos/v%201/remix', 'json', ['prompt', prompt]],
    },
    gateway: {},
    local: {
      generateImage: ['/v1/images/generations', 'json', ['prompt', prompt], ['n', 1]],
    },
  };

  /** The further fields that a preset sends where no other value is given. */
  const implied: Readonly<Partial<Record<PresetId, Partial<Record<OperationId, readonly Wire[2][]>>>>> = {
    local: {
      translate: [['response_format', 'verbose_json']],
      transcribe: [['response_format', 'verbose_json']],
    },
  };

  /** Writes a request by hand: no code of the extension takes part. */
  function written([path, type, ...parts]: Wire, model: string | undefined, added: Wire[2][] = []) {
    const names = new Map(added);
    const all = [
      ...(model === undefined ? [] : [['model', model] as const]),
      ...parts.map(([name, value]) => [name, names.get(name) ?? value] as const),
      ...added.filter(([name]) => !parts.some(([one]) => one === name)),
    ];
    if (type === 'json') {
      const fields = all.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
      return { path, type: 'application/json', body: Buffer.from(`{${fields.join(',')}}`).toString('latin1') };
    }
    const values = all.flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((one) => [`${name}[]`, one] as const) : [[name, value] as const],
    );
    const pieces = values.map(([name, value]) => {
      const file = value as Partial<typeof png> | undefined;
      if (!file?.bytes) return `--boundary\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      const head = `--boundary\r\nContent-Disposition: form-data; name="${name}"; filename="${file.filename}"\r\n`;
      return Buffer.concat([Buffer.from(`${head}Content-Type: ${file.type}\r\n\r\n`), file.bytes, Buffer.from('\r\n')]);
    });
    const bytes = pieces.map((one) => (typeof one === 'string' ? Buffer.from(one) : one));
    const body = Buffer.concat([...bytes, Buffer.from('--boundary--\r\n')]).toString('latin1');
    return { path, type: 'multipart/form-data', body };
  }

  /** Sends from every way in, and compares each with what was written by hand. */
  async function assertSent(id: OperationId, given: Given, expected: ReturnType<typeof written>): Promise<void> {
    for (const way of ['command', 'composer', 'manifest', 'tool'] as const) {
      // Agents remix a video of the library, whose model and id are known there.
      if (way === 'tool' && id === 'remixVideo') continue;
      // No path of media.jsonc ends so.
      if (way === 'manifest' && given.values.output_format === 'gif') continue;
      const { key, length, ...request } = await sent(id, await ways[way](id, given));
      assert.deepEqual(request, expected, way);
      assert(length, way);
      assert.equal(key !== undefined, given.declared?.preset === 'gateway', `${way}: Idempotency-Key`);
    }
  }

  for (const id of operationIds) {
    for (const declared of [undefined, {}, { preset: 'none' }]) {
      it(`change nothing where none are declared: ${id}, ${JSON.stringify(declared)}`, async () => {
        await assertSent(id, { declared, model: 'm', values: {}, fields: {} }, written(specified[id], 'm'));
      });
    }
  }

  for (const preset of presetIds) {
    for (const id of operationIds) {
      const wire = ofPresets[preset][id] ?? specified[id];
      const named = (model: string) => (presetOf(preset).fields[id]?.model === false ? undefined : model);
      const { further, own: taken } = fieldTable(id, { preset });
      const withImplied = (...added: readonly Wire[2][]) =>
        [...new Map([...(implied[preset]?.[id] ?? []), ...added])].sort(([a], [b]) => (a < b ? -1 : 1));

      it(`are sent as the preset says where none is given: ${preset}, ${id}`, async () => {
        await assertSent(
          id,
          { declared: { preset }, model: 'm', values: {}, fields: {} },
          written(wire, named('m'), withImplied()),
        );
      });

      for (const field of further) {
        it(`are the same from every way in: ${preset}, ${id}, ${field.name}`, async () => {
          const [model, value] = [modelOf(field), sampleOf(field)];
          const onWire = field.type === 'file' ? mask : value;
          await assertSent(
            id,
            { declared: { preset }, model, values: {}, fields: { [field.name]: value } },
            written(wire, named(model), withImplied([field.name, onWire])),
          );
        });
      }

      for (const [name, one] of Object.entries(presetOf(preset).fields[id] ?? {})) {
        const field = taken.find((known) => known.name === name);
        if (one === false || !field) continue;
        const values = one.values ?? [2, 4];
        it(`have the preset's values of the operation's own fields: ${preset}, ${id}, ${name}`, async () => {
          for (const value of values) {
            await assertSent(
              id,
              { declared: { preset }, model: 'm', values: { [name]: value }, fields: {} },
              written(wire, 'm', [[name, value]]),
            );
          }
        });
      }
    }
  }

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
      values: ['png', 'jpeg', 'webp', 'gif'],
      default: 'png',
    });
  });

  it('hold no file of an agent that may have secrets', async () => {
    await using desk = openDesk('http://127.0.0.1:1', { folder });
    const declared = { generateImage: { hint: { type: 'file' } } };
    const host = { ...desk.host, declaredFields: () => declared };
    const tool = withDeclared(toolOf('generateImage'), host);
    const prepared = (hint: string) =>
      prepareCall('generateImage', readInput(tool, { prompt: 'a', model: 'm', fields: { hint } }), host);
    await writeFile(at('.env'), 'SECRET=1');
    await writeFile(at('notes.txt'), 'SECRET=1');
    await mkdir(at('.git'), { recursive: true });
    await writeFile(at('.git/a.png'), pngBytes);
    await writeFile(join(folder, 'outside.png'), pngBytes);
    // Without rights Windows makes none.
    await symlink(join(folder, 'outside.png'), at('link.png')).catch(() => undefined);
    const refused: Readonly<Record<string, RegExp>> = {
      '.env': /"hint": \.env is hidden or in a hidden folder/,
      'notes.txt': /"hint": notes\.txt is not an image, a recording or a video/,
      '.git/a.png': /is not a file in the workspace/,
      'link.png': /is not a file in the workspace/,
      '../outside.png': /is not a file in the workspace/,
      '.': /is not a (regular )?file/,
      'https://example.com/a.png': /takes a path in the workspace/,
      'data:image/png;base64,AA==': /takes a path in the workspace/,
      'none.png': /is not a file in the workspace/,
    };
    for (const [hint, message] of Object.entries(refused)) {
      await assert.rejects(prepared(hint), { kind: 'invalidInput', field: 'hint', message }, hint);
    }
    const { sends, request } = await prepared('mask.png');
    assert.deepEqual(
      sends.map(({ path }) => path),
      [at('mask.png')],
    );
    assert.equal(request.further?.values.hint, urlOf('mask.png'));
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
    await assert.rejects(sendRequest(clientOf(server.origin, dispatcher), 'generateImage', request), {
      kind: 'invalidInput',
      field: 'hint',
      message: /large\.bin is larger than 50 MB/,
    });
  });

  it('have a key of their own where the service honours it: the same when one is repeated, another when it is sent anew', async () => {
    const keys: unknown[] = [];
    await using server = await startHttpServer(async (incoming, response) => {
      await bodyOf(incoming);
      keys.push(incoming.headers['idempotency-key']);
      // The first is refused for a moment.
      if (keys.length === 1) response.writeHead(429, { 'retry-after': '0' }).end();
      else response.end(JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] }));
    });
    const values = { model: 'm', prompt: 'a' } as const;
    const declared = { preset: 'gateway' };
    const request = await toRequest('generateImage', ({ name }) => values[name as 'model'], { declared });
    const client = clientOf(server.origin, dispatcher);
    await sendRequest(client, 'generateImage', request);
    await sendRequest(client, 'generateImage', request);
    const [first, repeated, anew] = keys;
    assert.match(String(first), /^[0-9a-f-]{36}$/);
    assert.equal(repeated, first);
    assert.notEqual(anew, first);
    assert.equal(keys.length, 3);
  });

  it('come with the headers of the person, but never with one of ours', async () => {
    await using server = await startHttpServer();
    const request = { model: 'm', prompt: 'a' };
    const incoming = server.next();
    const sending = sendRequest(
      clientOf(server.origin, dispatcher, { headers: { 'x-route': 'fast' } }),
      'generateImage',
      request,
    );
    sending.catch(() => undefined);
    const [received, response] = await incoming;
    assert.equal(received.headers['x-route'], 'fast');
    response.writeHead(400).end();
    await sending.catch(() => undefined);
    const ours = [
      'Authorization',
      'aUTHORIZATION',
      'Proxy-Authorization',
      'cookie',
      'HOST',
      'Connection',
      'Keep-Alive',
    ];
    for (const name of [
      ...ours,
      'TE',
      'Trailer',
      'Upgrade',
      'Transfer-Encoding',
      'Content-Length',
      'Accept-Encoding',
    ]) {
      const client = clientOf(server.origin, dispatcher, { headers: { [name]: 'x' } });
      await assert.rejects(sendRequest(client, 'generateImage', request), {
        message: new RegExp(`must not contain ${name}`),
      });
    }
    const unsendable: readonly (readonly [name: string, value: string])[] = [
      ['x-a', 'b\r\nx-c: d'],
      ['x-a', 'b\nAuthorization: c'],
      ['x-a', 'b\0'],
      ['x-a', 'ü'],
      ['x-a\r\nAuthorization', 'b'],
      [' Authorization', 'b'],
      ['Authorization ', 'b'],
      ['Authorization:', 'b'],
      ['', 'b'],
    ];
    for (const [name, value] of unsendable) {
      const client = clientOf(server.origin, dispatcher, { headers: { [name]: value } });
      await assert.rejects(sendRequest(client, 'generateImage', request), {
        kind: 'noService',
        message: /cannot be sent/,
      });
    }
    const noText = clientOf(server.origin, dispatcher, { headers: { 'x-a': 1 } });
    await assert.rejects(sendRequest(noText, 'generateImage', request), /whose values are texts/);
  });
});
