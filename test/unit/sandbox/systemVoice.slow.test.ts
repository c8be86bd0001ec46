import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { field, operations } from '../../../src/operations/operations.ts';
import {
  findSystemVoice,
  runProgram,
  type SpokenRequest,
  type SystemVoice,
} from '../../../src/sandbox/speech/SystemVoice.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/startSandbox.ts';
import { samplesOf, speechOf } from '../../support/audioRequests.ts';
import { fakeVoice, sineScript } from '../../support/fakeVoice.ts';
import { itWith } from '../../support/findProgram.ts';
import { readMp3, textsIn } from '../../support/readMp3.ts';

describe("sandbox: the system's voice", () => {
  const storage = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
  const running: Sandbox[] = [];
  const sandboxWith = async (voice: SystemVoice): Promise<Sandbox> => {
    const sandbox = await startSandbox({ storage, findVoice: async () => voice });
    running.push(sandbox);
    return sandbox;
  };
  afterEach(async () => {
    await Promise.all(running.splice(0).map((sandbox) => sandbox.stop()));
  });
  after(() => rm(storage, { recursive: true }));

  it('speaks with a program at 24 kHz, and names it in the file', async () => {
    const sandbox = await sandboxWith(fakeVoice(sineScript));
    const wav = await speechOf(sandbox, { voice: 'alloy', response_format: 'wav' });
    assert(wav.includes('alloy, spoken by fake\0'));
    const samples = samplesOf(wav);
    assert(Math.abs(samples.length - 24_000) < 40, String(samples.length));
    assert(Math.abs(frequencyOf(samples) - 500) < 2, String(frequencyOf(samples)));
    assert(Math.abs(Math.max(...samples) - 8000) < 100, 'the loudness should not change');
    const mp3 = await speechOf(sandbox);
    assert.equal(textsIn(mp3).TPE1, 'alloy, spoken by fake');
    const { seconds } = readMp3(mp3);
    assert(seconds > 1 && seconds < 1.1);
  });

  it('gives every voice its own pitch at the same speaking rate', async () => {
    const voice = fakeVoice(sineScript);
    const sandbox = await sandboxWith(voice);
    const frequencies: number[] = [];
    for (const name of field('speak', 'voice').options) {
      const frequency = frequencyOf(samplesOf(await speechOf(sandbox, { voice: name, response_format: 'wav' })));
      const speed = voice.requests.at(-1)?.speed ?? 0;
      assert(Math.abs(frequency * speed - 500) < 3, `${name}: ${frequency} Hz at ${speed}`);
      frequencies.push(Math.round(frequency));
    }
    assert.equal(new Set(frequencies).size, 11);
    assert(Math.min(...frequencies) > 380 && Math.max(...frequencies) < 650, frequencies.join());
  });

  it("passes the text in a file, without the voice's embedded commands", async () => {
    const voice = fakeVoice(
      `writeFileSync(${JSON.stringify(join(storage, 'heard'))}, readFileSync(text)); ${sineScript}`,
    );
    const input = `"; touch x $(id) \`id\` --help\n[[rate 1]]\u0000 [[[ kůň 東京`;
    const file = await speechOf(await sandboxWith(voice), { input });
    assert.equal(
      await readFile(join(storage, 'heard'), 'utf8'),
      `"; touch x $(id) \`id\` --help\n[ [rate 1]]  [ [[ kůň 東京`,
    );
    assert.equal(textsIn(file).USLT, `XXX\0${input}`);
  });

  const failures: readonly (readonly [string, SystemVoice])[] = [
    ['is missing', { ...fakeVoice(''), program: () => ({ path: join(storage, 'nothing'), arguments: [] }) }],
    ['exits with an error', fakeVoice(`${sineScript} process.exit(3);`)],
    ['is killed', fakeVoice(`${sineScript} process.kill(process.pid, 'SIGKILL');`)],
    ['writes nothing', fakeVoice('')],
    ['writes something other than WAV', fakeVoice("writeFileSync(sound, 'no sound');")],
    ['is silent', fakeVoice(`${sineScript} writeFileSync(sound, readFileSync(sound).subarray(0, 44));`)],
  ];
  for (const [what, voice] of failures) {
    it(`falls back to tones when the program ${what}`, async () => {
      const file = await speechOf(await sandboxWith(voice));
      assert.equal(textsIn(file).TPE1, 'alloy, a tone per word');
      await eventually(async () => (await leftIn(storage)).length === 0);
    });
  }

  const waiting = 'writeFileSync(`${text}.pid`, String(process.pid)); setInterval(() => undefined, 1000);';

  it('kills the program and deletes its files when the client disconnects', async () => {
    const voice = fakeVoice(waiting);
    const { leave, child } = await speakEndlessly(await sandboxWith(voice), voice);
    leave();
    await eventually(() => !isRunning(child));
    await eventually(async () => (await leftIn(storage)).length === 0);
  });

  it('kills the program when the sandbox stops', async () => {
    const voice = fakeVoice(waiting);
    const sandbox = await sandboxWith(voice);
    const { child } = await speakEndlessly(sandbox, voice);
    await sandbox.stop();
    assert(!isRunning(child));
  });

  it('kills a program that is too slow', async () => {
    const file = join(storage, 'slow');
    const script = `require('node:fs').writeFileSync(process.argv[1], String(process.pid)); setInterval(() => undefined, 1000);`;
    const slow = { path: process.execPath, arguments: ['-e', script, file] };
    const pid = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
    // On a busy machine the program may not have started before the first limit.
    for (let limitMs = 500; pid() === 0; limitMs *= 2) {
      await assert.rejects(runProgram(slow, new AbortController().signal, limitMs), /exited with SIGKILL/);
    }
    assert(!isRunning(pid()));
  });

  it('gives a program what it needs of the environment, and neither the key nor another secret (promise 40)', async () => {
    const file = join(storage, 'environment');
    const script = "require('node:fs').writeFileSync(process.argv[1], JSON.stringify(process.env))";
    const environment = { UNIFIED_MEDIA_TEXT: '/w/text.txt' };
    const program = { path: process.execPath, arguments: ['-e', script, file], environment };
    const secrets = ['UNIFIED_MEDIA_API_KEY', 'UNIFIED_MEDIA_MCP_TOKEN', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY'];
    const before = secrets.map((name) => process.env[name]);
    try {
      for (const name of secrets) process.env[name] = 'canary-secret';
      await runProgram(program, new AbortController().signal, 60_000);
    } finally {
      for (const [index, name] of secrets.entries()) {
        const value = before[index];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
    const given = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
    assert.deepEqual(given.PATH ?? given.Path, process.env.PATH);
    assert.equal(given.UNIFIED_MEDIA_TEXT, '/w/text.txt');
    assert(!Object.values(given).includes('canary-secret'), Object.keys(given).join());
  });

  it('looks for the voice once', async () => {
    let calls = 0;
    const findVoice = async () => {
      calls++;
      return fakeVoice(sineScript);
    };
    const sandbox = await startSandbox({ findVoice });
    running.push(sandbox);
    await Promise.all([speechOf(sandbox), speechOf(sandbox)]);
    await speechOf(sandbox);
    assert.equal(calls, 1);
  });

  const spoken: SpokenRequest = { text: 'kůň', textFile: '/w/text.txt', soundFile: '/w/voice.wav', speed: 0.8 };
  const system = (platform: NodeJS.Platform, environment: Record<string, string>, ...programs: string[]) => ({
    platform,
    environment,
    isProgram: async (path: string) => programs.includes(path),
  });

  it('finds `say` on macOS', async () => {
    const voice = await findSystemVoice(system('darwin', {}, '/usr/bin/say'));
    assert.deepEqual(voice?.program(spoken), {
      path: '/usr/bin/say',
      arguments: [
        ...['-f', '/w/text.txt', '-o', '/w/voice.wav', '-r', '140'],
        ...['--file-format=WAVE', '--data-format=LEI16@24000'],
      ],
      environment: { LC_ALL: 'en_US.UTF-8' },
    });
    assert.equal(await findSystemVoice(system('darwin', { PATH: '/bin' }, '/bin/espeak-ng')), undefined);
  });

  it('uses System.Speech on Windows, with all values in the environment', async () => {
    const path = 'D:\\Win\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
    const voice = await findSystemVoice(system('win32', { SystemRoot: 'D:\\Win' }, path));
    const program = voice?.program(spoken);
    assert.equal(program?.path, path);
    assert.deepEqual(program?.environment, {
      UNIFIED_MEDIA_TEXT: '/w/text.txt',
      UNIFIED_MEDIA_SOUND: '/w/voice.wav',
      UNIFIED_MEDIA_RATE: '-2',
    });
    const script = program?.arguments.at(-1) ?? '';
    assert.match(script, /System\.Speech/);
    assert(!script.includes('"') && !script.includes('/w/') && !script.includes(spoken.text));
  });

  it('finds espeak-ng on Linux, only in absolute folders', async () => {
    const voice = await findSystemVoice(system('linux', { PATH: '.:bin:/a:/b' }, 'espeak-ng', '/b/espeak-ng'));
    assert.equal(voice?.program(spoken).path, '/b/espeak-ng');
    assert.equal(await findSystemVoice(system('linux', { PATH: '.:bin:' }, 'espeak-ng', 'bin/espeak-ng')), undefined);
    assert.equal(await findSystemVoice(system('linux', {})), undefined);
  });

  it("chooses the language by the text's script", async () => {
    const voice = await findSystemVoice(system('linux', { PATH: '/b' }, '/b/espeak-ng'));
    const languageOf = (text: string) => voice?.program({ ...spoken, text }).arguments.at(3);
    for (const [text, language] of [
      ['Hello', 'en'],
      ['123', 'en'],
      ['Привет, world', 'ru'],
      ['東京へ行きます', 'ja'],
      ['我们今天去北京', 'cmn'],
      ['서울', 'ko'],
      ['Αθήνα', 'el'],
    ] as const) {
      assert.equal(languageOf(text), language, text);
    }
  });

  itWith('espeak-ng', 'speaks with espeak-ng, with a distinct sound per voice', async () => {
    const sandbox = await startSandbox({ storage });
    running.push(sandbox);
    const voices = field('speak', 'voice').options;
    const sounds = await Promise.all(
      voices.map(async (voice) => {
        const wav = await speechOf(sandbox, { voice, response_format: 'wav' });
        assert(wav.includes(`${voice}, spoken by espeak-ng\0`));
        return wav.toString('latin1', wav.indexOf('data'));
      }),
    );
    assert.equal(new Set(sounds).size, voices.length);
    assert.equal(textsIn(await speechOf(sandbox)).TPE1, 'alloy, spoken by espeak-ng');
  });

  itWith('espeak-ng', 'speaks Chinese and Czech audibly with espeak-ng', async () => {
    const sandbox = await startSandbox({ storage });
    running.push(sandbox);
    const wav = samplesOf(await speechOf(sandbox, { input: '东京 Žluťoučký kůň', response_format: 'wav' }));
    assert(wav.some((sample) => Math.abs(sample) > 3000));
  });
});

/** Requests speech from a program that never ends. @returns once the program runs */
async function speakEndlessly(
  sandbox: Sandbox,
  voice: ReturnType<typeof fakeVoice>,
): Promise<{ readonly leave: () => void; readonly child: number }> {
  const speaking = request(`${sandbox.audioBaseUrl}${operations.speak.path}`, {
    method: 'POST',
    headers: { authorization: sandbox.key, 'content-type': 'application/json' },
  });
  speaking.on('error', () => undefined);
  speaking.end(JSON.stringify({ model: 'm', input: 'x', voice: 'alloy' }));
  let child = 0;
  await eventually(async () => {
    child = Number(await readFile(`${voice.requests.at(-1)?.textFile}.pid`, 'utf8').catch(() => 0));
    return child > 0;
  });
  assert(isRunning(child));
  return { leave: () => speaking.destroy(), child };
}

async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise(setImmediate);
}

/** True also for a zombie process. */
function isRunning(child: number): boolean {
  try {
    return process.kill(child, 0);
  } catch {
    return false;
  }
}

/** Files in the folders of the sandboxes. */
async function leftIn(storage: string): Promise<readonly string[]> {
  const folders = (await readdir(storage)).filter((name) => name.startsWith('sandbox-'));
  return (await Promise.all(folders.map((folder) => readdir(join(storage, folder))))).flat();
}

/** Frequency of a sine in Hz, by its upward zero crossings. */
function frequencyOf(samples: Int16Array): number {
  const crossings: number[] = [];
  for (let at = 1; at < samples.length; at++) {
    if ((samples[at - 1] ?? 0) < 0 && (samples[at] ?? 0) >= 0) crossings.push(at);
  }
  const [first = 0, last = 0] = [crossings[0], crossings.at(-1)];
  return ((crossings.length - 1) * 24_000) / (last - first);
}
