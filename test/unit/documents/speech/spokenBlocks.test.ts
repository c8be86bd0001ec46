import assert from 'node:assert/strict';
import { spokenBlocks } from '../../../../src/documents/speakableText.ts';

const blocks = (text: string, languageId = 'markdown') => spokenBlocks(text, languageId).map((block) => block.text);

describe('spokenBlocks', () => {
  it('returns each paragraph, list and table as one block', () => {
    const text = 'One\ntwo.\n\n- a\n- b\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\nThree.';
    assert.deepEqual(blocks(text), ['One two.', 'a.\nb.', 'A: 1, B: 2.', 'Three.']);
  });

  it('puts headings in front of the next block, and returns those at the end as a block', () => {
    assert.deepEqual(blocks('# A\n\n## B\n\nText.\n\n## C'), ['A.\n\nB.\n\nText.', 'C.']);
  });

  it('returns the same blocks whatever the markup, addresses, code and line breaks', () => {
    const plain = blocks('# Fox\n\nA red fox ran to the hen.\n\nEnd.');
    for (const text of [
      '# Fox\n\nA **red** fox *ran* to the `hen`.\n\nEnd.',
      '# Fox\n\nA red [fox](a.md) ran to the [hen](https://b.c "d").\n\nEnd.',
      '---\ntitle: Other\n---\nFox\n===\nA red fox\nran to the hen.\n\n```js\nnew()\n```\n\nEnd.',
      '# Fox\r\n\r\nA red fox ran\r\nto the hen.\r\n\r\n<!-- new -->\r\n\r\nEnd.\r\n',
      '# Fox\n\n<audio controls src="a.mp3" title="a"></audio>\n[Transcript](a.vtt)\n\nA red fox ran to the hen.\n\nEnd.',
    ]) {
      assert.deepEqual(blocks(text), plain);
    }
  });

  it('returns what is spoken instead, as a comment on the next line or after a blank one says', () => {
    const text =
      '# SQL\n\nSee `x -> y`.\n<!-- say: See x to\ny. -->\n\nGo.\n\n<!-- say: Run. -->\n\n- a\n- b\n\n<!-- say: -->\n\nEnd.';
    assert.deepEqual(spokenBlocks(text, 'markdown'), [
      { text: 'SQL.\n\nSee x -> y.', say: 'SQL.\n\nSee x to y.' },
      { text: 'Go.', say: 'Run.' },
      { text: 'a.\nb.', say: '' },
      { text: 'End.' },
    ]);
  });

  it('returns the voice of a block, as a comment behind it says, also together with other words', () => {
    const text = `# Talk\n\nYes.\n<!-- voice: nova -->\n\nx -> y\n\n<!-- say: x to y -->\n<!-- voice: echo -->\n\nEnd.\n\n<!-- voice: -->\n\n<!-- voice: a\nb -->`;
    assert.deepEqual(spokenBlocks(text, 'markdown'), [
      { text: 'Talk.\n\nYes.', voice: 'nova' },
      { text: 'x -> y', say: 'x to y', voice: 'echo' },
      { text: 'End.' },
    ]);
  });

  it('goes on as written behind such a comment in a list or a table, with the same voice', () => {
    const texts = {
      '- a\n- b <!-- say: x -->\n- c': { text: 'a.\nb.\nc.', say: 'x\nc.' },
      '- a <!-- say: -->\n- b': { text: 'a.\nb.', say: 'b.' },
      '- a <!-- voice: nova -->\n- b': { text: 'a.\nb.', voice: 'nova' },
      '<table><tr><td>1</td></tr><!-- say: x --><!-- voice: nova --><tr><td>2</td></tr></table>': {
        text: '1.\n2.',
        say: 'x\n2.',
        voice: 'nova',
      },
    };
    for (const [text, block] of Object.entries(texts)) assert.deepEqual(spokenBlocks(text, 'markdown'), [block], text);
  });

  it('changes no block that such a comment does not stand right behind', () => {
    const comments = '<!-- say: x -->\n<!-- voice: nova -->';
    for (const text of [
      `Run it.\n\n\`\`\`sh\nnpm i\n\`\`\`\n\n${comments}\n\nDone.`,
      `Run it.\n\n<video src="a.mp4"></video>\n\n${comments}\n\nDone.`,
      `Run it.\n<p><audio src="a.mp3"></audio></p>\n${comments}\n\nDone.`,
      `Run it.\n\n<div hidden><p>No.</p></div>\n${comments}\n\nDone.`,
      `Run it.\n\n***\n${comments}\n\nDone.`,
      `<div>Run it.<hr>${comments}</div>\n\nDone.`,
      `Run it.\n<table><tr><td>${comments}</td></tr></table>\n\nDone.`,
    ]) {
      assert.deepEqual(spokenBlocks(text, 'markdown'), [{ text: 'Run it.' }, { text: 'Done.' }], text);
    }
    for (const text of [`Run <svg></svg>it.\n${comments}`, `Run it.<svg></svg>\n\n<!-- ! -->\n\n${comments}`]) {
      assert.deepEqual(spokenBlocks(text, 'markdown'), [{ text: 'Run it.', say: 'x', voice: 'nova' }], text);
    }
  });

  it('splits plain text at blank lines, with Windows line breaks too', () => {
    assert.deepEqual(blocks('One\r\ntwo\r\n \r\n\r\n# three\n\n', 'plaintext'), ['One\ntwo', '# three']);
  });

  it('returns no blocks when nothing can be read aloud', () => assert.deepEqual(blocks('```\ncode\n```\n'), []));
});
