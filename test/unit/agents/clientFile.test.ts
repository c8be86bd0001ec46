import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import {
  type AgentClientForm,
  agentClientForms,
  type ClientPlaces,
  describeChange,
  planChange,
  writeChange,
} from '../../../src/agents/mcp/clientFile.ts';
import { writeLauncher } from '../../../src/agents/mcp/launcher.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const launch = { command: '/storage/agents/unified-media', args: ['mcp'] };

describe('the configuration file of an agent (promise 28)', () => {
  let home: string;
  let places: ClientPlaces;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'client-'));
    const workspace = join(home, 'project');
    mkdirSync(workspace);
    places = { workspace, home, environment: {} };
  });
  afterEach(() => rmSync(home, { recursive: true }));

  function formOf(name: string): AgentClientForm {
    const form = agentClientForms.find((one) => one.name === name);
    assert(form);
    return form;
  }

  /** Writes the file as it is before, adds the server and returns the text afterwards. */
  async function changed(name: string, before?: string): Promise<string> {
    const form = formOf(name);
    const path = form.files(places)[0] ?? '';
    mkdirSync(dirname(path), { recursive: true });
    if (before !== undefined) writeFileSync(path, before);
    const change = await planChange(form, places, launch);
    if (before !== undefined) assert.equal(readFileSync(path, 'utf8'), before, 'planning writes nothing');
    await writeChange(change, form, places);
    return readFileSync(path, 'utf8');
  }

  it('is known for the agents that can start a program, Roo Code not among them', () => {
    assert.deepEqual(
      agentClientForms.map(({ name }) => name),
      ['Claude Code', 'Codex', 'Cline', 'Kilo Code'],
    );
  });

  const parsed: Readonly<Record<string, (text: string) => unknown>> = {
    'Claude Code': (text) => parse(text).mcpServers['unified-media'],
    Codex: (text) => (parseToml(text) as { mcp_servers: Record<string, unknown> }).mcp_servers['unified-media'],
    Cline: (text) => parse(text).mcpServers['unified-media'],
    'Kilo Code': (text) => parse(text).mcp['unified-media'],
  };
  for (const [name, entryIn] of Object.entries(parsed)) {
    it(`is created for ${name}, starts the program, and holds no token`, async () => {
      const text = await changed(name);
      assert.match(JSON.stringify(entryIn(text)), /\/storage\/agents\/unified-media.*mcp/);
      assert.doesNotMatch(text, /Bearer|token/i);
      assert.equal(await changed(name, text), text, 'a second time changes nothing');
    });
  }

  it('keeps everything else byte for byte (JSON)', async () => {
    const before =
      '\uFEFF{\r\n\t// Mine.\r\n\t"mcpServers": {\r\n\t\t"other": { "command":"x" , "args": [ ] }, // stays\r\n\t},\r\n\t"more": 1\r\n}\r\n';
    const after = await changed('Claude Code', before);
    const [start = '', end = ''] = before.split(', // stays');
    assert(after.startsWith(start));
    assert(after.endsWith(`${end}`), after);
    assert.match(after, /\/\/ stays/);
    assert(!/[^\r]\n/.test(after));
    assert.deepEqual(Object.keys(parse(after.slice(1)).mcpServers), ['other', 'unified-media']);
  });

  it('leaves a comment behind the server that it is about', async () => {
    const before = '{\n  "mcpServers": {\n    "other": { "command": "x" } // mine\n  }\n}\n';
    const after = await changed('Claude Code', before);
    assert(
      after.startsWith('{\n  "mcpServers": {\n    "other": { "command": "x" }, // mine\n    "unified-media": {\n'),
      after,
    );
  });

  it('keeps everything else byte for byte (TOML), and replaces only our own table', async () => {
    const mine = '# Mine.\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n';
    const own = '\n[mcp_servers.unified-media]\ncommand = "old"\n\n[mcp_servers.unified-media.env]\nA = "b"\n';
    const rest = '\n# About the next one.\n[tools]\nweb = true\n';
    const after = await changed('Codex', mine + own + rest);
    assert(after.startsWith(mine));
    assert(after.includes(rest), after);
    assert.doesNotMatch(after, /"old"/);
  });

  for (const text of ['{ "mcpServers": [] }', '{ "mcpServers": {', '[]', '{"a": 1, "a": 2}{', '\xff\xfe{}']) {
    it(`is not touched when it cannot be understood: ${JSON.stringify(text)}`, async () => {
      const path = join(places.workspace ?? '', '.mcp.json');
      writeFileSync(path, text, 'latin1');
      const bytes = readFileSync(path);
      await assert.rejects(planChange(formOf('Claude Code'), places, launch), (error: Error) =>
        error.message.includes(path),
      );
      assert.deepEqual(readFileSync(path), bytes);
    });
  }

  it('is not written through a link', async function () {
    skipUnless(this, process.platform !== 'win32', 'symbolic links');
    const outside = join(home, 'outside.json');
    writeFileSync(outside, '{}');
    symlinkSync(outside, join(places.workspace ?? '', '.mcp.json'));
    const message = /\.mcp\.json is a link to another file/;
    await assert.rejects(planChange(formOf('Claude Code'), places, launch), { kind: 'save', message });
    symlinkSync(home, join(places.workspace ?? '', '.kilo'));
    await assert.rejects(planChange(formOf('Kilo Code'), places, launch), { kind: 'save' });
    assert.equal(readFileSync(outside, 'utf8'), '{}');
  });

  it('is not written when it has changed since the person saw the change', async () => {
    const form = formOf('Claude Code');
    const path = form.files(places)[0] ?? '';
    const created = await planChange(form, places, launch);
    writeFileSync(path, '{}');
    await assert.rejects(writeChange(created, form, places), { kind: 'save', message: /has just changed/ });
    const change = await planChange(form, places, launch);
    writeFileSync(path, '{ }');
    await assert.rejects(writeChange(change, form, places), { kind: 'save', message: /has just changed/ });
    assert.equal(readFileSync(path, 'utf8'), '{ }');
    assert.deepEqual(readdirSync(places.workspace ?? ''), ['.mcp.json']);
  });

  it('is shown by the lines that change', () => {
    const change = { path: '/f', before: '{\n  "a": 1\n}\n', after: '{\n  "a": 1,\n  "b": 2\n}\n' };
    assert.equal(describeChange(change), '-   "a": 1\n+   "a": 1,\n+   "b": 2');
  });
});

