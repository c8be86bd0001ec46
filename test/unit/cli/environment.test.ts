import assert from 'node:assert/strict';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../../src/cli/commandLine.ts';
import { serviceIn } from '../../../src/cli/environment.ts';
import { JobsInShell } from '../../../src/cli/JobsInShell.ts';
import { Store } from '../../../src/work/Store.ts';
import { stateFolder } from '../../../src/work/stateFolder.ts';
import { startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';

describe('serviceIn and stateFolder (promise 40)', () => {
  const environment = {
    UNIFIED_MEDIA_API_KEY: ' Bearer sk-1 ',
    UNIFIED_MEDIA_IMAGE_BASE_URL: 'https://images.example.com/v1',
    UNIFIED_MEDIA_AUTHORIZATION_SCHEME: 'Bearer',
  };

  it('returns the key for the configured hosts only', () => {
    const { configuration, key } = serviceIn(environment);
    assert.equal(key('https://images.example.com'), 'sk-1');
    assert.equal(key('https://images.example.com:8443'), undefined);
    assert.equal(key('https://other.example.com'), undefined);
    assert.equal(configuration.authorizationScheme, 'Bearer');
    assert.equal(configuration.hosts.audio, '');
  });

  it('takes the paths of jobs', () => {
    const { imageStatusPath, videoStatusPath } = serviceIn({
      UNIFIED_MEDIA_IMAGE_STATUS_PATH: ' /tasks/{id} ',
      UNIFIED_MEDIA_VIDEO_STATUS_PATH: '/videos/{id}',
    }).configuration;
    assert.deepEqual([imageStatusPath, videoStatusPath], ['/tasks/{id}', '/videos/{id}']);
  });

  it('allows plain http to the hosts that are listed, without a key there', async () => {
    const hosts = { UNIFIED_MEDIA_IMAGE_BASE_URL: 'http://nas:8080', UNIFIED_MEDIA_INSECURE_HOSTS: 'pi:80, nas:8080' };
    const folder = join(tmpdir(), 'unified-media-unused');
    await using jobs = new JobsInShell({ environment: hosts, state: folder, store: new Store(folder), sandbox: false });
    await jobs.checkReady('generateImage');
    const here = { UNIFIED_MEDIA_IMAGE_BASE_URL: 'http://localhost:8080' };
    await using local = new JobsInShell({ environment: here, state: folder, store: new Store(folder), sandbox: false });
    await local.checkReady('generateImage');
  });

  it('returns the state folder by the conventions of each platform', () => {
    assert.equal(stateFolder({ XDG_STATE_HOME: '/s' }, 'linux'), join('/s', 'unified-media'));
    assert.equal(stateFolder({ XDG_STATE_HOME: 'relative' }, 'linux'), join(homedir(), '.local/state/unified-media'));
    assert.equal(stateFolder({}, 'darwin'), join(homedir(), 'Library/Application Support/unified-media'));
    assert.equal(stateFolder({ LOCALAPPDATA: '/l' }, 'win32'), join('/l', 'unified-media'));
    const local = join(homedir(), 'AppData/Local/unified-media');
    assert.equal(stateFolder({ LOCALAPPDATA: 'relative' }, 'win32'), local);
  });

  for (const [what, home] of [
    ['is empty', () => ''],
    ['is a relative path', () => 'home'],
    [
      'does not exist',
      () => {
        throw new Error('uv_os_homedir returned ENOENT');
      },
    ],
  ] as const) {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      it(`names what to set where the home folder ${what} (${platform})`, () => {
        const message = /^Your home folder is not known \((it is not an absolute path|.*ENOENT)\), .* Set HOME or/;
        assert.throws(() => stateFolder({}, platform, home), { name: 'MediaError', kind: 'save', message });
        assert.equal(stateFolder({ XDG_STATE_HOME: '/s' }, platform, home), join('/s', 'unified-media'));
      });
    }
  }
});

