import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/Asset.ts';
import type { HttpServer } from '../support/httpServer.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { answerDialog } from './answerDialog.ts';
import type { Answers } from './answerQuestions.ts';
import { answerQuestions } from './answerQuestions.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { emptyFolder, workspaceFolder } from './workspaceFolder.ts';

const settings = [
  'service',
  'imageBaseUrl',
  'audioBaseUrl',
  'videoBaseUrl',
  'authorizationScheme',
  'modelListPath',
  'models',
] as const;

/** Returns the value of a user setting. */
function saved(): Readonly<Record<string, unknown>> {
  const configuration = vscode.workspace.getConfiguration('unifiedMedia');
  return Object.fromEntries(settings.map((name) => [name, configuration.inspect(name)?.globalValue]));
}

describe('unifiedMedia.connectService', () => {
  let folder: string;
  let service: HttpServer;
  let lists: boolean;
  let key: string;

  before(() => {
    folder = workspaceFolder();
  });

  beforeEach(async () => {
    lists = true;
    key = 'Bearer key-1';
    service = await startHttpServer(({ method, headers }, response) => {
      if (headers.authorization !== undefined && headers.authorization !== key) response.writeHead(401).end();
      else if (method === 'POST') response.end(JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] }));
      else response.writeHead(lists ? 200 : 404).end(lists ? '["painter","speaker"]' : '');
    });
    // Registers the settings, so that they are reset afterwards.
    await changeSettings(Object.fromEntries(settings.map((name) => [name, undefined])));
    await changeSettings({ service: 'sandbox', openAfterSave: false });
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    await resetSettings();
    await service[Symbol.asyncDispose]();
    await emptyFolder(folder);
  });

  async function connect(answers: Answers): Promise<readonly string[]> {
    using asked = answerQuestions(answers);
    using told = answerDialog('showInformationMessage', () => undefined);
    await vscode.commands.executeCommand('unifiedMedia.connectService');
    assert.deepEqual(
      Object.keys(answers).filter((part) => !asked.questions.some((one) => one.includes(part))),
      [],
    );
    return told.questions;
  }

  const one = (): Answers => ({
    'Where is': 'One Address for Everything',
    'The address of the service': `${service.origin}/v1`,
    'a word before the key': '“Bearer” before the Key',
    'Paste the key': 'Bearer key-1',
    'Models found: 2': '$(check) Done',
  });

  it('saves the addresses, the authorization scheme and the model list path in the user settings', async () => {
    const [told] = await connect(one());
    const host = `${service.origin}/v1`;
    assert.deepEqual(saved(), {
      service: 'remote',
      imageBaseUrl: host,
      audioBaseUrl: host,
      videoBaseUrl: host,
      authorizationScheme: 'Bearer',
      modelListPath: '/v1/models',
      models: undefined,
    });
    assert.equal(told, `Media now come from ${service.origin}. Its key is set. Models in its list: 2.`);
    const run = vscode.commands.executeCommand<Asset[]>('unifiedMedia.generateImage', { model: 'm', prompt: 'a fox' });
    assert.equal((await run).length, 1);
    assert.deepEqual(
      service.requests.map(({ method, url, headers }) => `${method} ${url} ${headers.authorization ?? '-'}`),
      ['GET /v1 -', 'GET /v1/models Bearer key-1', 'POST /v1/images/generations Bearer key-1'],
    );
  });

  it('takes separate addresses, and leaves out those that the service lacks', async () => {
    lists = false;
    key = 'key-1';
    const [told = ''] = await connect({
      'Where is': 'Separate Addresses',
      'The address for images': service.origin,
      'The address for speech': '',
      'The address for videos': '',
      'a word before the key': 'The Key Alone',
      'Paste the key': 'key-1',
      'No list of models': '$(check) Done',
    });
    assert.deepEqual(saved(), {
      service: 'remote',
      imageBaseUrl: service.origin,
      audioBaseUrl: undefined,
      videoBaseUrl: undefined,
      authorizationScheme: undefined,
      modelListPath: undefined,
      models: undefined,
    });
    assert.match(told, /It answers, but lists no models/);
  });

  it('shows the summary when the models are dismissed, because the service is already connected', async () => {
    const [told = ''] = await connect({ ...one(), 'Models found: 2': undefined });
    assert.match(told, /^Media now come from/);
    assert.equal(saved().imageBaseUrl, `${service.origin}/v1`);
  });

  for (const step of ['Where is', 'The address of the service', 'a word before the key', 'Paste the key']) {
    it(`saves and says nothing when dismissed at: ${step}`, async () => {
      const before = saved();
      const answers = Object.entries(one());
      const until = answers.findIndex(([part]) => part === step);
      const left = Object.fromEntries([...answers.slice(0, until), [step, undefined]]);
      assert.deepEqual(await connect(left), []);
      assert.deepEqual(saved(), before);
      assert(service.requests.every(({ headers }) => headers.authorization === undefined));
    });
  }

  it('takes no key as argument', async () => {
    using asked = answerQuestions({ 'Where is': undefined });
    await vscode.commands.executeCommand('unifiedMedia.connectService', { key: 'key-2', imageBaseUrl: service.origin });
    assert.equal(asked.questions.length, 1);
    assert.deepEqual([saved().imageBaseUrl, service.requests], [undefined, []]);
  });
});
