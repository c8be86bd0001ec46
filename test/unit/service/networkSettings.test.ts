import assert from 'node:assert/strict';
import { networkSettings } from '../../../src/service/ServiceConnection.ts';

type Settings = Readonly<Record<string, unknown>>;

function read(settings: Settings, environment: Readonly<Record<string, string>> = {}) {
  return networkSettings((name) => settings[name], environment);
}

describe('networkSettings (promise 7)', () => {
  it('default to a direct connection with strict certificates', () => {
    const standard = {
      proxy: undefined,
      noProxy: [],
      proxyAuthorization: undefined,
      proxyStrictSSL: true,
      systemCertificates: true,
    };
    assert.deepEqual(read({}), standard);
    assert.deepEqual(read({ proxy: '', noProxy: [], proxyAuthorization: null, proxySupport: 'override' }), standard);
    assert.deepEqual(read({ proxy: 7, noProxy: 'x', proxyAuthorization: [], proxyStrictSSL: 0 }), standard);
  });

  it("follow the editor's settings", () => {
    assert.deepEqual(
      read({
        proxy: ' http://proxy:3128 ',
        noProxy: ['a.example', ' b.example ', ''],
        proxyAuthorization: 'Basic x',
        proxyStrictSSL: false,
        systemCertificates: false,
      }),
      {
        proxy: 'http://proxy:3128',
        noProxy: ['a.example', 'b.example'],
        proxyAuthorization: 'Basic x',
        proxyStrictSSL: false,
        systemCertificates: false,
      },
    );
  });

  const proxies: readonly (readonly [Settings, Readonly<Record<string, string>>, string | undefined])[] = [
    [{}, { HTTPS_PROXY: 's', HTTP_PROXY: 'h' }, 's'],
    [{}, { https_proxy: 's' }, 's'],
    [{}, { Https_Proxy: 's' }, 's'],
    [{}, { HTTPS_PROXY: 'upper', https_proxy: 'lower' }, 'lower'],
    [{}, { HTTPS_PROXY: 'upper', https_proxy: '' }, 'upper'],
    [{}, { http_proxy: 'h' }, 'h'],
    [{ proxy: 'set' }, { HTTPS_PROXY: 's' }, 'set'],
    [{ proxy: 'set', proxySupport: 'off' }, { HTTPS_PROXY: 's' }, undefined],
  ];
  for (const [settings, environment, proxy] of proxies) {
    it(`use ${proxy ?? 'no'} proxy from ${JSON.stringify({ ...settings, ...environment })}`, () => {
      assert.equal(read(settings, environment).proxy, proxy);
    });
  }

  it('use NO_PROXY when the editor has no exceptions', () => {
    const environment = { NO_PROXY: 'a.example, .b.example c.example,' };
    assert.deepEqual(read({}, environment).noProxy, ['a.example', '.b.example', 'c.example']);
    assert.equal(read({ noProxy: [] }, environment).noProxy?.length, 3);
    assert.deepEqual(read({ noProxy: ['d.example'] }, environment).noProxy, ['d.example']);
  });
});