describe('JobsInShell', () => {
  const image = 'UNIFIED_MEDIA_IMAGE_BASE_URL';
  const given = { [image]: 'https://images.example.com', UNIFIED_MEDIA_API_KEY: 'k' };
  const folder = join(tmpdir(), 'unified-media-unused');

  for (const [what, environment, message] of [
    ['a missing address', {}, /Set UNIFIED_MEDIA_IMAGE_BASE_URL, or use --sandbox\.$/],
    ['a missing key', { [image]: given[image] }, /Set UNIFIED_MEDIA_API_KEY, or use --sandbox\.$/],
    [
      'plain http',
      { ...given, [image]: 'http://nas:8080' },
      /“UNIFIED_MEDIA_INSECURE_HOSTS” lists nas:8080\. Correct UNIFIED_MEDIA_IMAGE_BASE_URL\.$/,
    ],
    ['an address that is none', { ...given, [image]: 'images' }, / Correct UNIFIED_MEDIA_IMAGE_BASE_URL\.$/],
    [
      'a header that the client sets',
      { ...given, UNIFIED_MEDIA_HEADERS: '{"Cookie":"a"}' },
      /must not contain Cookie.* Correct UNIFIED_MEDIA_HEADERS\.$/,
    ],
    [
      'a header that takes no key',
      { ...given, UNIFIED_MEDIA_IDEMPOTENCY_HEADER: 'Cookie' },
      /idempotencyHeader.*, not Cookie\. Correct UNIFIED_MEDIA_IDEMPOTENCY_HEADER\.$/,
    ],
    ['headers that are no JSON', { ...given, UNIFIED_MEDIA_HEADERS: 'a: b' }, / Correct UNIFIED_MEDIA_HEADERS\.$/],
    [
      'two words before the key',
      { ...given, UNIFIED_MEDIA_AUTHORIZATION_SCHEME: 'a b' },
      / Correct UNIFIED_MEDIA_AUTHORIZATION_SCHEME\.$/,
    ],
  ] as const) {
    it(`names the variable for ${what}`, async () => {
      await using jobs = new JobsInShell({ environment, state: folder, store: new Store(folder), sandbox: false });
      await assert.rejects(jobs.checkReady('generateImage'), { message });
    });
  }

  it('names the variable for a path that is none', async () => {
    const audio = { ...given, UNIFIED_MEDIA_AUDIO_BASE_URL: given[image], UNIFIED_MEDIA_TRANSCRIPTION_PATH: 'x' };
    await using jobs = new JobsInShell({ environment: audio, state: folder, store: new Store(folder), sandbox: false });
    await assert.rejects(jobs.checkReady('transcribe'), { message: / Correct UNIFIED_MEDIA_TRANSCRIPTION_PATH\.$/ });
  });

  it('names the variable for a video that is not there yet, with which it is saved', async () => {
    await using service = await startMediaService();
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({ 'a.mp4': { operation: 'generateVideo', prompt: 'a', model: 'm' } });
    service.answerWith((response) => response.end('{"id":"v","status":"queued"}'));
    service.downloadWith((response, answer, path) =>
      path.endsWith('.mp4') ? answer() : response.end('{"id":"v","status":"completed","url":"/a.mp4"}'),
    );
    const name = 'UNIFIED_MEDIA_VIDEO_STATUS_PATH';
    for (const [path, sentence] of [
      ['', /set "UNIFIED_MEDIA_VIDEO_STATUS_PATH" to the path of its status/],
      ['/v1/videos', /must contain \{id\}.* Correct UNIFIED_MEDIA_VIDEO_STATUS_PATH\./],
    ] as const) {
      const { code, stdout } = await repository.run(['apply'], { [name]: path });
      assert.equal(code, 1);
      assert.match(stdout, sentence);
      assert.doesNotMatch(stdout, /unifiedMedia|Download Again/);
    }
    const { code, stdout } = await repository.run(['apply'], { [name]: '/v1/videos/{id}' });
    assert.equal(code, 0, stdout);
    assert.equal(service.paid.length, 1);
  });
});

describe('readCommandLine (promise 40)', () => {
  for (const [words, pattern] of [
    [['draw'], /verb "draw"/],
    [['plan', '--colour'], /--colour/],
    [['plan', 'more'], /plan takes no arguments, but got "more"/],
    [['apply', '--max-requests', 'many'], /--max-requests/],
    [['plan', '--yes'], /^plan does not take --yes\.$/],
    [['accept', 'a.png', '--json'], /^accept does not take --json\.$/],
    [['prune', '--shard=1/2'], /^prune does not take --shard\.$/],
    [['merge-lock', 'a', 'b', 'c', '--manifest', 'd'], /^merge-lock does not take --manifest\.$/],
    [['check', '--format', 'gitlab'], /--format/],
    [['accept'], /accept/],
    [['choose', 'a.png'], /choose/],
    [['choose', 'a.png', '0'], /choose/],
  ] as const) {
    it(`rejects "${words.join(' ')}"`, () => assert.throws(() => readCommandLine(words), { message: pattern }));
  }

  it('has three requests out at a time, or as many as --jobs says', () => {
    const jobsOf = (...words: readonly string[]) => {
      const line = readCommandLine(words);
      return typeof line === 'object' ? line.jobs : undefined;
    };
    assert.deepEqual([jobsOf('apply'), jobsOf('apply', '--jobs', '16')], [3, 16]);
    for (const wrong of ['0', '17', '1.5', 'many']) assert.throws(() => jobsOf('apply', '--jobs', wrong), /1 to 16/);
    assert.throws(() => jobsOf('plan', '--jobs', '2'), /plan does not take --jobs/);
  });

  it('returns undefined when help is requested', () => {
    assert.equal(readCommandLine([]), undefined);
    assert.equal(readCommandLine(['plan', '--help']), undefined);
    assert.equal(readCommandLine(['sandbox', '--help']), undefined);
  });
});
