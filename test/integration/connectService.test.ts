import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Settings } from '../../src/editor/Settings.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { answerQuestions } from './answerQuestions.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';

const names = [
  'service',
  'imageBaseUrl',
  'audioBaseUrl',
  'videoBaseUrl',
  'authorizationScheme',
  'modelListPath',
  'models',
] as const;

/** Returns the values of the user settings. */
function saved(): Readonly<Record<string, unknown>> {
  const configuration = vscode.workspace.getConfiguration('unifiedMedia');
  return Object.fromEntries(names.map((name) => [name, configuration.inspect(name)?.globalValue]));
}

// The form itself is tested by clicks and keys, in e2e/connectPanel.test.ts.
describe('connecting a service', () => {
  beforeEach(async () => {
    // Registers the settings, so that they are reset afterwards.
    await changeSettings(Object.fromEntries(names.map((name) => [name, undefined])));
    await changeSettings({ service: 'sandbox' });
  });

  afterEach(resetSettings);

  it('opens the form, asks nothing, and takes no key as argument', async () => {
    await using service = await startHttpServer((_, response) => response.end());
    const before = saved();
    using asked = answerQuestions({});
    await vscode.commands.executeCommand('unifiedMedia.connectService', { key: 'key-2', imageBaseUrl: service.origin });
    assert.deepEqual(asked.questions, []);
    assert.deepEqual([saved(), service.requests], [before, []]);
  });

  it('saves the addresses, the authorization scheme and the model list path in the user settings', async () => {
    const host = 'https://api.example.com/v1';
    const hosts = { image: host, audio: host, video: host };
    await new Settings().saveService({ hosts, authorizationScheme: 'Bearer', modelListPath: '/v1/models' });
    assert.deepEqual(saved(), {
      service: 'remote',
      imageBaseUrl: host,
      audioBaseUrl: host,
      videoBaseUrl: host,
      authorizationScheme: 'Bearer',
      modelListPath: '/v1/models',
      models: undefined,
    });
  });

  it('leaves out what the service lacks', async () => {
    const hosts = { image: 'https://api.example.com', audio: '', video: '' };
    await new Settings().saveService({ hosts, authorizationScheme: '', modelListPath: '' });
    assert.deepEqual(saved(), {
      service: 'remote',
      imageBaseUrl: 'https://api.example.com',
      audioBaseUrl: undefined,
      videoBaseUrl: undefined,
      authorizationScheme: undefined,
      modelListPath: undefined,
      models: undefined,
    });
  });
});
