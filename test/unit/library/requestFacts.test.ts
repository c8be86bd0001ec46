import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { plainText } from '../../../src/foreign/plainText.ts';
import { type AskedFile, requestFacts, shareFacts } from '../../../src/library/requestFacts.ts';
import { type MediaRequest, type OperationId, operationIds, operations } from '../../../src/operations/operations.ts';

describe('requestFacts (promises 23, 24)', () => {
  const linesOf = (
    operation: OperationId,
    values: Readonly<Record<string, unknown>>,
    files: readonly AskedFile[] = [],
  ) =>
    requestFacts({ operation, request: values as unknown as MediaRequest, files }).map(
      ({ name, value }) => `${name}: ${value}`,
    );

  for (const id of operationIds) {
    it(`shows the value of every field of ${id} that changes what is made`, () => {
      const names = operations[id].fields.map(({ name }) => name);
      const lines = linesOf(id, Object.fromEntries(names.map((name) => [name, `value-of-${name}`])));
      for (const name of names.filter((one) => one !== 'output_format')) {
        assert.equal(
          lines.filter((line) => line.includes(`value-of-${name}`)).length,
          1,
          `${name}: ${lines.join('\n')}`,
        );
      }
    });
  }

  it('shows what is sent for a field that a kept request does not have yet', () => {
    const lines = linesOf('speak', { model: 'm', input: 'One.', response_format: 'wav' });
    assert(lines.includes('Voice: alloy'), lines.join('\n'));
  });

  it('shows every address in full, with the host that it leads to', () => {
    const addresses = [
      'https://evil.example/x.png?leak=AWS_SECRET%3Dabc',
      'https://good.example@evil.example/x.png',
      `https://evil.example/${'x'.repeat(900)}.png`,
    ];
    const lines = linesOf('editImage', { model: 'm', prompt: 'a', image_urls: addresses, n: 1 });
    for (const address of addresses) {
      assert(lines.includes(`Sends: ${address} (the service fetches it from evil.example)`), lines.join('\n'));
    }
  });

  it('shows every file by its path, its size and its hash', () => {
    const [image, sha256] = [resolve('/work/site/img/hero.png'), 'a'.repeat(64)];
    const files = [{ path: image, bytes: 1234, sha256 }];
    const later = resolve('/work/later.png');
    const request = {
      model: 'm',
      prompt: 'a',
      n: 1,
      image_urls: [image, later].map((path) => pathToFileURL(path).href),
    };
    const lines = linesOf('editImage', request, files);
    assert(lines.includes(`Sends: ${image} (1,234 bytes, SHA-256 ${sha256})`), lines.join('\n'));
    assert(lines.includes(`Sends: ${later}`));
    assert(
      linesOf('transcribe', { model: 'm', file: '/a/call.wav' }, [{ path: '/a/call.wav', bytes: 2, sha256 }]).includes(
        `Sends: /a/call.wav (2 bytes, SHA-256 ${sha256})`,
      ),
    );
    assert(
      linesOf('animateImage', { image_url: `data:image/png;base64,${Buffer.alloc(2000).toString('base64')}` }).includes(
        'Sends: an image of 2,000 bytes',
      ),
    );
  });

  it('says how much of a long text is not shown, and has the whole', () => {
    for (const [id, field] of [
      ['generateImage', 'prompt'],
      ['speak', 'input'],
    ] as const) {
      const text = `${'x'.repeat(60_340)}\nthe end !`.padEnd(60_350, '!');
      const facts = requestFacts({ operation: id, request: { [field]: text } as unknown as MediaRequest, files: [] });
      const fact = facts.find(({ whole }) => whole !== undefined);
      assert.equal(fact?.value, `${'x'.repeat(300)}… and 60,050 more characters`);
      assert.equal(fact.whole, text);
    }
    const short = requestFacts({ operation: 'speak', request: { input: 'x'.repeat(300) } as MediaRequest, files: [] });
    assert.deepEqual(
      short.filter(({ whole }) => whole !== undefined),
      [],
    );
  });

  it('lets no value forge a line, and counts the characters of a text that nobody can see', () => {
    const forged = 'painter?\n\nService: sandbox\u0085Price: free\u202e';
    for (const id of operationIds) {
      const names = operations[id].fields.map(({ name }) => name);
      for (const line of linesOf(id, Object.fromEntries(names.map((name) => [name, forged])))) {
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        assert.doesNotMatch(line, /^(Service|Price)/);
      }
    }
    assert.deepEqual(linesOf('generateImage', { model: 'a” b', prompt: `a${'\u{e0041}'.repeat(9)}b`, n: 1 }), [
      'Model: “a" b”',
      'Prompt: ab (with 9 invisible characters)',
      'Count: 1',
    ]);
    const bytes = [...Buffer.from('secret')].map((byte) => String.fromCodePoint(0xe0100 + byte - 16));
    const [, prompt] = linesOf('generateImage', { model: 'm', prompt: `a${bytes.join('')}` });
    assert.equal(prompt, 'Prompt: a (with 6 invisible characters)');
  });
});

describe('shareFacts', () => {
  const fact = (name: string, value: string) => ({ name, value });

  it('says once what all requests have in common', () => {
    const sections = ['one', 'two'].map((title) => ({
      title,
      facts: [fact('Service', 'a.example'), fact('Prompt', title), fact('Count', '1')],
    }));
    assert.deepEqual(shareFacts(sections), [
      [{ facts: [fact('Service', 'a.example'), fact('Count', '1')] }],
      [
        { title: 'one', facts: [fact('Prompt', 'one')] },
        { title: 'two', facts: [fact('Prompt', 'two')] },
      ],
    ]);
  });

  it('keeps what is not the same everywhere, also a long text that begins alike', () => {
    const long = (whole: string) => ({ facts: [{ name: 'Text', value: 'a… and 9 more', whole: plainText(whole) }] });
    const sections = [long('a b'), long('a c')];
    assert.deepEqual(shareFacts(sections), [[], sections]);
    assert.deepEqual(shareFacts([long('a')]), [[], [long('a')]]);
  });
});
