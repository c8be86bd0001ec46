import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../../src/cli/commandLine.ts';
import { serviceIn, stateFolder } from '../../../src/cli/environment.ts';

describe('the environment of the command line', () => {
  const environment = {
    UNIFIED_MEDIA_API_KEY: ' Bearer sk-1 ',
    UNIFIED_MEDIA_IMAGE_BASE_URL: 'https://images.example.com/v1',
    UNIFIED_MEDIA_AUTHORIZATION_SCHEME: 'Bearer',
  };

  it('gives the key to its hosts alone', () => {
    const { configuration, key } = serviceIn(environment);
    assert.equal(key('https://images.example.com'), 'sk-1');
    assert.equal(key('https://images.example.com:8443'), undefined);
    assert.equal(key('https://other.example.com'), undefined);
    assert.equal(configuration.authorizationScheme, 'Bearer');
    assert.equal(configuration.hosts.audio, '');
  });

  it('says where the journal is, by the rules of each system', () => {
    assert.equal(stateFolder({ XDG_STATE_HOME: '/s' }, 'linux'), join('/s', 'unified-media'));
    assert.equal(stateFolder({ XDG_STATE_HOME: 'relative' }, 'linux'), join(homedir(), '.local/state/unified-media'));
    assert.equal(stateFolder({}, 'darwin'), join(homedir(), 'Library/Application Support/unified-media'));
    assert.equal(stateFolder({ LOCALAPPDATA: '/l' }, 'win32'), join('/l', 'unified-media'));
  });
});

describe('the words of the command line', () => {
  for (const [words, pattern] of [
    [['draw'], /verb "draw"/],
    [['plan', '--colour'], /--colour/],
    [['plan', 'more'], /plan takes no arguments, but got "more"/],
    [['apply', '--max-requests', 'many'], /--max-requests/],
    [['check', '--format', 'gitlab'], /--format/],
    [['accept'], /accept/],
    [['choose', 'a.png'], /choose/],
    [['choose', 'a.png', '0'], /choose/],
  ] as const) {
    it(`${words.join(' ')} is told what is wrong`, () => assert.throws(() => readCommandLine(words), pattern));
  }

  it('can ask for help', () => {
    assert.equal(readCommandLine([]), undefined);
    assert.equal(readCommandLine(['plan', '--help']), undefined);
  });
});