describe('the program that agents start (promise 28)', () => {
  it('runs the command line that comes with the extension, whatever its folder is called', async function () {
    skipUnless(this, process.platform !== 'win32', 'a POSIX shell');
    const folder = join(mkdtempSync(join(tmpdir(), "it's $HOME ")), 'agents');
    try {
      const commandLine = join(dirname(folder), 'cli.mjs');
      writeFileSync(
        commandLine,
        'console.log(JSON.stringify([process.argv.slice(2), process.env.UNIFIED_MEDIA_MCP_FOLDER]))',
      );
      const { command, args } = await writeLauncher(folder, { node: process.execPath, commandLine });
      const { stdout } = spawnSync(command, args, { encoding: 'utf8' });
      assert.deepEqual(JSON.parse(stdout), [['mcp'], folder]);
      assert.equal(statSync(command).mode & 0o777, 0o700);
      assert.equal(statSync(folder).mode & 0o777, 0o700);
    } finally {
      rmSync(dirname(folder), { recursive: true });
    }
  });

  it('is a script for Node on Windows, where a program cannot be a shell script', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
    try {
      const launched = { node: 'C:\\Code.exe', commandLine: join(folder, 'cli.js') };
      const { command, args, env } = await writeLauncher(folder, launched, 'win32');
      assert.deepEqual(
        [command, args, env],
        ['C:\\Code.exe', [join(folder, 'unified-media.mjs'), 'mcp'], { ELECTRON_RUN_AS_NODE: '1' }],
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
