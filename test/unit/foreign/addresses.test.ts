import assert from 'node:assert/strict';
import { addressesIn, hostsOf } from '../../../src/foreign/addresses.ts';

describe('addressesIn (promises 23, 33)', () => {
  const found: Readonly<Record<string, string>> = {
    'https://collector.example/hook': 'collector.example',
    'HTTP://169.254.169.254/latest/': '169.254.169.254',
    '//collector.example/x': 'collector.example',
    '\\\\collector.example\\x': 'collector.example',
    'https:collector.example': 'collector.example',
    'https:/collector.example': 'collector.example',
    'https:\\\\collector.example': 'collector.example',
    's3://bucket/key': 'bucket',
    'a://b': 'b',
    'wss://a.example': 'a.example',
    'see https://a.example?q=1, please': 'a.example',
    '{"url":"https://a.example"}': 'a.example"}',
    'https%3A%2F%2Fa.example%2Fx': 'a.example',
    'htt\tps://10.0.0.5': '10.0.0.5',
    'url=//10.0.0.5/x': '10.0.0.5',
    'http://0x7f.1/': '127.0.0.1',
    'https://public.example@10.0.0.5/': '10.0.0.5',
    'mailto:a@b.example': 'b.example',
  };
  for (const [text, host] of Object.entries(found)) {
    it(`finds the address in ${JSON.stringify(text)}`, () => {
      const words = addressesIn(text);
      const [address] = [...hostsOf(words.at(-1) ?? '')];
      assert.equal(address?.hostname, URL.parse(`http://${host}`)?.hostname);
    });
  }

  for (const text of ['file:///etc/passwd', 'file:/etc/passwd', 'https://']) {
    it(`names no host that could be public in ${text}`, () => {
      assert.deepEqual(
        addressesIn(text).flatMap((word) => [...hostsOf(word)]),
        [undefined],
      );
    });
  }

  it('finds a second address behind another', () => {
    const [word = ''] = addressesIn('https://a.example,https://10.0.0.5');
    assert.equal([...hostsOf(word)].at(-1)?.hostname, '10.0.0.5');
  });

  for (const text of [
    'https://a.example%2F@10.0.0.5/',
    'https://a.example%23@10.0.0.5/',
    'https://a.example\\@10.0.0.5/',
    'https://a.example\n@10.0.0.5/',
    'https://b.example https://a.example\r\n@10.0.0.5/',
    '{"url":"https://10.0.0.5"}',
    '(https://10.0.0.5)',
    '<https://10.0.0.5>',
  ]) {
    it(`names the host that only some programs read in ${JSON.stringify(text)} (promise 20)`, () => {
      const hosts = addressesIn(text).flatMap((word) => [...hostsOf(word)].map((address) => address?.hostname));
      assert(hosts.includes('10.0.0.5'), hosts.join(' '));
    });
  }

  it('names a host once, also between brackets', () => {
    for (const text of [
      'https://a.example/x?y=1',
      '<https://a.example>',
      'https://a.example/%20',
      'https://a.example/b,c',
    ]) {
      const hosts = addressesIn(text).flatMap((word) => [...hostsOf(word)].map((address) => address?.hostname));
      assert.deepEqual(hosts, ['a.example'], text);
    }
  });

  for (const text of [
    '16:9',
    '1:/2',
    '10:30',
    'C:/pictures/a.png',
    'C:\\pictures',
    'and/or',
    'a // b',
    'note: warm',
    'urn:air:flux:model:1@2',
    'en-US',
    '1.2.3',
    'a/b/c',
    '',
  ]) {
    it(`finds none in ${JSON.stringify(text)}`, () => assert.deepEqual(addressesIn(text), []));
  }
});
